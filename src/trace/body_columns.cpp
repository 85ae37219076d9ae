#include "body_columns.hpp"

#include "body_paths.hpp"
#include "mechanics_json.hpp"
#include "onestep/residual_shares.hpp"
#include "solids_json.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr int contact_chunk_rows = 512;
constexpr std::size_t numbers_per_body = 13, numbers_per_contact = 11, integers_per_contact = 11;

/// A list of vectors as numbers one after the other, and back.
void append_vector(const Vec3& x, std::vector<double>& numbers)
{
    numbers.insert(numbers.end(), {x.x(), x.y(), x.z()});
}

Vec3 vector_at(std::span<const double> numbers, std::size_t first)
{
    return {numbers[first], numbers[first + 1], numbers[first + 2]};
}

/// Something beside weight, contacts and joints can act on a body.
bool has_loads(const BodySetup& setup)
{
    return !setup.springs.empty() || setup.forces || setup.with_formulas ||
           std::ranges::any_of(setup.joints, [](const Joint& joint) {
               return joint.turn.damping > 0 || joint.slide.damping > 0;
           });
}

/// Gears, formulas or joints in an impact map act on bodies.
bool has_constraints(const BodySetup& setup)
{
    return setup.with_formulas || (setup.impact_map && !setup.joints.empty()) ||
           std::ranges::any_of(setup.joints,
                               [](const Joint& joint) { return joint.kind == JointKind::Gear; });
}

bool rolls(const BodySetup& setup)
{
    const auto resists = [](const auto& surface) {
        return surface.detail.rolling_m > 0 || surface.detail.spinning_m > 0;
    };
    return std::ranges::any_of(setup.materials, resists) || std::ranges::any_of(setup.pairs, resists);
}

/// What bounds the friction of a contact in the direction in which it acts, over the normal percussion. Where
/// sticking has a larger coefficient than sliding, the one that was needed.
double friction_of(const BodyModel& model, const BodyContact& contact)
{
    if (contact.dimension == 1) return 0;
    const SurfaceLaw& law = model.surface(contact.first, contact.second);
    const double P_T = std::hypot(contact.P[1], contact.P[2]);
    if (law.grain != 0 && P_T > 0) {
        // the ellipse along and across the grain
        return P_T / std::hypot(contact.P[1] / law.friction, contact.P[2] / *law.detail.friction_across);
    }
    const double of_sticking = law.detail.static_friction.value_or(law.friction);
    return P_T > law.friction * contact.P[0] * (1 + 1e-9) ? of_sticking : law.friction;
}

}  // namespace

BodyColumns::BodyColumns(const BodiesToRecord& bodies, const Model& coordinates,
                         const RecordSettings& settings, std::vector<std::size_t> probes, Columns& columns,
                         bool single)
    : places_(event_places(coordinates)),
      solids_(solids_of(bodies)),
      mechanics_(mechanics_of(bodies.model)),
      forces_(bodies.probes.begin(), bodies.probes.end()),
      probes_(std::move(probes))
{
    for (const Body& body : bodies.model.setup().bodies) {
        names_.push_back(body.name);
    }
    rolls_ = rolls(bodies.model.setup());
    if (!settings.percussions) return;
    count_ = columns.add({.path = "/bodies/contacts/count", .entry = Entry::Integer});
    step_ = columns.add({.path = "/bodies/contacts/step_s"});
    const auto add = [&](const char* path, int width, Entry entry, int bits) {
        ragged_.push_back(columns.add({.path = path,
                                       .width = width,
                                       .entry = entry,
                                       .chunk_rows = contact_chunk_rows,
                                       .bits = single ? bits : 0,
                                       .spread = Spread::Rows}));
    };
    add("/bodies/contacts/first", -1, Entry::Integer, place_bits);
    add("/bodies/contacts/second", -1, Entry::Integer, place_bits);
    add("/bodies/contacts/point_m", 3, Entry::Real, place_bits);
    add("/bodies/contacts/normal", 3, Entry::Real, rate_bits);
    add("/bodies/contacts/percussion_Ns", 3, Entry::Real, rate_bits);
    add("/bodies/contacts/gap_m", -1, Entry::Real, rate_bits);
    for (const LaterColumn& later : later_columns)
        add(later.path, -1, Entry::Real, later.bits);
    if (rolls_) add(moment_path, 3, Entry::Real, rate_bits);
    if (bodies.model.bodies() <= max_bodies_with_diagrams) declare_forces(bodies.model, columns, single);
}

void BodyColumns::ForceTable::put(std::size_t vector, const Vec3& x)
{
    std::copy_n(x.data(), 3, row.begin() + static_cast<std::ptrdiff_t>(3 * vector));
}

BodyColumns::ForceTable* BodyColumns::table_of(RowMatrix RecordedBodies::* values)
{
    const auto found = std::ranges::find(tables_, values, &ForceTable::values);
    return found != tables_.end() ? &*found : nullptr;
}

/// What free-body diagrams need (BO-25).
void BodyColumns::declare_forces(const BodyModel& model, Columns& columns, bool single)
{
    const auto moving =
        static_cast<int>(std::ranges::count_if(solids_.columns, [](int c) { return c >= 0; }));
    const auto joints = static_cast<int>(model.setup().joints.size());
    constexpr int chunk_rows = 64;
    for (const ForcePath& table : force_paths) {
        const int vectors = table.needs == Needs::Joints ? joints : moving;
        if (vectors == 0 || (table.needs == Needs::Loads && !has_loads(model.setup())) ||
            (table.needs == Needs::Constraints && !has_constraints(model.setup())))
            continue;
        const std::size_t column = columns.add({.path = table.path,
                                                .width = 3 * vectors,
                                                .chunk_rows = chunk_rows,
                                                .bits = single ? table.bits : 0,
                                                .spread = Spread::Columns});
        tables_.push_back({.column = column,
                           .path = table.path,
                           .values = table.values,
                           .row = std::vector<double>(static_cast<std::size_t>(3 * vectors), 0.0)});
    }
}

void BodyColumns::take(const StepView& view, BodyCheckpoint& sums)
{
    sums.since_frame_s += view.report.h_s;
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        sums.percussion_since_frame_Ns[k] += percussion_Ns(forces_[k], view);
    }
    if (!count_) return;
    h_s_ = view.report.h_s;
    take_contacts(view);
    if (!tables_.empty()) take_forces(view);
}

void BodyColumns::take_contacts(const StepView& view)
{
    shown_.clear();
    for (std::size_t c = 0; c < view.body_contacts.size(); ++c) {
        const BodyContact& contact = view.body_contacts[c];
        // one that only an impact map pushed, or cohesion pulls, acts as well
        if (!(contact.P[0] > 0) && contact.percussion_Ns().isZero(0)) continue;
        shown_.push_back({.first = contact.first,
                          .second = contact.second,
                          .contact = c,
                          .point_m = contact.at.point_m,
                          .normal = contact.at.normal,
                          .percussion_Ns = contact.percussion_Ns(),
                          .moment_Nms = rolls_ ? contact.moment_Nms() : Vec3::Zero(),
                          .gap_m = contact.at.gap_m,
                          .friction = friction_of(*view.model.bodies(), contact),
                          .sliding_m_s = std::hypot(contact.U_plus[1], contact.U_plus[2]),
                          .residual = std::numeric_limits<double>::quiet_NaN()});
    }
}

void BodyColumns::take_residuals(const StepView& view)
{
    if (!count_ || view.body_problem == nullptr) return;
    const OneStepProblem& problem = *view.body_problem;
    if (problem.interactions() == 0 || view.body_P.size() != static_cast<std::size_t>(problem.size())) return;
    // velocities as the problem has them: contacts that close later may approach
    U_.assign(view.body_P.size(), 0.0);
    for (std::size_t c = 0; c < view.body_contacts.size(); ++c) {
        const BodyContact& contact = view.body_contacts[c];
        const auto at = static_cast<std::size_t>(problem.offsets[c]);
        for (int i = 0; i < contact.dimension; ++i)
            U_[at + static_cast<std::size_t>(i)] = contact.U_plus_of(contact.slot(i));
        U_[at] += contact.may_close_m_s;
    }
    const auto others = static_cast<std::ptrdiff_t>(problem.offsets[view.body_contacts.size()]);
    if (view.joint_U_plus.size() == view.body_P.size())
        std::copy(view.joint_U_plus.begin() + others, view.joint_U_plus.end(), U_.begin() + others);
    residual_shares(problem, view.body_P, U_, residual_, shares_);
    for (Shown& shown : shown_)
        if (shown.contact < shares_.size()) shown.residual = shares_[shown.contact];
}

void BodyColumns::take_forces(const StepView& view)
{
    const BodyModel& model = *view.model.bodies();
    const Vec3& gravity = model.setup().gravity_m_s2;
    const int axes = solids_.flat ? 2 : 3;
    std::size_t moving = 0;
    for (std::size_t body = 0; body < solids_.columns.size(); ++body) {
        const int first = solids_.columns[body];
        if (first < 0) continue;
        const auto put = [&](RowMatrix RecordedBodies::* values, const Vec3& x) {
            if (ForceTable* table = table_of(values)) table->put(moving, x);
        };
        Vec3 change = Vec3::Zero();
        change.head(axes) = view.after.u.segment(first, axes) - view.before.u.segment(first, axes);
        put(&RecordedBodies::velocity_change_m_s, change);
        if (body < view.spin_Nms.size()) put(&RecordedBodies::spin_change_Nms, view.spin_Nms[body]);
        if (body < view.half_way_m.size()) put(&RecordedBodies::half_way_m, view.half_way_m[body]);
        if (!view.potential.empty()) {
            const Wrench &a = view.potential[body], &b = view.given[body];
            put(&RecordedBodies::load_N, a.force_N + b.force_N - model.mass[body] * gravity);
            put(&RecordedBodies::load_torque_Nm, a.torque_Nm + b.torque_Nm);
        }
        const Wrench held = body < view.constrained.size() ? view.constrained[body] : Wrench{};
        put(&RecordedBodies::constraint_Ns, held.force_N);
        put(&RecordedBodies::constraint_moment_Nms, held.torque_Nm);
        ++moving;
    }
    take_joints(view);
}

void BodyColumns::take_joints(const StepView& view)
{
    ForceTable* percussions = table_of(&RecordedBodies::joint_percussion_Ns);
    ForceTable* moments = table_of(&RecordedBodies::joint_moment_Nms);
    for (std::size_t j = 0; j < view.joint_reactions.size() && percussions != nullptr; ++j) {
        const JointReaction& reaction = view.joint_reactions[j];
        percussions->put(j, reaction.percussion_Ns + reaction.held_Ns);
        moments->put(j, reaction.moment_Nms + reaction.held_moment_Nms);
    }
}

void BodyColumns::leave_out_missing(const Hdf5Reader& file, Columns& columns) const
{
    for (std::size_t k = 0; k < std::size(later_columns) && !ragged_.empty(); ++k) {
        if (!file.has(later_columns[k].path)) columns.leave_out(ragged_[first_later + k]);
    }
    if (rolls_ && !ragged_.empty() && !file.has(moment_path)) columns.leave_out(ragged_.back());
    for (const ForceTable& table : tables_) {
        if (!file.has(table.path)) columns.leave_out(table.column);
    }
}

void BodyColumns::add_frame(BodyCheckpoint& sums, Columns& columns)
{
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        // two frames in one step show the same force
        Vec3& sum = sums.percussion_since_frame_Ns[k];
        if (sums.since_frame_s > 0) sums.force_N[k] = shown_by(forces_[k], sum / sums.since_frame_s);
        columns.push(probes_[k], sums.force_N[k]);
        sum.setZero();
    }
    sums.since_frame_s = 0;
    if (!count_) return;
    columns.push(*count_, static_cast<double>(shown_.size()));
    columns.push(*step_, h_s_);
    sums.contacts += static_cast<long>(shown_.size());
    for (const Shown& contact : shown_) {
        columns.push(ragged_[0], contact.first);
        columns.push(ragged_[1], contact.second);
        columns.push(ragged_[2], std::span(contact.point_m.data(), 3));
        columns.push(ragged_[3], std::span(contact.normal.data(), 3));
        columns.push(ragged_[4], std::span(contact.percussion_Ns.data(), 3));
        columns.push(ragged_[5], contact.gap_m);
        columns.push(ragged_[6], contact.friction);
        columns.push(ragged_[7], contact.sliding_m_s);
        columns.push(ragged_[8], contact.residual);
        if (rolls_) columns.push(ragged_[9], std::span(contact.moment_Nms.data(), 3));
    }
    for (const ForceTable& table : tables_)
        columns.push(table.column, table.row);
}

Expected<void> BodyColumns::create_in(Hdf5Writer& file) const
{
    if (auto added = file.add_group("/bodies"); !added) return added;
    if (auto added = file.add_texts("/bodies/name", names_); !added) return added;
    if (auto added = file.add_text("/bodies/solids", to_json(solids_)); !added) return added;
    if (auto added = file.add_text("/bodies/mechanics", to_json(mechanics_)); !added) return added;
    return count_ ? file.add_group("/bodies/contacts") : Expected<void>{};
}

void BodyColumns::put_into(Recording& recording, const Columns& columns) const
{
    RecordedBodies& bodies = recording.bodies;
    bodies.names = names_;
    recording.solids = solids_;
    recording.mechanics = mechanics_;
    if (!count_) return;
    bodies.first_row.push_back(0);
    for (const double share : columns.column(*count_)) {
        bodies.first_row.push_back(bodies.first_row.back() + static_cast<Eigen::Index>(share));
    }
    bodies.step_s = columns.column(*step_);
    for (const double body : columns.column(ragged_[0]))
        bodies.first.push_back(static_cast<int>(body));
    for (const double body : columns.column(ragged_[1]))
        bodies.second.push_back(static_cast<int>(body));
    bodies.point_m = columns.table(ragged_[2]);
    bodies.normal = columns.table(ragged_[3]);
    bodies.percussion_Ns = columns.table(ragged_[4]);
    bodies.gap_m = columns.column(ragged_[5]);
    for (std::size_t k = 0; k < std::size(later_columns); ++k)
        bodies.*later_columns[k].values = columns.column(ragged_[first_later + k]);
    if (rolls_) bodies.moment_Nms = columns.table(ragged_.back());
    for (const ForceTable& table : tables_)
        bodies.*table.values = columns.table(table.column);
}

void BodyColumns::take_from(const RecordedBodies& bodies, Columns& columns) const
{
    if (!count_) return;
    for (std::size_t frame = 1; frame < bodies.first_row.size(); ++frame) {
        columns.push(*count_, static_cast<double>(bodies.first_row[frame] - bodies.first_row[frame - 1]));
    }
    columns.push_all(*step_, bodies.step_s);
    for (const int body : bodies.first)
        columns.push(ragged_[0], body);
    for (const int body : bodies.second)
        columns.push(ragged_[1], body);
    columns.push_all(ragged_[2], bodies.point_m);
    columns.push_all(ragged_[3], bodies.normal);
    columns.push_all(ragged_[4], bodies.percussion_Ns);
    columns.push_all(ragged_[5], bodies.gap_m);
    for (std::size_t k = 0; k < std::size(later_columns); ++k)
        columns.push_all(ragged_[first_later + k], bodies.*later_columns[k].values);
    if (rolls_) columns.push_all(ragged_.back(), bodies.moment_Nms);
    for (const ForceTable& table : tables_)
        columns.push_all(table.column, bodies.*table.values);
}

Expected<void> write_bodies(Hdf5Writer& file, const State& state, const BodyCheckpoint& bodies)
{
    std::vector<double> places, percussions, features, sums;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        append_vector(state.x[i], places);
        const Rotation& R = state.R[i];
        places.insert(places.end(), {R.w(), R.x(), R.y(), R.z()});
        append_vector(state.v[i], places);
        append_vector(state.W[i], places);
    }
    // features are 64 bits: more than a double holds
    for (const KeptContact& kept : state.kept) {
        append_vector(kept.percussion_Ns, percussions);
        append_vector(kept.moment_Nms, percussions);
        const KeptContact::Closing& closing = kept.closing;
        percussions.insert(percussions.end(), {closing.percussion_Ns, closing.velocity_m_s, closing.left_m_s,
                                               closing.energy_J, kept.away_m_s});
        features.insert(features.end(), {static_cast<double>(kept.first), static_cast<double>(kept.second)});
        for (const std::uint64_t word :
             {kept.feature >> 32U, kept.feature & 0xffffffffU, std::uint64_t{kept.closed},
              std::uint64_t{kept.sticks}, std::uint64_t{kept.acted}, static_cast<std::uint64_t>(kept.status),
              static_cast<std::uint64_t>(kept.slides), kept.named >> 32U, kept.named & 0xffffffffU}) {
            features.push_back(static_cast<double>(word));
        }
    }
    for (const Vec3& sum : bodies.percussion_since_frame_Ns) {
        append_vector(sum, sums);
    }
    // lists that change their length are padded, so that they seldom have to be made anew
    const std::size_t room = std::bit_ceil(std::max<std::size_t>(state.kept.size(), 16));
    percussions.resize(numbers_per_contact * room);
    features.resize(integers_per_contact * room);
    const auto put_list = [&](const char* path, const std::vector<double>& list, Entry entry) {
        const auto rows = file.rows_of(path);
        if (rows && *rows != list.size()) {
            if (auto removed = file.remove(path); !removed) return removed;
        }
        return file.put(path, list, entry);
    };
    auto put = file.put("/checkpoint/bodies", places);
    if (put) put = put_list("/checkpoint/kept_percussion_Ns", percussions, Entry::Real);
    if (put) put = put_list("/checkpoint/kept", features, Entry::Integer);
    if (put)
        put =
            file.set_attribute("/checkpoint", "kept_contacts", static_cast<std::int64_t>(state.kept.size()));
    if (put) put = file.put("/checkpoint/joint_turns", state.turns);
    if (put) put = file.put("/checkpoint/force_since_frame_Ns", sums);
    if (put) put = file.put("/checkpoint/force_N", bodies.force_N);
    if (put) put = file.set_attribute("/checkpoint", "since_frame_s", bodies.since_frame_s);
    if (put) put = file.set_attribute("/checkpoint", "body_contacts", std::int64_t{bodies.contacts});
    return put;
}

Expected<BodyCheckpoint> read_bodies(const Hdf5Reader& file, std::size_t bodies, std::size_t actors,
                                     State& state)
{
    BodyCheckpoint result;
    const auto places = file.column("/checkpoint/bodies"),
               percussions = file.column("/checkpoint/kept_percussion_Ns"),
               sums = file.column("/checkpoint/force_since_frame_Ns"),
               forces = file.column("/checkpoint/force_N"), turns = file.column("/checkpoint/joint_turns");
    const auto kept = file.integers("/checkpoint/kept");
    const auto since = file.real_attribute("/checkpoint", "since_frame_s");
    const auto contacts = file.integer_attribute("/checkpoint", "body_contacts"),
               kept_count = file.integer_attribute("/checkpoint", "kept_contacts");
    for (const auto* part : {&places, &percussions, &sums, &forces, &turns}) {
        if (!*part) return part->error();
        if (!(*part)->allFinite()) return file.malformed("the checkpoint of the bodies has no numbers");
    }
    if (!kept) return kept.error();
    if (!since) return since.error();
    if (!contacts) return contacts.error();
    if (!kept_count) return kept_count.error();
    const auto size = [](const auto& list) { return static_cast<std::size_t>(list->size()); };
    // older files had six numbers of both kinds, and no statuses; the room is a power of two
    const bool old = size(kept) % integers_per_contact != 0;
    const std::size_t numbers = old ? 6 : numbers_per_contact, integers = old ? 6 : integers_per_contact;
    const std::size_t room = size(percussions) / numbers;
    if (size(places) != numbers_per_body * bodies || size(percussions) != numbers * room ||
        size(kept) != integers * room || size(sums) != 3 * size(forces) || *contacts < 0 || *kept_count < 0 ||
        *kept_count > static_cast<std::int64_t>(room)) {
        return file.malformed("the checkpoint of the bodies has another length");
    }

    state.turns.assign(turns->begin(), turns->end());
    const std::span<const double> p(places->data(), size(places));
    for (std::size_t i = 0; i < bodies; ++i) {
        const std::size_t at = numbers_per_body * i;
        const Rotation R(p[at + 3], p[at + 4], p[at + 5], p[at + 6]);
        if (!(std::abs(R.norm() - 1) < 1e-6))
            return file.malformed("the quaternion of a body does not have length one");
        state.x.push_back(vector_at(p, at));
        state.R.push_back(R);
        state.v.push_back(vector_at(p, at + 7));
        state.W.push_back(vector_at(p, at + 10));
    }
    const std::span<const double> P(percussions->data(), size(percussions));
    for (std::size_t k = 0; k < static_cast<std::size_t>(*kept_count); ++k) {
        const std::int64_t* in_file = kept->data() + integers * k;
        std::array<std::int64_t, integers_per_contact> word{};
        std::copy_n(in_file, integers, word.begin());
        if (old) {
            word[6] = 1;                     // it pushed
            word[7] = word[4] != 0 ? 2 : 0;  // one that stayed persists
            word[8] = word[5] != 0 ? 0 : 1;  // one that did not stick slid
            std::copy_n(in_file + 2, 2, word.begin() + 9);
        }
        const auto known = [&](std::int64_t body) {
            return body >= 0 && body < static_cast<std::int64_t>(bodies);
        };
        const bool of_joint = word[0] < 0 && word[0] >= -static_cast<std::int64_t>(actors) && word[1] == -1;
        const auto is_half = [](std::int64_t bits) { return bits >= 0 && bits <= 0xffffffffLL; };
        if (!(of_joint || (known(word[0]) && known(word[1]))) || !is_half(word[2]) || !is_half(word[3]) ||
            !is_half(word[9]) || !is_half(word[10])) {
            return file.malformed("a kept contact names a body or joint that does not exist");
        }
        const auto joined = [](std::int64_t high, std::int64_t low) {
            return static_cast<std::uint64_t>(high) << 32U | static_cast<std::uint64_t>(low);
        };
        const auto status = [](std::int64_t value) {
            return static_cast<char>(std::clamp<std::int64_t>(value, 0, 6));
        };
        const std::size_t at = numbers * k;
        const KeptContact::Closing closing =
            old ? KeptContact::Closing{} : KeptContact::Closing{P[at + 6], P[at + 7], P[at + 8], P[at + 9]};
        state.kept.push_back({.first = static_cast<int>(word[0]),
                              .second = static_cast<int>(word[1]),
                              .feature = joined(word[2], word[3]),
                              .percussion_Ns = vector_at(P, at),
                              .moment_Nms = vector_at(P, at + 3),
                              .closed = word[4] != 0,
                              .sticks = word[5] != 0,
                              .acted = word[6] != 0,
                              .status = status(word[7]),
                              .slides = status(word[8]),
                              .named = joined(word[9], word[10]),
                              .away_m_s = old ? 0 : P[at + 10],
                              .closing = closing});
    }
    for (Eigen::Index k = 0; k < forces->size(); ++k) {
        result.percussion_since_frame_Ns.emplace_back(sums->segment<3>(3 * k));
        result.force_N.push_back((*forces)[k]);
    }
    result.since_frame_s = *since;
    result.contacts = *contacts;
    return result;
}

}  // namespace carom::detail
