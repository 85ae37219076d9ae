// Any bytes as two shapes at two places: refused, or contact points with finite numbers. Never a crash or a
// hang.

#include "geometry/contact_points.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace carom;

namespace {

/// Numbers from bytes: some as they are, most of them of ordinary size. Zero when the bytes are used up.
class Numbers {
public:
    Numbers(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    unsigned byte() { return at_ < size_ ? data_[at_++] : 0U; }
    double any()
    {
        const unsigned kind = byte();
        if (kind == 0) {
            double x = 0;
            if (at_ + sizeof(x) <= size_) std::memcpy(&x, data_ + at_, sizeof(x));
            at_ += sizeof(x);
            return x;
        }
        // few values, so that features coincide: multiples of 1/8, and a tiny shift at times
        const double shift = kind % 5 == 0 ? std::ldexp(static_cast<double>(byte()) - 128, -30) : 0;
        return (static_cast<double>(kind) - 128) / 32 + shift;
    }
    double size() { return std::abs(any()); }
    Vec3 vector() { return {any(), any(), any()}; }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

Shape shape_from(Numbers& numbers, int depth)
{
    switch (numbers.byte() % (depth == 0 ? 9 : 5)) {
    case 0: return SphereShape{numbers.size()};
    case 1: return CapsuleShape{numbers.size(), numbers.size()};
    case 2: return BoxShape{numbers.vector().cwiseAbs()};
    case 3: return CylinderShape{numbers.size(), numbers.size()};
    case 4: {
        PolyhedronShape polyhedron;
        for (unsigned n = 4 + numbers.byte() % 20; n > 0; --n) {
            polyhedron.vertices_m.push_back(numbers.vector());
        }
        return polyhedron;
    }
    case 5: return PlaneShape{numbers.vector().normalized(), numbers.any()};
    case 6: {
        CompoundShape compound;
        for (unsigned n = 1 + numbers.byte() % 3; n > 0; --n) {
            const Shape part = shape_from(numbers, 1);
            compound.parts.push_back(
                {part, {.position_m = numbers.vector(), .rotation = rotation_by(numbers.vector())}});
        }
        return compound;
    }
    case 7: {
        HeightFieldShape field{.columns = static_cast<int>(numbers.byte() % 6), .heights_m = {}};
        for (int n = field.columns * static_cast<int>(numbers.byte() % 6); n > 0; --n) {
            field.heights_m.push_back(numbers.any());
        }
        return field;
    }
    default: {
        MeshShape mesh;
        for (unsigned n = numbers.byte() % 12; n > 0; --n) {
            mesh.vertices_m.push_back(numbers.vector());
        }
        for (unsigned n = numbers.byte() % 12; n > 0; --n) {
            mesh.triangles.push_back({static_cast<int>(numbers.byte() % 13),
                                      static_cast<int>(numbers.byte() % 13),
                                      static_cast<int>(numbers.byte() % 13)});
        }
        return mesh;
    }
    }
}

Pose pose_from(Numbers& numbers)
{
    return {.position_m = numbers.vector(), .rotation = rotation_by(numbers.vector())};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Numbers numbers(data, size);
    const Shape shape_a = shape_from(numbers, 0), shape_b = shape_from(numbers, 0);
    const Pose at_a = pose_from(numbers), at_b = pose_from(numbers);
    const double reach = numbers.size();
    const auto placed_well = [](const Pose& pose) {
        return pose.position_m.allFinite() && std::abs(pose.rotation.norm() - 1) < 1e-9 &&
               pose.position_m.norm() < 1e6;
    };
    if (!check(shape_a, "a") || !check(shape_b, "b") || !can_touch(shape_a, shape_b)) return 0;
    if (!placed_well(at_a) || !placed_well(at_b) || !(reach < 1e6)) return 0;

    const Collider a = make_collider(shape_a), b = make_collider(shape_b);
    const auto ordinary = [](const Collider& c) { return !(c.radius_m > 1e9 && std::isfinite(c.radius_m)); };
    if (!ordinary(a) || !ordinary(b)) return 0;
    PlacedCollider placed_a, placed_b;
    place(a, at_a, placed_a);
    place(b, at_b, placed_b);
    std::vector<ContactPoint> points;
    find_contact_points(placed_a, placed_b, reach, points);
    for (const ContactPoint& point : points) {
        const bool sound = point.point_m.allFinite() && std::abs(point.normal.norm() - 1) < 1e-6 &&
                           std::isfinite(point.gap_m) && point.gap_m <= reach;
        if (!sound) __builtin_trap();
    }
    return 0;
}
