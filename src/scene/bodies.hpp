#pragma once

#include "carom/body/body_model.hpp"
#include "names.hpp"

namespace carom::detail {

/// The bodies that a scene describes, lattices written out; with the colour of each.
struct BodyDraft {
    BodySetup setup;
    std::vector<std::string> colours;
    std::vector<Place> places;  ///< of the [[body]] that each came from
};

/// A scene may have so many bodies.
inline constexpr double max_bodies = 1e6;

[[nodiscard]] BodyDraft draft_bodies(const Node& root, const Names& names, Mistakes& mistakes);

}  // namespace carom::detail
