#include "page_progress.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace carom::detail {
namespace {

std::vector<std::string_view> parts_of(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto slash = text.find('/');
        parts.push_back(text.substr(0, slash));
        if (slash == std::string_view::npos) return parts;
        text.remove_prefix(slash + 1);
    }
}

template <class Number>
bool read(std::string_view text, Number& number)
{
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string to_text(const std::string& version, const PageProgress& p)
{
    return fmt::format("{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", version, p.frames, p.events, p.jumps, p.shown,
                       p.stride, p.contacts_every, p.blocks ? 1 : 0, p.scene, p.last_s);
}

std::optional<PageProgress> progress_from(std::string_view text)
{
    const auto parts = parts_of(text);
    PageProgress p;
    int blocks = 0;
    if (parts.size() != 10 || !read(parts[1], p.frames) || !read(parts[2], p.events) ||
        !read(parts[3], p.jumps) || !read(parts[4], p.shown) || !read(parts[5], p.stride) ||
        !read(parts[6], p.contacts_every) || !read(parts[7], blocks) || !read(parts[8], p.scene) ||
        !read(parts[9], p.last_s)) {
        return std::nullopt;
    }
    p.blocks = blocks != 0;
    const bool sound = p.frames > 0 && p.events >= 0 && p.jumps >= 0 && p.shown > 0 && p.shown <= p.frames &&
                       p.stride > 0 && p.contacts_every > 0;
    return sound ? std::optional(p) : std::nullopt;
}

std::uint64_t scene_number(const Recording& recording)
{
    // FNV-1a
    std::uint64_t number = 0xcbf29ce484222325U;
    for (const char letter : recording.scene_text)
        number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    return number;
}

bool continues(const Recording& recording, const PageProgress& has)
{
    return has.scene == scene_number(recording) && has.frames <= recording.frames() &&
           recording.time_s[has.frames - 1] == has.last_s &&
           has.events <= static_cast<Eigen::Index>(recording.events.size()) &&
           has.jumps <= recording.jumps.time_s.size();
}

}  // namespace carom::detail
