#include "series_order.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int most_pivots = 500;

/// The friction of the interval at slip towards `side`: r_T = -side * factor * mu r_N.
double factor_of(const ContactPrograms& programs, int side)
{
    return side > 0 ? -programs.low : programs.high;
}

double dot(const std::array<double, 3>& x, const double* y, int dimension)
{
    double sum = 0;
    for (int i = 0; i < dimension; ++i) {
        sum += x[static_cast<std::size_t>(i)] * y[i];
    }
    return sum;
}

}  // namespace

/// mu d at order 0: r_T = -(mu d)_0 r_N + known.
double OrderProblem::mu_d0(const Player& one, const Choice& choice, int component) const
{
    if (choice.mode == Mode::Lead || choice.mode == Mode::Onset) {
        const double d = x_.series(one.d, component - 1)[0];
        return one.rows->output(one.programs->mu_at())[0] * d;
    }
    if (choice.mode != Mode::Slide) return 0;
    if (one.dimension == 3) return x_.series(one.mu_d, component - 1)[0];
    return choice.side * factor_of(*one.programs, choice.side) * one.rows->output(one.programs->mu_at())[0];
}

/// The part of r_T at order p that lower orders of r_N give.
double OrderProblem::friction_rest(const Player& one, const Choice& choice, int component) const
{
    if (choice.mode == Mode::Onset) return onset_rest(one)[static_cast<std::size_t>(component - 1)];
    if (choice.mode != Mode::Slide) return 0;
    const double* r = x_.series(one.r, 0);
    if (one.dimension == 3) return -convolution(x_.series(one.mu_d, component - 1), r, p_, 1, p_);
    if (one.rows->is_constant(one.programs->mu_at())) return 0;
    const double* mu = one.rows->output(one.programs->mu_at());
    return -choice.side * factor_of(*one.programs, choice.side) * convolution(mu, r, p_, 1, p_);
}

/// Unknowns and equations of the chosen modes: U_N' = 0, U_T' = 0 where it sticks, (PS-10) where slip begins.
void OrderProblem::list_unknowns()
{
    using Kind = Unknown::Kind;
    work_.unknowns.clear();
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const Choice& choice = work_.choices[static_cast<std::size_t>(k)];
        if (choice.mode == Mode::Off || choice.mode == Mode::Hold) continue;
        const bool undecided = one.normal == NormalStatus::Undecided;
        const bool chosen = one.friction == FrictionStatus::Undecided && !one.polar;
        Unknown normal{.player = k, .complementary = undecided && !chosen, .row = {1, 0, 0}, .column = {1}};
        for (int i = 1; i < one.dimension; ++i) {
            normal.column[static_cast<std::size_t>(i)] = -mu_d0(one, choice, i);
        }
        work_.unknowns.push_back(normal);
        for (int i = 1; choice.mode == Mode::Stick && i < one.dimension; ++i) {
            Unknown tangent{.player = k, .kind = Kind::Tangent};
            tangent.row[static_cast<std::size_t>(i)] = tangent.column[static_cast<std::size_t>(i)] = 1;
            work_.unknowns.push_back(tangent);
        }
        if (choice.mode != Mode::Lead && choice.mode != Mode::Onset) continue;
        const Plane d = direction(one, 0);
        Unknown speed{.player = k, .kind = Kind::Speed, .row = {0, d[0], d[1]}, .own = p_ + 1.0};
        if (choice.mode == Mode::Onset) {
            const Plane known = onset_known(one);
            const double R = one.bound[static_cast<std::size_t>(one.lead)];
            speed.shift = known[0] * d[0] + known[1] * d[1];
            work_.unknowns.push_back({.player = k,
                                      .kind = Kind::Turn,
                                      .row = {0, -d[1], d[0]},
                                      .column = {0, R * d[1], -R * d[0]},
                                      .own = (p_ + 1) * one.sigma[0],
                                      .shift = -known[0] * d[1] + known[1] * d[0]});
        }
        work_.unknowns.push_back(speed);
    }
}

/// What lower orders give of r, and e + W r of it.
void OrderProblem::base()
{
    work_.base.resize(static_cast<std::size_t>(x_.local_size_));
    work_.change.assign(static_cast<std::size_t>(x_.local_size_), 0.0);
    bool friction = false;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = 0; i < one.dimension; ++i) {
            double& r = x_.r_[one.offset + i];
            r = i == 0 ? 0 : friction_rest(one, work_.choices[static_cast<std::size_t>(k)], i);
            friction = friction || r != 0;
            work_.base[static_cast<std::size_t>(one.offset + i)] = x_.e_[one.offset + i];
        }
    }
    if (!friction) return;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int l = 0; l < count(); ++l) {
            const Player& other = player(l);
            for (int i = 0; i < one.dimension; ++i) {
                for (int j = 1; j < other.dimension; ++j) {
                    work_.base[static_cast<std::size_t>(one.offset + i)] +=
                        x_.W_(one.offset + i, other.offset + j) * x_.r_[other.offset + j];
                }
            }
        }
    }
}

void OrderProblem::matrix()
{
    const std::size_t size = work_.unknowns.size();
    work_.M.resize(size * size);
    for (std::size_t b = 0; b < size; ++b) {
        const Unknown& column = work_.unknowns[b];
        const Player& by = player(column.player);
        for (std::size_t a = 0; a < size; ++a) {
            const Unknown& row = work_.unknowns[a];
            const Player& of = player(row.player);
            double entry = a == b ? -row.own : 0;
            for (int i = 0; i < of.dimension; ++i) {
                const double weight = row.row[static_cast<std::size_t>(i)];
                for (int j = 0; weight != 0 && j < by.dimension; ++j) {
                    entry += weight * x_.W_(of.offset + i, by.offset + j) *
                             column.column[static_cast<std::size_t>(j)];
                }
            }
            work_.M[a * size + b] = entry;
        }
    }
}

void OrderProblem::right_hand_side()
{
    work_.right.resize(work_.unknowns.size());
    for (std::size_t a = 0; a < work_.unknowns.size(); ++a) {
        const Unknown& row = work_.unknowns[a];
        const Player& of = player(row.player);
        work_.right[a] = row.shift - dot(row.row, work_.base.data() + of.offset, of.dimension);
    }
}

/// Murty's least-index pivoting: finite where M is a P-matrix.
bool OrderProblem::pivot()
{
    const std::size_t size = work_.unknowns.size();
    work_.z.resize(size);
    for (int n = 0; n < most_pivots; ++n) {
        work_.in.clear();
        for (std::size_t a = 0; a < size; ++a) {
            if (work_.unknowns[a].in) work_.in.push_back(static_cast<int>(a));
        }
        const std::size_t used = work_.in.size();
        work_.M_in.resize(used * used);
        work_.right_in.resize(used);
        work_.z_in.resize(used);
        for (std::size_t a = 0; a < used; ++a) {
            const auto row = static_cast<std::size_t>(work_.in[a]);
            work_.right_in[a] = work_.right[row];
            for (std::size_t b = 0; b < used; ++b) {
                work_.M_in[a * used + b] = work_.M[row * size + static_cast<std::size_t>(work_.in[b])];
            }
        }
        // dependent contacts: the motion is unique, the reactions are the shortest ones
        work_.system.factor(work_.M_in, static_cast<int>(used));
        work_.system.solve(work_.right_in, work_.z_in);
        work_.bounded = false;
        std::ranges::fill(work_.z, 0.0);
        for (std::size_t a = 0; a < used; ++a) {
            work_.z[static_cast<std::size_t>(work_.in[a])] = work_.z_in[a];
        }
        bool changed = false;
        for (std::size_t a = 0; a < size && !changed; ++a) {
            Unknown& one = work_.unknowns[a];
            if (!one.complementary) continue;
            double dU = -work_.right[a];
            for (std::size_t b = 0; b < size; ++b) {
                dU += work_.M[a * size + b] * work_.z[b];
            }
            const Player& who = player(one.player);
            const bool pulls = one.in && work_.z[a] < 0 && work_.z[a] < -zero_reaction(who);
            const bool sinks = !one.in && dU < 0 && dU < -zero_acceleration(who);
            if (!pulls && !sinks) continue;
            one.in = !one.in;
            changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

/// r and dU = W r + e of the island; what equations ask for is exactly so.
void OrderProblem::reactions()
{
    for (std::size_t a = 0; a < work_.unknowns.size(); ++a) {
        const Unknown& unknown = work_.unknowns[a];
        if (!unknown.in) continue;
        const Player& one = player(unknown.player);
        for (int i = 0; i < one.dimension; ++i) {
            const double part = work_.z[a] * unknown.column[static_cast<std::size_t>(i)];
            work_.change[static_cast<std::size_t>(one.offset + i)] += part;
        }
    }
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = 0; i < one.dimension; ++i) {
            const auto at = static_cast<std::size_t>(one.offset + i);
            double sum = work_.base[at];
            for (int l = 0; l < count(); ++l) {
                const Player& other = player(l);
                for (int j = 0; j < other.dimension; ++j) {
                    sum += x_.W_(one.offset + i, other.offset + j) *
                           work_.change[static_cast<std::size_t>(other.offset + j)];
                }
            }
            x_.dU_[one.offset + i] = sum;
            x_.r_[one.offset + i] += work_.change[at];
        }
        if (work_.choices[static_cast<std::size_t>(k)].mode == Mode::Hold) x_.dU_[one.offset] = 0;
    }
    for (std::size_t a = 0; a < work_.unknowns.size(); ++a) {
        const Unknown& unknown = work_.unknowns[a];
        if (!unknown.in) continue;
        Player& one = player(unknown.player);
        if (unknown.kind == Unknown::Kind::Normal) x_.dU_[one.offset] = 0;
        for (int i = 1; unknown.kind == Unknown::Kind::Tangent && i < one.dimension; ++i) {
            if (unknown.row[static_cast<std::size_t>(i)] != 0) x_.dU_[one.offset + i] = 0;
        }
        const auto at = static_cast<std::size_t>(one.lead < 0 ? 0 : p_ - one.lead);
        if (unknown.kind == Unknown::Kind::Speed) one.sigma[at] = work_.z[a];
        if (unknown.kind == Unknown::Kind::Turn) one.turn = work_.z[a];
    }
}

bool OrderProblem::solve_equations()
{
    base();
    matrix();
    right_hand_side();
    if (work_.unknowns.empty()) {
        work_.z.clear();
        work_.in.clear();
        work_.bounded = false;
    }
    if (!work_.unknowns.empty() && !pivot()) return false;
    reactions();
    return true;
}

/// The matrix of the normal unknowns, those of sticking ones eliminated.
PMatrix OrderProblem::normal_matrix_is_p()
{
    const std::size_t size = work_.unknowns.size();
    auto& [normal, other, inner, column, answer, schur] = work_.normal_matrix;
    for (auto* list : {&normal, &other}) {
        list->clear();
    }
    for (std::size_t a = 0; a < size; ++a) {
        (work_.unknowns[a].kind == Unknown::Kind::Normal ? normal : other).push_back(a);
    }
    if (other.empty()) return p_matrix(work_.M, static_cast<int>(size));
    inner.clear();
    for (const std::size_t a : other) {
        for (const std::size_t b : other) {
            inner.push_back(work_.M[a * size + b]);
        }
    }
    column.resize(other.size());
    answer.resize(other.size());
    schur.resize(normal.size() * normal.size());
    work_.system.factor(inner, static_cast<int>(other.size()));
    for (std::size_t b = 0; b < normal.size(); ++b) {
        for (std::size_t k = 0; k < other.size(); ++k) {
            column[k] = work_.M[other[k] * size + normal[b]];
        }
        work_.system.solve(column, answer);
        for (std::size_t a = 0; a < normal.size(); ++a) {
            double entry = work_.M[normal[a] * size + normal[b]];
            for (std::size_t k = 0; k < other.size(); ++k) {
                entry -= work_.M[normal[a] * size + other[k]] * answer[k];
            }
            schur[a * normal.size() + b] = entry;
        }
    }
    return p_matrix(schur, static_cast<int>(normal.size()));
}

}  // namespace carom::detail
