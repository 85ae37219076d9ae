#pragma once

#include "series_expansion.hpp"

namespace carom::detail {

/// The problem of one order for the contacts of one island (PS-4): coefficients p of the reactions r and of
/// the local accelerations dU = W r + e, such that every status holds; what is undecided is decided if the
/// order allows it (PS-5).
class OrderProblem {
public:
    OrderProblem(Expansion& expansion, Island& island, int p);

    [[nodiscard]] ExpansionStatus solve();

private:
    /// What a contact does, and the direction of its slip in the plane.
    struct Choice {
        Mode mode = Mode::Off;
        int side = 0;
    };
    struct Unknown {
        int player = 0;
        int component = 0;
        bool complementary = false;  ///< undecided normal: r >= 0, dU >= 0, one of them zero
        bool in = true;              ///< its equation dU = 0 holds; else r = 0
    };

    [[nodiscard]] Player& player(int k) const
    {
        return x_.players_[static_cast<std::size_t>(island_.players[static_cast<std::size_t>(k)])];
    }
    [[nodiscard]] int count() const { return static_cast<int>(island_.players.size()); }

    void scales();
    [[nodiscard]] std::vector<Choice> options(const Player& one) const;
    [[nodiscard]] bool try_choices(const std::vector<Choice>& choices);
    void list_unknowns(const std::vector<Choice>& choices);
    void matrix(const std::vector<Choice>& choices);
    [[nodiscard]] bool pivot();
    void reactions(const std::vector<Choice>& choices);
    [[nodiscard]] bool holds(int k, const Choice& choice) const;
    [[nodiscard]] bool is_p_matrix() const;
    [[nodiscard]] bool slides_coupled(const std::vector<Choice>& choices) const;
    ExpansionStatus commit(const std::vector<Choice>& choices);
    void commit_normal(Player& one);
    void commit_friction(Player& one, const Choice& choice);
    void onset(Player& one);
    [[nodiscard]] double friction_rest(const Player& one, const Choice& choice, int component) const;
    [[nodiscard]] double mu_d0(const Player& one, const Choice& choice, int component) const;
    [[nodiscard]] double threshold(const Player& one, bool at_rest, double r_n) const;
    [[nodiscard]] double zero_acceleration(const Player& one) const;
    [[nodiscard]] double zero_reaction(const Player& one) const;
    [[nodiscard]] bool all_decided() const;

    Expansion& x_;
    Island& island_;
    int p_;
    std::vector<Unknown> unknowns_;
    Eigen::MatrixXd M_;
    Eigen::VectorXd right_, z_;
};

}  // namespace carom::detail
