#include "run_watch.hpp"

#include "carom/ledger/well_posedness.hpp"
#include "carom/model/constraint_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// More rows or coordinates are not watched: the determinants would cost more than the step.
constexpr std::size_t most_watched_rows = 40;
constexpr int most_watched_coordinates = 200;

/// Rows that are longer than this beside those before them, all of unit length, count as independent.
constexpr double independent_above = 1e-6;

/// Rows that turn by more than 60 degrees in a step have a corner there.
constexpr double turns_below = 0.5;

/// Percussions that cancel each other to this part are looked into.
constexpr double cancels_below = 0.05;

}  // namespace

RunWatch::RunWatch(const Model& model, State begin, double step_s) : model_(model)
{
    // the middle of the step before: a run that is taken up sees what an uninterrupted one does
    begin.q -= step_s / 2 * begin.u;
    zero_ = Eigen::VectorXd::Zero(model.coordinates());
    for (int i = model.contacts(); i < model.interactions(); ++i) {
        const ConstraintPart& part = model.part(i);
        if (part.limit < 0 && model.only_while(part.constraint) < 0) firm_.push_back(i);
    }
    if (firm_.empty()) return;
    if (firm_.size() > most_watched_rows || model.coordinates() > most_watched_coordinates) {
        unwatched_ = firm_.size();
        firm_.clear();
        return;
    }

    // of rows that depend on each other some that do not
    evaluate(begin, before_);
    std::vector<int> kept, places;
    Eigen::MatrixXd basis(0, model.coordinates());
    for (Eigen::Index k = 0; k < before_.rows(); ++k) {
        Eigen::VectorXd left = before_.row(k).transpose();
        for (int pass = 0; pass < 2; ++pass)
            left -= basis.transpose() * (basis * left);
        if (!(left.norm() > independent_above)) continue;
        basis.conservativeResize(basis.rows() + 1, Eigen::NoChange);
        basis.row(basis.rows() - 1) = left.transpose() / left.norm();
        kept.push_back(firm_[static_cast<std::size_t>(k)]);
        places.push_back(static_cast<int>(k));
    }
    redundant_ = kept.size() < firm_.size();
    firm_ = std::move(kept);
    before_ = Eigen::MatrixXd(before_(places, Eigen::all));
    for (std::size_t k = 0; k < firm_.size(); ++k) {
        for (const int coordinate : model.support(firm_[k]))
            last_.push_back(before_(static_cast<Eigen::Index>(k), coordinate));
    }
    now_ = last_;
    begin_at(last_, std::sqrt(determinant(before_, before_)));
}

/// (CO-15): how far from these rows the next ones may be before they are looked at.
void RunWatch::begin_at(const std::vector<double>& unit_rows, double size)
{
    constexpr double least_size = 1e-6;
    origin_ = unit_rows;
    near2_ = -1;
    if (!(size > least_size)) return;
    const auto n = static_cast<double>(firm_.size());
    const double smallest = size * std::pow(1 - 1 / n, (n - 1) / 2);
    const double near = smallest / (2 * std::sqrt(2 * n) + 1);
    near2_ = near * near;
}

/// Rows of unit length.
void RunWatch::evaluate(const State& at, Eigen::MatrixXd& rows)
{
    rows.setZero(static_cast<Eigen::Index>(firm_.size()), model_.coordinates());
    const Point point{view(at.q), view(zero_), at.t_s};
    int evaluated = -1;
    for (std::size_t k = 0; k < firm_.size(); ++k) {
        const ConstraintPart& part = model_.part(firm_[k]);
        const ConstraintGeometry& geometry = model_.constraint(part.constraint);
        const auto support = geometry.support();
        if (part.constraint != evaluated) {
            entries_.resize(support.size() * static_cast<std::size_t>(geometry.size()));
            b_.resize(static_cast<std::size_t>(geometry.size()));
            model_.constraint_rows(part.constraint, point, entries_, b_, work_);
            evaluated = part.constraint;
        }
        auto row = rows.row(static_cast<Eigen::Index>(k));
        for (std::size_t p = 0; p < support.size(); ++p)
            row[support[p]] = entries_[static_cast<std::size_t>(part.row) * support.size() + p];
        const double length = row.norm();
        if (length > 0) row /= length;
    }
}

/// det(a b^T), by elimination in place.
double RunWatch::determinant(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    product_.noalias() = a.lazyProduct(b.transpose());
    double result = 1;
    const Eigen::Index n = product_.rows();
    for (Eigen::Index k = 0; k < n; ++k) {
        Eigen::Index pivot = k;
        for (Eigen::Index i = k + 1; i < n; ++i) {
            if (std::abs(product_(i, k)) > std::abs(product_(pivot, k))) pivot = i;
        }
        if (product_(pivot, k) == 0) return 0;
        if (pivot != k) {
            product_.row(pivot).swap(product_.row(k));
            result = -result;
        }
        result *= product_(k, k);
        for (Eigen::Index i = k + 1; i < n; ++i) {
            const double factor = product_(i, k) / product_(k, k);
            for (Eigen::Index j = k + 1; j < n; ++j)
                product_(i, j) -= factor * product_(k, j);
        }
    }
    return result;
}

void RunWatch::at_start(const State& start, double duration_s, Certifier& certifier) const
{
    for (const OutsideLaw& outside : starts_outside_laws(model_, start)) {
        certifier.add_finding(
            "start_outside_law", start.t_s,
            fmt::format("the start has the velocity {:.6g} against {}, whose reaction has no bound in that "
                        "direction (B02 1.34): the first step takes it away with a shock",
                        outside.velocity, outside.name));
    }
    if (unwatched_ > 0) {
        certifier.add_finding(
            "rank_not_watched", start.t_s,
            fmt::format(
                "{} firm rows of constraints on {} coordinates: above {} rows or {} coordinates a run "
                "does not watch whether their gradients come to depend on each other (CO-14), nor "
                "whether right-hand sides contradict each other (CO-13)",
                unwatched_, model_.coordinates(), most_watched_rows, most_watched_coordinates));
    }
    if (model_.contacts() == 0) return;
    for (const Singularity& here : find_singular_instants(model_, start, duration_s)) {
        if (here.unbounded) continue;
        certifier.add_finding(
            "not_analytic_in_time", *here.instant_s,
            fmt::format("{} in {} has no power series to the right of {:.6g} s: with contacts "
                        "the motion need not be the only one from there (B02 theorem 14, "
                        "counter-example 7)",
                        here.function, here.formula, *here.instant_s));
    }
}

/// Takes the rows that the step used: those of its middle, where the velocity before leads. A path that turns
/// back at its corner shows there that it has one. True while they are near the origin.
bool RunWatch::stays_near(const Scratch& scratch)
{
    const ContactRows& rows = scratch.rows;
    last_.swap(now_);
    double* unit = now_.data();
    const double* origin = origin_.data();
    double distance2 = 0;
    for (const int interaction : firm_) {
        const auto entries = rows.row(rows.index_of[interaction], 0);
        double squares = 0;
        for (const double entry : entries)
            squares += entry * entry;
        const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0.0;
        for (const double entry : entries) {
            const double change = scale * entry - *origin++;
            *unit++ = scale * entry;
            distance2 += change * change;
        }
    }
    return distance2 <= near2_;
}

void RunWatch::expand(const std::vector<double>& unit_rows, Eigen::MatrixXd& rows) const
{
    rows.setZero(static_cast<Eigen::Index>(firm_.size()), model_.coordinates());
    auto entry = unit_rows.begin();
    for (std::size_t k = 0; k < firm_.size(); ++k) {
        for (const int coordinate : model_.support(firm_[k]))
            rows(static_cast<Eigen::Index>(k), coordinate) = *entry++;
    }
}

void RunWatch::look_at_rank(double time_s, const Scratch& scratch, Certifier& certifier)
{
    if (stays_near(scratch)) return;
    expand(last_, before_);
    expand(now_, after_);
    const double size_before = std::sqrt(determinant(before_, before_));
    const double size_after = std::sqrt(determinant(after_, after_));
    const double D = determinant(after_, before_) / (size_before * size_after);
    if (!(size_after > 1e-9) || (size_before > 1e-9 && D < -turns_below)) {
        certifier.add_finding(
            "singular_configuration", time_s,
            "the run passes a configuration where the gradients of firm constraints depend on each "
            "other: the motion can branch there, and this is one of several continuations, or none",
            true);
    } else if (size_before > 1e-9 && D < turns_below) {
        certifier.add_finding(
            "constraint_turns", time_s,
            fmt::format(
                "the gradients of firm constraints turn by {:.3g} degrees within a step: a corner, which no "
                "motion with a bounded acceleration passes, or a step that is too long",
                std::acos(std::clamp(D, -1.0, 1.0)) * 180 / 3.14159265358979),
            true);
    }
    begin_at(now_, size_after);
}

void RunWatch::look_at_contacts(const State& before, const State& after, const Scratch& scratch,
                                Certifier& certifier)
{
    // |sum P n|^2 = P W P against (sum |P n|)^2: small where the directions cancel each other
    double together = 0, apart = 0;
    acting_.clear();
    for (const ContactStep& contact : scratch.contacts) {
        if (!(contact.P[0] > 0)) continue;
        acting_.push_back(contact.contact);
        apart += contact.P[0] * std::sqrt(contact.W_1_kg);
        for (std::size_t i = 0; i < static_cast<std::size_t>(contact.dimension); ++i)
            together += contact.P[i] * (contact.U_plus[i] - contact.U_free[i]);
    }
    if (acting_.size() < 2 || !(together < cancels_below * cancels_below * apart * apart)) return;
    const double cancellation = std::sqrt(std::max(0.0, together)) / apart;
    const auto& known = certifier.findings();
    if (std::ranges::any_of(known, [](const Finding& finding) { return finding.code == "no_interior"; }))
        return;
    if (acting_ == looked_at_ && cancellation > 0.5 * looked_cancellation_) return;
    looked_at_ = acting_;
    looked_cancellation_ = cancellation;
    const auto place = find_pinch(model_, before, after, acting_);
    if (!place) return;
    std::string names;
    for (const int contact : place->contacts)
        names +=
            (names.empty() ? "" : ", ") + model_.system().contacts[static_cast<std::size_t>(contact)].name;
    certifier.add_finding(
        "no_interior", after.t_s,
        fmt::format(
            "{} are closed where no velocity leaves all of them at once, V(q) has no interior (M83 2.6 to "
            "2.10): their percussions cancel each other to a part of {:.2g} and grow without bound as steps "
            "become shorter",
            names, cancellation),
        true);
}

void RunWatch::after_step(const State& before, const State& after, const Scratch& scratch,
                          Certifier& certifier)
{
    if (!firm_.empty()) look_at_rank(after.t_s, scratch, certifier);
    if (redundant_) {
        const ConstraintConflict conflict = compare_right_hand_sides(model_, after);
        if (conflict.found()) {
            certifier.add_finding(
                "constraints_contradict", after.t_s,
                fmt::format(
                    "no velocity satisfies {} together: their rows depend on each other, their right-hand "
                    "sides differ by {:.3g}",
                    fmt::join(conflict.names, ", "), conflict.difference),
                true);
        }
    }
    if (scratch.contacts.size() > 1 && !scratch.series) look_at_contacts(before, after, scratch, certifier);
}

}  // namespace carom
