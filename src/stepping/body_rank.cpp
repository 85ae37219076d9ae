#include "body_parts.hpp"

#include <algorithm>
#include <array>

namespace carom::detail {
namespace {

/// Conditions that joints hold, over the bodies that move: displacements and turns in the axes of the world,
/// six columns a body, in the plane three.
class JointFirmRows final : public FirmRows {
public:
    JointFirmRows(const BodyModel& model, const State& state) : model_(model), state_(state)
    {
        add_joint_rows(model, {.x = state.x, .R = state.R, .turns = state.turns, .drives = false}, rows_,
                       parts_);
        for (int i = 0; i < rows_.size(); ++i) {
            if (parts_[static_cast<std::size_t>(i)].kind == JointPart::Kind::Held) held_.push_back(i);
        }
        column_.assign(static_cast<std::size_t>(model.bodies()), -1);
        for (int i = 0; i < model.bodies(); ++i) {
            if (!(model.inverse_mass[i] > 0)) continue;
            column_[static_cast<std::size_t>(i)] = columns_;
            columns_ += per_body();
        }
    }

    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int size() const override { return static_cast<int>(held_.size()); }
    [[nodiscard]] const std::string& name(int row) const override
    {
        const JointPart& part = parts_[static_cast<std::size_t>(held_[static_cast<std::size_t>(row)])];
        return model_.setup().joints[static_cast<std::size_t>(part.joint)].name;
    }

    [[nodiscard]] Eigen::MatrixXd H(const Eigen::VectorXd& moved) const override
    {
        BodyRows rows;
        std::vector<JointPart> parts;
        at(moved, rows, parts);
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size(), columns_);
        for (int k = 0; k < size(); ++k) {
            for (const BodyRows::Term& term : rows.row(held_[static_cast<std::size_t>(k)])) {
                const int column = column_[static_cast<std::size_t>(term.block)];
                if (column < 0) continue;
                for (int i = 0; i < per_body(); ++i)
                    result(k, column + i) += component(term, i);
            }
        }
        return result;
    }

    [[nodiscard]] Eigen::VectorXd phi(const Eigen::VectorXd& moved) const override
    {
        BodyRows rows;
        std::vector<JointPart> parts;
        at(moved, rows, parts);
        Eigen::VectorXd result(size());
        for (int k = 0; k < size(); ++k)
            result[k] = parts[static_cast<std::size_t>(held_[static_cast<std::size_t>(k)])].value;
        return result;
    }

    /// What prescribed bodies do to the velocities.
    [[nodiscard]] Eigen::VectorXd b() const override
    {
        std::vector<Vec3> v(state_.v.size(), Vec3::Zero()), w(state_.v.size(), Vec3::Zero());
        for (int i = 0; i < model_.bodies(); ++i) {
            if (model_.inverse_mass[i] > 0) continue;
            v[static_cast<std::size_t>(i)] = state_.v[i];
            w[static_cast<std::size_t>(i)] = state_.R[i] * state_.W[i];
        }
        Eigen::VectorXd result(size());
        for (int k = 0; k < size(); ++k)
            result[k] = rows_.velocity(held_[static_cast<std::size_t>(k)], v, w);
        return result;
    }

    [[nodiscard]] Eigen::MatrixXd metric() const override
    {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(columns_, columns_);
        for (int i = 0; i < model_.bodies(); ++i) {
            const int column = column_[static_cast<std::size_t>(i)];
            if (column < 0) continue;
            for (int k = 0; k < places(); ++k)
                A(column + k, column + k) = model_.mass[i];
            // inertia as the step uses it, lent where a body has none
            const Mat3 R = state_.R[i].toRotationMatrix(),
                       inverse = R * model_.inverse_inertia[i] * R.transpose();
            if (model_.is_flat())
                A(column + 2, column + 2) = 1 / inverse(2, 2);
            else
                A.block<3, 3>(column + 3, column + 3) = inverse.inverse();
        }
        return A;
    }

    [[nodiscard]] Eigen::VectorXd forces() const override
    {
        std::vector<Wrench> wrenches(state_.x.size());
        model_.spring_wrenches(BodyModel::SpringPart::Springs, state_.x, state_.R, {}, {}, wrenches);
        model_.spring_wrenches(BodyModel::SpringPart::Dampers, state_.x, state_.R, state_.v, state_.W,
                               wrenches);
        model_.joint_damping(state_.x, state_.R, state_.v, state_.W, wrenches);
        if (model_.setup().forces) model_.setup().forces(state_, wrenches);
        Eigen::VectorXd K(columns_);
        for (int i = 0; i < model_.bodies(); ++i) {
            const int column = column_[static_cast<std::size_t>(i)];
            if (column < 0) continue;
            const Wrench& given = wrenches[static_cast<std::size_t>(i)];
            const Vec3& W = state_.W[i];
            const Vec3 force = given.force_N + model_.mass[i] * model_.setup().gravity_m_s2,
                       torque = given.torque_Nm - state_.R[i] * W.cross(model_.inertia[i] * W);
            const BodyRows::Term both{.block = i, .v = force, .w = torque};
            for (int k = 0; k < per_body(); ++k)
                K[column + k] = component(both, k);
        }
        return K;
    }

    [[nodiscard]] double place_size() const override { return model_.length_m(); }

    /// The columns that a row of joints names, and its entries.
    void add_row(const BodyRows& rows, int row, std::vector<int>& columns, std::vector<double>& entries) const
    {
        for (const BodyRows::Term& term : rows.row(row)) {
            const int column = column_[static_cast<std::size_t>(term.block)];
            if (column < 0) continue;
            for (int i = 0; i < per_body(); ++i) {
                columns.push_back(column + i);
                entries.push_back(component(term, i));
            }
        }
    }
    [[nodiscard]] const std::vector<int>& held() const { return held_; }
    [[nodiscard]] const BodyRows& rows() const { return rows_; }

private:
    [[nodiscard]] int places() const { return model_.is_flat() ? 2 : 3; }
    [[nodiscard]] int per_body() const { return model_.is_flat() ? 3 : 6; }
    [[nodiscard]] double component(const BodyRows::Term& term, int i) const
    {
        if (i < places()) return term.v[i];
        return model_.is_flat() ? term.w.z() : term.w[i - 3];
    }

    void at(const Eigen::VectorXd& moved, BodyRows& rows, std::vector<JointPart>& parts) const
    {
        std::vector<Vec3> x = state_.x;
        std::vector<Rotation> R = state_.R;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (column_[i] < 0) continue;
            Vec3 turn = Vec3::Zero();
            for (int k = 0; k < places(); ++k)
                x[i][k] += moved[column_[i] + k];
            if (model_.is_flat())
                turn.z() = moved[column_[i] + 2];
            else
                turn = moved.segment<3>(column_[i] + 3);
            R[i] = turned(R[i], R[i].conjugate() * turn);
        }
        add_joint_rows(model_, {.x = x, .R = R, .turns = state_.turns, .drives = false}, rows, parts);
    }

    const BodyModel& model_;
    const State& state_;
    BodyRows rows_;
    std::vector<JointPart> parts_;
    std::vector<int> held_, column_;
    int columns_ = 0;
};

}  // namespace

JointWatch::JointWatch(const BodyModel& model, State begin, double step_s) : model_(model)
{
    if (model.setup().joints.empty()) return;
    // the middle of the step before: a run that is taken up sees what an uninterrupted one does
    for (int i = 0; i < model.bodies(); ++i) {
        begin.x[i] -= step_s / 2 * begin.v[i];
        begin.R[i] = turned(begin.R[i], -step_s / 2 * begin.W[i]);
    }
    const JointFirmRows firm(model, begin);
    if (firm.size() == 0) return;
    std::vector<std::vector<int>> support(static_cast<std::size_t>(firm.size()));
    std::vector<double> entries;
    for (std::size_t k = 0; k < support.size(); ++k)
        firm.add_row(firm.rows(), firm.held()[k], support[k], entries);
    rank_ = RankWatch(std::move(support), firm.columns(), entries);
    // joints of prescribed bodies have right-hand sides
    const auto& bodies = model.setup().bodies;
    moved_ = std::ranges::any_of(model.setup().joints, [&](const Joint& joint) {
        const auto prescribed = [&](int body) {
            return body >= 0 && bodies[static_cast<std::size_t>(body)].motion == BodyMotion::Prescribed;
        };
        return joint.kind != JointKind::Gear && (prescribed(joint.first) || prescribed(joint.second));
    });
}

void JointWatch::at_start(const State& start, Certifier& certifier) const
{
    if (model_.setup().joints.empty()) return;
    rank_.at_start(start.t_s, certifier);
    if (rank_.redundant()) tell_rank(diagnose_rows(JointFirmRows(model_, start)), start.t_s, certifier);
}

void JointWatch::after_step(const State& after, const FinishedBodyStep& step, Certifier& certifier)
{
    const BodyStepMemory& s = step.memory_;
    if (!rank_.rows().empty()) {
        rank_.begin_step();
        std::size_t next = 0;
        int held = 0;
        for (std::size_t k = 0; k < s.joints.size() && next < rank_.rows().size(); ++k) {
            if (s.joints[k].kind != JointPart::Kind::Held) continue;
            if (held++ != rank_.rows()[next]) continue;
            ++next;
            add_unit_row(s.rows, s.problem.offsets[s.contacts.size() + k]);
        }
        rank_.end_step(after.t_s, certifier);
    }
    if (rank_.redundant() && moved_)
        tell_conflict(compare_right_hand_sides(JointFirmRows(model_, after)), after.t_s, certifier);
}

void JointWatch::add_unit_row(const BodyRows& rows, int row)
{
    entries_.clear();
    for (const BodyRows::Term& term : rows.row(row)) {
        if (!(model_.inverse_mass[static_cast<std::size_t>(term.block)] > 0)) continue;
        if (model_.is_flat())
            entries_.insert(entries_.end(), {term.v.x(), term.v.y(), term.w.z()});
        else
            entries_.insert(entries_.end(),
                            {term.v.x(), term.v.y(), term.v.z(), term.w.x(), term.w.y(), term.w.z()});
    }
    rank_.add_row(entries_);
}

}  // namespace carom::detail
