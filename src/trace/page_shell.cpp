#include "page_shell.hpp"

#include "carom/core/expected.hpp"
#include "page_template.hpp"
#include "palette.hpp"
#include "sha256.hpp"

#include <nlohmann/json.hpp>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// The head of the page with a policy that lets run the script of the page itself and no other: by its hash.
/// One that got in through a recording would not run.
std::string with_policy(std::string_view head, std::string_view page)
{
    constexpr std::string_view any = "script-src 'unsafe-inline'", begin = "<script type=\"module\" async>",
                               end = "</script>";
    std::string result(head);
    const auto policy = result.find(any);
    const auto script = page.find(begin);
    const auto stop = page.find(end, script == std::string_view::npos ? script : script + begin.size());
    if (policy == std::string::npos || stop == std::string_view::npos)
        throw InternalError("the page of a run has no policy or no script");
    static const std::string hash =
        sha256_base64(page.substr(script + begin.size(), stop - script - begin.size()));
    return result.replace(policy, any.size(), "script-src 'sha256-" + hash + "'");
}

std::size_t mark_of(std::string_view page)
{
    const std::size_t mark = page.find(page_data_mark);
    if (mark == std::string_view::npos) throw InternalError("the page of a run has no place for data");
    return mark;
}

}  // namespace

Json palette_json()
{
    Json colours = Json::array(), status = Json::object();
    for (const Colour& colour : palette)
        colours.push_back({{"name", colour.name}, {"value", colour.value}});
    colours.push_back({{"name", grey.name}, {"value", grey.value}});
    for (const Colour& colour : status_colours)
        status[std::string(colour.name)] = colour.value;
    return {{"colours", colours}, {"lines", palette.size()}, {"status", status}};
}

std::string script_safe(const Json& json)
{
    std::string safe;
    for (const char letter : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (letter == '<')
            safe += "\\u003c";
        else
            safe += letter;
    }
    return safe;
}

std::string page_beginning()
{
    const std::string_view page = page_template();
    return with_policy(page.substr(0, mark_of(page)), page);
}

std::string_view page_end()
{
    const std::string_view page = page_template();
    return page.substr(mark_of(page) + page_data_mark.size());
}

std::string page_with(const std::string& data)
{
    return page_beginning() + data + std::string(page_end());
}

}  // namespace carom::detail
