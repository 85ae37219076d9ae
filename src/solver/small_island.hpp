#pragma once

#include "carom/onestep/problem.hpp"
#include "solver/budget.hpp"

#include <span>
#include <vector>

namespace carom {

/// One island of a one-step problem, dense, in units in which the compliance D of the rule (SO-31) is one:
///
///     x_c = P_c / d_c,   u_c = d_c U_c,   u = W x + q,    d_c = D^(-1/2) at contacts, the same for all of
///     them
///
/// and Newton's method for the problem with a compliance eps:  u = (W + eps) x + q - eps centre. The
/// equations are those of (SO-8) for half-lines, lines, bounds and cones, and the natural map with
/// differences for other sets, as in (SO-22).
///
/// Theory     docs/theory/solvers.md, (SO-31) to (SO-34)
class SmallIsland {
public:
    /// Coulomb's law, or the convex problem without de Saxce's shift, -U in N_C(P), which has a solution
    /// whenever contacts can be wedged (SO-34). Crossed: Coulomb's law where sliding is written without the
    /// direction of the velocity (SO-35).
    enum class Equations { Coulomb, Associated, Crossed };

    void load(const OneStepProblem& problem, std::span<const int> members);

    [[nodiscard]] int rows() const noexcept { return n_; }
    [[nodiscard]] bool has_friction() const noexcept { return has_friction_; }

    /// Rank of W by elimination with the largest pivots first.
    [[nodiscard]] int rank();

    /// Factors of earlier calls are not used again.
    void forget_factors() noexcept { eps_factor_ = -1; }

    /// (SO-33): no other motion solves the problem. After rank().
    [[nodiscard]] bool is_unique();

    /// Contacts that may be wedged (SO-34), or whose friction acts on their own pressure strongly: there is
    /// no motion found that opens all of them faster than they slide, or mu |W_NT| > W_NN / 2 somewhere.
    [[nodiscard]] bool may_have_several();

    void gather(std::span<const double> P, std::span<double> x) const;
    void scatter(std::span<const double> x, std::span<double> P) const;

    /// The rule (SO-31), computed by (SO-32), from x on. False where it has not settled.
    [[nodiscard]] bool select(std::span<double> x);

    /// A solution of the equations as they are, near x.
    [[nodiscard]] bool settle(Equations equations, std::span<double> x);

    /// From a large compliance down to the smallest; the start hardly matters.
    [[nodiscard]] bool follow_compliance(Equations equations, std::span<double> x);

    /// Percussions in the cones with which nothing moves (SO-40): u = 0 solves Coulomb's law whatever the
    /// friction does. False where there are none, or a law has no cone. Round cones by edges of theirs.
    [[nodiscard]] bool hold(std::span<double> x) const;

    /// A solution of Coulomb's law to the tolerance from many starts (SO-35), where other methods have
    /// failed; x becomes the best point seen. Returns the number of attempts.
    int search(const Budget& budget, std::span<double> x);

    /// x solves the equations to the tolerance, with every contact either pressed or opening. One that
    /// touches without a load may have to take its part of it.
    [[nodiscard]] bool is_still_solution(std::span<const double> x, double tolerance);

    /// Error of x beside its own size, and beside that of velocities alone.
    struct Error {
        double unit_free = 0, velocity = 0;
    };
    [[nodiscard]] Error error(std::span<const double> x);

    /// u = W x + q, with the shifts of restitution.
    void velocity(std::span<const double> x, std::span<double> u) const;

    /// Per interaction: where x is in its set. Interactions with the same places have the same equations.
    void places(std::span<const double> x, std::vector<char>& out) const;

    /// Nothing acts, and every contact opens.
    [[nodiscard]] bool leaves(std::span<const double> x);

    /// Largest change of a component from the velocities before the step to u.
    [[nodiscard]] double change(std::span<const double> u) const;

    /// Size of the velocities that drive it.
    [[nodiscard]] double drive() const noexcept { return q_size_; }

    [[nodiscard]] double metres_per_second(int row) const noexcept { return 1 / scale_[row]; }

private:
    enum class Kind : char { HalfLine, Line, Bounds, Plane, Disc, Rough, Other };

    struct Member {
        const Law* law = nullptr;
        std::span<const double> U_minus;
        int from = 0;   ///< first component in the problem
        int first = 0;  ///< and here
        int size = 1;
        Kind kind = Kind::HalfLine;
        double low = 0, high = 0;  ///< bounds of x, or of x_T / x_N; high of a disc is mu
        double rho_N = 1, rho_T = 1;
        int block = 0;  ///< where its blocks begin
    };

    void load_rows(const OneStepProblem& problem, std::span<const int> members, std::size_t k);
    void load_member(const OneStepProblem& problem, int c, Member& member);
    void evaluate(Equations equations, double eps, std::span<const double> centre, std::span<const double> x);
    void evaluate_member(Equations equations, const Member& member, char& status, std::span<const double> x);
    void friction(const Member& member, char& status, const double* x, const double* u, double* F, double* E,
                  double* C) const;
    void crossed(const Member& member, char& status, const double* x, const double* u, double* F, double* E,
                 double* C) const;
    void cone(const Member& member, char& status, const double* x, const double* u, double* F, double* E,
              double* C) const;
    void differences(Equations equations, const Member& member, const double* x, const double* u, double* F,
                     double* E, double* C) const;
    [[nodiscard]] bool factorise(double eps);
    void solve(std::span<double> b) const;
    /// Where it succeeds the equations have been evaluated at x.
    [[nodiscard]] bool newton(Equations equations, double eps, std::span<const double> centre,
                              std::span<double> x);
    [[nodiscard]] bool newton(Equations equations, double eps, std::span<const double> centre,
                              std::span<double> x, int max_steps, int max_halvings);
    [[nodiscard]] bool press_softly(std::span<double> x);
    [[nodiscard]] bool settle_in_place(std::span<double> x);
    void sweep(double eps, std::span<double> x, int sweeps);
    void project(std::span<double> x) const;
    [[nodiscard]] bool bends() const;
    [[nodiscard]] bool goes_in_circles();
    [[nodiscard]] bool is_factor_of(Equations equations, double eps) const;

    int n_ = 0;
    bool has_friction_ = false;
    double q_size_ = 0;
    std::vector<Member> members_;
    std::vector<double> scale_;              ///< d_c per row
    std::vector<double> W_, W_columns_, q_;  ///< W by rows, and by columns
    std::vector<double> u_, F_, E_, C_;      ///< of the last evaluation
    std::vector<char> status_, status_before_, status_factor_;
    std::vector<char> history_;  ///< statuses of the full steps so far, wherever they have changed
    std::vector<double> J_, column_, dx_, trial_, centre_, zero_, start_, before_;
    std::vector<int> pivot_;
    bool keep_ = false;     ///< statuses stay as they are
    bool insists_ = false;  ///< Newton's method goes on where no part of a step brings it nearer
    double eps_factor_ = -1;
    Equations equations_factor_ = Equations::Coulomb;
};

}  // namespace carom
