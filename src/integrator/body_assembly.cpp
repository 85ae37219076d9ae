#include "body_parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace carom::detail {
namespace {

/// The rows of one contact for one of its bodies: U gets  rows_v v + rows_w W.
struct BodyRows {
    Mat3 v, w;
};

BodyRows rows_of(const BodyContact& contact, int body)
{
    const bool first = contact.first == body;
    const double sign = first ? 1 : -1;
    const Vec3& arm = first ? contact.arm_first : contact.arm_second;
    BodyRows rows;
    for (int i = 0; i < 3; ++i) {
        rows.v.row(i) = sign * contact.axes[i].transpose();
        rows.w.row(i) = sign * arm.cross(contact.axes[i]).transpose();
    }
    return rows;
}

/// Adds what body does to the velocity at `c` by a percussion at `d` (BO-11).
void add_block(const BodyModel& model, const Mat3& inverse_inertia, const BodyContact& c,
               const BodyContact& d, int body, std::span<double> block)
{
    const BodyRows rows_c = rows_of(c, body), rows_d = rows_of(d, body);
    const Mat3 W = model.inverse_mass[body] * rows_c.v * rows_d.v.transpose() +
                   rows_c.w * inverse_inertia * rows_d.w.transpose();
    for (int i = 0; i < c.dimension; ++i) {
        for (int j = 0; j < d.dimension; ++j) {
            block[static_cast<std::size_t>(i * d.dimension + j)] += W(i, j);
        }
    }
}

/// The block of a contact with itself: what both bodies do. Without a product of matrices where the inertia
/// is the same about all axes.
void add_own_block(const BodyModel& model, std::span<const Mat3> inverse_inertia, const BodyContact& contact,
                   std::span<double> block)
{
    for (const int body : {contact.first, contact.second}) {
        if (model.inverse_mass[body] == 0) continue;
        if (!model.isotropic[body] || model.is_flat()) {
            add_block(model, inverse_inertia[body], contact, contact, body, block);
            continue;
        }
        const Vec3& arm = body == contact.first ? contact.arm_first : contact.arm_second;
        const double by_turning = inverse_inertia[body](0, 0), size2 = arm.squaredNorm();
        const std::array<double, 3> along{arm.dot(contact.axes[0]), arm.dot(contact.axes[1]),
                                          arm.dot(contact.axes[2])};
        const auto d = static_cast<std::size_t>(contact.dimension);
        for (std::size_t i = 0; i < d; ++i) {
            block[i * d + i] += model.inverse_mass[body] + by_turning * size2;
            for (std::size_t j = 0; j < d; ++j) {
                block[i * d + j] -= by_turning * along[i] * along[j];
            }
        }
    }
}

Law law_of(const BodyContact& contact, double friction, bool flat)
{
    if (contact.dimension == 1) return Unilateral{contact.restitution};
    FrictionShape shape = FrictionDisc{};
    if (flat) shape = FrictionInterval{};
    return Coulomb{.shape = shape, .friction = friction, .restitution = contact.restitution};
}

/// The same contact in the last step; nothing when it did not act. Contacts are asked for in the order of
/// their bodies, so the search goes on from the pair before: `from`.
const KeptContact* find_kept(std::span<const KeptContact> kept, const BodyContact& contact, std::size_t& from)
{
    const auto pair = std::tuple(contact.first, contact.second);
    while (from < kept.size() && std::tuple(kept[from].first, kept[from].second) < pair) {
        ++from;
    }
    for (std::size_t k = from; k < kept.size() && std::tuple(kept[k].first, kept[k].second) == pair; ++k) {
        if (kept[k].feature == contact.at.feature) return &kept[k];
    }
    return nullptr;
}

/// A contact that persists with restitution hops for ever unless it is calmed (MS-7).
void calm(const KeptContact& kept, double W_NN, BodyContact& contact)
{
    if (!kept.closed || contact.restitution == 0) return;
    const double undid = W_NN * contact.at.normal.dot(kept.percussion_Ns);
    if (-contact.U_minus[0] <= 2 * undid) contact.restitution = 0;
}

}  // namespace

void assemble_delassus(const BodyModel& model, std::span<const BodyContact> contacts,
                       std::span<const Mat3> inverse_inertia, std::vector<std::vector<int>>& contacts_of,
                       OneStepProblem& problem)
{
    contacts_of.resize(static_cast<std::size_t>(model.bodies()));
    for (std::vector<int>& list : contacts_of) {
        list.clear();
    }
    for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
        for (const int body : {contacts[c].first, contacts[c].second}) {
            if (model.inverse_mass[body] > 0) contacts_of[body].push_back(c);
        }
    }

    problem.W.begin(problem.offsets);
    for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
        // contacts that share a moving body, in increasing order: two sorted lists merged
        const BodyContact& row = contacts[c];
        const std::vector<int>& of_first = contacts_of[row.first];
        const std::vector<int>& of_second = contacts_of[row.second];
        for (std::size_t i = 0, j = 0; i < of_first.size() || j < of_second.size();) {
            const int from_first = i < of_first.size() ? of_first[i] : static_cast<int>(contacts.size());
            const int from_second = j < of_second.size() ? of_second[j] : static_cast<int>(contacts.size());
            const int d = std::min(from_first, from_second);
            const std::span<double> block = problem.W.append(c, d);
            if (from_first == d) {
                add_block(model, inverse_inertia[row.first], row, contacts[d], row.first, block);
                ++i;
            }
            if (from_second == d) {
                add_block(model, inverse_inertia[row.second], row, contacts[d], row.second, block);
                ++j;
            }
        }
    }
    problem.W.finish();
}

void load_laws(const BodyModel& model, const MoreauSettings& settings, const BodyState& state, BodyScratch& s)
{
    OneStepProblem& problem = s.problem;
    problem.laws.clear();
    problem.offsets.assign(1, 0);
    for (const BodyContact& contact : s.contacts) {
        problem.offsets.push_back(problem.offsets.back() + contact.dimension);
    }
    problem.W.begin(problem.offsets);
    for (int c = 0; c < static_cast<int>(s.contacts.size()); ++c) {
        const BodyContact& contact = s.contacts[c];
        const std::span<double> block = problem.W.append(c, c);
        add_own_block(model, s.inverse_inertia, contact, block);
    }
    problem.W.finish();

    // velocities of the bodies in the axes of the world, before the step and if nothing acted
    s.w_before.clear();
    s.w_free.clear();
    for (int i = 0; i < model.bodies(); ++i) {
        s.w_before.emplace_back(s.mid.R[i] * s.mid.W[i]);
        s.w_free.emplace_back(s.mid.R[i] * s.W_free[i]);
    }
    problem.U_free.assign(static_cast<std::size_t>(problem.size()), 0.0);
    problem.U_minus.assign(problem.U_free.size(), 0.0);
    s.P.assign(problem.U_free.size(), 0.0);
    std::size_t from = 0;
    for (int c = 0; c < static_cast<int>(s.contacts.size()); ++c) {
        BodyContact& contact = s.contacts[c];
        contact.U_minus = relative_velocity(contact, s.mid.v, s.w_before);
        const auto U_free = relative_velocity(contact, s.v_free, s.w_free);
        const KeptContact* kept = find_kept(state.kept, contact, from);
        if (kept != nullptr) calm(*kept, problem.W.diagonal(c)[0], contact);
        problem.laws.push_back(
            law_of(contact, model.surface(contact.first, contact.second).friction, model.is_flat()));

        const auto at = static_cast<std::size_t>(problem.offsets[c]);
        for (int i = 0; i < contact.dimension; ++i) {
            problem.U_free[at + static_cast<std::size_t>(i)] = U_free[static_cast<std::size_t>(i)];
            problem.U_minus[at + static_cast<std::size_t>(i)] = contact.U_minus[static_cast<std::size_t>(i)];
            if (kept != nullptr) {
                s.P[at + static_cast<std::size_t>(i)] =
                    contact.axes[static_cast<std::size_t>(i)].dot(kept->percussion_Ns);
            }
        }
        // an open soft contact may close at the end of the step and no sooner (BO-9); one that is open by no
        // more than the activation gap is closed, so that a body at rest meets the same problem at every step
        contact.may_close_m_s = 0;
        if (contact.restitution == 0) {
            const double open = std::max(0.0, contact.at.gap_m - settings.activation_gap_m);
            contact.may_close_m_s = 2 * open / settings.time_step_s;
        }
        problem.U_free[at] += contact.may_close_m_s;
    }
}

}  // namespace carom::detail
