#include "stepping/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Pivots below this part of the diagonal: the rows depend on each other, or nearly.
constexpr double dependent = 1e-9;

/// What is then added to the diagonal, as a part of it.
constexpr double lent = 1e-10;

/// With pivots below this part, what is small between two places is not small beside W.
constexpr double weak = 1e-6;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

void Mechanism::begin_pattern()
{
    groups_.clear();
    rows_.clear();
    pattern_.clear();
}

void Mechanism::add_row(const BodyRows& rows, int row, int joint)
{
    const auto terms = rows.row(row);
    // rows of one joint that follow each other are over the same bodies
    const bool continues =
        !groups_.empty() && groups_.back().joint == joint && groups_.back().row + groups_.back().rows == row;
    rows_.push_back(row);
    if (continues) {
        ++groups_.back().rows;
        pattern_.push_back(-1);
        return;
    }
    groups_.push_back({.row = row, .rows = 1, .terms = static_cast<int>(terms.size()), .joint = joint});
    pattern_.push_back(-2);
    for (const BodyRows::Term& term : terms) {
        pattern_.push_back(term.block);
    }
}

bool Mechanism::finish_pattern(const BodyModel& model)
{
    const bool same = pattern_ == known_;
    if (!same) {
        fits_ = analyse(model);
        known_ = pattern_;
    }
    if (!fits_) rows_.clear();
    return same;
}

bool Mechanism::analyse(const BodyModel& model)
{
    // terms of every moving body, by group; what pattern_ says between two groups are their bodies
    struct Of {
        int group, term;
    };
    std::vector<std::vector<Of>> terms_of(model.inverse_mass.size());
    std::vector<int> sizes;
    int group = -1, term = 0;
    for (const int mark : pattern_) {
        if (mark == -2) {
            sizes.push_back(groups_[static_cast<std::size_t>(++group)].rows);
            term = 0;
        } else if (mark >= 0) {
            const auto body = static_cast<std::size_t>(mark);
            if (model.inverse_mass[body] > 0) terms_of[body].push_back({.group = group, .term = term});
            ++term;
        }
    }
    // joints of one body are all coupled to each other
    constexpr std::size_t largest = 1000;
    std::vector<std::array<int, 2>> pairs;
    for (const auto& list : terms_of) {
        if (list.size() > largest) return false;
        for (const Of& a : list) {
            for (const Of& b : list) {
                if (a.group > b.group) pairs.push_back({a.group, b.group});
            }
        }
    }
    if (!factor_.analyse(sizes, pairs)) return false;

    shares_.clear();
    for (std::size_t body = 0; body < terms_of.size(); ++body) {
        for (const Of& a : terms_of[body]) {
            for (const Of& b : terms_of[body]) {
                if (a.group < b.group) continue;
                const auto slot = factor_.slot(a.group, b.group);
                const Of& row = slot.transposed ? b : a;
                const Of& column = slot.transposed ? a : b;
                shares_.push_back({.at = slot.at,
                                   .row_group = row.group,
                                   .row_term = row.term,
                                   .column_group = column.group,
                                   .column_term = column.term,
                                   .body = static_cast<int>(body)});
            }
        }
    }
    diagonal_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const auto place = static_cast<int>(g);
        const auto size = static_cast<std::size_t>(groups_[g].rows);
        for (std::size_t i = 0; i < size; ++i) {
            diagonal_.push_back(factor_.slot(place, place).at + i * (size + 1));
        }
    }
    scale_.resize(diagonal_.size());
    left_.resize(diagonal_.size());
    return true;
}

void Mechanism::add_share(const BodyModel& model, const BodyRows& rows, const Share& share)
{
    const Group& of_rows = groups_[static_cast<std::size_t>(share.row_group)];
    const Group& of_columns = groups_[static_cast<std::size_t>(share.column_group)];
    const double inverse_mass = model.inverse_mass[static_cast<std::size_t>(share.body)];
    const BodyRows::Term* here = &rows.row(of_rows.row)[static_cast<std::size_t>(share.row_term)];
    const BodyRows::Term* first = &rows.row(of_columns.row)[static_cast<std::size_t>(share.column_term)];
    const bool diagonal = share.row_group == share.column_group;
    double* entry = factor_.values().data() + share.at;
    for (int i = 0; i < of_rows.rows; ++i, here += of_rows.terms) {
        const Vec3 v = inverse_mass * here->v, w = here->turned;
        const BodyRows::Term* there = first;
        const int last = diagonal ? i + 1 : of_columns.rows;
        for (int j = 0; j < last; ++j, there += of_columns.terms) {
            entry[j] += v.dot(there->v) + w.dot(there->w);
        }
        entry += of_columns.rows;
    }
}

void Mechanism::assemble(const BodyModel& model, const BodyRows& rows)
{
    factor_.set_zero();
    for (const Share& share : shares_) {
        add_share(model, rows, share);
    }
}

bool Mechanism::factorise(const BodyModel& model, const BodyRows& rows)
{
    assemble(model, rows);
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
        const double W_ii = factor_.values()[diagonal_[i]];
        scale_[i] = W_ii > 0 ? 1 / std::sqrt(W_ii) : 1.0;
    }
    serves_nearby_ = false;
    if (factor_.factorise(dependent)) {
        serves_nearby_ = factor_.smallest_pivot() > weak;
        return true;
    }
    assemble(model, rows);
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
        double& W_ii = factor_.values()[diagonal_[i]];
        W_ii += lent / (scale_[i] * scale_[i]);
    }
    return factor_.factorise(0);
}

bool Mechanism::hold(const BodyModel& model, const BodyRows& rows, FactorOf factor, std::span<const double> b,
                     std::span<double> P, std::span<Vec3> v, std::span<Vec3> w)
{
    constexpr int max_rounds = 50;
    constexpr double slow = 0.3, rounding = 64 * epsilon;
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < max_rounds; ++round) {
        const auto [worst, size] = measure(rows, b, v, w);
        if (worst <= epsilon * size) return true;
        const double gain = worst / last;
        if (!(gain <= slow)) return worst <= rounding * size;

        // a factor costs about as much as five rounds
        const bool far = worst * std::pow(gain, 4) > epsilon * size;
        if (factor == FactorOf::AnotherPlace && round > 0 && far) return worst <= rounding * size;
        last = worst;
        factor_.solve(left_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            P[i] += left_[i];
            rows.apply(model.inverse_mass, rows_[i], left_[i], v, w);
        }
    }
    return false;
}

/// What is left, with the opposite sign in left_; its largest entry and that of the numbers whose sum it is.
Mechanism::Left Mechanism::measure(const BodyRows& rows, std::span<const double> b, std::span<const Vec3> v,
                                   std::span<const Vec3> w)
{
    Left left;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        double sum = b.empty() ? 0.0 : b[i], parts = std::abs(sum);
        for (const BodyRows::Term& term : rows.row(rows_[i])) {
            const auto k = static_cast<std::size_t>(term.block);
            const double part = term.v.dot(v[k]) + term.w.dot(w[k]);
            sum += part;
            parts += std::abs(part);
        }
        left_[i] = -sum;
        const double error = std::abs(sum) * scale_[i];
        if (!(error <= left.worst)) left.worst = error;  // NaN is not lost
        left.size = std::max(left.size, parts * scale_[i]);
    }
    return left;
}

}  // namespace carom
