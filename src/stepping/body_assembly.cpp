#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "body_response.hpp"
#include "constraint_parts.hpp"

#include "carom/convex/sets.hpp"
#include "carom/core/expected.hpp"
#include "core/parallel.hpp"
#include "onestep/factored_operator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

namespace carom::detail {
namespace {

/// Contacts and bodies that one thread takes at once.
constexpr std::size_t loaded_in_block = 512, turned_in_block = 1024;

Law law_of(const BodyContact& contact, const SurfaceLaw& surface, bool sticks, bool flat)
{
    const double mu = sticks ? surface.detail.static_friction.value_or(surface.friction) : surface.friction;
    if (contact.rolls()) {
        return Resisting{.flat = flat,
                         .friction = mu,
                         .rolling = surface.detail.rolling_m / contact.beyond->roll_length_m,
                         .spinning = surface.detail.spinning_m / contact.beyond->roll_length_m,
                         .restitution = contact.restitution};
    }
    if (contact.dimension == 1) return Unilateral{contact.restitution};
    if (surface.grain != 0) {
        const FrictionEllipse ellipse{
            .half_axes = {surface.friction, surface.detail.friction_across.value_or(surface.friction)}};
        return Coulomb{.shape = ellipse, .friction = 1, .restitution = contact.restitution};
    }
    FrictionShape shape = FrictionDisc{};
    if (flat) shape = FrictionInterval{};
    return Coulomb{.shape = shape, .friction = mu, .restitution = contact.restitution};
}

/// The same, in the place of the law of another contact. The usual one changes two numbers of what is there.
void set_law(const BodyContact& contact, const SurfaceLaw& surface, bool sticks, bool flat, Law& law)
{
    auto* coulomb = std::get_if<Coulomb>(&law);
    const bool usual = !flat && contact.dimension == 3 && !contact.rolls() && surface.grain == 0;
    if (!usual || coulomb == nullptr || !std::holds_alternative<FrictionDisc>(coulomb->shape)) {
        law = law_of(contact, surface, sticks, flat);
        return;
    }
    coulomb->friction = sticks ? surface.detail.static_friction.value_or(surface.friction) : surface.friction;
    coulomb->restitution = contact.restitution;
    coulomb->tangential_restitution = 0;
}

/// The law of a part of a joint; friction that reactions press comes later.
Law law_of(const JointPart& part, double h)
{
    if (part.kind == JointPart::Kind::Held) return Bilateral{};
    if (part.kind == JointPart::Kind::Stop) return Unilateral{part.restitution};
    if (part.dimension == 1) {
        if (std::isinf(part.largest)) return Bilateral{};
        const bool rubs = part.kind == JointPart::Kind::Friction;
        return Limited{.low = -h * part.largest, .high = h * part.largest, .rubs = rubs};
    }
    const auto ball = Ball::make(Eigen::VectorXd::Zero(part.dimension), 1.0);
    if (!ball) throw InternalError("a ball without a centre");
    return NonFirm{.set = std::make_shared<const Ball>(*ball), .size = h * part.largest, .rubs = true};
}

/// The same contact in the last step; nothing when it neither acted nor touched. A search that goes through
/// contacts in the order of their bodies goes on from the pair before.
const KeptContact* find_kept(std::span<const KeptContact> kept, const BodyContact& contact, std::size_t& from)
{
    const int a = contact.first, b = contact.second;
    while (from < kept.size() && (kept[from].first < a || (kept[from].first == a && kept[from].second < b))) {
        ++from;
    }
    for (std::size_t k = from; k < kept.size() && kept[k].first == a && kept[k].second == b; ++k) {
        if (kept[k].feature == contact.at.feature) return &kept[k];
    }
    return nullptr;
}

/// Those of two bodies.
std::span<const KeptContact> kept_of_pair(const State& state, int first, int second)
{
    const auto pair_of = [](const KeptContact& kept) { return std::tuple(kept.first, kept.second); };
    const auto found = std::ranges::equal_range(state.kept, std::tuple(first, second), {}, pair_of);
    return {found.begin(), found.end()};
}

/// Where those of its bodies begin.
std::size_t first_kept(const State& state, const BodyContact& contact)
{
    return static_cast<std::size_t>(kept_of_pair(state, contact.first, contact.second).data() -
                                    state.kept.data());
}

const KeptContact* find_kept(const State& state, const BodyContact& contact)
{
    std::size_t from = first_kept(state, contact);
    return find_kept(state.kept, contact, from);
}

/// What a normal percussion of 1 N s changes of the normal velocity.
double normal_W_1_kg(const BodyModel& model, const BodyStepMemory& s, const BodyContact& contact)
{
    double W = 0;
    for (const int body : {contact.first, contact.second}) {
        const Vec3 arm = body == contact.first ? contact.arm_first : contact.arm_second;
        const Vec3 turn = arm.cross(contact.axes[0]);
        W += model.inverse_mass[body] + turn.dot(s.inverse_inertia[body] * turn);
    }
    return W;
}

/// Such a contact has no restitution, and closes as a soft one does.
bool persists(const BodyModel& model, const MoreauSettings& settings, const KeptContact& touched,
              const BodyContact& contact, const BodyStepMemory& s)
{
    const double U_minus = relative_velocity(contact, s.mid.v, s.w_before)[0];
    const MetAgain met{.U_minus_m_s = U_minus,
                       .U_free_m_s = relative_velocity(contact, s.v_free, s.w_free)[0],
                       .W_1_kg = normal_W_1_kg(model, s, contact),
                       .held_Ns = contact.at.normal.dot(touched.percussion_Ns),
                       .open_half_way_m =
                           gap_half_way_m(s, contact.at.gap_m, U_minus) - settings.activation_gap_m};
    return persists_with(touched, met, settings.time_step_s);
}

/// Contacts that bounce act when they have closed; those that touched in the last step were looked for
/// farther away, because they may persist. What does not is left out.
void leave_out_open(const BodyModel& model, const MoreauSettings& settings, const State& state,
                    BodyStepMemory& s)
{
    if (model.setup().impact_map || model.is_soft()) return;
    std::erase_if(s.contacts, [&](const BodyContact& contact) {
        if (contact.restitution == 0 || contact.at.gap_m <= settings.activation_gap_m ||
            is_fast_contact(contact)) {
            return false;
        }
        const KeptContact* touched = find_kept(state, contact);
        return touched == nullptr || !persists(model, settings, *touched, contact, s);
    });
}

/// Percussions of the last step, in the slots of a contact. What holds is a force times the step, so a
/// shorter step begins with `part` of them: a structure at rest then stays solved (BO-26).
void warm_start(const KeptContact& kept, double part, BodyContact& contact)
{
    for (std::size_t k = 0; k < 3; ++k) {
        contact.P[k] = part * contact.axes[k].dot(kept.percussion_Ns);
    }
    contact.P[0] += contact.cohesion_Ns();
    if (!contact.rolls()) return;
    for (std::size_t k = 0; k < 3; ++k) {
        contact.beyond->P[k] =
            part * contact.axes[(k + 1) % 3].dot(kept.moment_Nms) / contact.beyond->roll_length_m;
    }
}

/// The percussion P on the first body of a contact, where springs between bodies are implicit.
void pull_through_response(const BodyContact& contact, const Vec3& P, BodyStepMemory& s)
{
    s.correction_v.assign(s.v_free.size(), Vec3::Zero());
    s.correction_w.assign(s.v_free.size(), Vec3::Zero());
    const auto a = static_cast<std::size_t>(contact.first), b = static_cast<std::size_t>(contact.second);
    s.correction_v[a] += P;
    s.correction_v[b] -= P;
    s.correction_w[a] += contact.arm_first.cross(P);
    s.correction_w[b] -= contact.arm_second.cross(P);
    s.response->solve(s.correction_v, s.correction_w);
    for (std::size_t i = 0; i < s.v_free.size(); ++i) {
        s.v_free[i] += s.correction_v[i];
        // carriers do not turn
        if (i < s.mid.R.size()) s.W_free[i] += s.mid.R[i].conjugate() * s.correction_w[i];
    }
}

/// Cohesion pulls the bodies of a closed contact together, as a force that is given; the law then holds for
/// the rest of the percussion: {P + h c n in K} (BO-14). Whether it pulls anywhere.
bool pull_together(const BodyModel& model, double activation_gap_m, double h, const State& state,
                   BodyStepMemory& s)
{
    bool pulls = false;
    if (model.is_coulomb()) return pulls;
    for (BodyContact& contact : s.contacts) {
        const double cohesion = model.surface(contact.first, contact.second).detail.cohesion_N;
        contact.beyond->cohesion_Ns = 0;
        if (cohesion == 0) continue;
        const KeptContact* kept = find_kept(state, contact);
        if (contact.at.gap_m > activation_gap_m && (kept == nullptr || !kept->acted)) continue;
        pulls = true;
        contact.beyond->cohesion_Ns = h * cohesion;
        const Vec3 P = -contact.beyond->cohesion_Ns * contact.axes[0];
        const int a = contact.first, b = contact.second;
        if (s.implicit) {
            pull_through_response(contact, P, s);
            continue;
        }
        s.v_free[a] += model.inverse_mass[a] * P;
        s.v_free[b] -= model.inverse_mass[b] * P;
        s.W_free[a] += model.inverse_inertia[a] * (s.mid.R[a].conjugate() * contact.arm_first.cross(P));
        s.W_free[b] -= model.inverse_inertia[b] * (s.mid.R[b].conjugate() * contact.arm_second.cross(P));
    }
    return pulls;
}

/// Many contacts, and nothing else that acts: W is not assembled before it is asked for.
bool is_factored(const BodyModel& model, const BodyStepMemory& s)
{
    return model.is_plain() && !s.implicit && s.contacts.size() >= FactorSweeps::min_interactions;
}

/// Stops that touched in the step before, or were thrown back: they may persist.
void find_touched_stops(const BodyModel& model, const State& state, std::vector<char>& stops)
{
    stops.assign(static_cast<std::size_t>(model.stops), 0);
    for (const KeptContact& kept : state.kept) {
        if (kept.first >= 0) break;  // joints come first
        const int actor = -1 - kept.first;
        if (actor < model.stops && (touched(&kept) || has_bounced(kept)))
            stops[static_cast<std::size_t>(actor)] = 1;
    }
}

/// The same numbers, bit for bit.
bool are_same(const Vec3& a, const Vec3& b)
{
    return std::memcmp(a.data(), b.data(), 3 * sizeof(double)) == 0;
}

bool are_same(const BodyRows& a, const BodyRows& b)
{
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i) {
        const bool same =
            std::ranges::equal(a.row(i), b.row(i), [](const BodyRows::Term& x, const BodyRows::Term& y) {
                return x.block == y.block && are_same(x.v, y.v) && are_same(x.w, y.w) &&
                       are_same(x.turned, y.turned);
            });
        if (!same) return false;
    }
    return true;
}

/// Rows of all interactions, contacts first, and W_cc of each. Of many contacts, and nothing else that acts,
/// factors are enough: they come with the velocities.
void load_rows(const BodyModel& model, const MoreauSettings& settings, const State& state, BodyStepMemory& s)
{
    OneStepProblem& problem = s.problem;
    const bool was_whole = std::exchange(s.whole.known, false);
    problem.offsets.assign(1, 0);
    s.rows.clear();
    s.joints.clear();
    problem.factors.clear();
    if (is_factored(model, s)) {
        for (const BodyContact& contact : s.contacts) {
            problem.offsets.push_back(problem.offsets.back() + contact.dimension);
        }
        return;
    }
    for (const BodyContact& contact : s.contacts) {
        add_contact_rows(contact, s.rows);
        problem.offsets.push_back(s.rows.size());
    }
    find_touched_stops(model, state, s.statuses.touched);
    add_joint_rows(model,
                   {.t_s = state.t_s + settings.time_step_s,
                    .x = s.mid.x,
                    .R = s.mid.R,
                    .turns = state.turns,
                    .closed_gap = settings.activation_gap_m,
                    .touched = s.statuses.touched,
                    .state = &s.mid,
                    .moved = JointQuery::Moved{.v = s.mid.v,
                                               .w = s.w_before,
                                               .v_free = s.v_free,
                                               .w_free = s.w_free,
                                               .step_s = settings.time_step_s}},
                   s.rows, s.joints);
    for (const JointPart& part : s.joints) {
        problem.offsets.push_back(problem.offsets.back() + part.dimension);
    }
    if (s.formulas) s.formulas->add_rows(settings, s);
    s.rows.set_inertia(s.inverse_inertia);
    s.whole.known = was_whole && !s.implicit && !s.formulas && problem.offsets == s.whole.offsets &&
                    are_same(s.rows, s.whole.rows);
    if (s.whole.known) return;
    problem.W.begin(problem.offsets);
    for (int c = 0; c + 1 < static_cast<int>(problem.offsets.size()); ++c) {
        add_block(s.rows, model.inverse_mass, problem, c, c, problem.W.append(c, c));
    }
    problem.W.finish();
}

/// Angular velocities of the bodies in the axes of the world, before the step and if nothing acted.
void set_world_velocities(const BodyModel& model, BodyStepMemory& s)
{
    // behind the bodies are carriers, which do not turn
    s.w_before.resize(s.mid.v.size(), Vec3::Zero());
    s.w_free.resize(s.mid.v.size(), Vec3::Zero());
    for_each_index(static_cast<std::size_t>(model.bodies()), turned_in_block, [&](std::size_t i) {
        s.w_before[i] = s.mid.R[i] * s.mid.W[i];
        s.w_free[i] = s.mid.R[i] * s.W_free[i];
    });
}

/// The rows of a contact that resists rolling; `at`: where they begin.
void load_rolling(bool warm, const BodyContact::Three& U_free, std::size_t at, BodyContact& contact,
                  BodyStepMemory& s)
{
    BeyondCoulomb& beyond = *contact.beyond;
    beyond.U_minus = rolling_velocity(contact, s.w_before);
    if (!warm) beyond.P = {};
    const auto turning_free = rolling_velocity(contact, s.w_free);
    for (int i = 0; i < contact.dimension; ++i) {
        const std::size_t row = at + static_cast<std::size_t>(i), slot = contact.slot(i);
        const bool turns = slot > 2;
        s.problem.U_free[row] = turns ? turning_free[slot - 3] : U_free[slot];
        s.problem.U_minus[row] = turns ? beyond.U_minus[slot - 3] : contact.U_minus[slot];
        s.P[row] = contact.P_of(slot);
    }
}

/// `from` is where the search for its percussions of the last step goes on.
void load_contact(const BodyModel& model, const MoreauSettings& settings, const State& state, int c,
                  std::size_t& from, BodyStepMemory& s)
{
    OneStepProblem& problem = s.problem;
    BodyContact& contact = s.contacts[c];
    contact.U_minus = relative_velocity(contact, s.mid.v, s.w_before);
    const auto U_free = relative_velocity(contact, s.v_free, s.w_free);
    contact.P = {};
    const KeptContact* kept = find_kept(state.kept, contact, from);
    if (kept != nullptr && contact.restitution > 0 && persists(model, settings, *kept, contact, s))
        contact.restitution = 0;
    if (kept != nullptr && !kept->acted) kept = nullptr;
    if (model.setup().impact_map) contact.restitution = 0;  // the map has done it
    const auto& U_T = contact.U_minus;
    const bool stood = U_T[1] * U_T[1] + U_T[2] * U_T[2] <= no_sliding_m_s * no_sliding_m_s;
    set_law(contact, model.surface(contact.first, contact.second), kept != nullptr ? kept->sticks : stood,
            model.is_flat(), problem.laws[static_cast<std::size_t>(c)]);

    if (kept != nullptr) warm_start(*kept, s.part_of_step, contact);
    const auto at = static_cast<std::size_t>(problem.offsets[c]);
    if (contact.rolls()) {
        load_rolling(kept != nullptr, U_free, at, contact, s);
    } else {
        const auto components = static_cast<std::size_t>(contact.dimension);
        std::copy_n(U_free.begin(), components, problem.U_free.begin() + at);
        std::copy_n(contact.U_minus.begin(), components, problem.U_minus.begin() + at);
        std::copy_n(contact.P.begin(), components, s.P.begin() + at);
    }
    // an open soft contact may close at the end of the step and no sooner (BO-9); one that is open by no
    // more than the activation gap is closed, so that a body at rest meets the same problem at every step
    contact.may_close_m_s = 0;
    if (contact.restitution == 0) {
        const double gap_m = gap_half_way_m(s, contact.at.gap_m, contact.U_minus[0]);
        contact.may_close_m_s = closing_shift_m_s(gap_m - settings.activation_gap_m, contact.U_minus[0],
                                                  s.theta, settings.time_step_s);
    }
    problem.U_free[at] += contact.may_close_m_s;
}

/// What is held keeps its mean velocity (CO-3), motors their rate, and a soft stop may close as a contact
/// may.
void load_joint(const MoreauSettings& settings, const State& state, std::size_t place, BodyStepMemory& s)
{
    OneStepProblem& problem = s.problem;
    JointPart& part = s.joints[place];
    const double h = settings.time_step_s;
    const int at = problem.offsets[s.contacts.size() + place];
    for (int row = at; row < at + part.dimension; ++row) {
        problem.U_minus[row] = s.rows.velocity(row, s.mid.v, s.w_before) - part.rate;
        problem.U_free[row] = s.rows.velocity(row, s.v_free, s.w_free) - part.rate;
    }
    if (part.kind == JointPart::Kind::Held) problem.U_free[at] += carried_part(s.theta) * problem.U_minus[at];
    if (part.kind == JointPart::Kind::Stop && !let_stop_persist(settings, state, place, s)) {
        problem.laws.emplace_back(Limited{.low = 0, .high = 0});
        return;
    }
    if (part.kind == JointPart::Kind::Stop && part.restitution == 0) {
        part.may_close =
            closing_shift_m_s(gap_half_way_m(s, part.value, problem.U_minus[at]) - settings.activation_gap_m,
                              problem.U_minus[at], s.theta, h);
        problem.U_free[at] += part.may_close;
    }
    problem.laws.push_back(law_of(part, h));
}

}  // namespace

void add_contact_rows(const BodyContact& contact, BodyRows& rows)
{
    for (int i = 0; i < contact.dimension; ++i) {
        const std::size_t slot = contact.slot(i);
        if (slot < 3) {
            rows.add_point({&contact.axes[slot], 1}, contact.first, contact.arm_first, contact.second,
                           contact.arm_second);
        } else {
            rows.begin_row();
            const Vec3 axis = contact.beyond->roll_length_m * contact.axes[(slot - 2) % 3];
            rows.add(contact.first, Vec3::Zero(), axis);
            rows.add(contact.second, Vec3::Zero(), -axis);
        }
    }
}

double closing_shift_m_s(double open_m, double U_minus_m_s, double theta, double h_s) noexcept
{
    if (!(open_m > 0)) return 0;
    if (theta == 0.5) return 2 * open_m / h_s;
    return std::max(0.0, (open_m + h_s * (0.5 - theta) * U_minus_m_s) / (h_s * theta));
}

bool was_closed(const State& state, const BodyContact& contact)
{
    const KeptContact* kept = find_kept(state, contact);
    return kept != nullptr && kept->acted && kept->closed;
}

bool have_touched(const State& state, int first, int second)
{
    return !kept_of_pair(state, first, second).empty();
}

bool have_begun_impact(const State& state, int first, int second)
{
    return std::ranges::any_of(kept_of_pair(state, first, second), [](const KeptContact& kept) {
        return kept.status == 0 && kept.closing.percussion_Ns > 0;
    });
}

void load_map_rows(const BodyModel& model, BodyStepMemory& s)
{
    s.rows.clear();
    s.problem.offsets.assign(1, 0);
    s.problem.laws.clear();
    for (const BodyContact& contact : s.contacts) {
        add_contact_rows(contact, s.rows);
        s.problem.offsets.push_back(s.rows.size());
        s.problem.laws.push_back(
            law_of(contact, model.surface(contact.first, contact.second), false, model.is_flat()));
    }
}

void load_laws(const BodyModel& model, const MoreauSettings& settings, const State& state, BodyStepMemory& s)
{
    const double h = settings.time_step_s;
    set_world_velocities(model, s);
    leave_out_open(model, settings, state, s);
    if (pull_together(model, settings.activation_gap_m, h, state, s)) set_world_velocities(model, s);
    load_rows(model, settings, state, s);
    OneStepProblem& problem = s.problem;
    problem.laws.resize(s.contacts.size());
    problem.U_free.assign(static_cast<std::size_t>(problem.size()), 0.0);
    problem.U_minus.assign(problem.U_free.size(), 0.0);
    s.P.assign(problem.U_free.size(), 0.0);
    for_blocks(s.contacts.size(), loaded_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::size_t from = begin == 0 ? 0 : first_kept(state, s.contacts[begin]);
        for (std::size_t c = begin; c < end; ++c) {
            load_contact(model, settings, state, static_cast<int>(c), from, s);
        }
    });
    if (is_factored(model, s)) return load_factors(model, s);
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        load_joint(settings, state, k, s);
    }
    if (s.formulas && !s.formulas->load(settings, s)) s.law_out_of_range = true;
}

}  // namespace carom::detail
