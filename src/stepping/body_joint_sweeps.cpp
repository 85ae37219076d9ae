#include "body_parts.hpp"
#include "solver/held_sweeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

namespace carom::detail {

/// Joints in the sweeps over the contacts of their bodies (SO-42). Firm rows are held by their factor, which
/// leaves nothing of their percussions to be remembered: what they hold is a property of the velocities.
/// Rows that give way have their percussions, and are swept one after the other.
class JointSweeps final : public BesideContacts {
public:
    OneStepProblem contacts;  ///< alone, as factors
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

    /// Rows of joints among `rows` from `first` to `end`, and the velocities that all rows have without
    /// percussions: of bodies v, w, of the rows U_free.
    void load(const BodyModel& model, Mechanism& firm, const BodyRows& rows, std::array<int, 2> joint_rows,
              std::span<const Vec3> v, std::span<const Vec3> w, std::span<const double> U_free)
    {
        model_ = &model;
        firm_ = &firm;
        rows_ = &rows;
        held_ = true;
        start(v, w);
        b_.clear();
        for (const int row : firm.rows())
            b_.push_back(U_free[static_cast<std::size_t>(row)] - rows.velocity(row, v_, w_));
        find_bodies(joint_rows);
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
        give(bodies);
    }

    void step_on(double beta) override
    {
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
        return largest;
    }

    /// Percussions of the joints in P, which has those of the contacts in their rows; v, w without any. False:
    /// rows contradict each other.
    [[nodiscard]] bool finish(std::array<int, 2> contact_rows, std::span<const Vec3> v,
                              std::span<const Vec3> w, std::span<double> P)
    {
        start(v, w);
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

    /// The bodies of all rows of joints that percussions move.
    void find_bodies(std::array<int, 2> joint_rows)
    {
        bodies_.clear();
        for (int row = joint_rows[0]; row < joint_rows[1]; ++row) {
            for (const BodyRows::Term& term : rows_->row(row)) {
                if (model_->inverse_mass[static_cast<std::size_t>(term.block)] > 0)
                    bodies_.push_back(term.block);
            }
        }
        std::ranges::sort(bodies_);
        bodies_.erase(std::ranges::unique(bodies_).begin(), bodies_.end());
    }

    /// Velocities that firm rows hold, b + H u = 0, in the place of those in v_, w_.
    void hold(std::span<const double> b)
    {
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

/// The contacts of the step without its joints, as factors.
void load_contacts(const BodyModel& model, const BodyStepMemory& s, OneStepProblem& contacts)
{
    const std::size_t count = s.contacts.size();
    const auto size = static_cast<std::ptrdiff_t>(s.problem.offsets[count]);
    contacts.laws.assign(s.problem.laws.begin(), s.problem.laws.begin() + static_cast<std::ptrdiff_t>(count));
    contacts.offsets.assign(s.problem.offsets.begin(),
                            s.problem.offsets.begin() + static_cast<std::ptrdiff_t>(count) + 1);
    contacts.U_free.assign(s.problem.U_free.begin(), s.problem.U_free.begin() + size);
    contacts.U_minus.assign(s.problem.U_minus.begin(), s.problem.U_minus.begin() + size);
    load_free_blocks(model, s, contacts.factors);
    contacts.factors.rows.clear();
    for (const BodyContact& contact : s.contacts)
        contacts.factors.rows.push_back(factor_rows(contact));
}

/// Stops, motors with limits and friction of the step.
void load_giving(const BodyStepMemory& s, JointSweeps& joints)
{
    joints.giving.clear();
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
    if (solver.kind != SolverKind::Auto || s.joints.empty() || s.formulas || s.implicit ||
        s.contacts.size() < FactorSweeps::min_interactions || is_redundant(model, s))
        return false;
    Mechanism* const firm = factor_firm_rows(model, s, report);
    if (firm == nullptr) return false;
    s.P_start = s.P;
    JointSweeps& joints = joint_sweeps_of(s);
    load_contacts(model, s, joints.contacts);
    load_giving(s, joints);
    const int contact_rows = joints.contacts.size();
    joints.load(model, *firm, s.rows, {contact_rows, s.rows.size()}, s.v_free, s.w_free, s.problem.U_free);
    Budget budget = budget_of(solver).with(std::min(max_sweeps, solver.max_sweeps));
    budget.tolerance *= 0.9;
    const auto P = std::span(s.P).first(static_cast<std::size_t>(contact_rows));
    const int sweeps = joints.sweeps.run(joints.contacts, budget, joints, P);
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
    joints.load(model, *firm, s.correction_rows, {0, joint_rows}, s.correction_v, s.correction_w,
                joints.U_free);
    s.correction_P.assign(static_cast<std::size_t>(s.correction_rows.size()), 0.0);
    const auto P = std::span(s.correction_P).subspan(s.violations.size());
    return joints.sweeps.run(s.correction, budget, joints, P) > 0 &&
           joints.finish({joint_rows, s.correction_rows.size()}, s.correction_v, s.correction_w,
                         s.correction_P);
}

}  // namespace carom::detail
