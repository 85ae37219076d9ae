#pragma once

#include "carom/expression/formula.hpp"
#include "carom/system/bodies/body.hpp"
#include "names.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace carom::detail {

/// Reads tables of a scene of bodies.

[[nodiscard]] inline const std::vector<Node>& things_of(const Node& root, std::string_view key)
{
    static const std::vector<Node> none;
    const Node* list = find(root, key);
    return list != nullptr ? list->items : none;
}

/// Reads the numbers of one table, which may be formulas of parameters.
class BodyValues {
public:
    BodyValues(const Node& item, const Names& names, Mistakes& mistakes)
        : item_(item), names_(names), mistakes_(mistakes)
    {
    }

    double number(std::string_view key, double fallback) const
    {
        const Node* node = find(item_, key);
        return node == nullptr ? fallback : constant_of(*node, names_, mistakes_).value_or(fallback);
    }
    std::optional<double> number(std::string_view key) const
    {
        const Node* node = find(item_, key);
        return node == nullptr ? std::nullopt : constant_of(*node, names_, mistakes_);
    }

    /// An integer; the fallback as well where validate() has refused what is given.
    std::int64_t integer(std::string_view key, std::int64_t fallback) const
    {
        const Node* node = find(item_, key);
        if (node == nullptr || mistakes_.known_at(node->place)) return fallback;
        return static_cast<std::int64_t>(node->number);
    }

    /// Three numbers; with two the third is zero.
    Vec3 vector(std::string_view key, const Vec3& fallback) const
    {
        const auto entries = list(key);
        if (entries.empty()) return fallback;
        if (entries.size() == 2 || entries.size() == 3) {
            return {entries[0], entries[1], entries.size() == 3 ? entries[2] : 0.0};
        }
        wrong_count(key, "two or three numbers");
        return fallback;
    }

    /// Three numbers, or one about z.
    Vec3 turn(std::string_view key) const
    {
        const auto entries = list(key);
        if (entries.empty()) return Vec3::Zero();
        if (entries.size() == 1) return {0, 0, entries[0]};
        if (entries.size() == 3) return {entries[0], entries[1], entries[2]};
        wrong_count(key, "three numbers, in the plane one");
        return Vec3::Zero();
    }

    /// A symmetric matrix: its diagonal, or xx, yy, zz, xy, xz, yz; or one number about z.
    Mat3 inertia(std::string_view key) const
    {
        const auto entries = list(key);
        if (entries.size() != 6) return turn(key).asDiagonal();
        Mat3 J;
        J << entries[0], entries[3], entries[4], entries[3], entries[1], entries[5], entries[4], entries[5],
            entries[2];
        return J;
    }

    std::vector<double> list(std::string_view key) const
    {
        const Node* node = find(item_, key);
        if (node == nullptr || node->kind != Node::Kind::Array) return {};
        return list(*node);
    }
    std::vector<double> list(const Node& node) const
    {
        std::vector<double> numbers;
        for (const Node& entry : node.items) {
            numbers.push_back(constant_of(entry, names_, mistakes_).value_or(0));
        }
        return numbers;
    }

    void missing(std::string_view key, std::string_view shape) const
    {
        if (find(item_, key) != nullptr) return;
        mistakes_.add(item_.place, ErrorCode::MissingKey, fmt::format("a {} has no {}", shape, key),
                      fmt::format("give {}", key));
    }
    void wrong_count(std::string_view key, std::string_view wanted) const
    {
        mistakes_.add(find(item_, key)->place, ErrorCode::WrongSize,
                      fmt::format("{} has the wrong number of entries", key), fmt::format("give {}", wanted));
    }

    const Node& item_;
    const Names& names_;
    Mistakes& mistakes_;
};

/// The shape that a table describes; nothing after a mistake.
[[nodiscard]] std::optional<Shape> shape_of(const BodyValues& values);

/// The way of a prescribed body by formulas of t; an entry that is missing is zero.
[[nodiscard]] std::function<Pose(double)> path_of(const BodyValues& values);

}  // namespace carom::detail
