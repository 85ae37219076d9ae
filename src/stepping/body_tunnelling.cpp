#include "body_parts.hpp"

#include "../geometry/triangle_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

namespace carom::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A pair that moves less than this part of its thinner body's thickness in a step cannot pass unseen.
constexpr double seen = 0.5;

/// A prescribed body that moves less than this part of the thinnest body's thickness in a step does not jump.
constexpr double path_at_rest = 1e-6;

/// Places on the path of one pair that are looked at.
constexpr int max_looks = 200;

/// The places of the bodies at the start of a step, half-way and at its end.
struct Path {
    const BodyModel& model;
    const State &start, &mid, &end, &contacts_at;

    /// time from 0 to 1; straight to half-way and on from there, as the step goes.
    [[nodiscard]] Pose at(int body, double time) const
    {
        const auto k = static_cast<std::size_t>(body);
        const State& from = time < 0.5 ? start : mid;
        const State& to = time < 0.5 ? mid : end;
        const double part = time < 0.5 ? 2 * time : 2 * time - 1;
        const Vec3 angle = rotation_vector(from.R[k].conjugate() * to.R[k]);
        return {.position_m = from.x[k] + part * (to.x[k] - from.x[k]),
                .rotation = turned(from.R[k], part * angle)};
    }

    /// Bound of how far a point of the body goes in a half of the step.
    [[nodiscard]] double travel_m(int body, bool second_half) const
    {
        const auto k = static_cast<std::size_t>(body);
        const State& from = second_half ? mid : start;
        const State& to = second_half ? end : mid;
        const double radius = model.colliders[k].radius_m;
        const double turn =
            2 * (from.R[k].conjugate() * to.R[k]).vec().norm();  // >= 0.9 of the angle to 1.5 rad
        return (to.x[k] - from.x[k]).norm() + (std::isfinite(radius) ? 1.5 * turn * radius : 0);
    }
    /// No less than that, without a product of rotations: |sin(a/2)| <= |R+ - R|, a distance of quaternions.
    [[nodiscard]] double travel_bound_m(int body) const
    {
        const auto k = static_cast<std::size_t>(body);
        const double radius = model.colliders[k].radius_m;
        const double turns =
            (mid.R[k].coeffs() - start.R[k].coeffs()).norm() + (end.R[k].coeffs() - mid.R[k].coeffs()).norm();
        return (mid.x[k] - start.x[k]).norm() + (end.x[k] - mid.x[k]).norm() +
               (std::isfinite(radius) ? 1.5 * 2 * turns * radius : 0);
    }
    [[nodiscard]] double travel_m(int body) const { return travel_m(body, false) + travel_m(body, true); }

    /// The two parts of that: how the centre moves, and how far turning takes a point.
    [[nodiscard]] Vec3 moved(int body, bool second_half) const
    {
        const auto k = static_cast<std::size_t>(body);
        return second_half ? Vec3(end.x[k] - mid.x[k]) : Vec3(mid.x[k] - start.x[k]);
    }
    [[nodiscard]] double turn_m(int body, bool second_half) const
    {
        return travel_m(body, second_half) - moved(body, second_half).norm();
    }
};

bool is_half_space(const BodyModel& model, int body)
{
    return std::holds_alternative<PlaneShape>(model.colliders[static_cast<std::size_t>(body)].shape);
}

bool is_surface(const BodyModel& model, int body)
{
    return model.colliders[static_cast<std::size_t>(body)].surface != nullptr;
}

bool acts_between(const BodyContact& contact, int a, int b)
{
    return contact.first == a && contact.second == b && contact.percussion_Ns() != Vec3::Zero();
}

bool acts(const BodyStepMemory& s, int a, int b)
{
    return std::any_of(s.contacts.begin(), s.contacts.end(),
                       [&](const BodyContact& contact) { return acts_between(contact, a, b); });
}

/// A contact of the pair that was met on its way has kept the two apart: at the end they are on their sides
/// of the tangent plane where they touched. One that glances off a round body goes past it, not through it.
bool is_held(const Path& path, int a, int b, double harmless, const BodyStepMemory& s)
{
    const auto moved = [&](int body, const Vec3& point) -> Vec3 {
        return path.at(body, 1).to_world(path.at(body, 0.5).to_body(point)) - point;
    };
    const double deep = harmless * path.model.size_of_pair_m(a, b);
    return std::any_of(s.contacts.begin(), s.contacts.end(), [&](const BodyContact& contact) {
        if (!is_fast_contact(contact) || !acts_between(contact, a, b)) return false;
        const ContactPoint& at = contact.at;
        return at.gap_m + at.normal.dot(moved(a, at.point_m) - moved(b, at.point_m)) >= -deep;
    });
}

/// Two convex bodies, or compounds of them, along their path.
class Passage {
public:
    Passage(const Path& path, int a, int b, BodyStepMemory& s) : path_(path), a_(a), b_(b), s_(s)
    {
        size_m_ = path.model.size_of_pair_m(a, b);
        reach_m_ = path.travel_m(a) + path.travel_m(b) + size_m_;
    }

    /// Whether they went through each other: to the far side of each other, or through a part of each other
    /// while no contact acted. Overlaps up to a part `harmless` of the thickness do not count.
    [[nodiscard]] bool happened(double harmless)
    {
        const Look first = look(0), middle = look(0.5), last = look(1);
        const double deep = harmless * size_m_;
        // in each other before: that was named, and which side is the far one is not known
        if (first.gap_m < -deep) return false;
        if (std::min({first.gap_m, middle.gap_m, last.gap_m}) >= -deep &&
            !comes_below(-deep, 0, first.gap_m, 0.5, middle.gap_m, rate(false)) &&
            !comes_below(-deep, 0.5, middle.gap_m, 1, last.gap_m, rate(true)))
            return false;
        if (first.gap_m < reach_m_ && last.gap_m < reach_m_ && first.normal.dot(last.normal) < 0) return true;
        return last.gap_m >= -deep && !acts(s_, a_, b_);
    }

private:
    struct Look {
        double gap_m;
        Vec3 normal = Vec3::Zero();
    };

    /// Of the gap, per unit of time.
    [[nodiscard]] double rate(bool second_half) const
    {
        return 2 * (path_.travel_m(a_, second_half) + path_.travel_m(b_, second_half));
    }

    Look look(double time)
    {
        ++looks_;
        place(path_.model.colliders[static_cast<std::size_t>(a_)], path_.at(a_, time), s_.on_path[0]);
        place(path_.model.colliders[static_cast<std::size_t>(b_)], path_.at(b_, time), s_.on_path[1]);
        s_.points.clear();
        find_contact_points(s_.on_path[0], s_.on_path[1], reach_m_, s_.points);
        Look smallest{reach_m_};
        for (const ContactPoint& point : s_.points) {
            if (point.gap_m < smallest.gap_m) smallest = {point.gap_m, point.normal};
        }
        return smallest;
    }

    /// Whether the gap, which changes by no more than `rate`, is below `level` somewhere in between.
    bool comes_below(double level, double from, double gap_from, double to, double gap_to, double rate)
    {
        const double lowest = 0.5 * (gap_from + gap_to - rate * (to - from));
        if (lowest >= level || looks_ >= max_looks) return false;
        // where the bound is lowest, but well inside
        const double part = std::clamp(0.5 + 0.5 * (gap_from - gap_to) / (rate * (to - from)), 0.2, 0.8);
        const double time = from + part * (to - from);
        const double gap = look(time).gap_m;
        return gap < level || comes_below(level, from, gap_from, time, gap, rate) ||
               comes_below(level, time, gap, to, gap_to, rate);
    }

    const Path& path_;
    int a_, b_;
    BodyStepMemory& s_;
    double size_m_ = 0, reach_m_ = 0;
    int looks_ = 0;
};

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

/// +1 where the way from p to q leaves the free side of the triangle through it, -1 where it comes back.
int crossing(const TriangleSurface& surface, const TriangleSurface::Triangle& triangle, const Vec3& p,
             const Vec3& q)
{
    constexpr double on_side = 1e-9;
    const Vec3 &a = surface.vertices[triangle.corners[0]], &b = surface.vertices[triangle.corners[1]],
               &c = surface.vertices[triangle.corners[2]];
    const double above_p = triangle.normal.dot(p - a), above_q = triangle.normal.dot(q - a);
    if ((above_p > 0) == (above_q > 0)) return 0;
    const Vec3 x = p + above_p / (above_p - above_q) * (q - p);
    const double area = (b - a).cross(c - a).norm();
    const auto inside = [&](const Vec3& from, const Vec3& to) {
        return triangle.normal.dot((to - from).cross(x - from)) >= -on_side * area;
    };
    if (!inside(a, b) || !inside(b, c) || !inside(c, a)) return 0;
    return above_p > 0 ? 1 : -1;
}

/// Crossings of the middles of the boxes of convex parts: what has its middle behind a surface is lost to it.
int crossings(const Path& path, int body, int surface, const PlacedCollider* placed[3],
              std::vector<int>& near)
{
    if (!placed[0]->parts.empty()) {
        int sum = 0;
        for (std::size_t i = 0; i < placed[0]->parts.size(); ++i) {
            const PlacedCollider* parts[3] = {&placed[0]->parts[i], &placed[1]->parts[i],
                                              &placed[2]->parts[i]};
            sum = std::max(sum, crossings(path, body, surface, parts, near));
        }
        return sum;
    }
    const auto& triangles = *path.model.colliders[static_cast<std::size_t>(surface)].surface;
    Vec3 at[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = path.at(surface, 0.5 * k).to_body(0.5 * (placed[k]->low + placed[k]->high));
    }
    int sum = 0;
    for (int k = 0; k < 2; ++k) {
        near.clear();
        triangles.tree.find(at[k].cwiseMin(at[k + 1]), at[k].cwiseMax(at[k + 1]), near);
        for (const int t : near) {
            sum += crossing(triangles, triangles.triangles[static_cast<std::size_t>(t)], at[k], at[k + 1]);
        }
    }
    return sum;
}

bool passed_surface(const Path& path, int body, int surface, BodyStepMemory& s)
{
    const Collider& collider = path.model.colliders[static_cast<std::size_t>(body)];
    const PlacedCollider* placed[3];
    for (int k = 0; k < 3; ++k) {
        place(collider, path.at(body, 0.5 * k), s.on_path[static_cast<std::size_t>(k)]);
        placed[k] = &s.on_path[static_cast<std::size_t>(k)];
    }
    return crossings(path, body, surface, placed, s.near) > 0;
}

/// The same for two balls, without placing them.
bool balls_passed(const Path& path, int a, int b, double harmless, const BodyStepMemory& s)
{
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double sum = path.model.colliders[i].hull.radius_m + path.model.colliders[j].hull.radius_m;
    const Vec3 first = path.start.x[i] - path.start.x[j], middle = path.mid.x[i] - path.mid.x[j],
               last = path.end.x[i] - path.end.x[j];
    const auto nearest = [](const Vec3& p, const Vec3& q) {
        const Vec3 d = q - p;
        const double part = d.squaredNorm() > 0 ? std::clamp(-p.dot(d) / d.squaredNorm(), 0.0, 1.0) : 0.0;
        return (p + part * d).norm();
    };
    const double deep = harmless * path.model.size_of_pair_m(a, b);
    if (std::min(nearest(first, middle), nearest(middle, last)) >= sum - deep) return false;
    if (first.norm() < sum - deep) return false;  // in each other before
    if (first.dot(last) < 0) return true;
    return last.norm() >= sum - deep && !acts(s, a, b);
}

bool is_ball(const Collider& collider)
{
    return std::holds_alternative<SphereShape>(collider.shape) &&
           collider.hull.vertices.front() == Vec3::Zero();
}

void look_at_pair(const Path& path, int a, int b, double harmless, BodyStepMemory& s, StepReport& report)
{
    const BodyModel& model = path.model;
    if (!model.may_meet(a, b) || is_half_space(model, a) || is_half_space(model, b)) return;
    const double travel = path.travel_m(a) + path.travel_m(b), size = model.size_of_pair_m(a, b);
    if (!(travel > seen * size)) return;
    const bool passed = is_surface(model, b)   ? passed_surface(path, a, b, s)
                        : is_surface(model, a) ? passed_surface(path, b, a, s)
                        : is_ball(model.colliders[a]) && is_ball(model.colliders[b])
                            ? balls_passed(path, a, b, harmless, s)
                            : Passage(path, a, b, s).happened(harmless);
    const bool surface = is_surface(model, a) || is_surface(model, b);
    if (!passed || (!surface && is_held(path, a, b, harmless, s))) return;
    const bool a_goes = path.travel_m(a) >= path.travel_m(b);
    const auto name = [&](int body) { return model.setup().bodies[static_cast<std::size_t>(body)].name; };
    report.findings.push_back(
        {.code = "tunnelling",
         .time_s = path.end.t_s,
         .message = fmt::format("{} passed through {} within a step, at {:.3g} m/s: with time_step_s = "
                                "{:.1e} the contact would be seen",
                                name(a_goes ? a : b), name(a_goes ? b : a), travel / report.h_s,
                                seen * size / travel * report.h_s),
         .uncertifies = true});
}

/// Which of the two bodies of a contact turns more in the second half of the step, and by which angle; balls
/// have no parts that turn.
std::pair<int, double> turned_after(const Path& path, const BodyContact& contact)
{
    std::pair<int, double> largest{contact.first, 0.0};
    for (const int body : {contact.first, contact.second}) {
        const auto k = static_cast<std::size_t>(body);
        if (is_ball(path.model.colliders[k])) continue;
        const double angle = rotation_vector(path.mid.R[k].conjugate() * path.end.R[k]).norm();
        if (angle > largest.second) largest = {body, angle};
    }
    return largest;
}

/// Whether the normal of a contact is another one at the end of the step, by more than an angle.
bool normal_turns_away(const Path& path, const BodyContact& contact, double angle, BodyStepMemory& s)
{
    const int a = contact.first, b = contact.second;
    place(path.model.colliders[static_cast<std::size_t>(a)], path.at(a, 1), s.on_path[0]);
    place(path.model.colliders[static_cast<std::size_t>(b)], path.at(b, 1), s.on_path[1]);
    s.points.clear();
    find_contact_points(s.on_path[0], s.on_path[1], path.travel_m(a) + path.travel_m(b), s.points);
    const auto nearest = std::ranges::min_element(s.points, {}, &ContactPoint::gap_m);
    return nearest != s.points.end() && nearest->normal.dot(contact.at.normal) < std::cos(angle);
}

/// (BO-23): a body that an impact on its way sets turning meets the other one again with its other parts.
void look_at_turns(const Path& path, double harmless, BodyStepMemory& s, StepReport& report)
{
    for (const BodyContact& contact : s.contacts) {
        if (contact.percussion_Ns() == Vec3::Zero()) continue;
        // one that was seen half-way is struck anew if the two did not touch; the normal of a body on a
        // prescribed path, which the impact does not turn, must not turn away
        const bool half_way = !is_fast_contact(contact);
        if (half_way && have_touched(path.start, contact.first, contact.second)) continue;
        const auto [body, angle] = turned_after(path, contact);
        if (!(angle > harmless)) continue;
        if (half_way && (path.model.inverse_mass[static_cast<std::size_t>(body)] > 0 ||
                         !normal_turns_away(path, contact, harmless, s)))
            continue;
        const auto name = [&](int k) { return path.model.setup().bodies[static_cast<std::size_t>(k)].name; };
        const int other = body == contact.first ? contact.second : contact.first;
        report.findings.push_back(
            {.code = "impact_not_resolved",
             .time_s = path.end.t_s,
             .message = fmt::format("{} turns by {:.2g} rad in the half step after it strikes {}: further "
                                    "impacts during this rotation are not seen; take a step below {:.1e} s",
                                    name(body), angle, name(other), report.h_s * harmless / angle),
             .uncertifies = true});
        return;
    }
}

/// Pairs of a body that went farther than the step foresaw: something struck it.
void look_at_all_pairs(const Path& path, int body, double harmless, BodyStepMemory& s, StepReport& report)
{
    const auto box_of = [&](int i, Vec3& low, Vec3& high) {
        const auto k = static_cast<std::size_t>(i);
        const Vec3 grown = Vec3::Constant(path.model.colliders[k].radius_m);
        low = path.start.x[k].cwiseMin(path.mid.x[k]).cwiseMin(path.end.x[k]) - grown;
        high = path.start.x[k].cwiseMax(path.mid.x[k]).cwiseMax(path.end.x[k]) + grown;
    };
    Vec3 low, high, other_low, other_high;
    box_of(body, low, high);
    for (int other = 0; other < path.model.bodies(); ++other) {
        if (other == body || !path.model.collides[other]) continue;
        box_of(other, other_low, other_high);
        if ((low.array() > other_high.array()).any() || (other_low.array() > high.array()).any()) continue;
        look_at_pair(path, std::min(body, other), std::max(body, other), harmless, s, report);
    }
}

/// How far a body with points up to `radius_m` from its centre goes from one pose to another.
double distance_m(const Pose& from, const Pose& to, double radius_m)
{
    const double turn = 2 * (from.rotation.conjugate() * to.rotation).vec().norm();
    return (to.position_m - from.position_m).norm() + (std::isfinite(radius_m) ? turn * radius_m : turn);
}

/// Where within the step the path of a prescribed body jumps, and by how much: halves of the step, and halves
/// of these, in which it goes as far as in the whole. One that only starts or stops goes half as far.
struct Jump {
    double time_s = 0, by_m = 0;
};
std::optional<Jump> jump_of(const std::function<Pose(double)>& path, double radius_m, double start_s,
                            double h_s)
{
    constexpr int halvings = 20;
    constexpr double rounding = 1e-6;
    // a jump between two steps is in one of them, by the rounding of its instant
    double from_s = start_s - rounding * h_s, to_s = start_s + (1 + rounding) * h_s;
    Pose from = path(from_s), to = path(to_s);
    const double whole_m = distance_m(from, to, radius_m);
    double by_m = whole_m;
    for (int k = 0; k < halvings && by_m > 0.5 * whole_m; ++k) {
        const double middle_s = from_s + (to_s - from_s) / 2;
        const Pose middle = path(middle_s);
        const double first_m = distance_m(from, middle, radius_m),
                     second_m = distance_m(middle, to, radius_m);
        const bool first = first_m > second_m;
        (first ? to_s : from_s) = middle_s;
        (first ? to : from) = middle;
        by_m = std::max(first_m, second_m);
    }
    if (!(by_m > 0.5 * whole_m)) return std::nullopt;
    return Jump{.time_s = to_s, .by_m = by_m};
}

/// Prescribed bodies that jump onto others. A jump has no velocity: what it meets is thrown by as much as the
/// step is short.
void look_at_jumps(const Path& path, double small_m, const BodyStepMemory& s, StepReport& report)
{
    for (int i = 0; i < path.model.bodies(); ++i) {
        if (path.model.inverse_mass[static_cast<std::size_t>(i)] != 0) continue;
        const Body& body = path.model.setup().bodies[static_cast<std::size_t>(i)];
        if (body.motion != BodyMotion::Prescribed || !(path.travel_m(i) > small_m)) continue;
        const bool strikes = std::ranges::any_of(s.contacts, [&](const BodyContact& contact) {
            return (contact.first == i || contact.second == i) && contact.percussion_Ns() != Vec3::Zero();
        });
        if (!strikes) continue;
        const double radius_m = path.model.colliders[static_cast<std::size_t>(i)].radius_m;
        const auto jump = jump_of(body.path, radius_m, path.start.t_s, report.h_s);
        if (!jump) continue;
        report.findings.push_back(
            {.code = "path_jumps",
             .time_s = jump->time_s,
             .message = fmt::format("the path of {} jumps by {:.3g} m and strikes what it meets, with a "
                                    "velocity that grows as the step shrinks: the steps do not converge to a "
                                    "motion. Let it move there in a finite time",
                                    body.name, jump->by_m),
             .uncertifies = true});
    }
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
        const Vec3 on_a = mid_a.to_world(at_a.to_body(point.point_m));
        const Vec3 on_b = mid_b.to_world(at_b.to_body(point.point_m));
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

/// Two balls that move by more than half the smaller one in the step, and come to each other on the way: the
/// normal of where they touch is not that of half-way.
static bool meet_fast(const Vec3& first, const Vec3& last, double radius, double other_radius)
{
    const Vec3 moved = last - first;
    const double length2 = moved.squaredNorm(), thin = 2 * std::min(radius, other_radius);
    if (!(length2 > seen * seen * thin * thin)) return false;
    const double part = std::clamp(-first.dot(moved) / length2, 0.0, 1.0), sum = radius + other_radius;
    return (first + part * moved).squaredNorm() < sum * sum;
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

void look_for_tunnelling(const BodyModel& model, const MoreauSettings& settings, const State& state,
                         BodyStepMemory& s, StepReport& report)
{
    // what moves by less than a quarter of the thinnest body passes through nothing
    const double slow = 0.5 * seen * model.thinnest_m();
    const Path path{model, state, half_way(s), s.next, s.mid};
    look_at_jumps(path, path_at_rest * model.thinnest_m(), s, report);
    bool fast = false;
    for (int i = 0; i < model.bodies() && !fast; ++i) {
        fast = model.collides[i] && !(path.travel_bound_m(i) <= 0.999 * slow) && path.travel_m(i) > slow;
    }
    if (!fast) return;

    look_at_turns(path, settings.max_overlap, s, report);
    const std::size_t before = report.findings.size();
    if (s.round) {
        for (int i = 0; i < model.bodies(); ++i) {
            if (s.ball_radii[i] < 0) continue;
            for (const int j : s.balls.of(i)) {
                look_at_pair(path, i, j, settings.max_overlap, s, report);
            }
        }
    } else {
        for (const auto& [a, b] : s.pairs) {
            look_at_pair(path, a, b, settings.max_overlap, s, report);
        }
    }
    if (report.findings.size() > before) return;
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i] || model.inverse_mass[i] == 0) continue;
        const double travel = path.travel_m(i, true);
        if (travel > slow && travel > s.reach_m[i])
            look_at_all_pairs(path, i, settings.max_overlap, s, report);
    }
}

}  // namespace carom::detail
