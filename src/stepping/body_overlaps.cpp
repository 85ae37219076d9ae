#include "body_overlaps.hpp"

#include "body_parts.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom::detail {
namespace {

/// Pairs and bodies that one thread takes at once.
constexpr std::size_t looked_in_block = 64, displaced_in_block = 512;

using Pair = std::array<int, 2>;

/// The contacts of a pair that the step had, from the place `from` on, which becomes that behind them. They
/// are sorted by bodies, as pairs are.
std::span<const BodyContact> contacts_of(const BodyStepMemory& s, const Pair& pair, std::size_t& from)
{
    const auto& all = s.contacts;
    const auto [a, b] = pair;
    while (from < all.size() && (all[from].first < a || (all[from].first == a && all[from].second < b))) {
        ++from;
    }
    const std::size_t begin = from;
    while (from < all.size() && all[from].first == a && all[from].second == b) {
        ++from;
    }
    return {all.data() + begin, from - begin};
}

/// Where the contacts of a pair begin, or would.
std::size_t first_contact(const BodyStepMemory& s, const Pair& pair)
{
    const auto found = std::ranges::lower_bound(
        s.contacts, pair, {}, [](const BodyContact& contact) { return Pair{contact.first, contact.second}; });
    return static_cast<std::size_t>(found - s.contacts.begin());
}

/// A pair that leaves by restitution is not lifted.
bool leaves(std::span<const BodyContact> contacts)
{
    return std::ranges::any_of(contacts, leaves_by_restitution);
}

/// Points of fast contacts at the end of the step, along the normals with which they touched first, where
/// one of them is so deep that the shapes may show the far side. Whether there are any.
bool still_fast(const BodyModel& model, std::span<const BodyContact> contacts, const BodyStepMemory& s,
                std::vector<ContactPoint>& points)
{
    if (contacts.empty() || !is_fast_contact(contacts.front())) return false;
    double smallest = 0;
    for (const BodyContact& contact : contacts) {
        // how the points where they touched have moved since the contacts were found
        const auto moved = [&](int body, const Vec3& arm) -> Vec3 {
            return s.next.x[body] - s.mid.x[body] + s.next.R[body] * (s.mid.R[body].conjugate() * arm) - arm;
        };
        const Vec3 by_a = moved(contact.first, contact.arm_first);
        const Vec3 by_b = moved(contact.second, contact.arm_second);
        const double gap = contact.at.gap_m + contact.at.normal.dot(by_a - by_b);
        smallest = std::min(smallest, gap);
        const bool first = model.inverse_mass[contact.first] > 0;
        const int body = first ? contact.first : contact.second;
        const Vec3& arm = first ? contact.arm_first : contact.arm_second;
        points.push_back({.point_m = s.mid.x[body] + arm + (first ? by_a : by_b),
                          .normal = contact.at.normal,
                          .gap_m = gap,
                          .feature = contact.at.feature});
    }
    const Pair pair{contacts.front().first, contacts.front().second};
    if (smallest < -0.25 * model.size_of_pair_m(pair[0], pair[1])) return true;
    points.clear();
    return false;
}

/// How a body has moved since the contacts were found.
BodyDisplacement displacement_of(int body, const BodyStepMemory& s)
{
    const Rotation turn = s.next.R[body] * s.mid.R[body].conjugate();
    const Vec3 turned = 2 * turn.w() * turn.vec();
    return {.by = s.next.x[body] - s.mid.x[body], .turned = turned, .angle = turned.norm()};
}

/// The points of a pair as its bodies have carried them, in the place of those that its shapes would show
/// (BO-34). `error_m`: how far the gaps may be off; false where that is more than `allowed_m`, or where they
/// overlap by more than is left alone.
bool carry_points(const BodyModel& model, std::span<const BodyContact> contacts, double reach_m,
                  double allowed_m, const BodyStepMemory& s, std::vector<ContactPoint>& points,
                  double& error_m)
{
    // contacts that were looked for at the end of the step are not those of s.mid any more
    if (contacts.empty() || is_fast_contact(contacts.front()) || s.ahead_s != 0) return false;
    const int a = contacts.front().first, b = contacts.front().second;
    const BodyDisplacement &first = s.displaced[static_cast<std::size_t>(a)],
                           &second = s.displaced[static_cast<std::size_t>(b)];
    const double size_m = model.size_of_pair_m(a, b), turns = first.angle + second.angle;
    error_m = 0;
    for (const BodyContact& contact : contacts) {
        const Vec3 on_a = first.of(contact.arm_first), on_b = second.of(contact.arm_second);
        const Vec3 apart = on_a - on_b;
        // normals turn with the bodies, and on curved surfaces with what slides; arms turn
        const double slid_m = apart.norm();
        error_m = std::max(error_m, slid_m * (turns + slid_m / size_m) +
                                        first.angle * first.angle * contact.arm_first.norm() +
                                        second.angle * second.angle * contact.arm_second.norm());
        const double gap_m = contact.at.gap_m + contact.at.normal.dot(apart);
        // what is deeper than what is left alone is corrected and judged: by its shapes
        if (!(error_m <= allowed_m && allowed_m - gap_m <= allowed_m / carried_part_of_overlap)) {
            points.clear();
            return false;
        }
        if (gap_m > reach_m) continue;
        points.push_back({.point_m = contact.at.point_m + 0.5 * (on_a + on_b),
                          .normal = contact.at.normal,
                          .gap_m = gap_m,
                          .feature = contact.at.feature});
    }
    return true;
}

/// Bodies of some pairs are placed where they are at the end of the step, unless they have been.
void place_pair(const BodyModel& model, const Pair& pair, BodyStepMemory& s)
{
    for (const int body : pair) {
        const auto k = static_cast<std::size_t>(body);
        if (s.is_placed[k] || !model.collides[k]) continue;
        s.is_placed[k] = 1;
        place(model.colliders[k], {.position_m = s.next.x[k], .rotation = s.next.R[k]}, s.placed[k]);
    }
}

/// Contact points at the end of the step of the pairs from `begin` to `end`.
void overlaps_of(const BodyModel& model, double reach_m, double allowed_m, std::size_t begin, std::size_t end,
                 const BodyStepMemory& s, std::vector<Overlap>& overlaps)
{
    thread_local std::vector<ContactPoint> points;
    std::size_t from = first_contact(s, s.correction_pairs[begin]);
    for (std::size_t k = begin; k < end; ++k) {
        const Pair& pair = s.correction_pairs[k];
        points.clear();
        const auto contacts = contacts_of(s, pair, from);
        double error_m = 0;
        if (!s.needs_shapes[k]) {
            carry_points(model, contacts, reach_m, allowed_m, s, points, error_m);
        } else if (!still_fast(model, contacts, s, points)) {
            find_contact_points(s.placed[pair[0]], s.placed[pair[1]], reach_m, points);
        }
        if (points.empty()) continue;
        // a fast one is lifted: it would be lost
        const bool left = leaves(contacts) && !is_fast_contact(contacts.front());
        for (const ContactPoint& point : points) {
            overlaps.push_back({{pair[0], pair[1], point}, error_m, left});
        }
    }
}

/// Pairs whose shapes must be looked at, and their bodies placed: all, or those whose points are not carried
/// well enough; of the pairs that this rank looks at.
void find_shapes_needed(const BodyModel& model, double reach_m, double allowed_m, BodyStepMemory& s)
{
    const auto [first, last] = own_part(s.correction_pairs.size(), looked_in_block);
    s.needs_shapes.assign(s.correction_pairs.size(), 1);
    if (allowed_m > 0) {
        s.displaced.resize(static_cast<std::size_t>(model.bodies()));
        for_each_index(s.displaced.size(), displaced_in_block,
                       [&](std::size_t i) { s.displaced[i] = displacement_of(static_cast<int>(i), s); });
        for_blocks(last - first, looked_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
            thread_local std::vector<ContactPoint> points;
            std::size_t from = first_contact(s, s.correction_pairs[first + begin]);
            for (std::size_t k = first + begin; k < first + end; ++k) {
                points.clear();
                double error_m = 0;
                const auto contacts = contacts_of(s, s.correction_pairs[k], from);
                s.needs_shapes[k] = !carry_points(model, contacts, reach_m, allowed_m, s, points, error_m);
            }
        });
    }
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (std::size_t k = first; k < last; ++k) {
        if (s.needs_shapes[k]) place_pair(model, s.correction_pairs[k], s);
    }
}

/// The displacement of a body since the contacts were found is small: at most a part `still` of its size, of
/// which the square is rounding.
bool is_still(const BodyModel& model, const BodyDisplacement& moved)
{
    return moved.by.norm() <= still * model.length_m() && moved.angle <= still;
}

/// The pairs that the step looked at.
void gather_pairs(const BodyModel& model, BodyStepMemory& s)
{
    if (!s.round) return;  // are there
    s.pairs.clear();
    for (int i = 0; i < model.bodies(); ++i) {
        if (s.ball_radii[i] < 0) continue;
        for (const int j : s.balls.of(i)) {
            s.pairs.push_back({i, j});
        }
        for (const int plane : s.planes) {
            s.pairs.push_back({std::min(i, plane), std::max(i, plane)});
        }
    }
}

}  // namespace

void take_pairs_of_contacts(BodyStepMemory& s)
{
    s.correction_pairs.clear();
    for (const BodyContact& contact : s.contacts) {
        const Pair pair{contact.first, contact.second};
        if (s.correction_pairs.empty() || s.correction_pairs.back() != pair) {
            s.correction_pairs.push_back(pair);
        }
    }
}

void find_pairs_again(const BodyModel& model, double reach_m, BodyStepMemory& s)
{
    take_pairs_of_contacts(s);
    const std::size_t seen = s.correction_pairs.size();
    s.boxes.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (!model.collides[k]) {
            // nowhere: overlaps nothing
            s.boxes[k] = {.low = Vec3::Constant(1), .high = Vec3::Constant(-1), .moves = false};
            continue;
        }
        const bool moves = model.inverse_mass[k] > 0;
        const double slack_m = moves ? unforeseen * model.colliders[k].radius_m : 0.0;
        const Vec3 grown = Vec3::Constant(reach_m + slack_m);
        s.boxes[k] = {.low = s.placed[k].low - grown, .high = s.placed[k].high + grown, .moves = moves};
    }
    s.broad_phase.find_pairs(s.boxes, s.found_pairs);
    for (const auto& [a, b] : s.found_pairs) {
        const bool waits = model.surface(a, b).restitution > 0 || model.setup().impact_map;
        if (!waits && model.may_meet(a, b)) s.correction_pairs.push_back({a, b});
    }
    std::inplace_merge(s.correction_pairs.begin(),
                       s.correction_pairs.begin() + static_cast<std::ptrdiff_t>(seen),
                       s.correction_pairs.end());
    s.correction_pairs.erase(std::unique(s.correction_pairs.begin(), s.correction_pairs.end()),
                             s.correction_pairs.end());
}

void overlaps_at_end(const BodyModel& model, double reach_m, double allowed_m, BodyStepMemory& s)
{
    s.found_overlaps.clear();
    s.overlaps.clear();
    s.deepest = s.deepest_left = {};
    const std::size_t count = s.correction_pairs.size();
    if (count == 0) return;
    find_shapes_needed(model, reach_m, allowed_m, s);
    append_shared_blocks(count, looked_in_block, s.found_overlaps,
                         [&](std::size_t begin, std::size_t end, std::vector<Overlap>& overlaps) {
                             overlaps_of(model, reach_m, allowed_m, begin, end, s, overlaps);
                         });
    s.overlaps.resize(s.found_overlaps.size());
    for_each_index(s.overlaps.size(), looked_in_block, [&](std::size_t c) {
        const auto& [meeting, error_m, leaves] = s.found_overlaps[c];
        BodyContact& contact = *std::construct_at(&s.overlaps[c]);
        contact.first = meeting.first;
        contact.second = meeting.second;
        contact.at = meeting.at;
        contact.dimension = 1;
        if (leaves) contact.at.gap_m = std::max(0.0, meeting.at.gap_m);
    });
    for (const auto& [meeting, error_m, leaves] : s.found_overlaps) {
        const auto& [a, b, at] = meeting;
        const double size_m = model.size_of_pair_m(a, b);
        s.deepest.see(a, b, error_m - at.gap_m, size_m);
        s.deepest_left.see(a, b, leaves ? -std::max(0.0, at.gap_m) : error_m - at.gap_m, size_m);
    }
}

std::optional<double> overlap_at_rest(const BodyModel& model, BodyStepMemory& s)
{
    // a body has many contacts: it is looked at once, if it has any
    s.is_placed.assign(static_cast<std::size_t>(model.bodies()), 0);
    s.displaced.resize(s.is_placed.size());
    const auto stays = [&](int body) {
        const auto k = static_cast<std::size_t>(body);
        if (s.is_placed[k]) return true;
        s.is_placed[k] = 1;
        s.displaced[k] = displacement_of(body, s);
        return is_still(model, s.displaced[k]);
    };
    double deepest = 0;
    for (const BodyContact& contact : s.contacts) {
        if (!stays(contact.first) || !stays(contact.second)) return {};
        const Vec3 apart = s.displaced[static_cast<std::size_t>(contact.first)].of(contact.arm_first) -
                           s.displaced[static_cast<std::size_t>(contact.second)].of(contact.arm_second);
        deepest = std::max(deepest, -contact.at.gap_m - contact.axes[0].dot(apart));
    }
    return deepest;
}

void place_at_end(const BodyModel& model, BodyStepMemory& s)
{
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        place(model.colliders[i], {.position_m = s.next.x[i], .rotation = s.next.R[i]}, s.placed[i]);
    }
}

void look_at_overlap_to_come(const BodyModel& model, BodyStepMemory& s)
{
    if (model.is_soft()) return;
    place_at_end(model, s);
    gather_pairs(model, s);
    for (const auto& [a, b] : s.pairs) {
        const bool waits = model.surface(a, b).restitution > 0 || model.setup().impact_map;
        if (!waits || !model.may_meet(a, b)) continue;
        s.points.clear();
        find_contact_points(s.placed[a], s.placed[b], 0, s.points);
        for (const ContactPoint& point : s.points) {
            s.deepest.see(a, b, -point.gap_m, model.size_of_pair_m(a, b));
        }
    }
}

}  // namespace carom::detail

void carom::DeepestOverlap::see(int a, int b, double depth, double size_m) noexcept
{
    depth_m = std::max(depth_m, depth);
    if (!(depth > part * size_m)) return;
    part = depth / size_m;
    first = a;
    second = b;
}

void carom::DeepestOverlap::see(const DeepestOverlap& other) noexcept
{
    const double depth = std::max(depth_m, other.depth_m);
    if (other.part > part) *this = other;
    depth_m = depth;
}
