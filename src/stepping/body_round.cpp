#include "body_parts.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

/// Corrections of one step at most: more than one where the first leaves what the tolerance does not allow.
constexpr int max_passes = 20;

/// Contacts that one thread takes at once.
constexpr std::size_t ends_in_block = 512;

bool is_plane(const BodyModel& model, int i)
{
    return std::holds_alternative<PlaneShape>(model.colliders[i].shape);
}

double radius_of(const BodyModel& model, int i)
{
    return model.colliders[i].hull.radius_m;
}

using Meetings = std::vector<Meeting>;

double reach_of(const BodyModel& model, const MoreauSettings& settings, const State& state, int a, int b,
                const BodyStepMemory& s)
{
    // soft contacts are known before they close, and those that touched before they leave; with restitution
    // a contact acts when it has closed (BO-9)
    const bool soft =
        model.surface(a, b).restitution == 0 || have_touched(state, std::min(a, b), std::max(a, b));
    return soft ? s.reach_m[a] + s.reach_m[b] : settings.activation_gap_m;
}

void two_spheres(const BodyModel& model, const MoreauSettings& settings, const State& state, int a, int b,
                 const BodyStepMemory& s, Meetings& meetings)
{
    const Vec3 apart = s.mid.x[a] - s.mid.x[b];
    const double distance = apart.norm(), r_a = s.radii[a], r_b = s.radii[b];
    // centres that coincide leave the direction open
    const Vec3 n = distance > 0 ? Vec3(apart / distance) : Vec3::UnitZ();
    const double gap = n.dot(apart) - r_a - r_b;
    if (gap > reach_of(model, settings, state, a, b, s)) return;
    const Vec3 half_way = 0.5 * (s.mid.x[a] - r_a * n + (s.mid.x[b] + r_b * n));
    meetings.push_back({a, b, {.point_m = half_way, .normal = n, .gap_m = gap}});
}

/// A half-space in the world: n . x <= offset is solid.
struct HalfSpace3 {
    Vec3 n;
    double offset;
};

HalfSpace3 half_space(const BodyModel& model, int plane, const BodyStepMemory& s)
{
    const Collider& collider = model.colliders[plane];
    const auto& shape = std::get<PlaneShape>(collider.shape);
    const Pose pose{.position_m = s.mid.x[plane], .rotation = s.mid.R[plane]};
    const Vec3 n = pose.rotation * shape.normal;
    return {n, n.dot(pose.to_world(shape.offset_m * shape.normal - collider.centre_m))};
}

/// Most are far from most planes.
bool is_far(const MoreauSettings& settings, int sphere, int plane, const HalfSpace3& half,
            const BodyStepMemory& s)
{
    const double gap_m = half.n.dot(s.mid.x[sphere]) - half.offset - s.radii[sphere];
    return gap_m > std::max(s.reach_m[sphere] + s.reach_m[plane], settings.activation_gap_m);
}

/// Bodies in the order of their numbers; the normal points to the first.
void sphere_and_plane(const BodyModel& model, const MoreauSettings& settings, const State& state, int sphere,
                      int plane, const HalfSpace3& half, const BodyStepMemory& s, Meetings& meetings)
{
    const auto& [n, offset] = half;
    const Vec3& x = s.mid.x[sphere];
    const double r = s.radii[sphere], above = n.dot(x) - offset;
    if (!model.may_meet(sphere, plane)) return;
    if (above - r > reach_of(model, settings, state, sphere, plane, s)) return;
    const Vec3 half_way = 0.5 * (x - r * n + (x - above * n));
    const bool first = sphere < plane;
    meetings.push_back({std::min(sphere, plane),
                        std::max(sphere, plane),
                        {.point_m = half_way, .normal = first ? n : Vec3(-n), .gap_m = above - r}});
}

/// Normals and gaps of the contacts where the bodies are at the end of the step, and the deepest overlap.
void look_at_ends(const BodyModel& model, BodyStepMemory& s)
{
    s.ends.resize(s.contacts.size());
    for_each_index(s.contacts.size(), ends_in_block, [&](std::size_t c) {
        const BodyContact& contact = s.contacts[c];
        const auto a = static_cast<std::size_t>(contact.first), b = static_cast<std::size_t>(contact.second);
        Vec3 n = contact.axes[0];
        double gap = 0;
        if (s.radii[a] == 0 || s.radii[b] == 0) {
            gap = contact.at.gap_m + n.dot(s.next.x[a] - s.mid.x[a] - (s.next.x[b] - s.mid.x[b]));
        } else {
            const Vec3 apart = s.next.x[a] - s.next.x[b];
            const double distance = apart.norm();
            gap = distance - s.radii[a] - s.radii[b];
            if (distance > 0) n = apart / distance;
        }
        s.ends[c] = {n.x(), n.y(), n.z(), gap};
    });
    s.deepest = s.deepest_left = {};
    for (std::size_t c = 0; c < s.ends.size(); ++c) {
        const double gap = s.ends[c][3];
        if (!(gap < 0)) continue;
        // most are less deep than what was seen before, beside any size
        const DeepestOverlap& seen = s.deepest_left;
        if (-gap <= seen.depth_m && -gap <= seen.part * model.thinnest_m()) continue;
        const BodyContact& contact = s.contacts[c];
        const double size_m = model.size_of_pair_m(contact.first, contact.second);
        s.deepest.see(contact.first, contact.second, -gap, size_m);
        if (!leaves_by_restitution(contact)) s.deepest_left.see(contact.first, contact.second, -gap, size_m);
    }
}

/// Those contacts as problems of places: gaps for velocities.
void load_overlaps(const BodyModel& model, BodyStepMemory& s)
{
    const double reach = looked_at * model.length_m();
    begin_correction(model, s);
    s.correction.factors.round = true;
    for (std::size_t c = 0; c < s.ends.size(); ++c) {
        const auto& [x, y, z, gap] = s.ends[c];
        if (gap > reach) continue;
        const BodyContact& contact = s.contacts[c];
        add_gap({x, y, z}, leaves_by_restitution(contact) ? std::max(0.0, gap) : gap, contact.first,
                contact.second, s.correction);
    }
    s.correction_P.assign(s.correction.laws.size(), 0.0);
}

/// What one thread, or one rank, looks at: bodies in a row, or a plane with some of the bodies behind it.
struct Look {
    int plane = -1;  ///< its place in s.planes; -1: none
    int begin = 0, end = 0;
};

/// In the order of meetings. A plane is looked at by as many as balls are: it may meet most of them.
void list_looks(const BodyModel& model, const BodyStepMemory& s, std::vector<Look>& looks)
{
    constexpr int bodies_in_look = 256, bodies_before_plane = 4096;
    const auto cut = [&](int plane, int begin, int end, int size) {
        for (; begin < end; begin += size) {
            looks.push_back({.plane = plane, .begin = begin, .end = std::min(begin + size, end)});
        }
    };
    looks.clear();
    int next = 0;
    for (std::size_t k = 0; k < s.planes.size(); ++k) {
        cut(-1, next, s.planes[k], bodies_in_look);
        next = s.planes[k] + 1;
        cut(static_cast<int>(k), next, model.bodies(), bodies_before_plane);
    }
    cut(-1, next, model.bodies(), bodies_in_look);
}

/// Meetings of a ball with bodies of higher numbers; `halves`: of s.planes.
void meetings_of(const BodyModel& model, const MoreauSettings& settings, const State& state, int i,
                 std::span<const HalfSpace3> halves, const BodyStepMemory& s, Meetings& meetings)
{
    const auto first_later = std::upper_bound(s.planes.begin(), s.planes.end(), i);
    const std::size_t before = meetings.size();
    for (const int j : s.balls.of(i)) {
        if (model.may_meet(i, j)) two_spheres(model, settings, state, i, j, s, meetings);
    }
    const std::size_t spheres = meetings.size();
    for (auto plane = first_later; plane != s.planes.end(); ++plane) {
        const HalfSpace3& half = halves[static_cast<std::size_t>(plane - s.planes.begin())];
        if (!is_far(settings, i, *plane, half, s))
            sphere_and_plane(model, settings, state, i, *plane, half, s, meetings);
    }
    if (spheres == meetings.size()) return;
    std::stable_sort(meetings.begin() + static_cast<std::ptrdiff_t>(before), meetings.end(),
                     [](const Meeting& a, const Meeting& b) { return a.second < b.second; });
}

void look(const BodyModel& model, const MoreauSettings& settings, const State& state, const Look& at,
          std::span<const HalfSpace3> halves, const BodyStepMemory& s, Meetings& meetings)
{
    for (int i = at.begin; i < at.end; ++i) {
        if (at.plane < 0) {
            if (model.collides[i]) meetings_of(model, settings, state, i, halves, s, meetings);
            continue;
        }
        const auto k = static_cast<std::size_t>(at.plane);
        if (s.radii[i] > 0 && !is_far(settings, i, s.planes[k], halves[k], s))
            sphere_and_plane(model, settings, state, i, s.planes[k], halves[k], s, meetings);
    }
}

}  // namespace

bool is_ball(const BodyModel& model, int i)
{
    const Collider& collider = model.colliders[i];
    return model.collides[i] && std::holds_alternative<SphereShape>(collider.shape) && model.isotropic[i] &&
           collider.hull.vertices.front() == Vec3::Zero();
}

bool is_round(const BodyModel& model)
{
    if (model.is_flat() || !model.is_plain()) return false;
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        // one that turns would move contacts sideways
        const bool fixed = model.setup().bodies[static_cast<std::size_t>(i)].motion == BodyMotion::Fixed;
        if (is_plane(model, i) ? !fixed : !is_ball(model, i)) return false;
    }
    return true;
}

void detect_round(const BodyModel& model, const MoreauSettings& settings, const State& state,
                  BodyStepMemory& s)
{
    s.planes.clear();
    s.ball_radii.assign(static_cast<std::size_t>(model.bodies()), -1.0);
    s.radii.assign(s.ball_radii.size(), 0.0);
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        if (is_plane(model, i)) {
            s.planes.push_back(i);
        } else {
            s.radii[i] = radius_of(model, i);
            s.ball_radii[i] = s.radii[i] + s.reach_m[i];
        }
    }
    s.balls.find(s.mid.x, s.ball_radii);
    thread_local std::vector<HalfSpace3> memory;
    memory.clear();
    for (const int plane : s.planes)
        memory.push_back(half_space(model, plane, s));
    const std::span<const HalfSpace3> halves = memory;  // this thread's, whoever reads it

    thread_local std::vector<Look> list;
    list_looks(model, s, list);
    const std::span<const Look> looks = list;

    // contacts sorted by bodies
    s.meetings.clear();
    append_shared_blocks(looks.size(), 1, s.meetings,
                         [&](std::size_t begin, std::size_t end, Meetings& meetings) {
                             for (const Look& one : looks.subspan(begin, end - begin)) {
                                 look(model, settings, state, one, halves, s, meetings);
                             }
                         });
    make_contacts(model, s.mid.x, s);
}

void correct_round(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                   BodyStepMemory& s)
{
    const double tolerance = std::max(settings.activation_gap_m, harmless(solver) * model.length_m());
    double last = std::numeric_limits<double>::infinity();
    for (int pass = 0;; ++pass) {
        look_at_ends(model, s);
        const double part = s.deepest_left.part;
        const bool deep =
            part > std::max(solver.tolerance, harmless_overlap) && (pass < 6 || part <= 0.9 * last);
        if (!settings.correction || s.deepest_left.depth_m <= tolerance || (pass > 0 && !deep)) return;
        if (pass == max_passes) return;
        last = part;

        // the least displacement in the kinetic metric that makes the linearised gaps non-negative (MS-5):
        // along normals through the centres, so nothing turns
        if (is_quick(solver)) {
            press_round_quickly(model, correction_budget, s);
            for (int i = 0; i < model.bodies(); ++i) {
                s.next.x[i] += s.correction_v[static_cast<std::size_t>(i)];
            }
            continue;
        }
        load_overlaps(model, s);
        FactorSweeps& sweeps = s.solver.factor_sweeps;
        if (!sweeps.sweep(s.correction, correction_budget, s.correction_P)) return;
        for (int i = 0; i < model.bodies(); ++i) {
            const auto moved = sweeps.velocity(i);
            s.next.x[i] += Vec3(moved[0], moved[1], moved[2]);
        }
    }
}

}  // namespace carom::detail
