#include "body_parts.hpp"

#include "core/parallel.hpp"
#include "geometry/four_frames.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace carom {
namespace detail {
namespace {

/// Bodies, pairs of bodies and contacts that one thread takes at once.
constexpr std::size_t bodies_in_block = 256, pairs_in_block = 64, contacts_in_block = 256;

void place_bodies(const BodyModel& model, const State& at, std::span<const double> reach_m, BodyStepMemory& s)
{
    const auto n = static_cast<std::size_t>(model.bodies());
    s.placed.resize(n);
    s.boxes.resize(n);
    for_each_index(n, bodies_in_block, [&](std::size_t k) {
        if (!model.collides[k]) {
            // nowhere: overlaps nothing
            s.boxes[k] = {.low = Vec3::Constant(1), .high = Vec3::Constant(-1), .moves = false};
            return;
        }
        place(model.colliders[k], {.position_m = at.x[k], .rotation = at.R[k]}, s.placed[k]);
        const Vec3 grown = Vec3::Constant(reach_m[k]);
        s.boxes[k] = {.low = s.placed[k].low - grown,
                      .high = s.placed[k].high + grown,
                      .moves = model.inverse_mass[k] > 0};
    });
}

void add_meetings(int a, int b, double reach_m, const BodyStepMemory& s, std::vector<Meeting>& meetings)
{
    thread_local std::vector<ContactPoint> points;
    points.clear();
    find_contact_points(s.placed[a], s.placed[b], reach_m, points);
    for (const ContactPoint& point : points) {
        meetings.push_back({.first = a, .second = b, .at = point});
    }
}

/// Where some surface resists rolling or coheres, or an impact map acts, contacts have memory for that.
void add_beyond_coulomb(const BodyModel& model, BodyStepMemory& s)
{
    s.beyond.clear();
    if (model.is_coulomb()) return;
    s.beyond.resize(s.contacts.size());
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        BodyContact& contact = s.contacts[c];
        contact.beyond = &s.beyond[c];
        if (model.surface(contact.first, contact.second).rolls())
            contact.beyond->roll_length_m = model.length_m();
    }
}

void set_axes(BodyContact& contact)
{
    contact.axes[0] = contact.at.normal;
    tangents(contact.axes[0], contact.axes[1], contact.axes[2]);
}

void set_arms(std::span<const Vec3> x, BodyContact& contact)
{
    contact.arm_first = contact.at.point_m - x[contact.first];
    contact.arm_second = contact.at.point_m - x[contact.second];
}

/// Without its tangents.
void make_contact(const BodyModel& model, const Meeting& meeting, std::span<const Vec3> x, BodyContact& made)
{
    BodyContact& contact = *std::construct_at(&made);
    const auto& [a, b, at] = meeting;
    contact.first = a;
    contact.second = b;
    contact.at = at;
    const SurfaceLaw& surface = model.surface(a, b);
    contact.restitution = surface.restitution;
    contact.dimension = surface.friction == 0 ? 1 : model.is_flat() ? 2 : 3;
    if (surface.rolls()) contact.dimension = model.is_flat() ? 3 : 6;
    contact.axes[0] = at.normal;
    set_arms(x, contact);
}

}  // namespace

void detect(const BodyModel& model, const MoreauSettings& settings, const State& state, BodyStepMemory& s)
{
    const double h = settings.time_step_s;
    const double gravity = model.setup().gravity_m_s2.norm();
    s.quick.of_step = false;

    // how far a surface can come in the second half of the step, and a little more
    s.reach_m.resize(static_cast<std::size_t>(model.bodies()));
    for_each_index(s.reach_m.size(), bodies_in_block, [&](std::size_t i) {
        const double size =
            model.collides[i] && std::isfinite(model.colliders[i].radius_m) ? model.colliders[i].radius_m : 0;
        // of this step: a prescribed body may have had another velocity before
        const double speed = s.mid.v[i].norm() + s.mid.W[i].norm() * size;
        const bool moves = model.inverse_mass[i] > 0;
        s.reach_m[i] = settings.activation_gap_m + h * (speed + (moves ? gravity * h : 0)) +
                       (moves ? detection_skin * size : 0);
    });
    s.round = is_round(model);
    if (s.round) {
        detect_round(model, settings, state, s);
        // balls that pass each other before they are looked at are followed as all fast bodies are
        s.round = !is_fast(model, h, s.mid) || !balls_pass(model, h, state, s);
        if (s.round) return add_beyond_coulomb(model, s);
    }
    place_bodies(model, s.mid, s.reach_m, s);
    s.broad_phase.find_pairs(s.boxes, s.pairs);

    // soft contacts are known before they close, and those that touched before they leave; with restitution
    // or an impact map a contact acts when it has closed (BO-9)
    s.meetings.clear();
    append_shared_blocks(s.pairs.size(), pairs_in_block, s.meetings,
                         [&](std::size_t begin, std::size_t end, std::vector<Meeting>& meetings) {
                             for (std::size_t k = begin; k < end; ++k) {
                                 const auto [a, b] = s.pairs[k];
                                 if (!model.may_meet(a, b)) continue;
                                 const bool soft =
                                     !model.setup().impact_map &&
                                     (model.surface(a, b).restitution == 0 || have_touched(state, a, b));
                                 const double reach =
                                     soft ? s.reach_m[a] + s.reach_m[b] : settings.activation_gap_m;
                                 add_meetings(a, b, reach, s, meetings);
                             }
                         });
    make_contacts(model, s.mid.x, s);
    see_fast_contacts(model, settings, state, s);
    add_beyond_coulomb(model, s);
    for_each_index(s.contacts.size(), contacts_in_block, [&](std::size_t c) {
        BodyContact& contact = s.contacts[c];
        // one that was met on its way has the arms with which its bodies touch
        if (is_fast_contact(contact)) set_axes(contact);
        turn_to_grain(model, s.mid, contact);
    });
}

void make_contacts(const BodyModel& model, std::span<const Vec3> x, BodyStepMemory& s)
{
    s.contacts.resize(s.meetings.size());
    for_blocks(s.meetings.size(), contacts_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t c = begin; c < end; ++c) {
            make_contact(model, s.meetings[c], x, s.contacts[c]);
        }
        std::size_t c = begin;
        for (; c + 4 <= end; c += 4) {
            set_tangents({&s.contacts[c].axes, &s.contacts[c + 1].axes, &s.contacts[c + 2].axes,
                          &s.contacts[c + 3].axes});
        }
        for (; c < end; ++c) {
            set_axes(s.contacts[c]);
        }
    });
}

void turn_to_grain(const BodyModel& model, const State& at, BodyContact& contact)
{
    const int grain = model.surface(contact.first, contact.second).grain;
    if (grain == 0) return;
    const int body = grain == 1 ? contact.first : contact.second;
    const Vec3 along = at.R[body] * model.grain(body);
    const Vec3 in_surface = along - along.dot(contact.axes[0]) * contact.axes[0];
    if (!(in_surface.norm() > across_surface * along.norm()))
        return;  // straight into the surface: no direction
    contact.axes[1] = in_surface.normalized();
    contact.axes[2] = contact.axes[0].cross(contact.axes[1]);
}

void set_frame(std::span<const Vec3> x, BodyContact& contact)
{
    set_axes(contact);
    set_arms(x, contact);
}

std::array<double, 3> rolling_velocity(const BodyContact& contact, std::span<const Vec3> W_world)
{
    if (!contact.rolls()) return {};
    const Vec3 turn = contact.beyond->roll_length_m * (W_world[contact.first] - W_world[contact.second]);
    return {contact.axes[1].dot(turn), contact.axes[2].dot(turn), contact.axes[0].dot(turn)};
}

}  // namespace detail

Vec3 BodyContact::percussion_Ns() const
{
    return (P[0] + map_P(0) - cohesion_Ns()) * axes[0] + (P[1] + map_P(1)) * axes[1] +
           (P[2] + map_P(2)) * axes[2];
}

Vec3 BodyContact::moment_Nms() const
{
    if (!rolls()) return Vec3::Zero();
    const auto &turns = beyond->P, &by_map = beyond->turning_map_P;
    return beyond->roll_length_m * ((turns[0] + by_map[0]) * axes[1] + (turns[1] + by_map[1]) * axes[2] +
                                    (turns[2] + by_map[2]) * axes[0]);
}

std::vector<BodyContact> body_contacts(const BodyModel& model, const State& state, double reach_m)
{
    BodyStepMemory s;
    s.reach_m.assign(static_cast<std::size_t>(model.bodies()), reach_m / 2);
    if (detail::is_round(model)) {
        const OwnWork own;  // other ranks need not look as well
        s.mid.x = state.x;
        s.mid.R = state.R;
        detail::detect_round(model, {.activation_gap_m = reach_m}, state, s);
        return std::move(s.contacts);
    }
    detail::place_bodies(model, state, s.reach_m, s);
    s.broad_phase.find_pairs(s.boxes, s.pairs);
    for (const auto& [a, b] : s.pairs) {
        if (model.may_meet(a, b)) detail::add_meetings(a, b, reach_m, s, s.meetings);
    }
    detail::make_contacts(model, state.x, s);
    return std::move(s.contacts);
}

}  // namespace carom
