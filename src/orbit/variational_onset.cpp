#include "variational_piece.hpp"

#include <algorithm>
#include <cmath>

/// Slip that begins in space, differentiated (OR-25): with U_T = S d, r_T = -B d, B = mu r_N and the change
/// xi e of d across it,
///
///     dr_T + mu d dr_N + B e xi = -d dB,     e.dU_T = S xi
///
/// where S begins with t or a higher power. The second is an equation for the velocities of the order above.
namespace carom::detail {
namespace {

using Series = std::vector<double>;

Series product(const Series& a, const Series& b)
{
    Series c(a.size(), 0.0);
    for (std::size_t k = 0; k < c.size(); ++k) {
        for (std::size_t i = 0; i <= k; ++i) {
            c[k] += a[i] * b[k - i];
        }
    }
    return c;
}

Series quotient(const Series& a, const Series& b)
{
    Series c(a.size(), 0.0);
    for (std::size_t k = 0; k < c.size(); ++k) {
        double rest = a[k];
        for (std::size_t i = 0; i < k; ++i) {
            rest -= c[i] * b[k - i];
        }
        c[k] = rest / b[0];
    }
    return c;
}

}  // namespace

const double* VariationalPiece::own(Series series)
{
    return own_.emplace_back(std::move(series)).data();
}

bool VariationalPiece::assemble_onset(const SeriesPiece& piece, const SeriesStatus& status, int first,
                                      int row)
{
    constexpr double small = 1e-10;
    const auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
    const Block& block = contact.onset[static_cast<std::size_t>(status.frame)];
    SeriesProgram& program = program_of(status.contact, status.frame, Part::Onset, piece.order);
    run(program, piece);
    if (piece.order > 1) program.tape.advance(piece.order, inputs_.data(), stride_);
    const auto series = [&](std::size_t out) {
        const double* c = program.output(out);
        Series all(c, c + stride_);
        if (program.is_constant(out)) std::fill(all.begin() + 1, all.end(), 0.0);
        return all;
    };
    const auto reaction = [&](int i) {
        const double* r =
            inputs_.data() + static_cast<std::size_t>(system_.reaction_at(contact.offset + i)) * stride_;
        return Series(r, r + stride_);
    };

    // the direction of slip is that of friction; the last coefficient of reactions is not known
    const Series mu = series(2), r_N = reaction(0), B = product(mu, r_N);
    if (!(B[0] > 0)) return false;
    std::array<Series, 2> d{quotient(reaction(1), B), quotient(reaction(2), B)};
    for (Series& one : d) {
        for (double& c : one) {
            c = -c;
        }
        one.back() = 0;
    }
    std::array<Series, 2> e{d[1], d[0]};
    for (double& c : e[0]) {
        c = -c;
    }

    Onset onset{.row = row, .S = Series(stride_, 0.0), .slopes = {}};
    for (std::size_t i = 0; i < 2; ++i) {
        const Series along = product(d[i], series(i));
        for (std::size_t k = 1; k < stride_; ++k) {
            onset.S[k] += along[k];
        }
    }
    double largest = 0, power = 1;
    for (std::size_t k = 1; k < stride_; ++k) {
        power *= h_s_;
        largest = std::max(largest, std::abs(onset.S[k]) * power);
    }
    if (std::abs(onset.S[1]) * h_s_ <= small * largest) onset.S[1] = 0;
    for (const Entry& entry : block.slip_x) {
        const Series slope =
            product(e[static_cast<std::size_t>(entry.row)], series(static_cast<std::size_t>(entry.out)));
        const auto known = std::ranges::find(onset.slopes, entry.column, &std::pair<int, Series>::first);
        if (known == onset.slopes.end()) {
            onset.slopes.emplace_back(entry.column, slope);
            continue;
        }
        for (std::size_t k = 0; k < stride_; ++k) {
            known->second[k] += slope[k];
        }
    }
    for (int i = 0; i < 2; ++i) {
        const Series& d_i = d[static_cast<std::size_t>(i)];
        M_.push_back({first + 1 + i, first, own(product(mu, d_i)), false, 1});
        M_.push_back({first + 1 + i, row, own(product(B, e[static_cast<std::size_t>(i)])), false, 1});
        for (const Entry& entry : block.bound_x) {
            J_.push_back({first + 1 + i, entry.column,
                          own(product(d_i, series(static_cast<std::size_t>(entry.out)))), false, -1});
        }
    }
    onsets_.push_back(std::move(onset));
    return true;
}

/// e.dU_T = S xi of order p + 1, times p + 1, so that da of order p stands in it as it is.
void VariationalPiece::add_onset_rows(int p, const Rows& dp)
{
    const int n = system_.coordinates(), k = p + 1;
    const Eigen::Index width = right_.cols();
    const auto at = [](const std::vector<Rows>& of, int i) -> const Rows& {
        return of[static_cast<std::size_t>(i)];
    };
    for (const Onset& onset : onsets_) {
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(width);
        for (const auto& [column, slope] : onset.slopes) {
            if (column >= 2 * n) {
                sum -= slope[static_cast<std::size_t>(k)] * dp.row(column - 2 * n);
                continue;
            }
            for (int j = 1; j <= k; ++j) {
                sum -= slope[static_cast<std::size_t>(j)] * at(x_, k - j).row(column);
            }
            if (column < n) sum -= slope[0] / k * at(x_, p).row(n + column);
        }
        for (int j = 2; j <= k; ++j) {
            sum += onset.S[static_cast<std::size_t>(j)] * at(y_, k - j).row(onset.row);
        }
        right_.row(onset.row) = k * sum;
    }
}

/// Slip with an acceleration at once: the matrix depends on the order.
bool VariationalPiece::turns_with_order() const
{
    return std::ranges::any_of(onsets_, [](const Onset& one) { return one.S[1] != 0; });
}

}  // namespace carom::detail
