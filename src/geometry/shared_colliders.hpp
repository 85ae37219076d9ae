#pragma once

#include "geometry/contact_points.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace carom {

/// Colliders of bodies, by their numbers. Bodies of one shape with one centre have one collider together, so
/// that detection reads the corners, edges and faces of a shape from one place however many copies there are.
class SharedColliders {
public:
    /// For the next body; the shape must have passed check().
    void add(const Shape& shape, const Vec3& centre_m);
    void add_none();  ///< for one without shape

    [[nodiscard]] const Collider& operator[](std::size_t body) const noexcept { return *of_body_[body]; }
    [[nodiscard]] std::size_t size() const noexcept { return of_body_.size(); }

private:
    using Shared = std::shared_ptr<const Collider>;

    std::vector<Shared> of_body_;
    std::map<std::vector<std::uint64_t>, Shared> known_;  ///< by the bits of all numbers of a shape
};

}  // namespace carom
