#include "common_options.hpp"

namespace carom::app {

void add_recording(CLI::App& command, std::string& recording)
{
    command.add_option("RUN", recording, "recording of carom run -o, HDF5")->required()->type_name("FILE");
}

CLI::Option* add_scene(CLI::App& command, std::string& scene)
{
    return command.add_option("SCENE", scene, "scene file, TOML")->type_name("FILE");
}

void add_output(CLI::App& command, std::string& output, const std::string& help, const char* type)
{
    command.add_option("-o,--output", output, help)
        ->type_name(type)
        ->check(CLI::Validator(
            [](const std::string& name) { return name.empty() ? "the name is empty" : ""; }, ""));
}

void add_made_output(CLI::App& command, std::string& output, const std::string& what)
{
    add_output(command, output, what + " to write; default: beside the recording; -: standard output");
}

void add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                  const std::string& help, const char* type)
{
    command.add_option(name, values, help)->take_all()->type_size(1)->expected(1)->type_name(type);
}

void add_set(CLI::App& command, std::vector<std::string>& sets, const std::string& help)
{
    add_repeated(command, "--set", sets, help, "PATH=VALUE");
}

void add_times(CLI::App& command, std::vector<std::string>& times, const std::string& help)
{
    command.add_option("--at", times, "t1,t2,...: " + help + " at these times, in s")
        ->delimiter(',')
        ->take_all()
        ->expected(1)
        ->type_name("TIMES");
}

void add_threads(CLI::App& command, std::optional<long>& threads)
{
    command
        .add_option("--threads", threads,
                    "threads for scenes of many bodies; default: the cores that the process may use. Results "
                    "do not depend on it")
        ->type_name("N");
}

void add_json(CLI::App& command, bool& json, const std::string& instead_of)
{
    command.add_flag("--json", json, "print one JSON object instead of " + instead_of);
}

void add_quiet(CLI::App& command, bool& quiet)
{
    command.add_flag("--quiet", quiet, "print no progress and no summary");
}

void add_no_svg(CLI::App& command, bool& svg)
{
    command.add_flag_callback("--no-svg", [&svg] { svg = false; }, "write no picture");
}

}  // namespace carom::app
