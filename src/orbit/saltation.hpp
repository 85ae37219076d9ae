#pragma once

#include "expression/workspace.hpp"
#include "law_rows.hpp"
#include "map_differences.hpp"

#include <optional>
#include <string>

namespace carom::detail {

[[nodiscard]] std::string words_of_graze(int order);

/// What an instant does to derivatives (OR-3): instants move with the data, and so does the state there.
class Saltation {
public:
    Saltation(VariationalSystem& system, const Model& model, double length_m)
        : system_(system), model_(model), length_m_(length_m)
    {
    }

    /// An instant whose causes are known. `before` is where its piece ends, X the derivatives there at a
    /// fixed time. False: they end here, and `loss` says why.
    [[nodiscard]] bool cross(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                             Differentiated* until);

    /// The run begins with a jump.
    [[nodiscard]] bool begin(const SeriesInstant& instant, const Eigen::VectorXd& q, const Rows& X);

    /// The run begins at an instant that moves with the data by dt; D are derivatives along it.
    void begin_moving(double t_s, const Eigen::VectorXd& q, const Rows& D, const Rows& dt);

    /// More at the same instant, before any time has passed.
    [[nodiscard]] bool proceed(const SeriesInstant& instant);

    /// Derivatives at fixed time behind the instant, from the velocity and acceleration there.
    void leave(const Eigen::VectorXd& u_plus, const Eigen::VectorXd& a_plus, Rows& X);

    /// Contacts whose slip in space ended stick on the piece behind the instant, and no others began to
    /// (OR-26). False: `loss` says what is wrong.
    [[nodiscard]] bool rests_as_told(const std::vector<SeriesStatus>& after);

    /// Directions times T from here on: what impacts that may accumulate have left goes along.
    void change_columns(const Eigen::MatrixXd& T);
    void forget_bounces() { bounces_.clear(); }

    Rows dt;  ///< of the instant, one row
    struct Percussion {
        int contact = 0;
        double P = 0, U_minus = 0, U_plus = 0;  ///< normal
        Rows dt;                                ///< of its instant: several at once may be pulled apart
        Rows dP, dU_minus, dU_plus;
        std::optional<ImpactFriction> friction = {};
    };
    std::vector<Percussion> percussions;
    /// Gaps that touch zero at the instant: where they stay open instead, nothing happens.
    struct Graze {
        int contact = 0, order = 2;
        Rows dgap;  ///< of the smallest gap, one row
        std::string words;
    };
    bool is_one_sided = false;  ///< derivatives go on behind a touch, for data that keep the gap open
    std::vector<Graze> grazes;  ///< of the last instant
    Rows Du_minus, Du_plus;     ///< of the velocities before and after, moving with the instant
    std::optional<Loss> loss;

private:
    /// How the instant moves by each of its causes. False: one of them has no derivative.
    [[nodiscard]] bool instant_moves(const SeriesInstant& instant, const VariationalPiece& before,
                                     const Rows& X, Differentiated* until, std::vector<Rows>& instants);
    [[nodiscard]] bool root_moves(const SeriesCause& cause, const VariationalPiece& before, const Rows& X,
                                  Differentiated* until, Rows& dt);
    [[nodiscard]] bool threshold_moves(const SeriesCause& cause, const VariationalPiece::Reaction& reaction,
                                       const VariationalPiece& before, const Rows& X, Rows& dt);
    // slip in space that ends
    struct Stop;
    [[nodiscard]] bool stop_moves(const SeriesCause& cause, const VariationalPiece& before, const Rows& X,
                                  Rows& dt);
    [[nodiscard]] Stop stop_of(int contact, const VariationalPiece& before);
    [[nodiscard]] bool take_out_slip(const VariationalPiece& before);
    [[nodiscard]] Eigen::Index nearest_switch(const VariationalPiece& before);
    [[nodiscard]] bool graze(int contact, const VariationalPiece& before, const Rows& X);

    /// Behind an impact of a contact alone: where its impacts may begin to accumulate.
    struct Bounce {
        double t_s = 0, v = 0;  ///< its instant, and the speed with which it leaves
        Eigen::VectorXd q, u_plus, a_plus;
        Rows D, dt;
    };
    void forget_instant();
    void remember_kind(const SeriesInstant& instant);
    void remember_bounce();
    /// Where the impacts of the contact that follow accumulate: how long it takes, and its derivatives.
    struct Tail {
        double v = 0, rest_s = 0;
        Rows dt;
    };
    [[nodiscard]] Tail tail_of(int contact, const Bounce& last);
    void extrapolate(const SeriesInstant& instant);
    [[nodiscard]] bool quotient(double rate, double scale, const Rows& dg, int contact, Rows& dt);
    [[nodiscard]] bool jump(const SeriesJump& jump);
    [[nodiscard]] bool turns_by_its_law(const SeriesJump& jump);
    [[nodiscard]] bool jump_by_laws(const SeriesJump& jump, std::optional<double> map_restitution);
    [[nodiscard]] bool jump_by_formulas(const SeriesJump& jump);
    [[nodiscard]] bool jump_in_sequence(const SeriesJump& jump);
    [[nodiscard]] LawRows rows_of(const SeriesJump& jump, std::size_t k,
                                  std::optional<double> map_restitution);
    [[nodiscard]] SeriesJump alone(int contact, const Eigen::VectorXd& u, double restitution);
    void add_up_percussions(std::size_t from);

    // maps that are known by their values
    /// A (Du+ - Du-) = H^T DP + given.
    struct Balance {
        Eigen::MatrixXd A, HT;
        Rows given;
    };
    [[nodiscard]] bool jump_by_map(const SeriesJump& jump);
    [[nodiscard]] Balance balance_of(const SeriesJump& jump);
    [[nodiscard]] MapData data_of(const SeriesJump& jump, const ImpactContacts& like);
    [[nodiscard]] std::vector<MapData> directions_of(const SeriesJump& jump, const ImpactContacts& like);
    [[nodiscard]] std::optional<SeriesJump> alone_by_map(int contact, const Eigen::VectorXd& u);
    [[nodiscard]] SeriesJump alone_by_formulas(int contact, const Eigen::VectorXd& u);

    // impacts that come together, one after the other
    struct Striking {
        Eigen::VectorXd u, a;
        Rows X;  ///< of (q, u, p) at a fixed time
    };
    [[nodiscard]] bool split(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                             const std::vector<Rows>& instants);
    [[nodiscard]] bool can_be_ordered(const SeriesInstant& instant) const;
    [[nodiscard]] std::optional<ImpactOrder> in_order(const std::vector<int>& wanted, const SeriesJump& joint,
                                                      Striking now);
    [[nodiscard]] bool strike_alone(int contact, const SeriesJump& joint, Striking& now);
    [[nodiscard]] Eigen::VectorXd forces_at(const Eigen::VectorXd& u);
    void record_percussion(const SeriesJump& jump, std::size_t k, const Rows& dP, const Rows& Du_before,
                           const Rows& Du_after);
    void close_gaps(const SeriesJump& jump);
    bool lose(std::string kind, int contact, std::string words);
    /// Derivatives of functions along all data, the instant included.
    [[nodiscard]] Rows along(const Differentiated& functions) const { return functions.slope * D_; }

    VariationalSystem& system_;
    const Model& model_;
    double length_m_;
    Workspace work_;
    double t_s_ = 0, t_before_s_ = 0;
    Eigen::VectorXd q_;
    Rows D_;  ///< of q, u, p and t, moving with the instant

    Eigen::VectorXd u_plus_, a_plus_;  ///< behind the last instant
    int struck_alone_ = -1;            ///< the contact of the last instant, if it struck alone
    double friction_used_ = 0;         ///< and its |P_T| / P_N
    std::vector<int> stopped_;         ///< contacts whose slip in space ends at the last instant
    std::vector<int> opposed_;         ///< those of them that slid against what turns slip (OR-27)
    std::vector<int> slid_;            ///< contacts that slid in space before it; empty where velocities jump
    std::vector<Bounce> bounces_;      ///< of one contact, without anything else between them
};

}  // namespace carom::detail
