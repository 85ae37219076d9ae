#pragma once

#include "carom/core/expected.hpp"
#include "carom/scene/scene.hpp"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::detail {

/// Where something stands: in the text of the scene, or in an override.
struct Place {
    int line = 0;             ///< from 1; 0: the scene as a whole
    int column = 0;           ///< from 1, in characters
    int override_index = -1;  ///< which override; -1: the text

    friend auto operator<=>(const Place&, const Place&) = default;
};

/// Collects all mistakes of a scene with their places.
class Mistakes {
public:
    Mistakes(std::string_view name, std::string_view text, std::span<const Override> overrides)
        : name_(name), text_(text), overrides_(overrides)
    {
    }

    /// The excerpt is the line of the place.
    void add(const Place& place, ErrorCode code, std::string message, std::string hint);

    /// An error from elsewhere: gets its place, keeps its own excerpt if it has one.
    void add(const Place& place, Error error);

    /// Something that may not be meant so, and does not stop anyone.
    void warn(const Place& place, std::string message, std::string hint);
    [[nodiscard]] const Errors& warnings() const noexcept { return warnings_; }

    /// Something is already wrong there.
    [[nodiscard]] bool known_at(const Place& place) const { return places_.contains(place); }
    [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return found_.size(); }

    /// Overrides first, then in the order of the text.
    [[nodiscard]] Errors sorted() const;

private:
    [[nodiscard]] std::string where(const Place& place) const;
    [[nodiscard]] std::string excerpt(const Place& place);

    std::string_view name_, text_;
    std::span<const Override> overrides_;
    std::vector<std::size_t> line_begins_;
    std::vector<std::pair<Place, Error>> found_;
    std::set<Place> places_;
    Errors warnings_;
};

}  // namespace carom::detail
