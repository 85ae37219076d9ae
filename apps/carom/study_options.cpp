#include "study_options.hpp"

#include "common_options.hpp"

#include <charconv>
#include <cstdint>

namespace carom::app {
namespace {

void describe_runs(CLI::App& command, StudyOptions& options)
{
    add_set(command, options.sets, "replace a value of the scene in all runs");
    add_repeated(command, "--vary", options.varies,
                 "path=from:to:step or path=v1,v2,...: one run per value; several --vary: all combinations",
                 "PATH=VALUES");
    command.add_option("--repeat", options.repeat, "runs of each combination")->capture_default_str();
    // CLI11 would take -1 and numbers that are too large for the largest seed
    command.add_option("--seed", options.seed, "seed of all random numbers")
        ->capture_default_str()
        ->check(CLI::Validator(
            [](const std::string& text) {
                std::uint64_t seed = 0;
                const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
                const bool good = problem == std::errc() && end == text.data() + text.size();
                return good ? "" : "a seed is a whole number from 0 to 18446744073709551615";
            },
            ""));
    command
        .add_option_function<std::vector<std::string>>(
            "--perturb-step",
            [&options](const std::vector<std::string>& given) {
                options.perturb_step = given.empty() || given[0] == "{}" ? "" : given[0];
            },
            "each run has its own constant step h - WIDTH RND, RND in [0, 1); default width: h/5")
        ->expected(0, 1)
        ->type_name("WIDTH");
    add_repeated(command, "--perturb", options.perturbs,
                 "name=width: shift the initial value of a coordinate, or velocity name', by up to width",
                 "NAME=WIDTH");
}

void describe_questions(CLI::App& command, StudyOptions& options)
{
    command.add_flag("--converge", options.converge,
                     "halve the step repeatedly and show orders of convergence");
    command.add_option("--levels", options.levels, "number of step sizes, with --converge")
        ->capture_default_str();
    add_repeated(command, "--exact", options.exacts, "column=number: measure errors against it",
                 "COLUMN=VALUE");
    add_times(command, options.times, "columns with the state");
    command.add_option("--impacts", options.impacts, "columns with the instants of the first N impacts")
        ->type_name("N");
    command
        .add_option(
            "--strobe", options.strobe,
            "one row per period: seconds, a probe, evaluated at the start, or a formula of parameters")
        ->type_name("PERIOD");
    command
        .add_option("--section", options.section,
                    "instead, one row where a formula of the state rises through zero")
        ->type_name("FORMULA");
    command.add_option("--skip", options.skip, "periods or crossings to omit, with --strobe or --section")
        ->type_name("N");
    command
        .add_option(
            "--basin", options.basin,
            "basins of attraction of the starts that --vary gives, sorted by what --strobe sees after --skip "
            "periods: a picture, .svg or .pdf, or numbers, .json")
        ->type_name("FILE");
    command
        .add_option(
            "--page", options.page,
            "one HTML page of the results on which every point opens its run; the runs are repeated for it")
        ->type_name("FILE");
    command
        .add_option("--lyapunov", options.lyapunov,
                    "Lyapunov exponents over N periods of --strobe, after omitting --skip of them")
        ->check(CLI::Range(8L, 1000000000L))
        ->type_name("N");
}

}  // namespace

void describe_study(CLI::App& command, StudyOptions& options)
{
    add_scene(command, options.scene);
    add_output(command, options.output,
               "table of results, TABLE.csv or TABLE.h5; repeat the command to continue");
    describe_runs(command, options);
    describe_questions(command, options);
    command.add_option("--shard", options.shard, "i/n: only the i-th of n parts of the runs")
        ->type_name("I/N");
    command.add_option("--threads", options.threads, "parallel runs; default: one per core");
    command
        .add_option("--merge", options.merge, "merge tables of shards instead of running a study; with -o")
        ->type_name("FILES")
        ->expected(1, -1);
    add_json(command, options.json);
    add_quiet(command, options.quiet);
    command.footer("Examples:\n"
                   "  carom study pendulum.toml --vary parameters.e=0:1:0.1 -o restitution.csv\n"
                   "  carom study pendulum.toml --repeat 100 --perturb-step -o outcomes.h5\n"
                   "  carom study pendulum.toml --converge --levels 6 --at 1.0\n"
                   "  carom study pendulum.toml --vary parameters.e=0:1:0.1 --page restitution.html\n"
                   "  carom study --merge part1.csv part2.csv -o all.csv\n\n"
                   "Exit status: that of the worst run: 0 certified, 1 uncertified, 3 failed; 2 bad input,\n"
                   "130 interrupted.");
}

}  // namespace carom::app
