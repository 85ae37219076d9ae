#include "carom/core/version.hpp"
#include "commands.hpp"
#include "study_options.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace carom::app {
namespace {

constexpr const char* about =
    "carom simulates mechanics with contacts and impacts, and says how far to trust the result.";
constexpr const char* exit_statuses =
    "Exit status: 0 certified, 1 uncertified, 2 bad input, 3 failed, 130 interrupted.\n"
    "Results go to standard output, messages and progress to standard error.";

void describe_new(CLI::App& app, NewOptions& options)
{
    auto* command = app.add_subcommand("new", "Write a commented scene to start from.");
    command->add_option("NAME", options.name, "name of the scene; NAME.toml is written, never over a file")
        ->required();
    command->add_option("--template", options.kind, "what to start from: bounce, pendulum, shaker")
        ->capture_default_str();
    command->footer("Example:\n  carom new first\n  carom run first.toml -o first.h5");
}

void describe_run(CLI::App& app, RunOptions& options)
{
    auto* command = app.add_subcommand("run", "Simulate a scene.");
    command->add_option("SCENE", options.scene, "scene file, TOML")->required()->type_name("FILE");
    command
        ->add_option("-o,--output", options.output,
                     "write a recording, RUN.h5, and beside it a picture, RUN.svg")
        ->type_name("FILE");
    command
        ->add_option("--set", options.sets, "path=value: replace a value of the scene; as often as you like")
        ->take_all()
        ->type_size(1)
        ->expected(1)
        ->type_name("PATH=VALUE");
    command->add_option("--at", options.times, "t1,t2,...: show the state at these times, in s")
        ->delimiter(',')
        ->take_all()
        ->expected(1)
        ->type_name("TIMES");
    command
        ->add_option("--save-problems", options.save_problems,
                     "all, failed or worst:N: write the one-step problems of the run, for carom solve")
        ->type_name("WHICH");
    command->add_flag("--json", options.json, "print one JSON object instead of the summary");
    command->add_flag("--quiet", options.quiet, "no progress and no summary: the exit status tells");
    command->add_flag_callback(
        "--no-svg", [&options] { options.svg = false; }, "no picture beside the recording");
    command->footer(
        std::string("Examples:\n"
                    "  carom run scenes/pendulum_wall.toml -o pendulum.h5\n"
                    "  carom run pendulum.toml --set parameters.e=0.5 --set integrator.time_step_s=2e-4\n"
                    "  carom run pendulum.toml --at 0.5,1.0 --json\n\n") +
        exit_statuses);
}

void describe_resume(CLI::App& app, ResumeOptions& options)
{
    auto* command = app.add_subcommand("resume", "Go on with a run that was killed or interrupted.");
    command->add_option("RUN", options.recording, "recording of carom run -o, HDF5")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--set", options.sets,
                     "duration_s=VALUE: how long the run lasts now, also a finished one")
        ->take_all()
        ->type_size(1)
        ->expected(1)
        ->type_name("PATH=VALUE");
    command->add_flag("--json", options.json, "print one JSON object instead of the summary");
    command->add_flag("--quiet", options.quiet, "no progress and no summary: the exit status tells");
    command->add_flag_callback(
        "--no-svg", [&options] { options.svg = false; }, "no picture beside the recording");
    command->footer(std::string("Examples:\n"
                                "  carom resume pendulum.h5\n"
                                "  carom resume pendulum.h5 --set duration_s=20\n\n") +
                    exit_statuses);
}

void describe_inspect(CLI::App& app, InspectOptions& options)
{
    auto* command = app.add_subcommand(
        "inspect", "Say what theory promises about a scene, or what was proved about a run.");
    command->add_option("FILE", options.file, "scene, TOML, or recording, HDF5")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--set", options.sets, "path=value: replace a value of the scene; as often as you like")
        ->take_all()
        ->type_size(1)
        ->expected(1)
        ->type_name("PATH=VALUE");
    command->add_flag("--json", options.json, "print one JSON object instead of words");
    command->footer("Examples:\n"
                    "  carom inspect scenes/pendulum_wall.toml\n"
                    "  carom inspect pendulum.h5 --json\n\n"
                    "Exit status: 0 one solution for all time, or a certified run; 1 not so; 2 bad input.");
}

void describe_export(CLI::App& app, ExportOptions& options)
{
    auto* command = app.add_subcommand("export", "Write a recording in another format.");
    command->add_option("RUN", options.recording, "recording of carom run, HDF5")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--to", options.format,
                     "csv: the frames as a table; svg: the picture; vtk: what is drawn, for ParaView; "
                     "png: the page, by Chromium")
        ->required()
        ->check(CLI::IsMember({"csv", "svg", "vtk", "png"}));
    command
        ->add_option("-o,--output", options.output,
                     "file to write; left out: beside the recording; -: standard output")
        ->type_name("FILE");
    command->footer(
        "Examples:\n  carom export pendulum.h5 --to csv\n  carom export pendulum.h5 --to svg -o picture.svg");
}

void describe_report(CLI::App& app, ReportOptions& options)
{
    auto* command = app.add_subcommand("report", "Write one HTML page that shows a run.");
    command->add_option("RUN", options.recording, "recording of carom run, HDF5")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("-o,--output", options.output,
                     "page to write; left out: beside the recording; -: standard output")
        ->type_name("FILE");
    command->footer("The page needs no network: open it in a browser, or send it to somebody.\n\n"
                    "Examples:\n  carom report pendulum.h5\n  carom report pendulum.h5 -o page.html");
}

void describe_view(CLI::App& app, ViewOptions& options)
{
    auto* command = app.add_subcommand("view", "Show a run in the browser, also one that still goes on.");
    command->add_option("RUN", options.recording, "recording of carom run, HDF5")
        ->required()
        ->type_name("FILE");
    command->add_option("--port", options.port, "of 127.0.0.1; left out: any free one")
        ->check(CLI::Range(0, 65535));
    command->footer("Prints the address of the page and serves it until Ctrl-C, to this machine only.\n\n"
                    "Example:\n  carom run long.toml -o long.h5 &\n  carom view long.h5");
}

void describe_solve(CLI::App& app, SolveOptions& options)
{
    auto* command = app.add_subcommand("solve", "Solve frictional contact problems (FCLIB files).");
    command->add_option("FILE", options.files, "problems in FCLIB's format, HDF5, local or global form")
        ->required()
        ->type_name("FILE...");
    command->add_option("--solver", options.solver, "which one; auto chooses")->capture_default_str();
    command->add_option("--tolerance", options.tolerance, "of both errors, the unit-free and Siconos'")
        ->capture_default_str();
    command
        ->add_option("--time-limit", options.time_limit_s,
                     "ends a solve after so many seconds; the status says so")
        ->type_name("SECONDS");
    command->add_option("--save", options.save, "write problem and solution, FCLIB")->type_name("FILE");
    command->add_flag("--compare", options.compare, "all solvers, with their performance profile");
    command->add_option("--profile", options.profile, "with --compare: write it as .csv or .svg")
        ->type_name("FILE");
    command->add_option("--repeat", options.repeat, "solve so many times; the quickest counts")
        ->check(CLI::Range(1, 1000000));
    command->add_flag("--json", options.json, "print one JSON object instead of the table");
    command->footer("Examples:\n"
                    "  carom solve problem.hdf5\n"
                    "  carom solve problem.hdf5 --tolerance 1e-12 --save solved.hdf5\n"
                    "  carom solve problems/*.hdf5 --compare --time-limit 5 --profile profile.svg\n\n"
                    "Exit status: 0 all solved, 1 not all solved, 2 bad input.");
}

void describe_bench(CLI::App& app, BenchOptions& options)
{
    auto* command = app.add_subcommand("bench", "Measure the speed of solvers on this machine.");
    command->add_option("WHAT", options.what, "onestep: sweeps over contacts of spheres, and problem files")
        ->required()
        ->check(CLI::IsMember({"onestep"}));
    command->add_option("FILE", options.files, "problems in FCLIB's format, solved by auto to 1e-8 and 1e-4")
        ->type_name("FILE...");
    command->add_option("--contacts", options.contacts, "of the heap of spheres; then twice and four times")
        ->check(CLI::Range(100, 20000000))
        ->capture_default_str();
    command->add_option("--repeat", options.repeat, "solve so many times; the quickest counts")
        ->check(CLI::Range(1, 1000000));
    command->add_flag("--json", options.json, "print one JSON object");
    command->footer("Examples:\n  carom bench onestep\n  carom bench onestep problems/*.hdf5\n\n"
                    "Exit status: 0 all solved, 1 not all solved, 2 bad input.");
}

/// Bad arguments are bad input, whatever CLI11 calls them.
int exit_code_of(const CLI::App& app, const CLI::ParseError& problem)
{
    const int code = app.exit(problem);
    return code == 0 ? 0 : static_cast<int>(ExitStatus::BadInput);
}

int run(int argc, char** argv)
{
    CLI::App app(about, "carom");
    app.set_version_flag("--version", "carom " + std::string(version));
    app.require_subcommand(1);
    app.footer(std::string("Example:\n  carom new first\n  carom run first.toml -o first.h5\n\n") +
               exit_statuses);
    NewOptions new_options;
    RunOptions run_options;
    ResumeOptions resume_options;
    InspectOptions inspect_options;
    ExportOptions export_options;
    ReportOptions report_options;
    ViewOptions view_options;
    StudyOptions study_options;
    SolveOptions solve_options;
    BenchOptions bench_options;
    describe_new(app, new_options);
    describe_run(app, run_options);
    describe_resume(app, resume_options);
    describe_inspect(app, inspect_options);
    describe_export(app, export_options);
    describe_report(app, report_options);
    describe_view(app, view_options);
    describe_study(app, study_options);
    describe_solve(app, solve_options);
    describe_bench(app, bench_options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return exit_code_of(app, problem);
    }
    const ExitStatus status = app.got_subcommand("new")       ? run_new(new_options)
                              : app.got_subcommand("resume")  ? resume_run(resume_options)
                              : app.got_subcommand("export")  ? run_export(export_options)
                              : app.got_subcommand("report")  ? run_report(report_options)
                              : app.got_subcommand("view")    ? run_view(view_options)
                              : app.got_subcommand("inspect") ? run_inspect(inspect_options)
                              : app.got_subcommand("study")   ? run_study(study_options)
                              : app.got_subcommand("solve")   ? run_solve(solve_options)
                              : app.got_subcommand("bench")   ? run_bench(bench_options)
                                                              : run_scene(run_options);
    return static_cast<int>(status);
}

}  // namespace
}  // namespace carom::app

int main(int argc, char** argv)
{
    try {
        return carom::app::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("carom: error: there is not enough memory for this\n", stderr);
    } catch (const carom::InternalError& error) {
        fmt::print(stderr, "carom: {}\n", error.what());
    } catch (const std::exception& error) {
        fmt::print(stderr, "carom: internal error in carom, please report it: {}\n", error.what());
    }
    return static_cast<int>(carom::app::ExitStatus::Failed);
}
