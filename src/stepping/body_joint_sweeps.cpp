#include "body_parts.hpp"
#include "solver/held_sweeps.hpp"
#include "solver/one_interaction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

namespace carom::detail {

/// Joints, and contacts with laws that the kernels do not know, in the sweeps over the other contacts of their
/// bodies (SO-42). Firm rows are held by their factor, which leaves nothing of their percussions to be
/// remembered: what they hold is a property of the velocities. Rows that give way, and those contacts, have
/// their percussions, and are swept one after the other.
class JointSweeps final : public BesideContacts {
public:
    OneStepProblem contacts;                  ///< those that the kernels know, alone, as factors
    const OneStepProblem* problem = nullptr;  ///< of all interactions, where there are other contacts
    HeldSweeps sweeps;
    std::vector<double> U_free;  ///< of joints that are corrected

    /// A row that gives way: b + H u against its percussion in [low, high].
    struct Giving {
        int row;
        double low, high, U_free;
        double b = 0, W = 0;
        double P = 0, before = 0, direction = 0;
    };
    std::vector<Giving> giving;  ///< for load()

    /// A contact that the kernels do not know: b + H u against its percussion by its law.
    struct Other {
        int contact, row;
        std::size_t components;
        std::array<double, max_components> b{}, P{}, before{}, direction{};
    };
    std::vector<Other> others;  ///< for load()
    std::vector<int> swept;     ///< the contacts beside them, in the order of `contacts`
    std::vector<double> swept_P;

    /// Rows of joints among `rows` from `first` to `end`, and the velocities that all rows have without
    /// percussions: of bodies v, w, of the rows U_free.
    void load(const BodyModel& model, Mechanism* firm, const BodyRows& rows, std::array<int, 2> joint_rows,
              std::span<const Vec3> v, std::span<const Vec3> w, std::span<const double> U_free)
    {
        model_ = &model;
        firm_ = firm;
        rows_ = &rows;
        held_ = true;
        start(v, w);
        b_.clear();
        if (firm != nullptr) {
            for (const int row : firm->rows())
                b_.push_back(U_free[static_cast<std::size_t>(row)] - rows.velocity(row, v_, w_));
        }
        find_bodies(joint_rows);
        for (Other& one : others) {
            for (std::size_t i = 0; i < one.components; ++i) {
                const int row = one.row + static_cast<int>(i);
                one.b[i] = U_free[static_cast<std::size_t>(row)] - rows.velocity(row, v_, w_);
            }
        }
        for (Giving& one : giving)
            one.b = one.U_free - rows.velocity(one.row, v_, w_);
        // what percussions of 1 change of their own velocities while firm rows hold
        for (Giving& one : giving) {
            std::ranges::fill(v_, Vec3::Zero());
            std::ranges::fill(w_, Vec3::Zero());
            rows.apply(model.inverse_mass, one.row, 1.0, v_, w_);
            hold({});
            one.W = rows.velocity(one.row, v_, w_);
        }
        // what firm rows hold as well has nothing to give
        std::erase_if(giving, [](const Giving& one) { return !(one.W > 0); });
        start(v, w);
    }

    void sweep(RigidContacts& bodies) override
    {
        take(bodies);
        hold(b_);
        for (Giving& one : giving) {
            one.before = one.P;
            const double U = one.b + rows_->velocity(one.row, v_, w_);
            one.P = std::clamp(one.P - U / one.W, one.low, one.high);
            if (one.P == one.before) continue;
            rows_->apply(model_->inverse_mass, one.row, one.P - one.before, v_, w_);
            hold(b_);
        }
        for (Other& one : others)
            sweep_other(one);
        give(bodies);
    }

    void step_on(double beta) override
    {
        for (Other& one : others) {
            for (std::size_t i = 0; i < one.components; ++i) {
                const double f = one.P[i] - one.before[i];
                one.P[i] += beta * one.direction[i];
                one.direction[i] = beta * one.direction[i] + f;
            }
        }
        for (Giving& one : giving) {
            const double f = one.P - one.before;
            one.P += beta * one.direction;
            one.direction = beta * one.direction + f;
        }
    }

    void restore(RigidContacts& bodies) override
    {
        take(bodies);
        for (Giving& one : giving) {
            one.P = std::clamp(one.P, one.low, one.high);
            rows_->apply(model_->inverse_mass, one.row, one.P, v_, w_);
        }
        for (Other& one : others) {
            project_on_set(law_of(one), std::span(one.P).first(one.components));
            apply(one, one.P);
        }
        hold(b_);
        give(bodies);
    }

    [[nodiscard]] double change() const override
    {
        double largest = held_ ? 0.0 : std::numeric_limits<double>::infinity();
        for (const Giving& one : giving) {
            const double changed = std::abs(one.P - one.before) * one.W;
            if (changed > 0)
                largest =
                    std::max(largest, changed / (std::abs(one.U_free) + std::abs(one.P) * one.W + changed));
        }
        for (const Other& one : others)
            largest = std::max(largest, change_of(one));
        return largest;
    }

    /// Percussions of the joints in P, which has those of the contacts in their rows; v, w without any. False:
    /// rows contradict each other.
    [[nodiscard]] bool finish(std::array<int, 2> contact_rows, std::span<const Vec3> v,
                              std::span<const Vec3> w, std::span<double> P)
    {
        start(v, w);
        for (const Other& one : others)
            std::copy_n(one.P.begin(), one.components, P.begin() + one.row);
        for (int row = contact_rows[0]; row < contact_rows[1]; ++row)
            rows_->apply(model_->inverse_mass, row, P[static_cast<std::size_t>(row)], v_, w_);
        for (const Giving& one : giving) {
            P[static_cast<std::size_t>(one.row)] = one.P;
            rows_->apply(model_->inverse_mass, one.row, one.P, v_, w_);
        }
        held_ = true;
        hold(b_);
        for (std::size_t i = 0; i < P_.size(); ++i)
            P[static_cast<std::size_t>(firm_->rows()[i])] = P_[i];
        return held_;
    }

private:
    void start(std::span<const Vec3> v, std::span<const Vec3> w)
    {
        v_.assign(v.begin(), v.end());
        w_.assign(w.begin(), w.end());
    }

    [[nodiscard]] const Law& law_of(const Other& one) const
    {
        return problem->laws[static_cast<std::size_t>(one.contact)];
    }

    /// One after the other, each while all else keeps what it has (SO-3).
    void sweep_other(Other& one)
    {
        std::array<double, max_components> U{}, step{};
        for (std::size_t i = 0; i < one.components; ++i)
            U[i] = one.b[i] + rows_->velocity(one.row + static_cast<int>(i), v_, w_);
        one.before = one.P;
        solve_interaction(*problem, one.contact, std::span(U).first(one.components),
                          std::span(one.P).first(one.components));
        for (std::size_t i = 0; i < one.components; ++i)
            step[i] = one.P[i] - one.before[i];
        if (step == decltype(step){}) return;
        apply(one, step);
        hold(b_);
    }

    void apply(const Other& one, std::span<const double> P)
    {
        for (std::size_t i = 0; i < one.components; ++i)
            rows_->apply(model_->inverse_mass, one.row + static_cast<int>(i), P[i], v_, w_);
    }

    /// As a part of the velocities that meet at it.
    [[nodiscard]] double change_of(const Other& one) const
    {
        const auto W = problem->W.diagonal(one.contact);
        double changed = 0, met = 0;
        for (std::size_t i = 0; i < one.components; ++i) {
            const double W_ii = W[i * one.components + i];
            changed = std::max(changed, std::abs(one.P[i] - one.before[i]) * W_ii);
            met +=
                std::abs(problem->U_free[static_cast<std::size_t>(one.row) + i]) + std::abs(one.P[i]) * W_ii;
        }
        return changed > 0 ? changed / (met + changed) : 0.0;
    }

    /// The bodies of all rows of joints and other contacts that percussions move.
    void find_bodies(std::array<int, 2> joint_rows)
    {
        bodies_.clear();
        const auto add = [&](int row) {
            for (const BodyRows::Term& term : rows_->row(row)) {
                if (model_->inverse_mass[static_cast<std::size_t>(term.block)] > 0)
                    bodies_.push_back(term.block);
            }
        };
        for (int row = joint_rows[0]; row < joint_rows[1]; ++row)
            add(row);
        for (const Other& one : others) {
            for (std::size_t i = 0; i < one.components; ++i)
                add(one.row + static_cast<int>(i));
        }
        std::ranges::sort(bodies_);
        bodies_.erase(std::ranges::unique(bodies_).begin(), bodies_.end());
    }

    /// Velocities that firm rows hold, b + H u = 0, in the place of those in v_, w_.
    void hold(std::span<const double> b)
    {
        P_.clear();
        if (firm_ == nullptr) return;
        P_.assign(static_cast<std::size_t>(firm_->size()), 0.0);
        if (!firm_->hold(*model_, *rows_, Mechanism::FactorOf::TheseRows, b, P_, v_, w_)) held_ = false;
    }

    void take(const RigidContacts& bodies)
    {
        for (const int body : bodies_) {
            const auto v = bodies.velocity(body), w = bodies.angular_velocity(body);
            v_[static_cast<std::size_t>(body)] = Vec3(v[0], v[1], v[2]);
            w_[static_cast<std::size_t>(body)] = Vec3(w[0], w[1], w[2]);
        }
    }

    void give(RigidContacts& bodies) const
    {
        for (const int body : bodies_) {
            const Vec3 &v = v_[static_cast<std::size_t>(body)], &w = w_[static_cast<std::size_t>(body)];
            bodies.set_velocity(body, {v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()});
        }
    }

    const BodyModel* model_ = nullptr;
    Mechanism* firm_ = nullptr;
    const BodyRows* rows_ = nullptr;
    std::vector<int> bodies_;
    std::vector<double> b_, P_;
    std::vector<Vec3> v_, w_;
    bool held_ = true;
};

namespace {

/// The contacts of the step without its joints: those that the kernels know as factors with their percussions,
/// the others by their rows. False where the others are many.
bool load_contacts(const BodyModel& model, const BodyStepMemory& s, JointSweeps& joints)
{
    constexpr std::size_t many = 4;  // one in so many
    OneStepProblem& contacts = joints.contacts;
    contacts.laws.clear();
    contacts.offsets.assign(1, 0);
    contacts.U_free.clear();
    contacts.U_minus.clear();
    contacts.factors.rows.clear();
    joints.swept.clear();
    joints.swept_P.clear();
    joints.others.clear();
    joints.problem = &s.problem;
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        const Law& law = s.problem.laws[c];
        const int begin = s.problem.offsets[c], end = s.problem.offsets[c + 1];
        if (!HeldSweeps::takes(law)) {
            JointSweeps::Other& one = joints.others.emplace_back();
            one.contact = static_cast<int>(c);
            one.row = begin;
            one.components = static_cast<std::size_t>(end - begin);
            std::copy(s.P.begin() + begin, s.P.begin() + end, one.P.begin());
            if (many * joints.others.size() > s.contacts.size()) return false;
            continue;
        }
        joints.swept.push_back(static_cast<int>(c));
        contacts.laws.push_back(law);
        contacts.offsets.push_back(contacts.offsets.back() + end - begin);
        const auto add = [&](const std::vector<double>& from, std::vector<double>& to) {
            to.insert(to.end(), from.begin() + begin, from.begin() + end);
        };
        add(s.problem.U_free, contacts.U_free);
        add(s.problem.U_minus, contacts.U_minus);
        add(s.P, joints.swept_P);
        contacts.factors.rows.push_back(factor_rows(s.contacts[c]));
    }
    load_free_blocks(model, s, contacts.factors);
    return true;
}

/// Percussions of the contacts that were swept, in the rows of all.
void take_percussions(const JointSweeps& joints, BodyStepMemory& s)
{
    for (std::size_t k = 0; k < joints.swept.size(); ++k) {
        const auto part = joints.contacts.part(std::span<const double>(joints.swept_P), static_cast<int>(k));
        const int at = s.problem.offsets[static_cast<std::size_t>(joints.swept[k])];
        std::copy(part.begin(), part.end(), s.P.begin() + at);
    }
}

/// Stops, motors with limits and friction of the step.
void load_giving(const BodyStepMemory& s, JointSweeps& joints)
{
    joints.giving.clear();
    if (s.joints.empty()) return;
    for (const int part : s.giving_way) {
        const std::size_t c = s.contacts.size() + static_cast<std::size_t>(part);
        const auto row = static_cast<std::size_t>(s.problem.offsets[c]);
        JointSweeps::Giving one{.row = static_cast<int>(row),
                                .low = 0,
                                .high = std::numeric_limits<double>::infinity(),
                                .U_free = s.problem.U_free[row]};
        if (const auto* limited = std::get_if<Limited>(&s.problem.laws[c])) {
            one.low = limited->low;
            one.high = limited->high;
        } else {
            const double restitution = std::get<Unilateral>(s.problem.laws[c]).restitution;
            one.U_free += restitution * std::min(s.problem.U_minus[row], 0.0);
        }
        joints.giving.push_back(one);
    }
}

JointSweeps& joint_sweeps_of(BodyStepMemory& s)
{
    if (!s.joint_sweeps) s.joint_sweeps = std::make_shared<JointSweeps>();
    return *s.joint_sweeps;
}

}  // namespace

bool sweep_with_joints(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                       SolveReport& report)
{
    constexpr int max_sweeps = 400;
    if (solver.kind != SolverKind::Auto || !s.problem.is_assembled() || s.formulas || s.implicit ||
        s.contacts.size() < FactorSweeps::min_interactions || is_redundant(model, s))
        return false;
    Mechanism* const firm = s.joints.empty() ? nullptr : factor_firm_rows(model, s, report);
    if (firm == nullptr && !s.joints.empty()) return false;
    JointSweeps& joints = joint_sweeps_of(s);
    if (!load_contacts(model, s, joints)) return false;
    s.P_start = s.P;
    load_giving(s, joints);
    const int contact_rows = s.problem.offsets[s.contacts.size()];
    joints.load(model, firm, s.rows, {contact_rows, s.rows.size()}, s.v_free, s.w_free, s.problem.U_free);
    Budget budget = budget_of(solver).with(std::min(max_sweeps, solver.max_sweeps));
    budget.tolerance *= 0.9;
    const int sweeps = joints.sweeps.run(joints.contacts, budget, joints, joints.swept_P);
    take_percussions(joints, s);
    if (sweeps == 0 || !joints.finish({0, contact_rows}, s.v_free, s.w_free, s.P)) {
        s.P = s.P_start;
        return false;
    }
    report.solver = SolverKind::NonlinearCg;
    report.iterations += sweeps;
    report.by_factors = true;
    report.selection.unexamined = 1;  // no matrix that could be looked at
    return true;
}

bool press_with_joints(const BodyModel& model, const Budget& budget, BodyStepMemory& s)
{
    Mechanism* const firm = s.formulas ? nullptr : factor_at_end(model, !s.held_at_end, s);
    if (firm == nullptr) return false;
    JointSweeps& joints = joint_sweeps_of(s);
    joints.giving.clear();
    joints.others.clear();
    joints.U_free.clear();
    for (std::size_t k = 0; k < s.violations.size(); ++k) {
        const JointPart& part = s.violations[k];
        joints.U_free.push_back(part.value);
        if (part.kind == JointPart::Kind::Held) continue;
        joints.giving.push_back({.row = static_cast<int>(k),
                                 .low = 0,
                                 .high = std::numeric_limits<double>::infinity(),
                                 .U_free = part.value});
    }
    load_overlap_rows(model, s);
    const auto n = model.inverse_mass.size();
    s.correction_v.assign(n, Vec3::Zero());
    s.correction_w.assign(n, Vec3::Zero());
    const auto joint_rows = static_cast<int>(s.violations.size());
    joints.load(model, firm, s.correction_rows, {0, joint_rows}, s.correction_v, s.correction_w,
                joints.U_free);
    s.correction_P.assign(static_cast<std::size_t>(s.correction_rows.size()), 0.0);
    const auto P = std::span(s.correction_P).subspan(s.violations.size());
    return joints.sweeps.run(s.correction, budget, joints, P) > 0 &&
           joints.finish({joint_rows, s.correction_rows.size()}, s.correction_v, s.correction_w,
                         s.correction_P);
}

}  // namespace carom::detail
