#pragma once

#include "differentiated.hpp"

#include "carom/system/lagrangian/model.hpp"
#include "expression/series_program.hpp"
#include "scene/symbols.hpp"
#include "system/lagrangian/contact_expressions.hpp"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace carom::detail {

/// The equations of motion of a scene, differentiated (OR-2):
///
///     A da - H^T dr = d(K - A a + H^T r)       dynamics
///     H da          = -d(H a + gamma)          rows of contacts that hold
///     dr_T + mu d dr_N = -d(mu r_N d)          rows of contacts that slide
///
/// where d on the right is the derivative in x = (q, u, p) at fixed accelerations a and reactions r.
///
/// Columns of x: coordinates, velocities, parameters; of numbers also the time, last.
class VariationalSystem {
public:
    VariationalSystem(const SceneSymbols& symbols, const Model& model);

    /// A coefficient: output `out` of a program stands at (row, column).
    struct Entry {
        int row = 0, column = 0, out = 0;
    };
    /// Coefficients as series.
    struct Block {
        std::vector<int> nodes;
        std::vector<Entry> A, x, H, HT_x, c_x, bound_x, mu, slip_x, slip_r;
    };
    struct ContactFunctions {
        int dimension = 1, offset = 0;  ///< of its rows among all reactions
        bool friction = false, rough = false;
        double low = -1, high = 1;
        std::vector<int> support;
        std::vector<Block> frames;   ///< H, HT_x, c_x, and in the plane mu and bound_x
        std::vector<Block> sliding;  ///< in space: slip_x, slip_r, for each frame
        std::vector<Block> onset;    ///< in space: U_T itself, slip_x its slopes, mu, bound_x, for each frame

        int gap_node = 0;
        Differentiated gap;                ///< g
        std::vector<Differentiated> U;     ///< rows of U, for each frame
        std::vector<Differentiated> HT_r;  ///< H^T r, for each frame
        Differentiated coefficients;       ///< mu, static mu, e, e_T
        int U_N_rate_node = 0;             ///< of U_N along the motion
    };

    [[nodiscard]] int coordinates() const noexcept { return n_; }
    [[nodiscard]] int parameters() const noexcept { return parameters_; }
    [[nodiscard]] int columns() const noexcept { return 2 * n_ + parameters_; }  ///< of x
    [[nodiscard]] int extended() const noexcept { return extended_; }
    [[nodiscard]] int reactions() const noexcept { return reactions_; }
    [[nodiscard]] int acceleration_at(int i) const noexcept { return first_symbol_ + parameters_ + i; }
    [[nodiscard]] int reaction_at(int i) const noexcept { return acceleration_at(n_) + i; }
    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

    /// The point of numbers: coordinates, parameters, accelerations (or the jump of velocities) and
    /// reactions (or percussions).
    struct Place {
        std::vector<double> q, u;
        double t_s = 0;
        [[nodiscard]] Point point() const { return {q, u, t_s}; }
    };
    [[nodiscard]] Place place(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u) const;
    void set_parameters(std::span<const double> values) { values_.assign(values.begin(), values.end()); }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }

    /// Functions of formulas of the scene, differentiated in x and t.
    [[nodiscard]] Differentiated functions_of(const std::vector<Formula>& formulas);

    /// kappa, what curvature and motion of its obstacle make of U_N of a contact per second (MS-8).
    [[nodiscard]] Differentiated curvature_of(int contact);

    Block dynamics;
    std::vector<ContactFunctions> contacts;
    Differentiated balances;                          ///< forces less inertia, accelerations in their places
    Differentiated kinetic;                           ///< A w, w in the place of the accelerations
    Differentiated map_after;                         ///< velocities after an impact by a map of formulas
    Differentiated switches;                          ///< functions whose sign chooses pieces of formulas
    static constexpr double switch_rounding = 1e-13;  ///< what counts as zero of them, over the state
    bool has_map_of_formulas = false;
    std::string impact_map;
    double map_restitution = 1;

private:
    [[nodiscard]] int along_motion(int node);
    void add_dynamics(const LagrangianSystem& system);
    void add_contact(const Contact& text, int c, const Model& model);
    void add_frame(const Contact& text, TangentAxis axis, ContactFunctions& contact);
    void add_sliding(const std::vector<int>& U, ContactFunctions& contact, int mu);
    void add_switches();
    void add_slopes(Block& block, std::vector<Entry>& entries, int row, int node,
                    bool with_velocities = true);
    [[nodiscard]] int variable(Variable::Kind kind, int i) { return graph_.variable({kind, i}); }
    [[nodiscard]] int acceleration(int i) { return variable(Variable::Kind::Coordinate, acceleration_at(i)); }
    [[nodiscard]] int reaction(int i) { return variable(Variable::Kind::Coordinate, reaction_at(i)); }

    Graph graph_;
    int n_, parameters_, first_symbol_;
    int reactions_ = 0, extended_ = 0;
    std::vector<double> values_;
    std::vector<Variable> x_, x_and_t_;
    std::vector<int> roots_;  ///< what switches are looked for in
};

}  // namespace carom::detail
