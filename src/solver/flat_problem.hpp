#pragma once

#include "carom/onestep/residual.hpp"

#include <span>
#include <vector>

namespace carom {

/// A one-step problem packed once into flat arrays, in units in which every interaction is equally heavy:
///
///     x_c = P_c / d_c,    u_c = d_c (U_c + shifts of restitution),    d_c = (trace W_cc / dim)^(-1/2) (SO-6)
///
/// One number per interaction keeps cones as they are. All blocks have the dimension of the largest
/// interaction; rows that an interaction does not have are zero in W and one on the diagonal.
///
/// Theory     docs/theory/solvers.md, (SO-6)

enum class FlatKind : char {
    Unilateral,  ///< x_N >= 0 and nothing else; also friction with mu = 0
    Bilateral,   ///< x_N free, u_N = 0
    Friction,    ///< |x_T| <= mu x_N
};

/// Errors of a point, of the natural map as residual() defines them.
struct FlatError {
    double unit_free = 0;
    double siconos = 0;
    double velocity = 0;  ///< as Residual::velocity

    /// The least tolerance that the point meets: that of is_solved() (OS-10), and Siconos' error as well.
    [[nodiscard]] double worst() const noexcept
    {
        const double ours = solved_to(unit_free, velocity);
        return ours > siconos ? ours : siconos;
    }
};

class FlatProblem {
public:
    /// Laws whose sets are half-lines, lines and circular cones; others need the general path.
    [[nodiscard]] static bool takes(const OneStepProblem& problem) noexcept;

    /// Packs the interactions listed, in increasing order, and what couples them. Keeps its memory.
    void load(const OneStepProblem& problem, std::span<const int> interactions);
    void load(const OneStepProblem& problem);

    [[nodiscard]] int contacts() const noexcept { return static_cast<int>(kind.size()); }
    [[nodiscard]] int size() const noexcept { return contacts() * d; }

    /// Percussions of the whole problem to x and back.
    void gather(const OneStepProblem& problem, std::span<const double> P, std::span<double> x) const;
    void scatter(const OneStepProblem& problem, std::span<const double> x, std::span<double> P) const;

    /// u = W x + q, for one contact and for all.
    void velocity(int c, const double* x, double* u) const noexcept;
    void velocity(std::span<const double> x, std::span<double> u) const noexcept;

    /// The same without the diagonal block: what the others do.
    void drive(int c, const double* x, double* b) const noexcept;

    /// Nearest point of the set of contact c, in place.
    void project(int c, double* x) const noexcept;
    void project(std::span<double> x) const noexcept;

    /// Errors at x; `u` receives W x + q. Infinite where a number is not finite.
    [[nodiscard]] FlatError error(std::span<const double> x, std::span<double> u) const noexcept;
    [[nodiscard]] FlatError error_at(std::span<const double> x, std::span<const double> u) const noexcept;

    int d = 1;                     ///< rows of a block
    std::vector<int> interaction;  ///< in the problem it came from
    std::vector<FlatKind> kind;
    std::vector<double> mu;
    std::vector<double> scale;   ///< d_c
    std::vector<double> q;       ///< d per contact
    std::vector<double> W_cc;    ///< diagonal blocks, row by row
    std::vector<int> row_begin;  ///< of the blocks beside the diagonal
    std::vector<int> column;
    std::vector<double> W_off;

    /// Least denominators of the errors: a part of a problem is measured by the whole. `velocity` is the size
    /// of the velocities of the whole, beside which its percussions are large or not (OS-9).
    FlatError floor;

private:
    void load_laws(const OneStepProblem& problem);
    void load_blocks(const OneStepProblem& problem);

    std::vector<int> place_;  ///< interaction -> contact, -1 outside
    std::vector<int> all_;
};

/// Interactions that act on each other, directly or through others: connected components of W. Those of
/// island k are members[begin[k]] .. members[begin[k + 1]], increasing; islands in the order of their first.
class Islands {
public:
    void find(const OneStepProblem& problem);
    [[nodiscard]] int count() const noexcept { return static_cast<int>(begin_.size()) - 1; }
    [[nodiscard]] std::span<const int> members(int k) const noexcept
    {
        return {members_.data() + begin_[k], static_cast<std::size_t>(begin_[k + 1] - begin_[k])};
    }

private:
    int root(int c) noexcept;

    std::vector<int> parent_, label_, begin_, members_;
};

}  // namespace carom
