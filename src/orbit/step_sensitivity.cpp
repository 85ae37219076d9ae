#include "step_sensitivity.hpp"

#include "step_derivative.hpp"

#include "run/run_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

Errors check_steps(const Scene& scene)
{
    const auto refuse = [](const char* where, const char* message, const char* hint) {
        return Errors{{.code = ErrorCode::NotAllowedHere,
                       .where = where,
                       .message = message,
                       .hint = hint,
                       .excerpt = {}}};
    };
    if (!std::holds_alternative<MoreauSettings>(scene.integrator)) {
        return refuse("integrator.kind", "steps are differentiated for the integrator moreau",
                      "set integrator.kind = \"moreau\", or compute derivatives of the motion");
    }
    if (scene.plan.until.formula) {
        return refuse("until", "an until that ends a step is not differentiated in steps",
                      "give a duration only, or compute derivatives of the motion");
    }
    return {};
}

/// A run by steps with its derivatives.
class StepRun {
public:
    StepRun(const Scene& scene, const SceneSymbols& symbols)
        : scene_(scene),
          settings_(std::get<MoreauSettings>(scene.integrator)),
          system_(symbols, scene.model),
          derivative_(system_, scene.model, settings_),
          scratch_(scene.model),
          grid_(scene.start.t_s, settings_.time_step_s, scene.plan.duration_s)
    {
        std::vector<Formula> formulas;
        for (const Probe& probe : symbols.system.probes) {
            formulas.push_back(probe.value);
        }
        probes_ = system_.functions_of(formulas);
    }

    Sensitivities take(const SensitivityOptions& options, const Rows& X)
    {
        result_.by = options.by;
        state_ = scene_.start;
        X_ = X;
        auto next = options.at_s.begin();
        for (; next != options.at_s.end() && *next <= state_.t_s; ++next) {
            show(*next, state_.q, X_);
        }
        for (long k = 1; k <= grid_.steps(); ++k) {
            const State before = state_;
            const Rows X_before = X_;
            if (!step(before, k)) break;
            for (; next != options.at_s.end() && *next <= state_.t_s && *next < end_s(); ++next) {
                // q is linear within the step, u that at its end
                const double part = (*next - before.t_s) / (state_.t_s - before.t_s);
                Rows X_there = X_;
                const int n = system_.coordinates();
                X_there.topRows(n) = (1 - part) * X_before.topRows(n) + part * X_.topRows(n);
                show(*next, (1 - part) * before.q + part * state_.q, X_there);
            }
        }
        if (result_.reached_end) show(state_.t_s, state_.q, X_);
        if (strikes_ > 0) tell_instants();
        return std::move(result_);
    }

private:
    [[nodiscard]] double end_s() const { return scene_.start.t_s + scene_.plan.duration_s; }

    bool step(const State& before, long k)
    {
        MoreauSettings settings = settings_;
        settings.time_step_s = grid_.length(k);
        const StepReport report = moreau_step(scene_.model, settings, scene_.solver, state_, scratch_);
        result_.findings.insert(result_.findings.end(), report.findings.begin(), report.findings.end());
        if (end_of_failed(report.status)) {
            result_.reached_end = false;
            return false;
        }
        const bool good = result_.lost || pass(before, settings.time_step_s, k == 1);
        state_.t_s = grid_.time_after(k);
        keep_events(good && !result_.lost);
        return true;
    }

    bool pass(const State& before, double h_s, bool first)
    {
        const Rows X = X_;
        const bool good = (!first || begins_well(X)) && derivative_.pass(before, state_, h_s, scratch_, X_);
        if (!good) {
            const Loss& loss = loss_ ? *loss_ : *derivative_.loss;
            result_.lost = not_differentiable(loss, before.t_s, scene_.model);
        } else if (derivative_.strikes && strikes_++ == 0) {
            first_strike_s_ = before.t_s + h_s / 2;
        }
        return good;
    }

    /// Contacts that touch where the run begins: other starts would be off them or in them.
    bool begins_well(const Rows& X)
    {
        const State& start = scene_.start;
        const auto place = system_.place(start.t_s, start.q, start.u);
        for (const ContactStep& one : scratch_.contacts) {
            Differentiated& gap = system_.contacts[static_cast<std::size_t>(one.contact)].gap;
            gap.at(place.point(), work_);
            if (std::abs(gap.value[0]) > settings_.activation_gap_m) continue;
            const Rows dg = gap.slope.leftCols(X.rows()) * X;
            const Rows size = gap.slope.cwiseAbs().leftCols(X.rows()) * X.cwiseAbs();
            if ((dg.cwiseAbs() - 1e-9 * size).maxCoeff() <= 0) continue;
            loss_ = Loss{.kind = "start",
                         .contact = one.contact,
                         .words = "the run begins in contact: with other data it would begin off the "
                                  "obstacle or in it"};
            return false;
        }
        return true;
    }

    void show(double t_s, const Eigen::VectorXd& q, const Rows& X)
    {
        const auto n = static_cast<Eigen::Index>(system_.coordinates());
        SensitiveState& shown = result_.states.emplace_back();
        shown.time_s = t_s;
        shown.q = q;
        shown.u = state_.u;
        probes_.at(system_.place(t_s, q, state_.u).point(), work_);
        shown.probes.assign(probes_.value.data(), probes_.value.data() + probes_.value.size());
        if (result_.lost) return;
        shown.dq = X.topRows(n);
        shown.du = X.middleRows(n, n);
        shown.dprobes = probes_.slope.leftCols(X.rows()) * X;
    }

    /// Instants of steps do not move: they have no derivatives.
    void keep_events(bool with_derivatives)
    {
        for (const Event& event : scratch_.events) {
            SensitiveEvent& one = result_.events.emplace_back();
            one.event = event;
            one.place = name_of_contact(scene_.model, event.contact);
            for (const auto& percussion : derivative_.percussions) {
                if (!with_derivatives || percussion.contact != event.contact ||
                    event.kind != EventKind::Impact)
                    continue;
                one.dpercussion_Ns = percussion.dP.row(0).transpose();
                one.dvelocity_before = percussion.dU_minus.row(0).transpose();
                one.dvelocity_after = percussion.dU_plus.row(0).transpose();
            }
        }
    }

    void tell_instants()
    {
        result_.findings.push_back(
            {.code = "instants_of_steps",
             .time_s = first_strike_s_,
             .message =
                 fmt::format("{} steps with impacts: their instants do not move with the data, so later "
                             "derivatives are those of the steps, and in general not close to those of the "
                             "motion, however short the step; compute derivatives of the motion instead",
                             strikes_),
             .uncertifies = true,
             .about = {}});
    }

    const Scene& scene_;
    MoreauSettings settings_;
    VariationalSystem system_;
    StepDerivative derivative_;
    Scratch scratch_;
    StepGrid grid_;
    Differentiated probes_;
    Workspace work_;
    State state_;
    Rows X_;
    Sensitivities result_;
    std::optional<Loss> loss_;
    long strikes_ = 0;
    double first_strike_s_ = 0;
};

}  // namespace

Expected<Sensitivities, Errors> sensitivities_of_steps(const Scene& scene, const SensitivityOptions& options,
                                                       const Directions& directions,
                                                       const SceneSymbols& symbols)
{
    if (Errors errors = check_steps(scene); !errors.empty()) return errors;
    StepRun run(scene, symbols);
    return run.take(options, directions.start(symbols));
}

}  // namespace carom::detail
