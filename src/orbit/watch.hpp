#pragma once

#include "variational_piece.hpp"

#include "carom/orbit/periodic.hpp"

#include <functional>

namespace carom::detail {

/// The derivative of a series at s.
[[nodiscard]] double series_rate(const double* x, int order, double s) noexcept;

/// Roots in (0, h) at which a function changes its sign, seen at equal distances and halved to rounding;
/// whether it rises there.
void for_each_root(double h, const std::function<double(double)>& f,
                   const std::function<void(double, bool)>& visit);

/// Looks along a motion: extrema of coordinates, and how near it is to other sequences of events (OR-12).
class Watch {
public:
    Watch(VariationalSystem& system, const State& start);

    void look(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);

    /// Slopes of what was seen on the last piece, by the columns of X.
    void differentiate(const VariationalPiece& piece, const Rows& X);

    Eigen::VectorXd lowest, highest, last_acceleration;
    std::vector<Nearness> near;

private:
    void look_at_coordinates(const SeriesPiece& piece);
    void look_at_gap(const SeriesPiece& piece, int contact);
    void look_at_reaction(const SeriesPiece& piece, int contact, bool begins);
    void look_at_ends(const SeriesPiece& piece, Nearness::Kind kind, int contact,
                      const std::function<double(double)>& value, bool begins);
    [[nodiscard]] bool begins_with_event(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void look_at_reversal(const SeriesPiece& piece, const SeriesStatus& status);
    void look_at_slip(const SeriesPiece& piece, const SeriesStatus& status);
    void look_at_stick(const SeriesPiece& piece, const SeriesStatus& status, bool begins);
    /// Of a contact that sticks: what friction has left, its rate, and its slopes by mu_s and by the
    /// reaction.
    struct Margin {
        double value = 0, rate = 0, by_mu = 0;
        Eigen::RowVectorXd by_reaction;
    };
    [[nodiscard]] Margin margin(const SeriesPiece& piece, const SeriesStatus& status, int side, double s);
    /// U_T of a contact in the plane at s, and its rate.
    struct Slip {
        double U = 0, rate = 0;
    };
    [[nodiscard]] Slip slip(const SeriesPiece& piece, int contact, double s);
    [[nodiscard]] double approach(const SeriesPiece& piece, int contact, double s);

    VariationalSystem& system_;
    Workspace work_;
    std::size_t first_ = 0;  ///< of `near`, on the last piece
    struct Hold {
        std::size_t near = 0;
        double by_mu = 0;
        Eigen::RowVectorXd by_reaction;
    };
    std::vector<Hold> holds_;           ///< slopes of what friction has left, on the last piece
    double piece_s_ = 0;                ///< where it begins
    bool after_event_ = false;          ///< there
    std::vector<Nearness> at_end_;      ///< of the last piece: they count if it ends with an event
    std::vector<SeriesStatus> before_;  ///< statuses of the last piece
    Eigen::VectorXd u_before_;          ///< and where it has come to
    Eigen::VectorXd q_, u_;
};

}  // namespace carom::detail
