#include "series_order.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int max_pivots = 500;

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

/// The equations of the unknowns that are in. False where they contradict each other.
bool OrderProblem::solve_in()
{
    constexpr double contradiction = 1e-9;
    const std::size_t size = work_.unknowns.size();
    work_.z.resize(size);
    work_.in.clear();
    work_.soft.clear();
    for (std::size_t a = 0; a < size; ++a) {
        const Unknown& one = work_.unknowns[a];
        if (!one.in) continue;
        work_.in.push_back(static_cast<int>(a));
        const bool is_load = one.kind == Unknown::Kind::Normal || one.kind == Unknown::Kind::Tangent;
        work_.soft.push_back(is_load ? 1 : 0);
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
    // dependent contacts: loads are those of an equal, vanishing compliance (PS-17)
    work_.system.factor(work_.M_in, static_cast<int>(used));
    work_.system.solve(work_.right_in, work_.z_in, work_.soft);
    work_.bounded = false;
    std::ranges::fill(work_.z, 0.0);
    for (std::size_t a = 0; a < used; ++a) {
        work_.z[static_cast<std::size_t>(work_.in[a])] = work_.z_in[a];
    }
    const bool may_contradict = p_ == 0 && used > 0 && work_.system.dependent();
    return !may_contradict || work_.system.defect(work_.right_in, work_.z_in) <= contradiction;
}

/// What the reactions of all unknowns do to the row of one of them.
double OrderProblem::opening(std::size_t a) const
{
    const std::size_t size = work_.unknowns.size();
    double dU = -work_.right[a];
    for (std::size_t b = 0; b < size; ++b) {
        dU += work_.M[a * size + b] * work_.z[b];
    }
    return dU;
}

/// Contacts whose equations contradict each other cannot all stay closed: the one that opens most does.
bool OrderProblem::open_one()
{
    Unknown* first = nullptr;
    double most = 0;
    for (std::size_t a = 0; a < work_.unknowns.size(); ++a) {
        Unknown& one = work_.unknowns[a];
        if (!one.in || !one.complementary || !(opening(a) > most)) continue;
        most = opening(a);
        first = &one;
    }
    if (first == nullptr) return false;
    first->in = false;
    return true;
}

/// Murty's least-index pivoting: finite where M is a P-matrix.
bool OrderProblem::pivot()
{
    const std::size_t size = work_.unknowns.size();
    for (int n = 0; n < max_pivots; ++n) {
        if (!solve_in()) {
            if (!open_one()) return false;
            continue;
        }
        bool changed = false;
        for (std::size_t a = 0; a < size && !changed; ++a) {
            Unknown& one = work_.unknowns[a];
            if (!one.complementary) continue;
            const double dU = opening(a);
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

/// Contacts that do not act in one way only whatever the forces are: whether they do for these. Sets of
/// contacts that stay closed, r > 0, while the others open, are tried one by one; where one of them is
/// decided by higher orders nothing is said (PS-5).
ExpansionStatus OrderProblem::try_all_sets()
{
    constexpr std::size_t max_tried = 10;
    base();
    right_hand_side();
    std::vector<std::size_t> open;
    for (std::size_t a = 0; a < work_.unknowns.size(); ++a) {
        if (work_.unknowns[a].complementary) open.push_back(a);
    }
    if (open.size() > max_tried) return ExpansionStatus::NotPMatrix;
    const auto choose = [&](unsigned set) {
        for (std::size_t k = 0; k < open.size(); ++k) {
            work_.unknowns[open[k]].in = ((set >> k) & 1U) != 0;
        }
    };
    int answers = 0;
    unsigned answer = 0;
    for (unsigned set = 0; set < (1U << open.size()); ++set) {
        choose(set);
        if (!solve_in()) continue;
        if (!work_.in.empty() && work_.system.dependent()) return ExpansionStatus::NotPMatrix;
        bool holds = true, decided = true;
        for (const std::size_t a : open) {
            const Unknown& one = work_.unknowns[a];
            const double value = one.in ? work_.z[a] : opening(a);
            const double zero =
                one.in ? zero_reaction(player(one.player)) : zero_acceleration(player(one.player));
            holds = holds && value >= -zero;
            decided = decided && std::abs(value) > zero;
        }
        if (!holds) continue;
        if (!decided) return ExpansionStatus::NotPMatrix;
        ++answers;
        answer = set;
    }
    if (answers != 1) {
        return answers == 0 ? ExpansionStatus::NoSolution : ExpansionStatus::SeveralSolutions;
    }
    choose(answer);
    static_cast<void>(solve_in());
    reactions();
    commit();
    return ExpansionStatus::Good;
}

/// A P-matrix, or one that depends on itself and becomes one where all contacts give way a little: then loads
/// are not determined, and the rule (PS-17) chooses them.
PMatrix OrderProblem::is_p(std::span<const double> M, int size)
{
    constexpr double little = 1e-6;
    const PMatrix plain = p_matrix(M, size);
    if (plain != PMatrix::No || size < 2) return plain;
    work_.turning.factor(M, size);
    if (!work_.turning.dependent()) return plain;
    const auto n = static_cast<std::size_t>(size);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, M[i * n + i]);
    }
    work_.M_in.assign(M.begin(), M.begin() + static_cast<std::ptrdiff_t>(n * n));
    for (std::size_t i = 0; i < n; ++i) {
        work_.M_in[i * n + i] += little * largest;
    }
    return p_matrix(work_.M_in, size);
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
    if (other.empty()) return is_p(work_.M, static_cast<int>(size));
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
    return is_p(schur, static_cast<int>(normal.size()));
}

}  // namespace carom::detail
