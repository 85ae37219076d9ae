#include "drivers.hpp"
#include "one_step.hpp"
#include "simulation.hpp"

#include "solver/one_contact.hpp"

#include <array>
#include <cmath>

namespace carom::reference {
namespace {

/// A contact of unit mass that moves only in a plane through the tangent direction t1, at the angle beta with
/// the normal; J is the direction of the plane across t1. Components (n, t1, t2).
class ConfinedContact {
public:
    ConfinedContact(double gamma, double beta_rad)
        : law_{.shape = FrictionDisc{}, .friction = gamma},
          J_(std::cos(beta_rad), 0, std::sin(beta_rad)),
          W_(I_ * I_.transpose() + J_ * J_.transpose())
    {
    }

    /// Pressed across by a unit velocity and driven along t1 by `drive`.
    [[nodiscard]] bool sticks(double drive) const
    {
        const Eigen::Vector3d b = drive * I_ - J_;
        Eigen::Vector3d P;
        return solve_one_contact(law_, {W_.data(), 9}, {b.data(), 3}, {P.data(), 3}) == ContactStatus::Stick;
    }

    /// |component along t1| over that across it, while sliding along t1: friction then has no part along t2,
    /// and the contact is one of the plane (n, t1).
    [[nodiscard]] double dynamic_coefficient() const
    {
        const Coulomb law{.shape = FrictionInterval{}, .friction = law_.friction};
        const std::array<double, 4> W{W_(0, 0), W_(0, 1), W_(1, 0), W_(1, 1)};
        for (double drive = 1; drive < 1e12; drive *= 10) {
            const std::array<double, 2> b{-J_[0], drive};
            Eigen::Vector3d P = Eigen::Vector3d::Zero();
            if (solve_one_contact(law, W, b, {P.data(), 2}) == ContactStatus::Slip) {
                return std::abs(P.dot(I_)) / P.dot(J_);
            }
        }
        throw DriverFailure("the contact does not slide");
    }

    /// Sticks whatever drives it.
    [[nodiscard]] bool is_wedged() const { return sticks(1e9); }

    /// The greatest drive that sticks, of a unit pressure.
    [[nodiscard]] double static_coefficient() const
    {
        double low = 0, high = 1e9;
        for (int i = 0; i < 200 && low < high; ++i) {
            const double middle = low + (high - low) / 2;
            (sticks(middle) ? low : high) = middle;
        }
        return low;
    }

private:
    Eigen::Vector3d I_{0, 1, 0};
    Coulomb law_;
    Eigen::Vector3d J_;
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> W_;
};

}  // namespace

/// M88-PROJ: friction of a contact confined to a plane, where W is singular (Moreau 1988, 17). By
/// solve_one_contact: the drive at which sticking ends, and the reaction while sliding.
void drive_projected_cone(const Task& task, Answers& answers)
{
    const double gamma = task.number("gamma");
    answers.give("dynamic_coeff(beta=#)", Means::Exact, [&](const Pieces& p) {
        return Json(ConfinedContact(gamma, radians(number_in(p[0]))).dynamic_coefficient());
    });
    answers.give("static_coeff(beta=#)", Means::Exact, [&](const Pieces& p) {
        const ConfinedContact contact(gamma, radians(number_in(p[0])));
        return contact.is_wedged() ? Json("wedging") : Json(contact.static_coefficient());
    });
    answers.give("wedging_threshold_beta_deg", Means::Exact, [&] {
        double free_deg = 0, wedged_deg = 90;
        for (int i = 0; i < 60; ++i) {
            const double middle_deg = (free_deg + wedged_deg) / 2;
            (ConfinedContact(gamma, radians(middle_deg)).is_wedged() ? wedged_deg : free_deg) = middle_deg;
        }
        return Json(wedged_deg);
    });
}

}  // namespace carom::reference
