#include "multiples.hpp"

#include "law/same_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Frictionless contacts differ only in their shift, which is looked at as a velocity.
bool same_law(const Law& a, const Law& b)
{
    if (std::holds_alternative<Unilateral>(a)) return std::holds_alternative<Unilateral>(b);
    const auto *of_a = std::get_if<Coulomb>(&a), *of_b = std::get_if<Coulomb>(&b);
    return of_a != nullptr && of_b != nullptr && of_a->friction == of_b->friction &&
           of_a->restitution == of_b->restitution &&
           of_a->tangential_restitution == of_b->tangential_restitution &&
           same_shape(of_a->shape, of_b->shape);
}

bool may_have_multiples(const Law& law)
{
    return std::holds_alternative<Unilateral>(law) || std::holds_alternative<Coulomb>(law);
}

}  // namespace

bool Multiples::find(const OneStepProblem& problem)
{
    const int n = problem.interactions();
    if (n < min_interactions) return false;
    acts_for_me_.resize(static_cast<std::size_t>(n));
    factor_.assign(static_cast<std::size_t>(n), 1.0);
    shares_.assign(static_cast<std::size_t>(n), 1);
    size_.resize(static_cast<std::size_t>(n));
    W_NN_.resize(static_cast<std::size_t>(n));
    b_.assign(static_cast<std::size_t>(n), 0.0);
    for (int c = 0; c < n; ++c) {
        acts_for_me_[c] = c;
        const auto W = problem.W.diagonal(c);
        const auto d = static_cast<std::size_t>(problem.W.dimension(c));
        double largest = 0;
        for (std::size_t i = 0; i < d; ++i) {
            largest = std::max(largest, W[i * d + i]);
        }
        size_[c] = std::sqrt(largest);
        W_NN_[c] = W[0];
        if (!std::holds_alternative<Unilateral>(problem.laws[c])) continue;
        const auto row = static_cast<std::size_t>(problem.offsets[c]);
        velocity_shift(problem.laws[c], {&problem.U_minus[row], 1}, {}, {&b_[c], 1});
        b_[c] += problem.U_free[row];
    }
    bool any = false;
    for (int c = 0; c < n; ++c) {
        if (acts_for_me_[c] != c || !may_have_multiples(problem.laws[c]) || !(W_NN_[c] > 0)) continue;
        group(problem, c);
        any = any || members_.size() > 1;
    }
    if (any) reduce(problem);
    return any;
}

/// f with row k = f row c of W, to rounding; 0 where there is none.
double Multiples::factor(const OneStepProblem& problem, int c, int k) const
{
    const auto row_c = problem.W.row(c), row_k = problem.W.row(k);
    if (row_c.size() != row_k.size()) return 0;
    const double f = std::sqrt(W_NN_[k] / W_NN_[c]);
    for (std::size_t e = 0; e < row_c.size(); ++e) {
        if (row_c[e].column != row_k[e].column) return 0;
        const auto of_c = problem.W.block(c, row_c[e]), of_k = problem.W.block(k, row_k[e]);
        const double rounding = 8 * epsilon * size_[k] * size_[row_c[e].column];
        for (std::size_t i = 0; i < of_c.size(); ++i) {
            if (!(std::abs(of_k[i] - f * of_c[i]) <= rounding)) return 0;
        }
    }
    return f;
}

/// The multiples of `first` into members_, itself included; the one that approaches fastest acts for all.
void Multiples::group(const OneStepProblem& problem, int first)
{
    members_.assign(1, first);
    const double W = W_NN_[first];
    const bool slides = !std::holds_alternative<Unilateral>(problem.laws[first]);
    const auto velocities = [&](const std::vector<double>& U, int c) {
        return problem.part(std::span<const double>(U), c);
    };
    double speed = 0;
    for (const auto& [column, value] : problem.W.row(first)) {
        if (column <= first || acts_for_me_[column] != column) continue;
        if (!same_law(problem.laws[first], problem.laws[column])) continue;
        // cos of the angle between two rows is one: W_ck^2 = W_cc W_kk
        const double W_k = W_NN_[column];
        const double W_ck = problem.W.block(first, {column, value})[0];
        if (!(W_ck > 0 && W_ck * W_ck >= (1 - 16 * epsilon) * W * W_k)) continue;
        const double f = factor(problem, first, column);
        if (!(f > 0)) continue;
        // with friction the velocities must be multiples as well
        bool same = true;
        for (const auto* U : {&problem.U_free, &problem.U_minus}) {
            const auto of_c = velocities(*U, first), of_k = velocities(*U, column);
            for (std::size_t i = 0; i < of_c.size() && slides; ++i) {
                same = same && std::abs(of_k[i] - f * of_c[i]) <=
                                   64 * epsilon * std::max(std::abs(of_k[i]), f * std::abs(of_c[0]));
            }
        }
        if (!same) continue;
        factor_[column] = f;
        members_.push_back(column);
    }
    if (members_.size() == 1) return;

    // factors are those to `first`; the one that acts has one
    int acts = first;
    for (const int k : members_) {
        speed = std::max(speed, std::abs(b_[k]) / factor_[k]);
        if (b_[k] / factor_[k] < b_[acts] / factor_[acts]) acts = k;
    }
    const double scale = factor_[acts], smallest = b_[acts] / scale;
    for (const int k : members_) {
        shares_[k] = b_[k] / factor_[k] <= smallest + 64 * epsilon * speed ? 1 : 0;
        acts_for_me_[k] = acts;
        factor_[k] /= scale;
    }
}

void Multiples::reduce(const OneStepProblem& problem)
{
    place_.assign(acts_for_me_.size(), -1);
    reduced_.laws.clear();
    reduced_.offsets.assign(1, 0);
    reduced_.U_free.clear();
    reduced_.U_minus.clear();
    for (int c = 0; c < problem.interactions(); ++c) {
        if (acts_for_me_[c] != c) continue;
        place_[c] = reduced_.interactions();
        reduced_.laws.push_back(problem.laws[c]);
        reduced_.offsets.push_back(reduced_.offsets.back() + problem.W.dimension(c));
        for (int row = problem.offsets[c]; row < problem.offsets[c + 1]; ++row) {
            reduced_.U_free.push_back(problem.U_free[row]);
            reduced_.U_minus.push_back(problem.U_minus[row]);
        }
    }
    reduced_.W.begin(reduced_.offsets);
    for (int c = 0; c < problem.interactions(); ++c) {
        if (place_[c] < 0) continue;
        for (const auto& entry : problem.W.row(c)) {
            if (place_[entry.column] < 0) continue;
            const auto block = problem.W.block(c, entry);
            std::ranges::copy(block, reduced_.W.append(place_[c], place_[entry.column]).begin());
        }
    }
    reduced_.W.finish();
}

void Multiples::gather(const OneStepProblem& problem, std::span<const double> P, std::vector<double>& Q) const
{
    Q.assign(static_cast<std::size_t>(reduced_.size()), 0.0);
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto from = problem.part(P, c);
        const auto to = reduced_.part(std::span<double>(Q), place_[acts_for_me_[c]]);
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i] += factor_[c] * from[i];
        }
    }
}

void Multiples::share(const OneStepProblem& problem, std::span<const double> Q, std::span<double> P) const
{
    std::vector<double> squares(acts_for_me_.size(), 0.0);
    for (int c = 0; c < problem.interactions(); ++c) {
        if (shares_[c]) squares[static_cast<std::size_t>(acts_for_me_[c])] += factor_[c] * factor_[c];
    }
    for (int c = 0; c < problem.interactions(); ++c) {
        const int acts = acts_for_me_[c];
        const double part = shares_[c] ? factor_[c] / squares[static_cast<std::size_t>(acts)] : 0.0;
        const auto from = reduced_.part(Q, place_[acts]);
        const auto to = problem.part(P, c);
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i] = part * from[i];
        }
    }
}

}  // namespace carom
