#pragma once

#include "mechanical_system.hpp"
#include "stepping/scratch.hpp"

namespace carom {

/// A system of coordinates within a step: what its schemes have in common. They say how forces are taken, and
/// how places follow velocities.
class CoordinateSystem : public MechanicalSystem {
public:
    void detect() override;
    [[nodiscard]] bool strike(StepReport& report) override;
    void solve(const SolverSettings& solver, StepReport& report) override;
    [[nodiscard]] double created_J() override;
    [[nodiscard]] double free_kinetic_J() override;
    [[nodiscard]] std::vector<std::string> names_of(const OtherMotion& other) const override;
    [[nodiscard]] std::span<const OtherMotion> other_motions() const override;
    [[nodiscard]] Energies energies_at_start() override;
    [[nodiscard]] Energies energies_at_end() override;
    void account(const Energies& start, const Energies& end, StepReport& report) override;
    [[nodiscard]] bool correct(StepReport& report) override;
    void watch(StepReport& report) override;
    void commit(const StepReport& report) override;

protected:
    struct Scheme {
        double h_s;
        double theta;  ///< weight of the end velocity in q+
        double activation_gap_m;
        bool correction;
        bool recognise;       ///< contacts that persist (MS-8); false: the paper to the letter
        bool at_end = false;  ///< contacts are taken at q + h u instead of q_M
    };

    CoordinateSystem(const Model& model, const Scheme& scheme, State& state, Scratch& scratch);

    /// q_M, and where contacts are taken.
    void set_places();

    /// Laws of what was detected; report.status says where one is out of range.
    void choose_laws_into(StepReport& report);

    /// The matrix that percussions act through.
    [[nodiscard]] virtual MassMatrix& response() { return s_.A; }
    [[nodiscard]] virtual const ContactCoupling& coupling() { return model_.coupling(); }

    [[nodiscard]] double mid_s() const { return state_.t_s + scheme_.h_s / 2; }
    [[nodiscard]] double end_s() const { return state_.t_s + scheme_.h_s; }
    [[nodiscard]] Point cone_point() const
    {
        return {view(s_.q_cone), view(s_.u_start), scheme_.at_end ? end_s() : mid_s()};
    }

    const Model& model_;
    Scheme scheme_;
    State& state_;
    Scratch& s_;

private:
    [[nodiscard]] const Eigen::VectorXd& u_after() const { return held_ ? s_.u_held : s_.u_end; }

    bool continues_ = false;  ///< the step begins where the last one ended
    bool held_ = false;       ///< constraints have been held at the end
};

}  // namespace carom
