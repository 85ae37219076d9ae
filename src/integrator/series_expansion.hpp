#pragma once

#include "series_onset.hpp"
#include "series_system.hpp"

#include <Eigen/Dense>

#include <optional>
#include <string>
#include <vector>

namespace carom::detail {

enum class NormalStatus { Undecided, Active, Inactive };
enum class FrictionStatus { None, Undecided, Stick, Slip };

/// What is known about a closed contact where an expansion begins: exact zeros are flags, not numbers.
struct Known {
    int contact = 0;
    bool at_rest = false;       ///< U_T = 0
    bool begins_slip = false;   ///< U_T = 0, and the static threshold has been passed towards `side`
    bool no_reaction = false;   ///< P_N vanished just now: undecided at order 0
    bool at_threshold = false;  ///< sticks with |P_T| at its bound just now: undecided at order 0
    int side = 0;               ///< of the tendency to slide, in the plane; 0: not known
};

/// A closed contact within an expansion. Series have the stride of the expansion; local components are
/// (normal, t1, t2).
struct Player {
    Known known;
    const ContactPrograms* programs = nullptr;
    SeriesProgram* rows = nullptr;
    int frame = 0;  ///< which of the row programs
    int dimension = 1;
    int offset = 0;  ///< among the local rows of the expansion

    NormalStatus normal = NormalStatus::Undecided;
    int normal_order = -1;
    double normal_leading = 0;
    FrictionStatus friction = FrictionStatus::None;
    int friction_order = -1;
    double friction_leading = 0;
    int side = 0;        ///< direction of slip or of the tendency to it, in the plane
    bool polar = false;  ///< onset of slip in space (PS-6)
    SlipOnset onset;

    std::vector<double> r, U, dU;        ///< reaction, local velocity and its derivative, N, m/s, m/s^2
    std::vector<double> d, speed, mu_d;  ///< direction of slip in space, |U_T|, mu d
    double scale_n = 0, scale_t = 0;     ///< what a coefficient that is only rounding is small against

    [[nodiscard]] bool may_act() const noexcept { return normal != NormalStatus::Inactive; }
};

enum class ExpansionStatus {
    Good,
    NotFinite,
    MetricSingular,
    NoSolution,
    SeveralSolutions,
    NotPMatrix,
    Onset
};

/// Contacts that meet through A at the point of expansion.
struct Island {
    std::vector<int> players;
    std::optional<Eigen::PartialPivLU<Eigen::MatrixXd>> factor;  ///< once everything is decided
};

/// What every contact of an island does at one order.
enum class Mode { Off, Frictionless, Slide, Stick, Hold };

/// The series of a motion at one instant, with the statuses of its contacts (PS-4), (PS-5).
class Expansion {
public:
    Expansion(const Model& model, int order);

    /// Computes everything from a state and what is known about its closed contacts. `radius_s` is an
    /// estimate of the radius of convergence, 0 if there is none; `sides` of switches stay as they are.
    ExpansionStatus compute(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                            std::span<const Known> closed, double radius_s);

    /// Gaps of all contacts that are not held closed, as series; called when `compute` was good.
    void compute_gaps();

    [[nodiscard]] int order() const noexcept { return K_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    [[nodiscard]] const double* q(int i) const noexcept
    {
        return x_.data() + static_cast<std::size_t>(i) * stride_;
    }
    [[nodiscard]] const double* u(int i) const noexcept { return q(n_ + i); }
    [[nodiscard]] const double* a(int i) const noexcept
    {
        return a_.data() + static_cast<std::size_t>(i) * stride_;
    }
    [[nodiscard]] const double* gap(int contact) const noexcept
    {
        return system_.contacts[static_cast<std::size_t>(contact)].gap.output(0);
    }
    [[nodiscard]] const std::vector<Player>& players() const noexcept { return players_; }
    [[nodiscard]] const Player* player_of(int contact) const noexcept;
    [[nodiscard]] const double* series(const std::vector<double>& local, int component) const noexcept
    {
        return local.data() + static_cast<std::size_t>(component) * stride_;
    }
    [[nodiscard]] SeriesSystem& system() noexcept { return system_; }
    [[nodiscard]] const SeriesSystem& system() const noexcept { return system_; }

    /// Largest step that the coefficients allow (PS-7), and the radius of convergence they suggest.
    [[nodiscard]] double trusted_length_s(double tolerance) const;
    [[nodiscard]] double radius_s(double tolerance) const;

    [[nodiscard]] int trouble_contact() const noexcept { return trouble_; }
    [[nodiscard]] const std::string& words() const noexcept { return words_; }

private:
    friend class OrderProblem;

    void set_up(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                std::span<const Known> closed);
    ExpansionStatus first_order_data();
    void choose_frames();
    void local_matrices();
    void starting_statuses();
    void find_islands();
    void project_velocity();
    void right_hand_side(int p);
    void slip_directions(int p);
    ExpansionStatus solve_islands(int p);
    void accept(int p);
    [[nodiscard]] double* x(int i) noexcept { return x_.data() + static_cast<std::size_t>(i) * stride_; }

    SeriesSystem system_;
    int n_, K_;
    std::size_t stride_;
    std::vector<double> x_;  ///< q, u and t
    std::vector<double> a_;
    std::vector<Player> players_;
    std::vector<Island> islands_;
    int local_size_ = 0;
    double radius_ = 0;
    Eigen::LLT<Eigen::MatrixXd> A_;
    bool A_constant_ = false, A_known_ = false;
    Eigen::MatrixXd H_, AiHt_, W_;  ///< at the point of expansion
    Eigen::VectorXd y_, e_, r_, dU_, scale_;
    int trouble_ = -1;
    std::string words_;
};

}  // namespace carom::detail
