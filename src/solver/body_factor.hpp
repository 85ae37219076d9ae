#pragma once

#include "core/messages.hpp"
#include "solver/budget.hpp"
#include "solver/elimination.hpp"

#include <Eigen/Dense>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace carom {

/// L U of a sparse matrix with a block of six rows per body and one for each pair of bodies that touch:
/// symmetric in its pattern, not in its values. Bodies are eliminated in an order of least degree, chosen
/// once for a pattern; within blocks rows follow each other without pivoting, by triangular solves and never
/// by inverses of blocks, whose condition is beyond what these leave of the digits.
///
/// Ranks of a run share a factorisation that takes long: panels, which are bodies in a row in that order, are
/// dealt to them in turn. A panel is eliminated by its rank and sent to the others, and each subtracts the
/// products from the panels that are its own. Whatever is subtracted from a block is so in the order of the
/// elimination, as one process does it.
///
/// Theory     docs/theory/solvers.md, (SO-37); docs/theory/machines.md, (MA-7)
class BodyFactor {
public:
    using Block = Eigen::Matrix<double, 6, 6>;
    using Vector = Eigen::Matrix<double, 6, 1>;

    /// Order and pattern. A pair names two bodies; pairs may repeat.
    void analyse(int bodies, std::span<const std::array<int, 2>> pairs);

    /// Products of blocks that a factorisation takes: its cost, known before.
    [[nodiscard]] double products() const noexcept { return products_; }

    void set_identity();
    /// The block of a body, or of a pair of the pattern.
    [[nodiscard]] Block& at(int i, int j);

    /// False where a pivot is zero or not a number, or once the budget has expired.
    [[nodiscard]] bool factorise(const Budget& budget);

    /// b <- A^-1 b, one vector per body.
    void solve(std::vector<Vector>& b);

private:
    /// Bodies in a row, and the messages that take their blocks to all others, or from its rank.
    struct Panel {
        int begin = 0, end = 0, rank = 0;
        std::vector<std::unique_ptr<Messages::Line>> lines;
    };

    [[nodiscard]] bool divide(int place);
    template <class Wanted>
    void subtract(int place, Wanted wanted);

    void deal_panels(Messages* ranks);
    void open_lines(Messages& ranks, Panel& panel);
    [[nodiscard]] bool factorise_panels(const Budget& budget);
    void eliminate(Panel& panel, const Budget& budget, bool& good);
    void subtract(const Panel& from, std::size_t first_panel, std::size_t last_panel);

    double products_ = 0;
    Elimination pattern_;
    std::vector<Block> L_, U_, diagonal_;  ///< L_ and U_ as pattern_.rows
    std::vector<Vector> work_;

    Messages* dealt_to_ = nullptr;       ///< who shares the panels
    std::vector<Panel> panels_;          ///< none: this process does it all
    std::vector<std::size_t> panel_of_;  ///< per place
};

}  // namespace carom
