#pragma once

#include "names.hpp"
#include "system/bodies/body_model.hpp"

#include <optional>
#include <unordered_map>

namespace carom::detail {

/// A motor, whose formulas are read when all coordinates are known.
struct MotorDraft {
    int joint = 0;
    bool turn = true;
    Node rate;
    std::optional<Node> limit;
    Names names;
};

/// A spring whose numbers change with time or with the state; its formulas are read when all coordinates are
/// known. In the setup it has none.
struct SpringDraft {
    int spring = 0;
    std::optional<Node> stiffness, damping, rest_length;
    Names names;
};

/// The bodies that a scene describes, lattices written out; with the colour of each.
struct BodyDraft {
    BodySetup setup;
    std::vector<std::string> colours;
    std::vector<Place> places;         ///< of the [[body]] that each came from
    std::vector<std::string> sources;  ///< and its name

    /// Where each name stands; of equal names the first.
    std::unordered_map<std::string, int> body_numbers, joint_numbers;

    bool incomplete = false;  ///< a mistake left out bodies: a name that is missing may be one of theirs

    std::vector<MotorDraft> motors;
    std::vector<SpringDraft> driven_springs;
};

/// A scene may have so many bodies.
inline constexpr double max_bodies = 1e6;

[[nodiscard]] BodyDraft draft_bodies(const Node& root, const Names& names, Mistakes& mistakes);

/// The body that a key names; -1 where the key is not there, 0 after a mistake.
[[nodiscard]] int body_named(const BodyDraft& draft, const Node& item, std::string_view key,
                             Mistakes& mistakes);

/// All bodies that a key names: one, or all copies of a lattice.
[[nodiscard]] std::vector<int> bodies_named(const BodyDraft& draft, const Node& item, std::string_view key,
                                            Mistakes& mistakes);

/// The scene of a tree that has bodies; nothing after a mistake.
[[nodiscard]] std::optional<Scene> scene_of_bodies(const Node& root, const Names& names, Mistakes& mistakes);

}  // namespace carom::detail
