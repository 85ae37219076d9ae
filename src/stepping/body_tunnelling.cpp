#include "body_parts.hpp"
#include "body_path.hpp"

#include "../geometry/triangle_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// A prescribed body that moves less than this part of the thinnest body's thickness in a step does not jump.
constexpr double path_at_rest = 1e-6;

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
    const auto moved = [&](int body, const Vec3& point, const Vec3& inward) -> Vec3 {
        return carried(path.model.colliders[static_cast<std::size_t>(body)], path.at(body, 0.5),
                       path.at(body, 1), point, inward) -
               point;
    };
    const double deep = harmless * path.model.size_of_pair_m(a, b);
    return std::any_of(s.contacts.begin(), s.contacts.end(), [&](const BodyContact& contact) {
        if (!is_fast_contact(contact) || !acts_between(contact, a, b)) return false;
        const ContactPoint& at = contact.at;
        const Vec3 apart = moved(a, at.point_m, at.normal) - moved(b, at.point_m, -at.normal);
        return at.gap_m + at.normal.dot(apart) >= -deep;
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

}  // namespace

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
