#include "commands.hpp"

#include "core/text.hpp"
#include "core/write_file.hpp"
#include "input.hpp"
#include "scene/templates.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom::app {
namespace {

ExitStatus refuse_template(const std::string& kind)
{
    std::vector<std::string> known;
    for (const Template& one : templates())
        known.emplace_back(one.name);
    const std::string nearest = nearest_name(kind, known);
    return refuse({mistake(ErrorCode::UnknownName, "--template",
                           fmt::format("carom has no template {}", carom::quoted(kind)),
                           nearest.empty() ? fmt::format("known templates: {}", fmt::join(known, ", "))
                                           : fmt::format("did you mean {}?", nearest))});
}

}  // namespace

ExitStatus run_new(const NewOptions& options)
{
    const auto chosen = std::ranges::find(templates(), options.kind, &Template::name);
    if (chosen == templates().end()) return refuse_template(options.kind);

    const bool ends = options.name.ends_with(".toml");
    const std::string file = ends ? options.name : options.name + ".toml";
    if (auto written = write_new_file(file, chosen->text); !written) return refuse({written.error()});
    const std::string message =
        fmt::format("{} written; run it with\n  carom run {}\n", printable(file), printable(file));
    return print_result(message) ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
