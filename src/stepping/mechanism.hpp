#pragma once

#include "solver/block_cholesky.hpp"
#include "system/bodies/joint_rows.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// The rows that joints hold as one system over the graph of the joints:
///
///     W = H A^-1 H^T,      one block row per joint, coupled where two joints share a body that moves (BO-30)
///
/// A chain or a tree is factorised in linear time, loops fill in. The factor of one place serves at the
/// places nearby: what it leaves of a right-hand side is measured by the rows themselves and solved for
/// again, which is Newton's method with an old matrix. Redundant joints make W singular; it is factorised
/// with a small part of its diagonal added then, and the repetitions lead to the solution of least norm.
///
/// Theory     docs/theory/bodies.md, (BO-30)
class Mechanism {
public:
    /// Rows among `rows` from `first` on, one part each, that are firm in the sense of `is_firm`. The pattern
    /// is analysed where it is not that of the last load; true where it is.
    template <class IsFirm>
    bool load(const BodyModel& model, const BodyRows& rows, std::span<const JointPart> parts, int first,
              IsFirm&& is_firm)
    {
        begin_pattern();
        int row = first;
        for (const JointPart& part : parts) {
            if (is_firm(part)) add_row(rows, row, part.joint);
            row += part.dimension;
        }
        return finish_pattern(model);
    }

    /// False where W is not a matrix of finite numbers. `rows` have their inertia set.
    [[nodiscard]] bool factorise(const BodyModel& model, const BodyRows& rows);

    /// Whether the factor may be used for rows a little further: not where joints depend on each other, or
    /// nearly.
    [[nodiscard]] bool serves_nearby() const noexcept { return serves_nearby_; }

    /// None where the factor would be too large, as where hundreds of joints share a body.
    [[nodiscard]] int size() const noexcept { return static_cast<int>(rows_.size()); }

    /// The rows that are held, in the order of flat vectors.
    [[nodiscard]] std::span<const int> rows() const noexcept { return rows_; }

    /// r <- W^-1 r with the factor, flat.
    void solve(std::span<double> r) const { factor_.solve(r); }

    /// Percussions P, added to, that make  b + H u = 0  with the velocities they cause, added to u = (v, w).
    /// `b` may be empty: zero. False where more than rounding is left: the rows contradict each other, or,
    /// where the factor is that of another place, a new one would cost less than what it takes to go on.
    enum class FactorOf { TheseRows, AnotherPlace };
    bool hold(const BodyModel& model, const BodyRows& rows, FactorOf factor, std::span<const double> b,
              std::span<double> P, std::span<Vec3> v, std::span<Vec3> w);

private:
    struct Group {
        int row = 0, rows = 0, terms = 0, joint = 0;
    };

    /// What a body adds to a block: terms of two groups that both move it.
    struct Share {
        std::size_t at = 0;
        int row_group = 0, row_term = 0, column_group = 0, column_term = 0, body = 0;
    };

    struct Left {
        double worst = 0, size = 0;
    };

    Left measure(const BodyRows& rows, std::span<const double> b, std::span<const Vec3> v,
                 std::span<const Vec3> w);
    void begin_pattern();
    void add_row(const BodyRows& rows, int row, int joint);
    bool finish_pattern(const BodyModel& model);
    bool analyse(const BodyModel& model);
    void assemble(const BodyModel& model, const BodyRows& rows);
    void add_share(const BodyModel& model, const BodyRows& rows, const Share& share);

    std::vector<Group> groups_;
    std::vector<int> rows_;
    std::vector<int> pattern_, known_;  ///< rows and bodies of the groups: of this load, of the analysis
    std::vector<Share> shares_;
    std::vector<std::size_t> diagonal_;  ///< of every flat row, in the values of the factor
    std::vector<double> scale_;          ///< 1 / sqrt(W_ii)
    std::vector<double> left_;
    BlockCholesky factor_;
    bool serves_nearby_ = false, fits_ = false;
};

}  // namespace carom
