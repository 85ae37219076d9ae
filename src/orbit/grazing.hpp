#pragma once

#include "member.hpp"

namespace carom::detail {

/// An orbit with one impact more than one that grazes, begun at that impact (OR-23):
///
///     z(T; jump(z^-)) = z^- + shift,    gap(z^-) = 0,    U_N(z^-) = -v
///
/// for z^-, the parameter, and the instant of the impact or an unknown period. Displacements go with the root
/// of the parameter beyond grazing; with the speed v as what is given everything is smooth. The last part of
/// the period runs without the contact, so that nothing happens before its end.
class ImpactingOrbit {
public:
    /// `last_s`: the part of the period before the impact in which the contact stays open.
    ImpactingOrbit(const Scene& scene, const OrbitOptions& options, int contact, double last_s);

    State before;         ///< the impact
    double period_s = 0;  ///< where it is not given: a guess first
    double value = 0;     ///< of the parameter

    /// Newton's method at this speed from where it is. False: it finds none.
    [[nodiscard]] bool solve(double speed_m_s);

private:
    [[nodiscard]] bool evaluate(double speed_m_s);
    [[nodiscard]] bool make_members();
    void put_on_obstacle(double speed_m_s);

    const Scene& scene_;
    OrbitOptions options_;
    int contact_;
    double last_s_;
    std::unique_ptr<Member> member_, open_;  ///< with the contact, and without it
    Eigen::VectorXd residual_, scale_;
    Eigen::MatrixXd J_;
};

/// The state without a contact.
[[nodiscard]] State without_contact(const Model& model, const State& state, int contact);

}  // namespace carom::detail
