#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include "expression/derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr int max_halvings = 20;

/// First coefficient from k on that is not zero; order + 1 if there is none.
int first_nonzero(const double* x, int k, int order)
{
    while (k <= order && x[k] == 0) {
        ++k;
    }
    return k;
}

/// The series of x(s + t) from that of x(t), by repeated synthetic division.
void shift_series(std::vector<double>& x, double s)
{
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
        for (std::size_t i = x.size() - 1; i-- > k;) {
            x[i] += s * x[i + 1];
        }
    }
}

}  // namespace

void SeriesEngine::watch(Occurrence what, const double* series, int order, int valuation, double h)
{
    if (valuation > order || !(series[valuation] > 0)) return;
    if (const auto root = w_.roots.first_root(series, order, valuation, h)) {
        what.s = root->t;
        what.touches = root->touches;
        w_.found.push_back(what);
    }
}

void SeriesEngine::watch_contacts(double h)
{
    const int K = x_->order();
    for (int c = 0; c < model_.contacts(); ++c) {
        const ContactNow& contact = contacts_[static_cast<std::size_t>(c)];
        if (contact.closed) continue;
        const double* gap = x_->gap(c);
        const bool from_zero = contact.gap_is_zero || gap[0] <= 0;
        // a rounding has brought it to its obstacle before its root: it meets it here
        if (from_zero && !contact.gap_is_zero && gap[1] <= 0 && gap[0] >= -touching_m()) {
            const double rounding = velocity_rounding * local_velocity(c).normal_scale;
            w_.found.push_back({.what = Watch::Gap, .contact = c, .touches = gap[1] >= -rounding});
            continue;
        }
        watch({.what = Watch::Gap, .contact = c}, gap, K, from_zero ? std::max(1, contact.gap_valuation) : 0,
              h);
    }
    for (const Player& one : x_->players()) {
        if (one.normal != NormalStatus::Active) continue;
        const int c = one.known.contact;
        watch({.what = Watch::Reaction, .contact = c}, x_->series(one.r, 0), K - 1, one.normal_order, h);
        if (one.friction == FrictionStatus::Stick && !one.programs->rough) watch_stick(one, h);
        if (one.friction == FrictionStatus::Slip) watch_slip(one, h);
    }
}

/// The speed of a contact that slides: where it vanishes, slip ends.
void SeriesEngine::watch_slip(const Player& one, double h)
{
    const int K = x_->order();
    const Occurrence end{.what = Watch::SlipEnd, .contact = one.known.contact};
    if (one.dimension == 2) {
        work_.assign(x_->series(one.U, 1), x_->series(one.U, 1) + K + 1);
        for (double& coefficient : work_) {
            coefficient *= one.side;
        }
        watch(end, work_.data(), K, one.known.at_rest ? std::max(one.friction_order, 0) + 1 : 0, h);
        return;
    }
    if (!one.known.at_rest) {
        watch(end, one.speed.data(), K - 1, 0, h);
        return;
    }
    // it began here: S = t^(v + 1) sigma
    const int v = one.polar ? one.onset.valuation() : one.lead;
    work_.assign(static_cast<std::size_t>(K) + 1, 0.0);
    for (int k = 0; v + 1 + k <= K; ++k) {
        work_[static_cast<std::size_t>(v + 1 + k)] =
            one.polar ? one.onset.sigma(k) : one.sigma[static_cast<std::size_t>(k)];
    }
    watch(end, work_.data(), K, one.friction_order + 1, h);
}

/// Margins against the static threshold.
void SeriesEngine::watch_stick(const Player& one, double h)
{
    const int order = x_->order() - 1;
    const double* mu = one.rows->output(one.programs->mu_static_at());
    std::vector<double>& bound = w_.bound;
    bound.resize(static_cast<std::size_t>(order) + 1);
    for (int k = 0; k <= order; ++k) {
        bound[static_cast<std::size_t>(k)] = product_coefficient(mu, x_->series(one.r, 0), k);
    }
    work_.resize(bound.size());
    const int decided = std::max(one.friction_order, 0), from = std::max(one.normal_order, 0);
    if (one.dimension == 3) {
        for (int k = 0; k <= order; ++k) {
            double sum = square_coefficient(bound.data(), k);
            for (int i = 1; i < 3; ++i) {
                sum -= square_coefficient(x_->series(one.r, i), k);
            }
            work_[static_cast<std::size_t>(k)] = sum;
        }
        const int valuation = one.polar       ? one.onset.valuation() + one.onset.decided_order()
                              : one.lead >= 0 ? one.lead + decided
                                              : 2 * decided;
        watch({.what = Watch::Threshold, .contact = one.known.contact}, work_.data(), order, valuation, h);
        return;
    }
    for (const int side : {1, -1}) {
        const double factor = side > 0 ? -one.programs->low : one.programs->high;
        for (int k = 0; k <= order; ++k) {
            work_[static_cast<std::size_t>(k)] =
                factor * bound[static_cast<std::size_t>(k)] + side * x_->series(one.r, 1)[k];
        }
        watch({.what = Watch::Threshold, .contact = one.known.contact, .side = side}, work_.data(), order,
              one.side == 0 || one.side == side ? decided : from, h);
    }
}

/// Where a formula goes over to another piece (PS-2).
void SeriesEngine::watch_switches(double h)
{
    const auto look = [&](SeriesTape& tape, int order) {
        const auto switches = tape.switches();
        for (std::size_t i = 0; i < switches.size(); ++i) {
            const double* d = tape.coefficients(switches[i].reg);
            const int valuation = first_nonzero(d, switches[i].held != 0 ? 1 : 0, order);
            if (valuation > order) continue;
            work_.assign(d, d + order + 1);
            for (double& coefficient : work_) {
                coefficient *= switches[i].side;
            }
            const Occurrence what{.what = Watch::Switch, .tape = &tape, .index = i};
            if (work_[static_cast<std::size_t>(valuation)] > 0) {
                watch(what, work_.data(), order, valuation, h);
            } else {
                w_.found.push_back(what);  // at once
            }
        }
    };
    SeriesSystem& system = x_->system();
    look(system.dynamics.tape, x_->order() - 1);
    for (const Player& one : x_->players()) {
        if (one.may_act()) look(one.rows->tape, x_->order() - 1);
    }
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        look(system.contacts[c].gap.tape, x_->order());
    }
}

/// What the until formula says now; below zero where there is none.
double SeriesEngine::until_value()
{
    return scratch_.until != nullptr ? scratch_.until->value({view(q_), view(u_), t_s_}, scratch_.work) : -1;
}

void SeriesEngine::start_until()
{
    until_at_zero_ = scratch_.until_starts_at_zero;
    until_below_ = scratch_.until != nullptr && !until_at_zero_ && until_value() < 0;
}

/// Where the until formula becomes >= 0 from below: the root of its series, or where it has none by halving.
/// Where it is not below zero yet, it falls first.
void SeriesEngine::watch_until(double h)
{
    const int K = x_->order(), n = model_.coordinates();
    auto& known = memory_.until;
    auto here = std::ranges::find_if(known, [&](const SeriesMemory::UntilSeries& one) {
        return one.formula == scratch_.until && one.order == K;
    });
    if (here == known.end()) {
        here = known.insert(here, {.formula = scratch_.until, .order = K, .program = {}});
        if (!has_table(*scratch_.until)) {
            Graph graph;
            const std::array nodes{add_formula(graph, *scratch_.until)};
            here->program.emplace(graph, nodes, n, K);
        }
        if (here->program && !here->program->tape.switches().empty()) here->program.reset();
    }
    w_.operands.clear();
    if (!here->program) return watch_until_by_values(h);
    SeriesTape& tape = here->program->tape;
    for (int k = 0; k <= K; ++k) {
        tape.advance(k, x_->inputs(), x_->stride());
    }
    const double* f = here->program->output(0);
    // a root counts where it is one of the formula itself: series that do not follow it have others
    double size = 0;
    for (int k = K; k >= 0; --k) {
        size = size * h + std::abs(f[k]);
    }
    add_operands(*here->program, K, h);
    const bool follows =
        std::isfinite(size) && std::abs(until_value_at(h) - series_value(f, K, h)) <= small_defect * size;
    if (!w_.operands.empty() || !follows) return watch_until_by_values(h);
    std::vector<double>& below = work_;
    below.assign(f, f + K + 1);
    const auto negate = [&] {
        for (double& coefficient : below) {
            coefficient = -coefficient;
        }
    };
    negate();
    int valuation = first_nonzero(below.data(), until_at_zero_ ? 1 : 0, K);
    until_below_ = valuation <= K && below[static_cast<std::size_t>(valuation)] > 0;
    double since_s = 0;
    while (valuation <= K && below[static_cast<std::size_t>(valuation)] < 0) {
        negate();
        const auto falls = w_.roots.first_root(below.data(), K, valuation, h - since_s);
        if (!falls) return;
        shift_series(below, falls->t);
        negate();
        since_s += falls->t;
        valuation = falls->touches ? 2 : 1;
    }
    const std::size_t before = w_.found.size();
    watch({.what = Watch::Until}, below.data(), K, valuation, h - since_s);
    if (w_.found.size() > before) w_.found.back().s += since_s;
}

double SeriesEngine::until_value_at(double s)
{
    const int K = x_->order(), n = model_.coordinates();
    Eigen::VectorXd &q = w_.q_inside, &u = w_.u_inside;
    q.resize(n);
    u.resize(n);
    for (int i = 0; i < n; ++i) {
        q[i] = series_value(x_->q(i), K, s);
        u[i] = series_value(x_->u(i), K, s);
    }
    return scratch_.until->value({view(q), view(u), t_s_ + s}, scratch_.work);
}

/// At instants that follow the operands of the formula (PS-21), where its series has them.
void SeriesEngine::watch_until_by_values(double h)
{
    constexpr double longest = 1.0 / 64, shortest = 1e-4;  // of the expansion
    bool below = !until_at_zero_ && until_value_at(0) < 0;
    until_below_ = below;
    for (double low = 0, high = 0; low < h; low = high) {
        const double reach = reach_s(low) / h;
        high = std::min(h, low + h * (reach >= shortest ? std::min(reach, longest) : shortest));
        const double f = until_value_at(high);
        if (!below || !(f >= 0)) {
            below = below || f < 0;
            continue;
        }
        for (int halving = 0; halving < 60 && high - low > 1e-16 * (t_s_ + high); ++halving) {
            const double middle = (low + high) / 2;
            (until_value_at(middle) >= 0 ? high : low) = middle;
        }
        w_.found.push_back({.what = Watch::Until, .s = high});
        return;
    }
}

/// How far this expansion is used, and what happens at its end: all events within rounding of the first.
double SeriesEngine::next_length()
{
    double h = std::min(x_->trusted_length_s(settings_.tolerance), left_s());
    if (limit_s_ > 0) h = std::min(h, limit_s_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        const int contact = static_cast<int>(c);
        if (!contacts_[c].closed) h = std::min(h, x_->trusted_gap_length_s(contact, settings_.tolerance));
    }
    w_.found.clear();
    w_.happening.clear();
    if (h > 0) {
        watch_contacts(h);
        if (!x_->system().analytic) watch_switches(h);
        if (scratch_.until != nullptr) watch_until(h);
    }
    if (w_.found.empty()) return h;
    const auto earlier = [](const Occurrence& a, const Occurrence& b) { return a.s < b.s; };
    const double first = std::ranges::min_element(w_.found, earlier)->s;
    const double same = 16 * 2.2e-16 * (std::abs(t_s_) + first);
    for (const Occurrence& one : w_.found) {
        if (one.s <= first + same) w_.happening.push_back(one);
    }
    return first;
}

/// Below which speed slip is slow, yet not so slow that coefficients S / (S/S')^K leave the numbers.
/// Derivatives are of first order in this speed, so that they need a lower one (OR-26).
double SeriesEngine::slow_m_s(const Player& one, double slope) const
{
    const double smallest = std::pow(10.0, -270.0 / x_->order());
    const double wanted = !one.alone ? 1e-14 : memory_.log ? 1e-11 : 1e-8;
    return std::max(wanted, smallest) * std::sqrt(length_m() * slope);
}

/// Coefficients say nothing about terms beyond the last one, t^40 for example: where the equations of motion
/// do not hold at the end of the expansion it is made longer in orders, then shorter in time (PS-15).
double SeriesEngine::settle_length(double h)
{
    const auto measured = [&] {
        const double motion = defect(inside_part * h), gaps = gap_defect(inside_part * h);
        judged_ = std::max(negligible_ ? 0 : motion, gaps);
        return std::max(motion, gaps);
    };
    // where the last expansion had to be shortened this one begins with twice its length
    const bool short_before = settled_s_ > 0;
    if (short_before && h > 2 * settled_s_) {
        limit_s_ = 2 * settled_s_;
        h = next_length();
    }
    defect_ = measured();
    const int longest = longest_order();
    const double first = h;
    for (int n = 0; n < max_halvings && !(defect_ <= small_defect); ++n) {
        const double before = defect_;
        if (x_->order() < longest && n == 0 && !short_before) {
            const int order = x_->order();
            if (expand_to(longest) != ExpansionStatus::Good) static_cast<void>(expand_to(order));
            x_->compute_gaps();
            h = next_length();
        } else {
            limit_s_ = h / 2;
            h = next_length();
        }
        defect_ = measured();
        if (n > 2 && defect_ > before / 2) break;  // it is no matter of length
    }
    if (defect_ <= small_defect) {
        if (const double seen = seen_length(h); seen < h) {
            limit_s_ = seen;
            h = next_length();
            defect_ = measured();
        }
    }
    settled_s_ = limit_s_ > 0 && defect_ <= small_defect ? h : 0;
    limit_s_ = 0;
    // what did not help is taken back: a defect that stays is for the certificate
    if (!(defect_ <= small_defect) && h < first) {
        h = next_length();
        defect_ = measured();
    }
    return h;
}

/// How long slip that is slow takes to its end (PS-11); infinity where it does not end.
double SeriesEngine::slip_left_s(const Player& one) const
{
    const double S = one.speed[0], slope = one.speed[1];
    if (!(slope < 0)) return std::numeric_limits<double>::infinity();

    if (!(S < slow_m_s(one, -slope))) return std::numeric_limits<double>::infinity();
    if (!one.alone) return S / -slope;

    // U_T' = F - R d with constant F and R: R S + F.U_T falls by R^2 - F^2 in a second
    const auto at = [&](const std::vector<double>& local, int i) { return x_->series(local, i)[0]; };
    const double R = x_->W(one.offset + 1, one.offset + 1) * std::hypot(at(one.r, 1), at(one.r, 2));
    const double F_1 = at(one.dU, 1) + R * at(one.d, 0), F_2 = at(one.dU, 2) + R * at(one.d, 1);
    const double falls = R * R - F_1 * F_1 - F_2 * F_2;
    if (!(falls > 0)) return std::numeric_limits<double>::infinity();
    return (R * S + F_1 * at(one.U, 1) + F_2 * at(one.U, 2)) / falls;
}

/// Slip in space that ends (PS-11): its direction turns without end towards that of the force, and no series
/// reaches the instant. Once it is slow, the rest of the way is that of constant forces.
bool SeriesEngine::pass_slip_end()
{
    if (!w_.happening.empty()) return false;
    for (const Player& one : x_->players()) {
        const bool slides = one.dimension == 3 && one.friction == FrictionStatus::Slip;
        if (!slides || one.normal != NormalStatus::Active || one.known.at_rest) continue;
        const double rest_s = slip_left_s(one);
        if (rest_s > left_s()) continue;

        // nothing else may happen meanwhile
        w_.found.clear();
        watch_contacts(rest_s);
        const int contact = one.known.contact;
        if (std::ranges::any_of(w_.found, [&](const Occurrence& it) { return it.contact != contact; }))
            continue;
        // contacts of one body may stop together
        std::vector<int>& stopping = w_.closed_contacts;
        stopping.assign(1, contact);
        for (const Player& other : x_->players()) {
            const bool slips = other.dimension == 3 && other.friction == FrictionStatus::Slip;
            if (!slips || other.known.at_rest || other.known.contact == contact) continue;
            const double slow = slow_m_s(other, std::abs(other.speed[1]));
            if (std::abs(series_value(other.speed.data(), 1, rest_s)) <= slow)
                stopping.push_back(other.known.contact);
        }
        advance_with_constant_forces(rest_s);
        if (memory_.log) log_cause(SeriesCause::Kind::SlipCollapse, stopping);
        for (const int c : stopping) {
            contacts_[static_cast<std::size_t>(c)].known.at_rest = true;
        }
        rest_what_others_hold();
        return true;
    }
    return false;
}

}  // namespace carom::detail
