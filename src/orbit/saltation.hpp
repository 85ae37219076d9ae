#pragma once

#include "variational_piece.hpp"

#include <optional>
#include <string>

namespace carom::detail {

/// Why derivatives end at an instant.
struct Loss {
    std::string kind;  ///< grazing, simultaneous, threshold, collapse, onset, map, start
    int contact = -1;
    int order = 0;  ///< grazing: of the minimum of the gap
    std::string words;
};

[[nodiscard]] std::string words_of_graze(int order);

/// What an instant does to derivatives (OR-3): instants move with the data, and so does the state there.
class Saltation {
public:
    explicit Saltation(VariationalSystem& system) : system_(system) {}

    /// An instant whose causes are known. `before` is where its piece ends, X the derivatives there at a
    /// fixed time. False: they end here, and `loss` says why.
    [[nodiscard]] bool cross(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                             Differentiated* until);

    /// The run begins with a jump.
    [[nodiscard]] bool begin(const SeriesInstant& instant, const Eigen::VectorXd& q, const Rows& X);

    /// More at the same instant, before any time has passed.
    [[nodiscard]] bool proceed(const SeriesInstant& instant);

    /// Derivatives at fixed time behind the instant, from the velocity and acceleration there.
    void leave(const Eigen::VectorXd& u_plus, const Eigen::VectorXd& a_plus, Rows& X);

    Rows dt;  ///< of the instant, one row
    struct Percussion {
        int contact = 0;
        double P = 0, U_minus = 0, U_plus = 0;  ///< normal
        Rows dP, dU_minus, dU_plus;
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
    [[nodiscard]] bool instant_moves(const SeriesInstant& instant, const VariationalPiece& before,
                                     const Rows& X, Differentiated* until);
    [[nodiscard]] bool root_moves(const SeriesCause& cause, const VariationalPiece& before, const Rows& X,
                                  Differentiated* until, Rows& dt);
    [[nodiscard]] bool threshold_moves(const SeriesCause& cause, const VariationalPiece::Reaction& reaction,
                                       const VariationalPiece& before, const Rows& X, Rows& dt);
    [[nodiscard]] Eigen::Index nearest_switch(const VariationalPiece& before);
    [[nodiscard]] bool graze(int contact, const VariationalPiece& before, const Rows& X);
    void accumulation_moves(int contact, Rows& dt);
    [[nodiscard]] bool quotient(double rate, double scale, const Rows& dg, int contact, Rows& dt);
    [[nodiscard]] bool jump(const SeriesJump& jump);
    [[nodiscard]] bool jump_by_formulas(const SeriesJump& jump);
    [[nodiscard]] bool law_rows(const SeriesJump& jump, std::size_t k, bool by_map, Eigen::MatrixXd& M,
                                Rows& right);
    [[nodiscard]] std::size_t frame_of(VariationalSystem::ContactFunctions& contact, const SeriesJump& jump);
    [[nodiscard]] Eigen::MatrixXd kinetic_matrix();
    void tell(const SeriesJump& jump, std::size_t k, const Rows& dP, const Rows& Du_before,
              const Rows& Du_after);
    void close_gaps(const SeriesJump& jump);
    bool lose(std::string kind, int contact, std::string words);
    /// Derivatives of functions along all data, the instant included.
    [[nodiscard]] Rows along(const Differentiated& functions) const { return functions.slope * D_; }

    VariationalSystem& system_;
    Workspace work_;
    double t_s_ = 0, t_before_s_ = 0;
    Eigen::VectorXd q_;
    Rows D_;  ///< of q, u, p and t, moving with the instant

    // behind the last instant: where an accumulation may begin
    Eigen::VectorXd u_plus_, a_plus_;
};

}  // namespace carom::detail
