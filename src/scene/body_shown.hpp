#pragma once

#include "bodies.hpp"
#include "figures.hpp"
#include "run/force_probe.hpp"

#include <vector>

namespace carom::detail {

/// What a scene of bodies shows beside them.
struct ShownBodies {
    std::vector<Probe> probes;
    std::vector<ContactForceProbe> forces;
    std::vector<Drawing> drawings;
};

[[nodiscard]] ShownBodies read_shown(const Node& root, const BodyDraft& draft, const Names& names,
                                     Mistakes& mistakes);

/// What figures of bodies may name: contacts come and go, and have no names in scenes.
[[nodiscard]] FigureNames figure_names(const ShownBodies& shown);

}  // namespace carom::detail
