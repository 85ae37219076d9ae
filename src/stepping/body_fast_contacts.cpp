#include "body_parts.hpp"
#include "body_path.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

/// Contacts of bodies that pass their own thickness in a step, found where they touch on their way (BO-23).
namespace carom::detail {
namespace {

/// The first instant of the step, from 0 to 1, at which a pair touches on its path, with the contact points
/// there in s.points; 2: none. The gap falls no faster than the bodies move, along the normal if they are
/// convex.
double first_touch(const Path& path, int a, int b, BodyStepMemory& s)
{
    const BodyModel& model = path.model;
    const bool convex = !is_surface(model, a) && !is_surface(model, b) && model.colliders[a].parts.empty() &&
                        model.colliders[b].parts.empty();
    const double size = model.size_of_pair_m(a, b), touching = touching_on_path * size;
    const double reach = path.travel_m(a) + path.travel_m(b) + size;
    double time = 0;
    for (int look = 0; look < max_looks; ++look) {
        place(model.colliders[static_cast<std::size_t>(a)], path.at(a, time), s.on_path[0]);
        place(model.colliders[static_cast<std::size_t>(b)], path.at(b, time), s.on_path[1]);
        s.points.clear();
        find_contact_points(s.on_path[0], s.on_path[1], reach, s.points);
        const auto nearest =
            std::min_element(s.points.begin(), s.points.end(),
                             [](const ContactPoint& p, const ContactPoint& q) { return p.gap_m < q.gap_m; });
        if (nearest == s.points.end()) return 2;
        const bool second_half = time >= 0.5;
        const Vec3 moved = path.moved(a, second_half) - path.moved(b, second_half);
        double approach =
            convex ? -nearest->normal.dot(moved) + path.turn_m(a, second_half) + path.turn_m(b, second_half)
                   : path.travel_m(a, second_half) + path.travel_m(b, second_half);
        approach *= 2;  // per unit of time
        if (nearest->gap_m <= touching) {
            if (approach > 0) return time;
            approach = 0;
        }
        const double wait = approach > 0 ? std::max(nearest->gap_m, 0.1 * touching) / approach : 2.0;
        // another normal and another speed half-way
        time = !second_half && time + wait > 0.5 ? 0.5 : time + wait;
        if (time >= 1) return 2;
    }
    return 2;
}

/// The normal of the nearest of some contact points.
Vec3 nearest_normal(const std::vector<ContactPoint>& points)
{
    const auto nearest =
        std::min_element(points.begin(), points.end(),
                         [](const ContactPoint& p, const ContactPoint& q) { return p.gap_m < q.gap_m; });
    return nearest == points.end() ? Vec3(Vec3::Zero()) : nearest->normal;
}

/// Whether the normal half-way is another one than where the pair touches: one of the two is round there.
/// Leaves the points of the touch in s.points.
bool normal_turns(const Path& path, int a, int b, BodyStepMemory& s)
{
    constexpr double same = 1e-6;  // 1 - cos of an angle of 1.4e-3 rad
    const std::vector<ContactPoint> touch(s.points.begin(), s.points.end());
    const Vec3 n = nearest_normal(touch);
    const double reach = path.travel_m(a) + path.travel_m(b) + path.model.size_of_pair_m(a, b);
    place(path.model.colliders[static_cast<std::size_t>(a)], path.at(a, 0.5), s.on_path[0]);
    place(path.model.colliders[static_cast<std::size_t>(b)], path.at(b, 0.5), s.on_path[1]);
    s.points.clear();
    find_contact_points(s.on_path[0], s.on_path[1], reach, s.points);
    const Vec3 half_way = nearest_normal(s.points);
    s.points.assign(touch.begin(), touch.end());
    return n.dot(half_way) < 1 - same;
}

/// Adds the contact points s.points of a pair that touches at this instant, with the arms of that instant and
/// their gaps where contacts are taken. `at_once`: open ones close without the distance that is left, in this
/// step.
void add_touching(const Path& path, int a, int b, double time, bool at_once, const BodyStepMemory& s,
                  std::vector<BodyContact>& contacts)
{
    const BodyModel& model = path.model;
    const double size = model.size_of_pair_m(a, b);
    const Pose at_a = path.at(a, time), at_b = path.at(b, time);
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const Pose mid_a{.position_m = path.contacts_at.x[i], .rotation = path.contacts_at.R[i]};
    const Pose mid_b{.position_m = path.contacts_at.x[j], .rotation = path.contacts_at.R[j]};
    const bool a_goes = path.travel_m(a) >= path.travel_m(b);
    const SurfaceLaw& surface = model.surface(a, b);
    std::uint64_t number = 0;
    for (const ContactPoint& point : s.points) {
        if (point.gap_m > points_of_touch * size) continue;
        const Vec3 on_a = carried(model.colliders[i], at_a, mid_a, point.point_m, point.normal);
        const Vec3 on_b = carried(model.colliders[j], at_b, mid_b, point.point_m, -point.normal);
        const double gap_m = point.gap_m + point.normal.dot(on_a - on_b);
        BodyContact& contact = contacts.emplace_back();
        contact.first = a;
        contact.second = b;
        contact.at = {.point_m = a_goes ? on_a : on_b,
                      .normal = point.normal,
                      .gap_m = at_once ? std::min(gap_m, 0.0) : gap_m,
                      .feature = fast_feature << 8 | (number++ & 0xff)};
        contact.arm_first = point.point_m - at_a.position_m;
        contact.arm_second = point.point_m - at_b.position_m;
        contact.restitution = surface.restitution;
        contact.dimension = surface.friction == 0 ? 1 : model.is_flat() ? 2 : 3;
        if (surface.rolls()) contact.dimension = model.is_flat() ? 3 : 6;
    }
}

/// Two balls that move by more than half the smaller one in the step, and come to each other on the way: the
/// normal of where they touch is not that of half-way.
bool meet_fast(const Vec3& first, const Vec3& last, double radius, double other_radius)
{
    const Vec3 moved = last - first;
    const double length2 = moved.squaredNorm(), thin = 2 * std::min(radius, other_radius);
    if (!(length2 > seen * seen * thin * thin)) return false;
    const double part = std::clamp(-first.dot(moved) / length2, 0.0, 1.0), sum = radius + other_radius;
    return (first + part * moved).squaredNorm() < sum * sum;
}

}  // namespace

bool is_fast(const BodyModel& model, double h_s, const State& state)
{
    const double slow = 0.5 * seen * model.thinnest_m();
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        const double radius = model.colliders[i].radius_m;
        const double turn = std::isfinite(radius) ? radius * state.W[i].norm() : 0;
        if (h_s * (state.v[i].norm() + turn) > slow) return true;
    }
    return false;
}

bool balls_pass(const BodyModel& model, double h_s, const State& state, const BodyStepMemory& s)
{
    const State& half = half_way(s);
    for (int i = 0; i < model.bodies(); ++i) {
        if (s.ball_radii[i] < 0) continue;
        for (const int j : s.balls.of(i)) {
            const Vec3 first = state.x[i] - state.x[j];
            const Vec3 last = half.x[i] - half.x[j] + h_s / 2 * (s.mid.v[i] - s.mid.v[j]);
            if (meet_fast(first, last, s.ball_radii[i], s.ball_radii[j]) && model.may_meet(i, j)) return true;
        }
    }
    return false;
}

void see_fast_contacts(const BodyModel& model, const MoreauSettings& settings, const State& state,
                       BodyStepMemory& s)
{
    if (!is_fast(model, settings.time_step_s, s.mid)) return;

    // where the bodies end if nothing stops them
    const double h = settings.time_step_s;
    const State& half = half_way(s);
    s.next.x = half.x;
    s.next.R = half.R;
    for (int i = 0; i < model.bodies(); ++i) {
        s.next.x[i] += h / 2 * s.mid.v[i];
        s.next.R[i] = turned(half.R[i], h / 2 * s.mid.W[i]);
    }
    const Path path{model, state, half_way(s), s.next, s.mid};
    std::vector<BodyContact> seen_contacts;
    for (const auto& [a, b] : s.pairs) {
        if (!model.may_meet(a, b) || is_half_space(model, a) || is_half_space(model, b)) continue;
        if (!(path.travel_m(a) + path.travel_m(b) > seen * model.size_of_pair_m(a, b))) continue;
        const double time = first_touch(path, a, b, s);
        if (time > 1) continue;
        // a soft one that closes in the second half is found half-way, but where a body is round with a
        // normal that what is left of its approach (BO-9) no longer has in the next step
        const bool soft = !(model.surface(a, b).restitution > 0) && !model.setup().impact_map;
        const bool late = soft && time > 0.5, flat = is_surface(model, a) || is_surface(model, b);
        const bool at_once = late && !flat && normal_turns(path, a, b, s);
        if (late && !at_once) continue;
        add_touching(path, a, b, time, at_once, s, seen_contacts);
    }
    if (seen_contacts.empty()) return;
    const auto same_pair = [](const BodyContact& x, const BodyContact& y) {
        return x.first == y.first && x.second == y.second;
    };
    std::erase_if(s.contacts, [&](const BodyContact& old) {
        return std::any_of(seen_contacts.begin(), seen_contacts.end(),
                           [&](const BodyContact& one) { return same_pair(old, one); });
    });
    s.contacts.insert(s.contacts.end(), seen_contacts.begin(), seen_contacts.end());
    std::stable_sort(s.contacts.begin(), s.contacts.end(), [](const BodyContact& x, const BodyContact& y) {
        return std::tie(x.first, x.second) < std::tie(y.first, y.second);
    });
}

}  // namespace carom::detail
