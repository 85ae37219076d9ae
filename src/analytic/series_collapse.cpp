#include "series_engine.hpp"

#include "carom/system/lagrangian/geometry.hpp"
#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// Accumulations of contacts that strike in turns (PS-9).
namespace carom::detail {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr long max_local_impacts = 1000000;
constexpr std::size_t looked_at = 3;  ///< impacts before the last one

/// Contacts that meet, in their own gaps and velocities: in these nothing cancels, however close the bodies
/// are and however fast they move together. W and the accelerations are constant.
struct LocalImpacts {
    std::vector<double> gap, U, acceleration, restitution;
    Eigen::MatrixXd W;
};

/// When a gap closes; it is open, or the contact has just left.
double time_to_close(double g, double U, double a)
{
    const double square = U * U - 2 * a * g;
    if (!(square >= 0)) return never;
    if (U < 0) return 2 * g / (-U + std::sqrt(square));
    return a < 0 ? (U + std::sqrt(square)) / -a : never;
}

/// Before squares of velocities leave the numbers: lengths in another unit, which changes no time. Returns
/// that unit, 1 if it is the same.
double enlarge(LocalImpacts& x)
{
    constexpr double tiny = 1e-60;
    double fastest = 0;
    for (const double U : x.U) {
        fastest = std::max(fastest, std::abs(U));
    }
    if (!(fastest < tiny) || fastest == 0) return 1;
    for (auto* values : {&x.gap, &x.U, &x.acceleration}) {
        for (double& value : *values) {
            value /= tiny;
        }
    }
    return tiny;
}

/// What infinitely many impacts do together.
struct Collapse {
    double time_s = 0;
    std::vector<double> energy_J;  ///< per contact
};

/// The sum of infinitely many impacts; nothing where they come to an end, or where not all of these contacts
/// take part in them to the last.
std::optional<Collapse> sum_of_impacts(LocalImpacts x)
{
    const std::size_t n = x.gap.size();
    std::vector<long> last(n, -1);
    double total = 0, lost_in_all = 0, unit = 1;  // of time, of energy, and the unit of lengths
    Collapse result{.time_s = 0, .energy_J = std::vector<double>(n, 0.0)};
    std::size_t in_a_row = 0;  // impacts that took no time, beside the sum
    for (long k = 0; k < max_local_impacts; ++k) {
        double s = never;
        std::size_t c = n;
        for (std::size_t i = 0; i < n; ++i) {
            const double t = time_to_close(x.gap[i], x.U[i], x.acceleration[i]);
            if (!(t < s)) continue;
            s = t;
            c = i;
        }
        if (c == n) return std::nullopt;
        total += s;
        for (std::size_t i = 0; i < n; ++i) {
            x.gap[i] = std::max(0.0, x.gap[i] + s * (x.U[i] + x.acceleration[i] * s / 2));
            x.U[i] += x.acceleration[i] * s;
        }
        const double before = x.U[c];
        if (!(before < 0)) return std::nullopt;
        const auto column = static_cast<Eigen::Index>(c);
        const double P = -(1 + x.restitution[c]) * before / x.W(column, column);
        for (std::size_t i = 0; i < n; ++i) {
            x.U[i] += x.W(static_cast<Eigen::Index>(i), column) * P;
        }
        x.gap[c] = 0;
        x.U[c] = -x.restitution[c] * before;
        last[c] = k;
        const double lost = -P * (before + x.U[c]) / 2 * unit * unit;
        result.energy_J[c] -= lost;
        lost_in_all += lost;
        unit *= enlarge(x);
        in_a_row = s <= 1e-17 * total && lost <= 1e-17 * lost_in_all ? in_a_row + 1 : 0;
        if (in_a_row < 4 * n) continue;
        const bool all =
            std::ranges::all_of(last, [&](long it) { return it > k - static_cast<long>(8 * n); });
        result.time_s = total;
        return all ? std::optional(result) : std::nullopt;
    }
    return std::nullopt;
}

double restitution_of(const Law& law)
{
    if (const auto* unilateral = std::get_if<Unilateral>(&law)) return unilateral->restitution;
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) return coulomb->restitution;
    return -1;
}

}  // namespace

/// The contacts of the last impacts if each of these had one alone, two of them at least, and the impacts
/// follow each other ever faster; else none.
std::vector<int> SeriesEngine::striking_in_turns() const
{
    const auto& strikes = memory_.strikes;
    std::vector<int> who;
    if (bounced_.size() != 1 || strikes.size() <= looked_at || strikes.back().t_s != t_s_) return who;
    const auto at = [&](std::size_t back) -> const SeriesMemory::Strike& {
        return strikes[strikes.size() - 1 - back];
    };
    if (!(at(0).t_s - at(2).t_s < at(1).t_s - at(3).t_s)) return who;
    for (std::size_t k = 0; k <= looked_at; ++k) {
        if (at(k).contacts.size() != 1) return {};
        who.push_back(at(k).contacts.front());
    }
    std::ranges::sort(who);
    who.erase(std::unique(who.begin(), who.end()), who.end());
    if (who.size() < 2) who.clear();
    return who;
}

/// Whether gaps of these contacts are linear in the coordinates, whose inertia is constant.
bool SeriesEngine::is_linear(const std::vector<int>& contacts) const
{
    const SeriesSystem& system = x_->system();
    const auto constant = [](const SeriesSystem::Entry& entry) { return entry.constant; };
    if (!std::ranges::all_of(system.entries, constant)) return false;
    return std::ranges::all_of(contacts, [&](int c) {
        const ContactPrograms& programs = system.contacts[static_cast<std::size_t>(c)];
        for (std::size_t s = 0; s < programs.support.size(); ++s) {
            if (!programs.rows.front().is_constant(programs.H_at(0, s))) return false;
        }
        return true;
    });
}

/// Several contacts that strike in turns ever faster: the rest is that of constant W and accelerations, in
/// the contacts' own gaps and velocities; at its end one impact without restitution brings them to rest
/// (PS-9).
bool SeriesEngine::pass_collapse()
{
    const std::vector<int> who = striking_in_turns();
    if (who.empty() || model_.system().impact_map) return false;
    const Bounce bounce = bounced_.front();
    const auto A = metric_at(model_, q_);
    if (!A) return false;
    const ImpactContacts closed = impact_contacts_at(model_, q_, u_, who, t_s_);
    const Eigen::Index size = closed.rows.rows();
    Eigen::MatrixXd AiHt(u_.size(), size);
    for (Eigen::Index i = 0; i < size; ++i) {
        AiHt.col(i) = A->solve(closed.rows.row(i).transpose());
    }
    const Eigen::MatrixXd W = closed.rows * AiHt;

    LocalImpacts local;
    const auto n = static_cast<Eigen::Index>(who.size());
    local.W.resize(n, n);
    double slowest = never, curved = 0;
    for (std::size_t k = 0; k < who.size(); ++k) {
        const int c = who[k], at = closed.offsets[k];
        if (contacts_[static_cast<std::size_t>(c)].closed) return false;
        const double e = restitution_of(closed.laws[k]);
        if (!(e > 0 && e < 1)) return false;
        for (std::size_t l = 0; l < who.size(); ++l) {
            local.W(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(k)) = W(closed.offsets[l], at);
            for (int i = 1; i < closed.dimension(static_cast<int>(k)); ++i) {
                // friction that turns velocities of contacts is not among constant factors
                if (std::abs(W(closed.offsets[l], at + i)) > 1e-13 * W(at, at)) return false;
            }
        }
        const double* gap = x_->gap(c);
        local.gap.push_back(c == bounce.contact ? 0 : std::max(gap[0], 0.0));
        local.U.push_back(gap[1]);
        local.acceleration.push_back(2 * gap[2]);
        local.restitution.push_back(e);
        slowest = std::min(slowest, std::abs(gap[1]));
    }
    const auto sum = sum_of_impacts(local);
    if (!sum || !(sum->time_s <= std::min(left_s(), x_->trusted_length_s(settings_.tolerance)))) return false;
    const double rest_s = sum->time_s;

    // what constant W and accelerations leave out, against what rounding has made of the velocities
    for (const int c : who) {
        const double* gap = x_->gap(c);
        double rest = 0, power = rest_s * rest_s;
        for (int k = 3; k <= x_->order(); ++k) {
            power *= rest_s;
            rest += std::abs(gap[k]) * power;
        }
        curved = std::max(curved, rest / (std::abs(gap[1]) * rest_s));
    }
    if (!is_linear(who)) curved = std::max(curved, rest_s * u_.cwiseAbs().maxCoeff() / length_m());
    const double rounded = 4e-16 * u_.cwiseAbs().maxCoeff() / slowest;
    const bool asked = -bounce.before_m_s < settings_.accumulation_speed_m_s;
    if (!asked && curved > std::max(1e-13, rounded)) return false;

    // nothing else may happen meanwhile
    w_.found.clear();
    watch_contacts(rest_s);
    if (scratch_.until != nullptr) watch_until(rest_s);
    const auto is_other = [&](const Occurrence& it) {
        return std::ranges::find(who, it.contact) == who.end();
    };
    if (std::ranges::any_of(w_.found, is_other)) return false;
    accumulate(rest_s, who, sum->energy_J);
    return true;
}

/// Accumulations within accumulations: a point that bounces in a rough groove comes to rest on one side
/// between its impacts on the other, ever faster. Once twelve impacts with falling speeds take no time that
/// numbers can tell, and their speeds move nothing, all contacts in them have come to rest together.
bool SeriesEngine::pass_nested_accumulation()
{
    constexpr std::size_t many = 12, third = many / 3;
    constexpr double no_time = 1e-10, no_way = 1e-10;  // of the instant, of the scene's length
    const auto& strikes = memory_.strikes;
    if (strikes.size() < many) return false;
    if (!(t_s_ - strikes[strikes.size() - many].t_s <= no_time * std::abs(t_s_))) return false;
    double first = 0, last = 0;
    std::vector<int> who;
    for (std::size_t k = 0; k < many; ++k) {
        const SeriesMemory::Strike& strike = strikes[strikes.size() - many + k];
        if (k < third) first = std::max(first, strike.speed_m_s);
        if (k >= many - third) last = std::max(last, strike.speed_m_s);
        who.insert(who.end(), strike.contacts.begin(), strike.contacts.end());
    }
    if (!(last < 0.5 * first)) return false;
    std::ranges::sort(who);
    who.erase(std::unique(who.begin(), who.end()), who.end());
    const double slow_m_s = no_way * length_m() / settings_.time_step_s;
    if (who.size() < 2 ||
        std::ranges::any_of(who, [&](int c) { return std::abs(local_velocity(c).normal) > slow_m_s; }))
        return false;
    bring_to_rest(who);
    return true;
}

/// These contacts touch from now on, without normal velocities; those that slide by no more rest.
void SeriesEngine::bring_to_rest(const std::vector<int>& contacts)
{
    const auto A = metric_at(model_, q_);
    if (!A) return;
    const double slow_m_s = 1e-10 * length_m() / settings_.time_step_s;
    const ImpactContacts at = impact_contacts_at(model_, q_, u_, contacts, t_s_);
    std::vector<int> held;  // rows
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        ContactNow& contact = contacts_[static_cast<std::size_t>(contacts[k])];
        contact.known.at_rest =
            at.dimension(static_cast<int>(k)) > 1 && local_velocity(contacts[k]).sliding <= slow_m_s;
        const int last = contact.known.at_rest ? at.offsets[k + 1] : at.offsets[k] + 1;
        for (int row = at.offsets[k]; row < last; ++row) {
            held.push_back(row);
        }
        contact.closed = contact.acted = true;
        contact.gap_is_zero = false;
        tell(EventKind::Accumulation, contacts[k], 0, local_velocity(contacts[k]).normal, 0, 0);
    }
    const Eigen::MatrixXd H = at.rows(held, Eigen::all);
    Eigen::MatrixXd AiHt(u_.size(), H.rows());
    for (Eigen::Index i = 0; i < H.rows(); ++i) {
        AiHt.col(i) = A->solve(H.row(i).transpose());
    }
    const Eigen::MatrixXd W = H * AiHt;
    u_ -= AiHt * LeastSquares(W).solve(H * u_ + at.b(held));
    memory_.strikes.clear();
    bounced_.clear();
    project_configuration();
}

/// The end of an accumulation: one impact without restitution brings its contacts to rest, and the energy is
/// that of the impacts it stands for. Forces have worked along the way that these allowed.
void SeriesEngine::accumulate(double rest_s, const std::vector<int>& who, const std::vector<double>& energy_J)
{
    advance(rest_s, rest_s);
    if (memory_.log) {
        log_cause(who.size() == 1 ? SeriesCause::Kind::Accumulation : SeriesCause::Kind::Collapse, who);
    }
    const Eigen::VectorXd q_free = q_;
    const std::size_t told = scratch_.events.size();
    std::vector<double> before;
    for (const int c : who) {
        before.push_back(contacts_[static_cast<std::size_t>(c)].energy_J);
    }
    if (!strike(who, true, EventKind::Accumulation)) return;
    for (std::size_t k = 0; k < who.size(); ++k) {
        ContactNow& contact = contacts_[static_cast<std::size_t>(who[k])];
        const double more = energy_J[k] - (contact.energy_J - before[k]);
        contact.energy_J += more;
        report_.energy.impact_J += more;
        for (std::size_t i = told; i < scratch_.events.size(); ++i) {
            Event& event = scratch_.events[i];
            if (event.kind == EventKind::Accumulation && event.contact == who[k]) event.energy_J += more;
        }
    }
    if (model_.system().forces.empty()) return;
    for (int i = 0; i < model_.coordinates(); ++i) {
        report_.energy.given_forces_J += x_->system().F(i)[0] * (q_[i] - q_free[i]);
    }
}

}  // namespace carom::detail
