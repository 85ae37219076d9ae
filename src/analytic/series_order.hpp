#pragma once

#include "series_expansion.hpp"

namespace carom::detail {

/// The problem of one order for the contacts of one island (PS-4): coefficients p of the reactions r and of
/// the local accelerations dU = W r + e, such that every status holds; what is undecided is decided if the
/// order allows it (PS-5).
class OrderProblem {
public:
    OrderProblem(Expansion& expansion, Island& island, int p)
        : x_(expansion), island_(island), work_(expansion.order_), p_(p)
    {
    }

    [[nodiscard]] ExpansionStatus solve();

    /// At order 0 elsewhere, with the statuses that are known: whether what leaves others open is zero there
    /// too (PS-14).
    [[nodiscard]] bool stays_open();

private:
    using Plane = std::array<double, 2>;

    [[nodiscard]] Player& player(int k) const
    {
        return x_.players_[static_cast<std::size_t>(island_.players[static_cast<std::size_t>(k)])];
    }
    [[nodiscard]] int count() const { return static_cast<int>(island_.players.size()); }

    // statuses: series_order.cpp
    void scales();
    void proceed();
    void list_options();
    [[nodiscard]] ExpansionStatus enumerate();
    [[nodiscard]] int count_answers(bool many_leads);
    [[nodiscard]] ExpansionStatus answer(int answers);
    [[nodiscard]] bool next_choices();
    [[nodiscard]] bool unique_where_found() const;
    [[nodiscard]] ExpansionStatus test_matrix();
    [[nodiscard]] bool is_at_edge() const;
    [[nodiscard]] bool presses_by_its_friction();
    [[nodiscard]] bool loads_may_differ() const;
    [[nodiscard]] bool slides_coupled() const;
    [[nodiscard]] bool all_hold() const;
    [[nodiscard]] bool holds(int k, const Choice& choice) const;
    void commit();
    void commit_normal(Player& one);
    void commit_friction(Player& one, const Choice& choice);
    void decide();
    [[nodiscard]] bool all_decided() const;
    [[nodiscard]] double threshold(const Player& one, bool at_rest, double r_n) const;

    // loads of contacts that hold each other: series_order_loads.cpp
    [[nodiscard]] bool take_frictionless();
    [[nodiscard]] bool hold_by_inner_loads();

    // rounding: series_rounding.cpp
    [[nodiscard]] double zero_acceleration(const Player& one) const;
    [[nodiscard]] double zero_reaction(const Player& one) const;
    [[nodiscard]] double threshold_error(const Player& one, bool at_rest) const;
    [[nodiscard]] double friction_rest_error(const Player& one, const Choice& choice, int component) const;
    void bound_solution(SmallSystem& system) const;
    void need_bounds() const;

    // equations: series_order_equations.cpp
    void list_unknowns();
    void base();
    void matrix();
    void right_hand_side();
    [[nodiscard]] bool solve_in();
    [[nodiscard]] double opening(std::size_t a) const;
    [[nodiscard]] bool open_one();
    [[nodiscard]] bool pivot();
    [[nodiscard]] ExpansionStatus try_all_sets();
    void reactions();
    [[nodiscard]] bool solve_equations();
    [[nodiscard]] double mu_d0(const Player& one, const Choice& choice, int component) const;
    [[nodiscard]] double friction_rest(const Player& one, const Choice& choice, int component) const;
    [[nodiscard]] PMatrix is_p(std::span<const double> M, int size);
    [[nodiscard]] PMatrix normal_matrix_is_p();

    // slip that begins in space: series_order_onset.cpp
    void particle_onset(Player& one);
    [[nodiscard]] int try_choices();
    [[nodiscard]] bool leads_are_held() const;
    [[nodiscard]] int try_one_direction();
    [[nodiscard]] int try_directions();
    [[nodiscard]] bool newton();
    [[nodiscard]] bool turn_to(std::span<const double> angles, std::vector<double>& defects);
    void keep_directions(std::span<const double> angles);
    [[nodiscard]] double along(const Player& one, int k) const;
    [[nodiscard]] Plane onset_rest(const Player& one) const;
    [[nodiscard]] Plane onset_known(const Player& one) const;
    [[nodiscard]] double onset_margin(const Player& one) const;
    [[nodiscard]] double zero_margin(const Player& one) const;
    void commit_onset(Player& one, const Choice& choice);
    void commit_slip(Player& one, const Choice& choice);
    void turn_with_reaction(Player& one, const Plane& r);
    [[nodiscard]] Plane direction(const Player& one, int k) const
    {
        const auto at = static_cast<std::size_t>(k);
        return {one.d[at], one.d[x_.stride_ + at]};
    }

    Expansion& x_;
    Island& island_;
    OrderWork& work_;
    int p_;
};

}  // namespace carom::detail
