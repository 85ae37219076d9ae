#pragma once

#include "variational_system.hpp"

#include "analytic/series_log.hpp"
#include "core/dense.hpp"
#include "expression/term.hpp"

#include <array>
#include <deque>

namespace carom::detail {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Derivatives of the motion along one piece of a series run (OR-2): their own series, from the same
/// coefficients, with the statuses of the piece.
class VariationalPiece {
public:
    explicit VariationalPiece(const VariationalSystem& system) : system_(system) {}

    /// Takes X, derivatives of (q, u, p) by columns, from the beginning of the piece to its end. False: slip
    /// begins in space without a reaction that turns it, or is so slow that coefficients leave the numbers,
    /// or a formula has no finite derivative.
    [[nodiscard]] bool propagate(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses,
                                 Rows& X);

    /// Slip in space ends with the piece, which is too short to matter: the motion is that of its beginning,
    /// where slip still has a direction (OR-26).
    void hold(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X);

    /// The side that is taken of switches at which the whole piece stays; 0: any.
    int side_of_zero = 0;

    // where the piece ends
    Eigen::VectorXd q, u, a;  ///< the motion itself
    Rows da;                  ///< derivatives of its accelerations, at that instant

    /// A reaction where the piece ends: its value, its rate and its derivatives, of all its rows.
    struct Reaction {
        int contact = -1, frame = 0, dimension = 1;
        bool slides = false;
        Eigen::VectorXd r, rate;
        Rows dr;
    };
    std::vector<Reaction> reactions;

    /// Derivatives of (q, u) inside the piece, and of the reaction of a contact, all its rows.
    void at(double s, Rows& out) const;
    [[nodiscard]] Rows reaction_at(int contact, double s) const;

    /// Directions times T from here on, in what is told of the end of the piece.
    void change_columns(const Eigen::MatrixXd& T);

    /// Of the minimum of a gap that touches zero at s: 2 mostly, or a higher even number.
    [[nodiscard]] int order_of_touch(int contact, double s) const;
    [[nodiscard]] double length_s() const noexcept { return h_s_; }

private:
    using Entry = VariationalSystem::Entry;
    using Block = VariationalSystem::Block;

    struct Programs {
        SeriesProgram dynamics;
        std::map<std::array<int, 3>, SeriesProgram> contacts;  ///< by contact, frame and which of its blocks
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
    enum class Part { Frame, Sliding, Onset };
    [[nodiscard]] SeriesProgram& program_of(int contact, int frame, Part part, int order);
    [[nodiscard]] bool assemble(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void assemble_contact(const SeriesPiece& piece, const SeriesStatus& status, int first);
    static void add(std::vector<Term>& terms, const SeriesProgram& program, const Entry& entry, int row,
                    int column, double factor);
    /// Slip that begins in space (OR-25): the direction of slip is an unknown of its own, d + xi e.
    struct Onset {
        int row = 0;            ///< of its equation, and of xi among the unknowns
        std::vector<double> S;  ///< speed of slip
        std::vector<std::pair<int, std::vector<double>>> slopes;  ///< of e.U_T, by columns of x
    };
    [[nodiscard]] bool assemble_onset(const SeriesPiece& piece, const SeriesStatus& status, int first,
                                      int row);
    [[nodiscard]] const double* own(std::vector<double> series);
    void add_onset_rows(int p, const Rows& dp);
    [[nodiscard]] bool turns_with_order() const;
    void factor(int p);
    [[nodiscard]] bool solve_orders(int order, Rows& X);
    void finish(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X);
    void read_motion(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, double s);

    const VariationalSystem& system_;
    std::map<int, Programs> programs_;
    std::vector<double> inputs_, middle_;
    std::size_t stride_ = 0;
    double h_s_ = 0;
    int unknowns_ = 0;
    std::vector<Term> M_, J_;  ///< M y = J x, y = (da, dr), and xi of onsets
    std::vector<Onset> onsets_;
    std::deque<std::vector<double>> own_;  ///< products of series that terms point to
    Eigen::MatrixXd M_0_;
    Lu lu_;
    LeastSquares dependent_;
    bool is_dependent_ = false;
    std::vector<Rows> x_, y_;
    Rows right_;
};

}  // namespace carom::detail
