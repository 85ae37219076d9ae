#include "run_watch.hpp"

#include "carom/diagnosis/well_posedness.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/constraint_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Percussions that cancel each other to this part are looked into.
constexpr double cancels_below = 0.05;

}  // namespace

RunWatch::RunWatch(const Model& model, State begin, double step_s) : model_(model)
{
    // the middle of the step before: a run that is taken up sees what an uninterrupted one does
    begin.q -= step_s / 2 * begin.u;
    std::vector<int> firm;
    for (int i = model.contacts(); i < model.interactions(); ++i) {
        const ConstraintPart& part = model.part(i);
        if (part.limit < 0 && model.only_while(part.constraint) < 0) firm.push_back(i);
    }
    if (firm.empty()) return;
    std::vector<std::vector<int>> supports;
    std::vector<double> rows, entries, b;
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.coordinates());
    const Point at{view(begin.q), view(zero), begin.t_s};
    Workspace work;
    for (const int i : firm) {
        const ConstraintPart& part = model.part(i);
        const ConstraintGeometry& geometry = model.constraint(part.constraint);
        const auto support = geometry.support();
        entries.resize(support.size() * static_cast<std::size_t>(geometry.size()));
        b.resize(static_cast<std::size_t>(geometry.size()));
        model.constraint_rows(part.constraint, at, entries, b, work);
        supports.emplace_back(support.begin(), support.end());
        const auto row = entries.begin() +
                         static_cast<std::ptrdiff_t>(static_cast<std::size_t>(part.row) * support.size());
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(support.size()));
    }
    rank_ = RankWatch(std::move(supports), model.coordinates(), rows);
    for (const int k : rank_.rows())
        firm_.push_back(firm[static_cast<std::size_t>(k)]);
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
    rank_.at_start(start.t_s, certifier);
    if (model_.contacts() == 0) return;
    for (const Singularity& here : find_singular_instants(model_, start, duration_s)) {
        if (here.search_cut) {
            certifier.add_finding(
                "instants_not_searched", start.t_s,
                fmt::format("{} in {} changes too fast with time to be searched for instants without a power "
                            "series: whether the run passes one is not known (B02 theorem 14)",
                            here.function, here.formula));
            continue;
        }
        if (here.unbounded) continue;
        certifier.add_finding(
            "not_analytic_in_time", *here.instant_s,
            fmt::format("{} in {} has no power series to the right of {:.6g} s: with contacts the motion may "
                        "not be unique from there on (B02 theorem 14, "
                        "counter-example 7)",
                        here.function, here.formula, *here.instant_s));
    }
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
            "2.10): their percussions cancel each other to a fraction of {:.2g} and grow without bound as "
            "steps become shorter",
            names, cancellation),
        true);
}

void RunWatch::after_step(const State& before, const State& after, const Scratch& scratch,
                          Certifier& certifier)
{
    if (!firm_.empty()) {
        // those of the middle of the step, where the velocity before leads: a path that turns back at its
        // corner shows there that it has one
        rank_.begin_step();
        for (const int interaction : firm_)
            rank_.add_row(scratch.rows.row(scratch.rows.index_of[interaction], 0));
        rank_.end_step(after.t_s, certifier);
    }
    if (rank_.redundant()) tell_conflict(compare_right_hand_sides(model_, after), after.t_s, certifier);
    if (scratch.contacts.size() > 1 && !scratch.series) look_at_contacts(before, after, scratch, certifier);
}

}  // namespace carom
