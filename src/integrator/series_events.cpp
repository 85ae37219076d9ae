#include "series_engine.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// First coefficient from k on that is not zero; order + 1 if there is none.
int first_nonzero(const double* x, int k, int order)
{
    while (k <= order && x[k] == 0) {
        ++k;
    }
    return k;
}

}  // namespace

void SeriesEngine::watch(std::vector<Occurrence>& found, Occurrence what, const double* series, int order,
                         int valuation, double h)
{
    if (valuation > order || !(series[valuation] > 0)) return;
    if (const auto root = roots_.first_root(series, order, valuation, h)) {
        what.s = root->t;
        what.touches = root->touches;
        found.push_back(what);
    }
}

void SeriesEngine::watch_contacts(std::vector<Occurrence>& found, double h)
{
    const int K = x_.order();
    for (int c = 0; c < model_.contacts(); ++c) {
        const Contact& contact = contacts_[static_cast<std::size_t>(c)];
        if (contact.closed) continue;
        const double* gap = x_.gap(c);
        const bool from_zero = contact.gap_is_zero || gap[0] <= 0;
        watch(found, {.what = Watch::Gap, .contact = c}, gap, K,
              from_zero ? std::max(1, contact.gap_valuation) : 0, h);
    }
    for (const Player& one : x_.players()) {
        if (one.normal != NormalStatus::Active) continue;
        const int c = one.known.contact;
        watch(found, {.what = Watch::Reaction, .contact = c}, x_.series(one.r, 0), K - 1, one.normal_order,
              h);
        if (one.friction == FrictionStatus::Stick && !one.programs->rough) watch_stick(found, one, h);
        if (one.friction != FrictionStatus::Slip) continue;
        const Occurrence end{.what = Watch::SlipEnd, .contact = c};
        const int from = one.known.at_rest ? std::max(one.friction_order, 0) + 1 : 0;
        if (one.dimension == 2) {
            work_.assign(x_.series(one.U, 1), x_.series(one.U, 1) + K + 1);
            for (double& coefficient : work_) {
                coefficient *= one.side;
            }
            watch(found, end, work_.data(), K, from, h);
        } else if (!one.polar) {
            watch(found, end, one.speed.data(), K - 1, 0, h);
        } else {
            // S = t^(v + 1) sigma
            const int v = one.onset.valuation();
            work_.assign(static_cast<std::size_t>(K) + 1, 0.0);
            for (int k = 0; v + 1 + k <= K; ++k) {
                work_[static_cast<std::size_t>(v + 1 + k)] = one.onset.sigma(k);
            }
            watch(found, end, work_.data(), K, one.onset.decided_order() + 1, h);
        }
    }
}

/// Margins against the static threshold.
void SeriesEngine::watch_stick(std::vector<Occurrence>& found, const Player& one, double h)
{
    const int order = x_.order() - 1;
    const double* mu = one.rows->output(one.programs->mu_static_at());
    std::vector<double> bound(static_cast<std::size_t>(order) + 1);
    for (int k = 0; k <= order; ++k) {
        bound[static_cast<std::size_t>(k)] = product_coefficient(mu, x_.series(one.r, 0), k);
    }
    work_.resize(bound.size());
    const int decided = std::max(one.friction_order, 0), from = std::max(one.normal_order, 0);
    if (one.dimension == 3) {
        for (int k = 0; k <= order; ++k) {
            double sum = product_coefficient(bound.data(), bound.data(), k);
            for (int i = 1; i < 3; ++i) {
                sum -= product_coefficient(x_.series(one.r, i), x_.series(one.r, i), k);
            }
            work_[static_cast<std::size_t>(k)] = sum;
        }
        const int valuation = one.polar ? one.onset.valuation() + one.onset.decided_order() : 2 * decided;
        watch(found, {.what = Watch::Threshold, .contact = one.known.contact}, work_.data(), order, valuation,
              h);
        return;
    }
    for (const int side : {1, -1}) {
        const double factor = side > 0 ? -one.programs->low : one.programs->high;
        for (int k = 0; k <= order; ++k) {
            work_[static_cast<std::size_t>(k)] =
                factor * bound[static_cast<std::size_t>(k)] + side * x_.series(one.r, 1)[k];
        }
        watch(found, {.what = Watch::Threshold, .contact = one.known.contact, .side = side}, work_.data(),
              order, one.side == 0 || one.side == side ? decided : from, h);
    }
}

/// Where a formula goes over to another piece (PS-2).
void SeriesEngine::watch_switches(std::vector<Occurrence>& found, double h)
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
                watch(found, what, work_.data(), order, valuation, h);
            } else {
                found.push_back(what);  // at once
            }
        }
    };
    SeriesSystem& system = x_.system();
    look(system.dynamics.tape, x_.order() - 1);
    for (const Player& one : x_.players()) {
        if (one.may_act()) look(one.rows->tape, x_.order() - 1);
    }
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        if (!contacts_[c].closed) look(system.contacts[c].gap.tape, x_.order());
    }
}

/// How far this expansion is used, and what happens at its end: all events within rounding of the first.
double SeriesEngine::next_length(std::vector<Occurrence>& happening)
{
    const double h = std::min(x_.trusted_length_s(settings_.tolerance), left_s());
    std::vector<Occurrence> found;
    if (h > 0) {
        watch_contacts(found, h);
        if (!x_.system().analytic) watch_switches(found, h);
    }
    if (found.empty()) return h;
    const auto earlier = [](const Occurrence& a, const Occurrence& b) { return a.s < b.s; };
    const double first = std::ranges::min_element(found, earlier)->s;
    const double same = 16 * 2.2e-16 * (std::abs(t_s_) + first);
    for (const Occurrence& one : found) {
        if (one.s <= first + same) happening.push_back(one);
    }
    return first;
}

}  // namespace carom::detail
