#include "commands.hpp"
#include "input.hpp"
#include "report/papers.hpp"
#include "report/text.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace carom::app {
namespace {

/// Recordings begin with the signature of HDF5; a damaged one is known by its name.
bool is_recording(const std::string& file)
{
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::array<char, signature.size()> head{};
    std::ifstream in(file, std::ios::binary);
    const bool signed_so =
        in.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == signature;
    return signed_so || std::filesystem::path(file).extension() == ".h5";
}

/// `of`: the scene or recording.
template <class Of, class Inspected>
ExitStatus show(const Of& of, const Inspected& inspection, bool good, bool json)
{
    std::string text = json ? to_json(of, inspection) : to_text(of, inspection, painted);
    if (!json) text += papers_cited_in(text);
    if (!print_result(text)) return ExitStatus::BadInput;
    return good ? ExitStatus::Certified : ExitStatus::Uncertified;
}

ExitStatus inspect_recording(const InspectOptions& options)
{
    if (!options.sets.empty()) {
        return refuse({mistake(ErrorCode::NotAllowedHere, "--set", "a recording cannot be changed",
                               "give the scene instead of the recording")},
                      options.json);
    }
    const auto recording = read_recording(options.file);
    if (!recording) return refuse({recording.error()}, options.json);
    const RunInspection inspection = inspect(*recording);
    return show(*recording, inspection, inspection.status == "certified", options.json);
}

ExitStatus inspect_scene(const InspectOptions& options)
{
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    const auto scene = read_scene_with(options.file, overrides, errors);
    if (!scene) return refuse(errors, options.json);
    print_warnings(scene->warnings);
    const Inspection inspection = inspect(*scene);
    return std::visit([&](const auto& one) { return show(*scene, one, is_good(inspection), options.json); },
                      inspection);
}

}  // namespace

ExitStatus run_inspect(const InspectOptions& options)
{
    return is_recording(options.file) ? inspect_recording(options) : inspect_scene(options);
}

}  // namespace carom::app
