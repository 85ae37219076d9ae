#pragma once

#include "variational_system.hpp"

#include "analytic/series_log.hpp"
#include "core/dense.hpp"
#include "expression/term.hpp"

#include <array>

namespace carom::detail {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Derivatives of the motion along one piece of a series run (OR-2): their own series, from the same
/// coefficients, with the statuses of the piece.
class VariationalPiece {
public:
    explicit VariationalPiece(const VariationalSystem& system) : system_(system) {}

    /// Takes X, derivatives of (q, u, p) by columns, from the beginning of the piece to its end. False: the
    /// direction of slip that begins in space has no derivative here.
    [[nodiscard]] bool propagate(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses,
                                 Rows& X);

    // where the piece ends
    Eigen::VectorXd q, u, a;  ///< the motion itself
    Rows da;                  ///< derivatives of its accelerations, at that instant

    /// A reaction where the piece ends: its value, its rate and its derivatives, of all its rows.
    struct Reaction {
        int contact = -1, frame = 0, dimension = 1;
        Eigen::VectorXd r, rate;
        Rows dr;
    };
    std::vector<Reaction> reactions;

    /// Derivatives of (q, u) inside the piece, and of the normal reaction of a contact.
    void at(double s, Rows& out) const;
    [[nodiscard]] Rows reaction_at(int contact, double s) const;

    /// Of the minimum of a gap that touches zero at s: 2 mostly, or a higher even number.
    [[nodiscard]] int order_of_touch(int contact, double s) const;
    [[nodiscard]] double length_s() const noexcept { return h_s_; }

private:
    using Entry = VariationalSystem::Entry;
    using Block = VariationalSystem::Block;

    struct Programs {
        SeriesProgram dynamics;
        std::map<std::array<int, 3>, SeriesProgram> contacts;  ///< by contact, frame, and whether it slides
    };
    struct Term {
        int row = 0, column = 0;
        const double* series = nullptr;
        bool constant = false;
        double factor = 1;
    };

    void read(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void hold_sides(SeriesProgram& program, const SeriesPiece& piece);
    void run(SeriesProgram& program, const SeriesPiece& piece);
    [[nodiscard]] SeriesProgram& program_of(int contact, int frame, bool sliding, int order);
    void assemble(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void assemble_contact(const SeriesPiece& piece, const SeriesStatus& status, int first);
    static void add(std::vector<Term>& terms, const SeriesProgram& program, const Entry& entry, int row,
                    int column, double factor);
    void factor();
    void solve_orders(int order, Rows& X);
    void finish(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X);

    const VariationalSystem& system_;
    std::map<int, Programs> programs_;
    std::vector<double> inputs_, middle_;
    std::size_t stride_ = 0;
    double h_s_ = 0;
    int unknowns_ = 0;
    std::vector<Term> M_, J_;  ///< M y = J x, y = (da, dr)
    Eigen::MatrixXd M_0_;
    Lu lu_;
    LeastSquares dependent_;
    bool is_dependent_ = false;
    std::vector<Rows> x_, y_;
    Rows right_;
};

}  // namespace carom::detail
