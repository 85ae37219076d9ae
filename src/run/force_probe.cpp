#include "force_probe.hpp"

namespace carom {

double shown_by(const ContactForceProbe& probe, const Vec3& force_N)
{
    return probe.direction.isZero() ? force_N.norm() : probe.direction.dot(force_N);
}

Vec3 percussion_Ns(const ContactForceProbe& probe, const StepView& step)
{
    if (probe.joint >= 0) {
        const JointReaction& reaction = step.joint_reactions[static_cast<std::size_t>(probe.joint)];
        return probe.moment ? reaction.moment_Nms : reaction.percussion_Ns;
    }
    Vec3 sum = Vec3::Zero();
    for (const BodyContact& contact : step.body_contacts) {
        const bool is_first = contact.first == probe.on;
        if (!is_first && contact.second != probe.on) continue;
        const int other = is_first ? contact.second : contact.first;
        if (probe.from >= 0 && other != probe.from) continue;
        sum += (is_first ? 1 : -1) * contact.percussion_Ns();
    }
    return sum;
}

}  // namespace carom
