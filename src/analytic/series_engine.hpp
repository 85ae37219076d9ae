#pragma once

#include "series_expansion.hpp"
#include "series_repeated.hpp"
#include "series_roots.hpp"

#include "analytic/series_log.hpp"
#include "analytic/series_piece.hpp"
#include "analytic/series_step.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carom {

namespace detail {

/// What an event function stands for.
enum class Watch { Gap, Reaction, SlipEnd, Threshold, Switch, Until };

struct Occurrence {
    Watch what{};
    int contact = -1;
    int side = 0;                ///< of a threshold in the plane
    SeriesTape* tape = nullptr;  ///< of a switch
    std::size_t index = 0;
    bool touches = false;
    double s = 0;  ///< when, from the start of the expansion
};

/// What is known of a contact between expansions.
struct ContactNow {
    bool closed = false;
    Known known;
    bool gap_is_zero = false;  ///< it has just opened
    int gap_valuation = 0;     ///< then: the first order at which its gap may differ from zero
    bool told_closed = false, slid = false, stuck = false;  ///< what was last told
    int told_side = 0;
    double slip_rad = 0;  ///< direction of slip in space where the last expansion ended, from t1 towards t2
    int slip_frame = -1;  ///< of these tangents; -1: it did not slip
    std::array<double, 3> P{};  ///< of this report
    std::array<double, 3> U_minus{}, U_plus{};
    double energy_J = 0, friction_J = 0;
    bool acted = false;

    /// What the next report has to know of this one's end: a status that changes there is told by the next.
    [[nodiscard]] ContactNow as_told() const
    {
        ContactNow next;
        next.told_closed = told_closed, next.slid = slid, next.stuck = stuck, next.told_side = told_side;
        next.slip_rad = slip_rad, next.slip_frame = slip_frame;
        return next;
    }
};

/// A series that a function of a formula is taken of, and that moves too far in an expansion to be trusted
/// without looking in between (PS-21).
struct Operand {
    SeriesOp op{};
    const double* x = nullptr;
    int order = 0;
    double slope = 0;  ///< bound of |x'| in the expansion
};

/// A contact that left after an impact, and how.
struct Bounce {
    int contact = 0;
    double before_m_s = 0, after_m_s = 0;  ///< U_N
};

/// Memory of the engine: nothing in it outlasts a report, but for its size.
struct EngineBuffers {
    Eigen::VectorXd q, u, q_inside, u_inside, acceleration, balance, sizes, momentum;
    std::vector<ContactNow> contacts;
    std::vector<Bounce> bounced;
    std::vector<Occurrence> found, happening;
    std::vector<Known> closed;
    std::vector<int> closed_contacts;
    std::vector<int> statuses;
    std::vector<double> gaps, work, bound, held, H, b;
    std::vector<Operand> operands;
    std::vector<char> used;  ///< registers of a program
    RootFinder roots;
};

}  // namespace detail

/// What the series integrator keeps from report to report. No motion depends on it.
struct SeriesMemory {
    /// `joined`: the system with one of each kind of equal contacts, whose series these are; null: all act.
    SeriesMemory(const Model& model, int order, std::unique_ptr<detail::RepeatedContacts> joined = nullptr)
        : repeated(std::move(joined))
    {
        static_cast<void>(of_order(repeated ? repeated->reduced() : model, order));
    }

    /// Series of that order; those of other orders than the usual one are made when they are asked for.
    [[nodiscard]] detail::Expansion& of_order(const Model& model, int order);
    [[nodiscard]] int order() const noexcept { return expansions.front()->order(); }

    std::unique_ptr<detail::RepeatedContacts> repeated;
    std::vector<std::unique_ptr<detail::Expansion>> expansions;
    detail::EngineBuffers buffers;

    /// The until formula on series of one order; without a program where it has pieces or tables.
    struct UntilSeries {
        const Formula* formula = nullptr;
        int order = 0;
        std::optional<SeriesProgram> program;
    };
    std::vector<UntilSeries> until;
    std::vector<SeriesPiece> pieces;  ///< of the last report: the first piece_count of them
    std::size_t piece_count = 0;
    std::vector<SeriesPiece::Reaction> spare;

    /// The instant of the last report's end, where `buffers` has what was told of the contacts; none before.
    double end_s = std::numeric_limits<double>::quiet_NaN();

    /// Statuses whose open ones vanish identically (PS-14), so that the question is asked once.
    std::vector<std::vector<int>> identical;

    /// Impacts of this report, for accumulations of several contacts (PS-9).
    struct Strike {
        double t_s = 0;
        std::vector<int> contacts;
        double speed_m_s = 0;  ///< of the fastest approach
    };
    std::deque<Strike> strikes;

    std::unique_ptr<SeriesLog> log;  ///< of the last report; none: it is not kept
};

namespace detail {

inline constexpr double velocity_rounding = 1e-12;  ///< of a velocity, against what it is the difference of
inline constexpr double small_defect = 1e-12;  ///< of the equations of motion and of gaps in an expansion

/// Where defects are looked at: at the end of an expansion a formula may already be in its next piece.
inline constexpr double inside_part = 0.9;

/// Runs the motion from one report to the next: expand, advance to the first event, treat it, again.
class SeriesEngine {
public:
    SeriesEngine(const Model& model, const SeriesSettings& settings, const SolverSettings& solver,
                 State& state, Scratch& scratch, SeriesMemory& memory);

    [[nodiscard]] StepReport run();

    /// The statuses at the start, and how they were decided.
    [[nodiscard]] Expected<std::vector<StatusDecision>> decisions();

private:
    /// Where a contact moves, and against what its velocities are small.
    struct LocalVelocity {
        double normal = 0, sliding = 0;
        double normal_scale = 0, sliding_scale = 0;
    };

    void look_at_start();
    [[nodiscard]] LocalVelocity local_velocity(int contact);
    [[nodiscard]] bool expand();
    [[nodiscard]] ExpansionStatus expand_as_far_as_needed();
    [[nodiscard]] ExpansionStatus expand_to(int order);
    [[nodiscard]] bool is_known_identity();
    [[nodiscard]] bool vanishes_identically();
    [[nodiscard]] std::string who_is_open() const;
    bool fail_without_series(double trouble_s);
    [[nodiscard]] bool tell_statuses();
    [[nodiscard]] double slip_direction(const Player& one) const;
    [[nodiscard]] static bool turns_round(const ContactNow& contact, const Player& one, double direction);
    void keep_directions(double s);
    void look_for_other_motions();
    void look_at_loads();
    void tell_other_motions(const std::vector<int>& contacts, const char* unit);
    void tell_untested();
    [[nodiscard]] double next_length();
    void watch(Occurrence what, const double* series, int order, int valuation, double h);
    void watch_contacts(double h);
    void watch_stick(const Player& one, double h);
    void watch_slip(const Player& one, double h);
    void watch_switches(double h);
    void watch_until(double h);
    void start_until();
    [[nodiscard]] double until_value_at(double s);
    void watch_until_by_values(double h);
    [[nodiscard]] double until_value();
    [[nodiscard]] bool until_reached() { return until_below_ && until_value() >= 0; }
    void advance(double s, double trusted_s);
    void advance_with_constant_forces(double s);
    SeriesPiece& new_piece();
    void keep_reactions(SeriesPiece& piece);
    void log_statuses();
    void log_causes();
    void log_cause(SeriesCause::Kind kind, const std::vector<int>& contacts);
    [[nodiscard]] SeriesInstant& logged_instant();
    void account(double s, int order);
    [[nodiscard]] double defect(double s);
    [[nodiscard]] std::array<double, 3> law_defect(const Player& one, const Point& at, double s) const;
    [[nodiscard]] double gap_defect(double s);
    void judge(double defect);
    [[nodiscard]] bool treat();
    [[nodiscard]] bool strike(const std::vector<int>& hit, bool soft, EventKind kind);
    void after_impact(const std::vector<int>& contacts, const ImpactContacts& closed,
                      const Eigen::VectorXd& U_minus, const Eigen::VectorXd& P, const Eigen::MatrixXd& W,
                      EventKind kind);
    [[nodiscard]] std::vector<int> struck_with(const std::vector<int>& hit, const Metric& A);
    [[nodiscard]] double slow_m_s(const Player& one, double slope) const;
    [[nodiscard]] double slip_left_s(const Player& one) const;
    [[nodiscard]] bool look_behind_switches(std::vector<int>& hit);
    bool fail_outside(int contact, double gap_m);
    [[nodiscard]] double settle_length(double h);
    [[nodiscard]] double seen_length(double h);
    [[nodiscard]] std::optional<double> looked_through(double h);
    void find_operands(double h);
    void add_operands(const SeriesProgram& program, int order, double h);
    [[nodiscard]] double reach_s(double s) const;
    [[nodiscard]] bool goes_too_slowly(double h);
    [[nodiscard]] bool rest_what_rounding_moves();
    void rest_what_others_hold();
    [[nodiscard]] double painleve_margin(int contact, double t_s, const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& u) const;
    void fail_at_singular_point(int contact, double t_s, double alpha);
    [[nodiscard]] bool passed_painleve(int contact);
    bool fail_at_paradox(ExpansionStatus status, const std::string& name);
    [[nodiscard]] double growth_of_reaction(int contact) const;
    [[nodiscard]] bool reaches_painleve();
    [[nodiscard]] bool pass_slip_end();
    [[nodiscard]] double obstacle_m_s(int contact);
    [[nodiscard]] double gap_rounding_m(int contact);
    [[nodiscard]] bool pass_accumulation(double h);
    [[nodiscard]] bool pass_collapse();
    [[nodiscard]] bool pass_joint_collapse();
    [[nodiscard]] bool pass_nested_accumulation();
    void bring_to_rest(const std::vector<int>& contacts);
    void accumulate(double rest_s, const std::vector<int>& who, const std::vector<double>& energy_J);
    [[nodiscard]] std::vector<int> striking_in_turns() const;
    [[nodiscard]] bool is_linear(const std::vector<int>& contacts) const;
    void project_configuration();
    void forget_instant();
    bool fail(StepStatus status, std::string words);
    void finding(std::string code, std::string message);
    void tell(EventKind kind, int contact, double P, double before, double after, double energy);
    void finish();
    [[nodiscard]] double length_m() const noexcept
    {
        return settings_.activation_gap_m > 0 ? 1e9 * settings_.activation_gap_m : 1.0;
    }
    /// Of series that decide statuses up to max_order.
    [[nodiscard]] int longest_order() const noexcept
    {
        const int deciding = std::max(memory_.order(), settings_.max_order);
        int order = deciding + 4;
        while (Expansion::deciding_order(order) < deciding) {
            ++order;
        }
        return order;
    }
    [[nodiscard]] double activation_gap_m() const noexcept
    {
        return settings_.activation_gap_m > 0 ? settings_.activation_gap_m : 1e-9;
    }
    /// A gap of this size may be zero.
    [[nodiscard]] double touching_m() const
    {
        return std::max(activation_gap_m(), 1e-12 * q_.cwiseAbs().maxCoeff());
    }
    [[nodiscard]] double left_s() const noexcept { return settings_.time_step_s - done_s_; }

    const Model& model_;
    const SeriesSettings& settings_;
    const SolverSettings& solver_;
    State& state_;
    Scratch& scratch_;
    SeriesMemory& memory_;
    Expansion* x_;
    double start_s_, t_s_;
    double done_s_ = 0;  ///< since the start; t_s_ is start_s_ + done_s_
    EngineBuffers& w_;
    Eigen::VectorXd &q_, &u_;
    std::vector<ContactNow>& contacts_;
    std::vector<Bounce>& bounced_;  ///< contacts of the last impact that left again
    std::vector<double>& work_;
    StepReport report_;
    double defect_ = 0;        ///< of this expansion, where it ends; < 0: not known
    bool negligible_ = false;  ///< it moves nothing by a rounding
    double judged_ = 0;        ///< what the certificate hears of it
    double settled_s_ = 0;     ///< length of the last expansion that had to be shortened; 0: it had not
    double limit_s_ = 0;  ///< of the length of this expansion, where series alone do not show it; 0: none
    bool ended_ = false;  ///< the until formula has become >= 0
    bool until_below_ = false;    ///< it is below zero where this expansion begins, or just behind
    bool until_at_zero_ = false;  ///< it is zero there, to rounding, and the run begins
    bool continues_ = false;      ///< the last report ended in this state: contacts know what it has told
    int quiet_ = 0;               ///< expansions since something happened
    double quiet_s_ = 0, quiet_h_ = 0;  ///< when the last so many of them began, and the length of the first
    int events_ = 0, flips_ = 0;
    double flip_s_ = -1;
};

/// The memory of a scratch, made for this model and order if it is not there.
[[nodiscard]] SeriesMemory& series_memory(const Model& model, int order, Scratch& scratch);

/// The same for a step that begins here, equal contacts joined. A memory that keeps a log has them all.
[[nodiscard]] SeriesMemory& series_memory(const Model& model, int order, const State& state,
                                          Scratch& scratch);

}  // namespace detail
}  // namespace carom
