#include "unresolved_motion.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace carom {

void UnresolvedMotion::after_step(const Model& model, const State& before, const State& after, bool smooth,
                                  double fastest, double tolerance, Workspace& work, Certifier& certifier)
{
    std::swap(change_, other_);
    if (!smooth) {
        other_.resize(0);
        change_.resize(0);
        return;
    }
    change_ = after.u - before.u;
    if (other_.size() != change_.size()) return;
    other_ = (change_ - other_) / 4;  // of a velocity that alternates, the velocity itself
    // where none of them alternates by the part tau of the fastest, their energy is below the limit as well,
    // but for masses that differ much: those are looked at from a tenth of it on
    if (!(other_.cwiseAbs().maxCoeff() > 0.1 * tolerance * fastest)) return;
    const double alternating_J = model.kinetic_energy({view(after.q), view(other_), after.t_s}, work);
    const double scale_J = certifier.sums().watch.run_scale_J;
    if (!(alternating_J > tolerance * tolerance * scale_J)) return;
    certifier.add_finding(
        {.code = "step_too_long",
         .time_s = after.t_s,
         .message = fmt::format(
             "velocities change back and forth from step to step, with {:.2g} of the energy in the run: an "
             "oscillation of less than ten steps a period, whose energy the scheme keeps and whose phase it "
             "does not; take a step well below {:.1e} s",
             alternating_J / scale_J, after.t_s - before.t_s),
         .count = 1,
         .uncertifies = true,
         .about = "motion"});
}

}  // namespace carom
