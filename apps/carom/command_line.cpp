#include "command_line.hpp"

#include "carom/core/version.hpp"
#include "carom/scene/fields.hpp"
#include "common_options.hpp"
#include "ranks.hpp"
#include "scene/templates.hpp"
#include "study_options.hpp"
#include "texts.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

constexpr const char* about =
    "carom simulates mechanical systems with contacts, impacts and friction, and certifies the results.";

std::string with_exit_statuses(const char* examples)
{
    return std::string(examples) + "\n\n" + exit_statuses;
}

ExitStatus print(const std::string& text)
{
    return print_result(text) ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace

CommandLine::CommandLine() : app_(about, "carom")
{
    app_.set_version_flag("--version", with_messages);
    app_.require_subcommand(1);
    app_.footer(with_exit_statuses("Examples:\n"
                                   "  carom new first\n"
                                   "  carom run first.toml -o first.h5\n"
                                   "  carom report first.h5"));
    add_new();
    add_import();
    add_run();
    add_resume();
    add_inspect();
    add_study();
    add_orbit();
    add_branch();
    add_solve();
    add_bench();
    add_report();
    add_view();
    add_export();
    add_figure();
    add_gallery();
    add_texts();
}

ExitStatus CommandLine::run() const
{
    for (const auto& [command, act] : acts_) {
        if (command->parsed()) return act();
    }
    throw InternalError("a command was accepted that nothing carries out");
}

CLI::App& CommandLine::add(const char* name, const char* what, std::function<ExitStatus()> act)
{
    CLI::App* command = app_.add_subcommand(name, what);
    acts_.emplace_back(command, std::move(act));
    return *command;
}

void CommandLine::add_new()
{
    CLI::App& command =
        add("new", "Write a commented scene to start from.", [this] { return run_new(new_); });
    command.add_option("NAME", new_.name, "name of the scene; writes NAME.toml, never overwrites a file")
        ->required();
    std::vector<std::string> names;
    for (const Template& one : templates())
        names.emplace_back(one.name);
    command.add_option("--template", new_.kind, fmt::format("template: {}", fmt::join(names, ", ")))
        ->type_name(fmt::format("{{{}}}", fmt::join(names, ",")))
        ->capture_default_str();
    command.footer("Examples:\n"
                   "  carom new first\n"
                   "  carom new clock --template pendulum\n"
                   "  carom run first.toml -o first.h5");
}

void CommandLine::add_run()
{
    CLI::App& command = add("run", "Simulate a scene.", [this] { return run_scene(run_); });
    add_scene(command, run_.scene)->required();
    add_output(command, run_.output, "write a recording, RUN.h5, and a picture, RUN.svg");
    add_set(command, run_.sets);
    add_times(command, run_.times, "show the state");
    command
        .add_option("--save-problems", run_.save_problems,
                    "all, failed or worst:N: write the one-step problems of the run, for carom solve")
        ->type_name("WHICH");
    CLI::Option* sensitivity =
        command
            .add_option("--sensitivity", run_.sensitivity,
                        "derivatives with respect to these: parameters.NAME, coordinate.NAME.start, "
                        "coordinate.NAME.start_velocity; by power series")
            ->delimiter(',')
            ->type_name("NAME,...");
    command
        .add_flag("--of-steps", run_.of_steps,
                  "with --sensitivity: derivatives of the steps of the integrator moreau, not of the motion")
        ->needs(sensitivity);
    add_threads(command, run_.threads);
    add_json(command, run_.json);
    add_quiet(command, run_.quiet);
    add_no_svg(command, run_.svg);
    command.footer(with_exit_statuses(
        "Examples:\n"
        "  carom run scenes/pendulum_wall.toml -o pendulum.h5\n"
        "  carom run pendulum.toml --set parameters.e=0.5 --set integrator.time_step_s=2e-4\n"
        "  carom run pendulum.toml --at 0.5,1.0 --json"));
}

void CommandLine::add_resume()
{
    CLI::App& command =
        add("resume", "Resume a run that was killed or interrupted.", [this] { return resume_run(resume_); });
    add_recording(command, resume_.recording);
    add_set(command, resume_.sets, "duration_s=VALUE: new duration; extends a finished run");
    add_threads(command, resume_.threads);
    add_json(command, resume_.json);
    add_quiet(command, resume_.quiet);
    add_no_svg(command, resume_.svg);
    command.footer(with_exit_statuses("Examples:\n"
                                      "  carom resume pendulum.h5\n"
                                      "  carom resume pendulum.h5 --set duration_s=20"));
}

void CommandLine::add_inspect()
{
    CLI::App& command =
        add("inspect", "Report what theory guarantees for a scene, or what was certified for a run.",
            [this] { return run_inspect(inspect_); });
    command.add_option("FILE", inspect_.file, "scene, TOML, or recording, HDF5")
        ->required()
        ->type_name("FILE");
    add_set(command, inspect_.sets);
    add_json(command, inspect_.json, "text");
    command.footer("Examples:\n"
                   "  carom inspect scenes/pendulum_wall.toml\n"
                   "  carom inspect pendulum.h5 --json\n\n"
                   "Exit status: 0 one solution for all time, or a certified run; 1 otherwise; 2 bad input.");
}

void CommandLine::add_study()
{
    describe_study(add("study", "Run a scene many times: vary, repeat, perturb, converge.",
                       [this] { return run_study(study_); }),
                   study_);
}

namespace {

void describe_orbit(CLI::App& command, OrbitCommand& orbit)
{
    add_scene(command, orbit.scene)->required();
    add_set(command, orbit.sets);
    command
        .add_option("--period", orbit.period, "of a driven system: a time in s, or a formula of parameters")
        ->type_name("T");
    command
        .add_option("--section", orbit.section,
                    "of a system without forcing: a formula of the state that rises through zero where the "
                    "orbit begins")
        ->type_name("FORMULA");
    command.add_option("--events", orbit.returns, "the orbit closes at this return to the section")
        ->type_name("N")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command
        .add_option("--segments", orbit.segments,
                    "multiple shooting, for orbits that are very unstable or long")
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--settle", orbit.settle, "run N periods or returns before the search")
        ->type_name("N")
        ->check(CLI::Range(0, 1000000));
    add_repeated(command, "--shift", orbit.shifts, "a coordinate that advances by VALUE in a period",
                 "NAME=VALUE");
    add_repeated(command, "--free", orbit.free, "a coordinate that can advance by any amount in a period",
                 "NAME");
}

}  // namespace

void CommandLine::add_orbit()
{
    CLI::App& command =
        add("orbit", "Find a periodic motion and its stability.", [this] { return run_orbit(orbit_); });
    describe_orbit(command, orbit_);
    add_repeated(command, "--by", orbit_.by, "derivatives of the orbit with respect to this parameter",
                 "parameters.NAME");
    command
        .add_option(
            "--guess", orbit_.guess,
            "begin at the state of a recording: RUN.h5@TIME, or its last one; or at that of ORBIT.json")
        ->type_name("FILE");
    add_output(command, orbit_.output,
               "write one period: a recording, .h5, a table, .csv, its phase portrait, .svg or .pdf, a page, "
               ".html, or "
               "the orbit itself, .json");
    add_json(command, orbit_.json);
    command.footer(
        "Examples:\n"
        "  carom orbit scenes/impact_oscillator.toml --period \"2*pi/w\" -o orbit.html\n"
        "  carom orbit scenes/stick_slip_belt.toml --section \"-s'\" --settle 1 --by parameters.belt\n\n"
        "Exit status: 0 found, 1 not found, 2 bad input.");
}

void CommandLine::add_branch()
{
    CLI::App& command =
        add("branch", "Follow periodic motions over a parameter.", [this] { return run_branch(branch_); });
    describe_orbit(command, branch_);
    command.add_option("--over", branch_.over, "the parameter and its range")
        ->required()
        ->type_name("parameters.NAME=LOW:HIGH");
    command.add_option("--max-step", branch_.max_step, "largest step, as a fraction of the range")
        ->type_name("H")
        ->check(CLI::Range(1e-6, 1.0))
        ->capture_default_str();
    command.add_option("--max-points", branch_.max_points, "end the branch after N orbits in each direction")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        .add_option(
            "--from", branch_.guess,
            "begin at ORBIT.json, written by carom orbit, or at the state of a recording, RUN.h5@TIME")
        ->type_name("FILE");
    command.add_flag("--equilibrium", branch_.equilibrium,
                     "equilibria instead of orbits, with the contacts closed that are closed at the start; "
                     "with friction the edges of "
                     "the set of equilibria");
    command
        .add_option(
            "--curve", branch_.curve,
            "follow the special points over a second parameter: curves of folds, doublings, grazing, ...")
        ->type_name("parameters.NAME=LOW:HIGH");
    command
        .add_option("--doublings", branch_.doublings,
                    "also follow the orbits of twice the period that branch off at period doublings, N times "
                    "in a row")
        ->type_name("N")
        ->check(CLI::Range(0, 8))
        ->capture_default_str();
    command.add_flag("--past-grazing", branch_.past_grazing,
                     "also follow the orbits with one more impact that begin where an orbit grazes");
    add_output(command, branch_.output,
               "write all orbits or equilibria: a table, .csv or .h5, a diagram, .svg or .pdf, a page, "
               ".html, or .json");
    add_json(command, branch_.json);
    command.footer(
        "Examples:\n"
        "  carom branch scenes/impact_oscillator.toml --period \"2*pi/w\" --over parameters.w=2:3\n\n"
        "Exit status: 0 followed, 1 no orbit to begin with, 2 bad input.");
}

void CommandLine::add_solve()
{
    CLI::App& command = add("solve", "Solve frictional contact problems (FCLIB files).",
                            [this] { return run_solve(solve_); });
    command.add_option("FILE", solve_.files, "problems in FCLIB format, HDF5, local or global form")
        ->required()
        ->type_name("FILE...");
    command.add_option("--solver", solve_.solver, "solver; auto selects one")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--tolerance", solve_.tolerance, "tolerance of the unit-free error and the Siconos error")
        ->type_name("E")
        ->capture_default_str();
    command
        .add_option("--time-limit", solve_.time_limit_s,
                    "stop a solve after this many seconds; the status says so")
        ->type_name("SECONDS");
    command.add_option("--save", solve_.save, "write problem and solution in FCLIB format")
        ->type_name("FILE");
    command.add_flag("--compare", solve_.compare, "run all solvers and print their performance profile");
    command.add_option("--profile", solve_.profile, "with --compare: write the profile as .csv or .svg")
        ->type_name("FILE");
    command.add_option("--repeat", solve_.repeat, "solve N times and report the fastest")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    add_json(command, solve_.json, "the table");
    command.footer("Examples:\n"
                   "  carom solve problem.hdf5\n"
                   "  carom solve problem.hdf5 --tolerance 1e-12 --save solved.hdf5\n"
                   "  carom solve problems/*.hdf5 --compare --time-limit 5 --profile profile.svg\n\n"
                   "Exit status: 0 all solved, 1 not all solved, 2 bad input.");
}

void CommandLine::add_import()
{
    CLI::App& command =
        add("import", "Convert a robot in URDF to a scene.", [this] { return run_import(import_); });
    command.add_option("FILE", import_.file, "robot, URDF")->required()->type_name("FILE");
    add_output(command, import_.output, "scene to write; default: standard output", "SCENE");
    command.add_flag("--floating", import_.floating, "the root link is free; default: fixed");
    command.add_flag("--hold", import_.hold, "motors hold all joints with their effort limits");
    command.footer("Keep the scene beside the robot, so that it finds the meshes.\n\n"
                   "Examples:\n"
                   "  carom import arm.urdf -o arm.toml\n"
                   "  carom import arm.urdf --hold | less");
}

void CommandLine::add_bench()
{
    CLI::App& command = add("bench", "Measure the speed of the solvers on this machine.",
                            [this] { return run_bench(bench_); });
    command.add_option("WHAT", bench_.what, "onestep: sweeps over a heap of spheres, and problem files")
        ->required()
        ->check(CLI::IsMember({"onestep"}));
    command.add_option("FILE", bench_.files, "problems in FCLIB format, solved with auto to 1e-8 and 1e-4")
        ->type_name("FILE...");
    command
        .add_option("--contacts", bench_.contacts,
                    "contacts in the heap; also measured with twice and four times as many")
        ->check(CLI::Range(100, 20000000))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--repeat", bench_.repeat, "solve N times and report the fastest")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    add_json(command, bench_.json, "text");
    command.footer("Examples:\n"
                   "  carom bench onestep\n"
                   "  carom bench onestep problems/*.hdf5\n\n"
                   "Exit status: 0 all solved, 1 not all solved, 2 bad input.");
}

void CommandLine::add_export()
{
    CLI::App& command =
        add("export", "Write a recording in another format.", [this] { return run_export(export_); });
    add_recording(command, export_.recording);
    command
        .add_option("--to", export_.format,
                    "csv: the frames as a table; svg: the picture; vtk: the drawings, for ParaView; gltf: "
                    "the animation, for 3D programs; png: the animation at one instant; webm, mp4, gif: a "
                    "film of it; these four need Chromium; h5: the recording in one file")
        ->required()
        ->check(CLI::IsMember({"csv", "svg", "vtk", "gltf", "png", "webm", "mp4", "gif", "h5"}));
    add_made_output(command, export_.output, "file");
    command.add_option("--at", export_.at_s, "png: the instant, s; default: the end of the run")
        ->type_name("T");
    command.add_option("--from", export_.from_s, "films: where they begin, s")->type_name("T");
    command.add_option("--until", export_.to_s, "films: where they end, s")->type_name("T");
    command.add_option("--size", export_.size, "pictures and films: pixels, for example 1920x1080")
        ->type_name("WxH")
        ->capture_default_str();
    command
        .add_option("--camera", export_.camera,
                    "pictures and films: front, back, left, right, top, bottom, iso, or "
                    "AZIMUTH,ELEVATION,ZOOM in degrees; default: the initial view of the page")
        ->type_name("VIEW");
    command.add_option("--speed", export_.speed, "films: seconds of the run for each second of the film")
        ->check(CLI::Range(1e-6, 1e6))
        ->type_name("X")
        ->capture_default_str();
    command.add_option("--fps", export_.frames_per_s, "films: pictures a second")
        ->check(CLI::Range(1.0, 120.0))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--dark", export_.dark, "pictures and films: dark background");
    command.footer("With --to gltf a name that ends with .glb gives the binary form.\n\n"
                   "Examples:\n"
                   "  carom export pendulum.h5 --to csv\n"
                   "  carom export pendulum.h5 --to svg -o picture.svg\n"
                   "  carom export pendulum.h5 --to gltf -o pendulum.glb\n"
                   "  carom export pour.h5 --to webm --size 1920x1080 --speed 0.25\n"
                   "  carom export pour.h5 --to png --at 0.4 --camera front\n"
                   "  carom export parts.h5 --to h5 -o one.h5");
}

void CommandLine::add_figure()
{
    CLI::App& command = add("figure", "Draw the figures of a scene for a paper, as SVG, PDF or PNG.",
                            [this] { return run_figure(figure_); });
    add_scene(command, figure_.scene)->required();
    command.add_option("NAME", figure_.name, "a [[figure]] of the scene; without it all of them");
    command.add_option("-o,--output", figure_.output,
                       "file that ends with .svg, .pdf or .png; - for standard output; default "
                       "SCENE_NAME.svg");
    command.add_option("--to", figure_.format, "svg, pdf or png, if the output name does not say")
        ->check(CLI::IsMember({"svg", "pdf", "png"}))
        ->capture_default_str();
    command.add_option("--dpi", figure_.dots_per_inch, "of png: dots per inch")
        ->check(CLI::Range(10.0, 2400.0))
        ->capture_default_str();
    add_set(command, figure_.sets);
    command.footer(
        with_exit_statuses("The scene is run once, or once for each of the values of the figure.\n\n"
                           "Examples:\n"
                           "  carom figure scenes/pendulum_wall.toml\n"
                           "  carom figure scenes/pendulum_wall.toml phase -o phase.pdf\n"
                           "  carom figure scenes/pendulum_wall.toml phase -o phase.png --dpi 300"));
}

void CommandLine::add_gallery()
{
    CLI::App& command = add("gallery", "Draw the figures of all scenes of a folder on one page.",
                            [this] { return run_gallery(gallery_); });
    command.add_option(
        "SCENES", gallery_.scenes,
        "folder with scenes whose figures name a source; default scenes, or those installed with carom");
    add_output(command, gallery_.output, "folder for the page and its pictures; default gallery", "FOLDER");
    command.footer("The page needs no network. Each number is shown with its reference and the error.\n\n"
                   "Examples:\n"
                   "  carom gallery\n"
                   "  carom gallery scenes -o /tmp/gallery");
}

void CommandLine::add_report()
{
    CLI::App& command = add("report", "Write one HTML page that shows a run, or compares several.",
                            [this] { return run_report(report_); });
    command
        .add_option("RUN", report_.files,
                    "recording of carom run -o, HDF5; further ones, and .csv files with a column time_s, are "
                    "compared with it; a .csv file alone is the table of a study, a .json file what carom "
                    "orbit --json or carom branch --json printed")
        ->required()
        ->type_name("FILE...");
    add_made_output(command, report_.output, "page");
    command
        .add_option("--max-size", report_.max_size_MB,
                    "limit of the data, MB; a larger run is shown with fewer frames, and the page says so; "
                    "default: 145")
        ->check(CLI::Range(1e-3, 1e4))
        ->type_name("MB");
    command.footer("The page needs no network: open it in a browser, or send it to somebody.\n\n"
                   "Examples:\n"
                   "  carom report pendulum.h5\n"
                   "  carom report pendulum.h5 -o page.html\n"
                   "  carom report coarse.h5 fine.h5 -o compared.html\n"
                   "  carom report pendulum.h5 measured.csv\n"
                   "  carom report study.csv\n"
                   "  carom report branch.json");
}

void CommandLine::add_view()
{
    CLI::App& command = add("view", "Show a run in the browser, also while it is running.",
                            [this] { return run_view(view_); });
    add_recording(command, view_.recording);
    command.add_option("--port", view_.port, "port of 127.0.0.1; default: any free port")
        ->check(CLI::Range(0, 65535))
        ->type_name("N");
    command.footer("Prints the address of the page and serves it until Ctrl-C, to this machine only.\n\n"
                   "Examples:\n"
                   "  carom run long.toml -o long.h5 &\n"
                   "  carom view long.h5");
}

/// Texts about carom itself.
void CommandLine::add_texts()
{
    add("schema", "Print the keys of scenes as JSON Schema, for editors.",
        [] { return print(scene_schema()); })
        .footer("Editors with TOML support use it to complete and check scenes: "
                "docs/how-to/scenes_in_editors.md.\n\n"
                "Examples:\n"
                "  carom schema > scene.schema.json");

    CLI::App& completion = add("completion", "Print a completion script for a shell.",
                               [this] { return print(completion_script(app_, shell_)); });
    completion.add_option("SHELL", shell_, "the shell")->required()->check(CLI::IsMember({"bash", "zsh"}));
    completion.footer("An installed carom already includes them.\n\n"
                      "Examples:\n"
                      "  source <(carom completion bash)\n"
                      "  carom completion zsh > ~/.zsh/functions/_carom");

    add("manual", "Print the manual page.", [this] { return print(manual_page(app_)); })
        .footer("An installed carom already includes it: man carom.\n\n"
                "Examples:\n"
                "  carom manual | man -l -");
}

}  // namespace carom::app
