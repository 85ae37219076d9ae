#include "mistakes.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace carom::detail {

void Mistakes::add(const Place& place, ErrorCode code, std::string message, std::string hint)
{
    add(place, Error{.code = code,
                     .where = {},
                     .message = std::move(message),
                     .hint = std::move(hint),
                     .excerpt = {}});
}

void Mistakes::add(const Place& place, Error error)
{
    error.where = where(place);
    if (error.excerpt.empty()) error.excerpt = excerpt(place);
    places_.insert(place);
    found_.emplace_back(place, std::move(error));
}

void Mistakes::warn(const Place& place, std::string message, std::string hint)
{
    warnings_.push_back({.code = ErrorCode::NotAllowedHere,
                         .where = where(place),
                         .message = std::move(message),
                         .hint = std::move(hint),
                         .excerpt = excerpt(place)});
}

Errors Mistakes::sorted() const
{
    auto ordered = found_;
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        const auto rank = [](const Place& p) {
            return std::tuple(p.override_index < 0, p.override_index, p.line, p.column);
        };
        return rank(a.first) < rank(b.first);
    });
    Errors errors;
    for (auto& [place, error] : ordered)
        errors.push_back(std::move(error));
    return errors;
}

std::string Mistakes::where(const Place& place) const
{
    if (place.override_index >= 0) {
        return "--set " + printable(overrides_[static_cast<std::size_t>(place.override_index)].path);
    }
    const std::string name = printable(name_);
    return place.line == 0 ? name : fmt::format("{}:{}:{}", name, place.line, place.column);
}

std::string Mistakes::excerpt(const Place& place)
{
    if (place.override_index >= 0 || place.line == 0) return {};
    if (line_begins_.empty()) {
        line_begins_.push_back(0);
        for (std::size_t i = 0; i < text_.size(); ++i) {
            if (text_[i] == '\n') line_begins_.push_back(i + 1);
        }
    }
    if (static_cast<std::size_t>(place.line) > line_begins_.size()) return {};

    // columns count characters, text is bytes
    std::size_t at = line_begins_[static_cast<std::size_t>(place.line) - 1];
    for (int column = 1; column < place.column && at < text_.size() && text_[at] != '\n'; ++column) {
        ++at;
        while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U)
            ++at;
    }
    return excerpt_with_caret(text_, at);
}

}  // namespace carom::detail
