#pragma once

#include "carom/run/run.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// One contact point of a step. Components are (normal, t1, t2); those it lacks are zero.
struct StepContact {
    std::string name;             ///< of the contact; of bodies "first/second"
    int contact = -1;             ///< number in the system; of bodies -1
    int first = -1, second = -1;  ///< bodies; in coordinates -1
    double gap_m = 0;             ///< at the end of the step; of bodies at its midpoint
    int dimension = 1;
    std::array<double, 3> percussion_Ns{};  ///< on the first body
    std::array<double, 3> velocity_before_m_s{}, velocity_after_m_s{};
    std::array<double, 3> point_m{}, normal{};  ///< of bodies: where, and towards the first body
};

/// One finished step, as a listener sees it. It shows the results of the step, never its working memory; it
/// and its spans are valid during the call only.
class StepRecord {
public:
    explicit StepRecord(const StepView& view) noexcept : view_(&view) {}

    [[nodiscard]] long step() const noexcept;  ///< its number, from 1
    [[nodiscard]] double time_s() const noexcept;
    [[nodiscard]] double step_s() const noexcept;  ///< how long it was

    /// Coordinates and velocities at both ends.
    [[nodiscard]] std::span<const double> q() const noexcept;
    [[nodiscard]] std::span<const double> u() const noexcept;
    [[nodiscard]] std::span<const double> q_before() const noexcept;
    [[nodiscard]] std::span<const double> u_before() const noexcept;

    /// Within the step: q linear in time, u the right limit; by power series the motion itself.
    void state_at(double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u) const;

    [[nodiscard]] StepStatus status() const noexcept;
    [[nodiscard]] double residual() const noexcept;
    [[nodiscard]] int iterations() const noexcept;

    /// The ledger of the step, and the energies at its end.
    [[nodiscard]] const EnergyLines& energy() const noexcept;
    [[nodiscard]] const Energies& energies() const noexcept;

    /// Percussions of the system's contacts, then of its constraints; of bodies see contacts().
    [[nodiscard]] std::span<const double> percussions_Ns() const noexcept;

    /// Contacts that acted; of bodies all that were near. Built on request.
    [[nodiscard]] std::vector<StepContact> contacts() const;

    /// What happened in the step; Run::events has names as well.
    [[nodiscard]] std::span<const Event> events() const noexcept;

    /// The certificate of the run so far, this step included.
    [[nodiscard]] Certificate certificate() const;

private:
    const StepView* view_;
};

/// Returns false to end the run after this step.
using RunListener = std::function<bool(const StepRecord&)>;

}  // namespace carom
