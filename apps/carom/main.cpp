#include "carom/core/version.hpp"
#include "commands.hpp"

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

void describe_export(CLI::App& app, ExportOptions& options)
{
    auto* command = app.add_subcommand("export", "Write a recording in another format.");
    command->add_option("RUN", options.recording, "recording of carom run, HDF5")
        ->required()
        ->type_name("FILE");
    command->add_option("--to", options.format, "csv: the frames as a table; svg: the picture")
        ->required()
        ->check(CLI::IsMember({"csv", "svg"}));
    command
        ->add_option("-o,--output", options.output,
                     "file to write; left out: beside the recording; -: standard output")
        ->type_name("FILE");
    command->footer(
        "Examples:\n  carom export pendulum.h5 --to csv\n  carom export pendulum.h5 --to svg -o picture.svg");
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
    ExportOptions export_options;
    describe_new(app, new_options);
    describe_run(app, run_options);
    describe_export(app, export_options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return exit_code_of(app, problem);
    }
    const ExitStatus status = app.got_subcommand("new")      ? run_new(new_options)
                              : app.got_subcommand("export") ? run_export(export_options)
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
