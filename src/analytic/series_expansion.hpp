#pragma once

#include "series_linear.hpp"
#include "series_onset.hpp"
#include "series_system.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace carom::detail {

enum class NormalStatus { Undecided, Active, Inactive };
enum class FrictionStatus { None, Undecided, Stick, Slip };

/// What is known about a closed contact where an expansion begins: exact zeros are flags, not numbers.
struct Known {
    int contact = 0;
    bool at_rest = false;       ///< U_T = 0
    bool stuck = false;         ///< it stuck until now
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
    bool alone = false;  ///< in space, W_NT = 0 and W_TT = w 1, and it meets no other contact
    bool polar = false;  ///< onset of slip in space of one that is alone (PS-6)
    SlipOnset onset;
    int lead = -1;  ///< onset in space of one that is not (PS-10): first order of r_T or U_T'; -1: none yet

    std::vector<double> r, U, dU;        ///< reaction, local velocity and its derivative, N, m/s, m/s^2
    std::vector<double> d, speed, mu_d;  ///< direction of slip in space, |U_T|, mu d
    std::vector<double> sigma, bound;    ///< of an onset (PS-10): |U_T| / t^(lead + 1), mu r_N
    double turn = 0;                     ///< of this order: component of d across d_0
    double scale = 0;                    ///< of this order: the largest term of U' without reactions
    std::vector<double> r_error;         ///< bounds of rounding of r, while statuses are open (PS-13)

    [[nodiscard]] bool may_act() const noexcept { return normal != NormalStatus::Inactive; }
    [[nodiscard]] bool begins_in_space() const noexcept
    {
        return dimension == 3 && friction == FrictionStatus::Slip && lead >= 0;
    }
};

enum class ExpansionStatus {
    Good,
    NotFinite,
    MetricSingular,
    NoSolution,
    SeveralSolutions,
    NotPMatrix,
    Onset,
    TooMany,
    Loads,  ///< loads are not determined, and friction depends on them
    Told    ///< ended, and the report says why
};

/// What a contact does at one order: nothing, holds without friction, slides, sticks, has lost its reaction
/// just now, begins to slide in a direction that is unknown (Lead) or known to the order before (Onset).
enum class Mode { Off, Frictionless, Slide, Stick, Hold, Lead, Onset };

/// The mode of a contact, and the side of its slip in the plane.
struct Choice {
    Mode mode = Mode::Off;
    int side = 0;
};

/// An unknown of the problem of one order: z is a coefficient of r_N, of r_T, of sigma or of the turning of
/// d.
struct Unknown {
    enum class Kind { Normal, Tangent, Speed, Turn };

    int player = 0;  ///< of the island
    Kind kind = Kind::Normal;
    bool complementary = false;      ///< undecided normal: r >= 0, dU >= 0, one of them zero
    bool in = true;                  ///< its equation holds; else z = 0
    std::array<double, 3> row{};     ///< the equation is row.dU = shift + own z
    std::array<double, 3> column{};  ///< of r, for z = 1
    double own = 0, shift = 0;
};

/// Contacts that meet through A at the point of expansion.
struct Island {
    std::vector<int> players;
    bool decided = false;  ///< all statuses: every further order has these equations
    std::vector<Choice> choices;
    std::vector<Unknown> unknowns;
    SmallSystem factor;
};

/// Memory of the problems of all orders.
struct OrderWork {
    std::vector<Unknown> unknowns;
    std::vector<Choice> options, choices, found;
    std::vector<int> first_option;      ///< per player, into options; one more at the end
    std::vector<int> index, in, leads;  ///< positions in the enumeration, unknowns in use, Mode::Lead
    std::vector<double> M, right, z, M_in, right_in, z_in;
    std::vector<char> soft;  ///< of the unknowns in use: they give way a little (PS-17)
    bool bounded = false;    ///< the errors of the last solution are known
    std::vector<double> r_size, right_error, z_error, unit, inverse_column;
    std::vector<double> base;    ///< e + W (what lower orders give of r), rows of the island
    std::vector<double> change;  ///< of r, by what the unknowns are
    std::vector<double> angles, trial, slopes, defects, step;         ///< directions of slip that begin
    std::vector<std::array<double, 2>> directions, found_directions;  ///< of Mode::Lead, in order of players
    SmallSystem system, turning;

    struct NormalMatrix {
        std::vector<std::size_t> normal, other;
        std::vector<double> inner, column, answer, schur;
    } normal_matrix;
};

/// The series of a motion at one instant, with the statuses of its contacts (PS-4), (PS-5).
class Expansion {
public:
    Expansion(const Model& model, int order);

    /// Computes everything from a state and what is known about its closed contacts; `held` sides of switches
    /// stay as they are.
    ExpansionStatus compute(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                            std::span<const Known> closed);

    /// The last order that decides statuses: positions, and the length of the expansion, need some more.
    [[nodiscard]] int deciding_order() const noexcept { return deciding_order(K_); }
    [[nodiscard]] static int deciding_order(int order) noexcept { return order - std::max(4, order / 4); }

    /// Whether a status is open after all orders that decide.
    [[nodiscard]] bool open() const noexcept;

    /// Whether what leaves statuses of `other` open vanishes identically (PS-14): it does so at points of
    /// time and state far from where `other` was expanded, all statuses being those of `other`.
    [[nodiscard]] bool vanishes_identically(const Expansion& other);

    /// Takes over which sides of switches are held, from an expansion of the same model.
    void hold_sides_of(const Expansion& other);

    /// Gaps of all contacts that are not held closed, as series; called when `compute` was good.
    void compute_gaps();

    [[nodiscard]] int order() const noexcept { return K_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    [[nodiscard]] const double* q(int i) const noexcept
    {
        return x_.data() + static_cast<std::size_t>(i) * stride_;
    }
    [[nodiscard]] const double* u(int i) const noexcept { return q(n_ + i); }
    /// All coordinates, all velocities and the time: what formulas read.
    [[nodiscard]] const double* inputs() const noexcept { return x_.data(); }
    [[nodiscard]] const double* a(int i) const noexcept
    {
        return a_.data() + static_cast<std::size_t>(i) * stride_;
    }
    [[nodiscard]] const double* gap(int contact) const noexcept
    {
        return system_.contacts[static_cast<std::size_t>(contact)].gap.output(0);
    }
    [[nodiscard]] std::span<const Player> players() const noexcept { return {players_.data(), count_}; }
    [[nodiscard]] const Player* player_of(int contact) const noexcept;
    [[nodiscard]] const double* series(const std::vector<double>& local, int component) const noexcept
    {
        return local.data() + static_cast<std::size_t>(component) * stride_;
    }
    /// W at the point of expansion, by local rows of the players.
    [[nodiscard]] double W(int i, int j) const noexcept { return W_(i, j); }
    /// Local accelerations at the point of expansion, without reactions and as they are.
    [[nodiscard]] double free_acceleration(int i) const noexcept { return free_[i]; }
    [[nodiscard]] double acceleration(int i) const noexcept { return first_dU_[i]; }
    /// Some contacts meet through A.
    [[nodiscard]] bool is_coupled() const noexcept { return island_count_ < count_; }
    [[nodiscard]] int local_size() const noexcept { return local_size_; }
    /// The largest part of the local acceleration at the point of expansion, that of the reaction included.
    [[nodiscard]] double acceleration_scale(const Player& one) const noexcept;
    [[nodiscard]] SeriesSystem& system() noexcept { return system_; }
    [[nodiscard]] const SeriesSystem& system() const noexcept { return system_; }

    /// Largest step that the coefficients allow (PS-7).
    [[nodiscard]] double trusted_length_s(double tolerance);
    /// The same for the gap of a contact that is not held closed: its obstacle may move on its own.
    [[nodiscard]] double trusted_gap_length_s(int contact, double tolerance);

    [[nodiscard]] int trouble_contact() const noexcept { return trouble_; }
    /// Which formula has no finite coefficients; empty if all have.
    [[nodiscard]] std::string where_not_finite(const LagrangianSystem& text) const;
    /// What the statuses rest on without proof: a P-matrix that was not tested, directions of slip that
    /// begin together and were not enumerated.
    [[nodiscard]] bool untested_matrix() const noexcept { return untested_matrix_; }
    [[nodiscard]] bool untested_directions() const noexcept { return untested_directions_; }
    /// Another motion satisfies all laws, but contacts that stuck go on so; one of them. -1: none.
    [[nodiscard]] int several_at() const noexcept { return several_at_; }
    /// Loads of contacts were not determined, and the rule (PS-17) chose.
    [[nodiscard]] bool selected() const noexcept { return selected_; }

private:
    friend class OrderProblem;

    [[nodiscard]] std::span<Player> playing() noexcept { return {players_.data(), count_}; }
    void set_up(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u);
    void set_up_player(Player& one, const Known& known);
    [[nodiscard]] bool ask_again();
    ExpansionStatus first_order_data();
    void choose_frames();
    void local_matrices();
    void starting_statuses();
    void find_islands();
    void look_at_particle(Player& one);
    void project_velocity();
    void right_hand_side(int p);
    void bound_tapes(int p);
    void bound_right_hand_side(int p);
    void bound_motion(int p);
    [[nodiscard]] bool holds_at(const Expansion& other, double t_s, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& u, bool& finite);
    void slip_directions(int p);
    ExpansionStatus solve_islands(int p);
    void accept(int p);
    [[nodiscard]] double* x(int i) noexcept { return x_.data() + static_cast<std::size_t>(i) * stride_; }

    SeriesSystem system_;
    int n_, K_;
    std::size_t stride_;
    std::vector<double> x_;  ///< q, u and t
    std::vector<double> a_;
    std::vector<Player> players_;  ///< the first count_ of them play
    std::vector<Island> islands_;  ///< the first island_count_ of them
    std::size_t count_ = 0, island_count_ = 0;
    std::vector<Known> known_;
    std::vector<int> island_of_;
    OrderWork order_;
    int local_size_ = 0;
    bool bounding_ = false;  ///< some status is open: roundings are bounded (PS-13)
    Eigen::LLT<Eigen::MatrixXd> A_;
    bool A_constant_ = false, A_known_ = false;
    Eigen::MatrixXd H_, AiHt_, W_;  ///< at the point of expansion
    Eigen::VectorXd y_, e_, r_, dU_, scale_;
    Eigen::VectorXd free_, first_dU_;  ///< e_ and dU_ of order 0

    // bounds of rounding errors of all these, while statuses are open (PS-13)
    std::vector<double> x_error_, a_error_;
    Eigen::VectorXd y_error_, e_error_, r_error_, dU_error_, momentum_error_;
    Eigen::MatrixXd A_inverse_;
    bool A_inverse_known_ = false;
    Eigen::MatrixXd A_0_;
    std::vector<int> zero_rows_;
    std::vector<double> zero_W_, zero_U_, zero_P_;
    SmallSystem zero_system_;
    std::vector<double> sizes_;
    double trusted_s_ = -1;  ///< the last answer of trusted_length_s; < 0: none for these series
    int trouble_ = -1, several_at_ = -1;
    bool untested_matrix_ = false, untested_directions_ = false, selected_ = false;
};

}  // namespace carom::detail
