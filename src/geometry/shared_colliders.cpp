#include "geometry/shared_colliders.hpp"

#include <bit>
#include <span>

namespace carom {
namespace {

/// The bits of all numbers of a shape, behind the number of its kind. Obstacles have too many and are rarely
/// copied, the parts of compounds are shapes of their own: false for both.
class BitsOf {
public:
    explicit BitsOf(std::vector<std::uint64_t>& bits) : bits_(bits) {}

    void add(double number) { bits_.push_back(std::bit_cast<std::uint64_t>(number)); }
    template <class Vector>
    void add_vector(const Vector& vector)
    {
        for (const double number : vector) {
            add(number);
        }
    }

    bool operator()(const PlaneShape& s)
    {
        add_vector(s.normal);
        add(s.offset_m);
        return true;
    }
    bool operator()(const SphereShape& s) { return add(s.radius_m), true; }
    bool operator()(const DiscShape& s) { return add(s.radius_m), true; }
    bool operator()(const BoxShape& s) { return add_vector(s.size_m), true; }
    bool operator()(const CapsuleShape& s) { return add(s.radius_m), add(s.length_m), true; }
    bool operator()(const CylinderShape& s) { return add(s.radius_m), add(s.length_m), true; }
    bool operator()(const PolyhedronShape& s) { return add_points(s.vertices_m); }
    bool operator()(const PolygonShape& s) { return add_points(s.vertices_m); }
    bool operator()(const CompoundShape&) { return false; }
    bool operator()(const HeightFieldShape&) { return false; }
    bool operator()(const MeshShape&) { return false; }

private:
    template <class Points>
    bool add_points(const Points& points)
    {
        for (const auto& point : points) {
            add_vector(point);
        }
        return true;
    }

    std::vector<std::uint64_t>& bits_;
};

}  // namespace

void SharedColliders::add(const Shape& shape, const Vec3& centre_m)
{
    const auto make = [&] { return std::make_shared<const Collider>(make_collider(shape, centre_m)); };
    std::vector<std::uint64_t> bits{shape.index()};
    BitsOf bits_of(bits);
    if (!std::visit(bits_of, shape)) {
        of_body_.push_back(make());
        return;
    }
    bits_of.add_vector(centre_m);
    Shared& known = known_[std::move(bits)];
    if (!known) known = make();
    of_body_.push_back(known);
}

void SharedColliders::add_none()
{
    static const Shared none = std::make_shared<const Collider>();
    of_body_.push_back(none);
}

}  // namespace carom
