#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "friction_watch.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

/// Margins above this part of W_NN are not looked at again where the next step would take them: a step in
/// which a body turns so far that they vanish is too long for everything else as well.
constexpr double near_margin = 0.5;

/// What a percussion along `axis` at the contact changes of the velocity along `along`.
double coupling(const BodyModel& model, const BodyContact& contact, const std::array<Rotation, 2>& R,
                const Vec3& axis, const Vec3& along)
{
    double W = 0;
    for (const std::size_t side : {0U, 1U}) {
        const auto i = static_cast<std::size_t>(side == 0 ? contact.first : contact.second);
        if (model.inverse_mass[i] == 0) continue;
        const Vec3& arm = side == 0 ? contact.arm_first : contact.arm_second;
        const Rotation back = R[side].conjugate();
        const Vec3 by = back * arm.cross(axis), to = back * arm.cross(along);
        W += model.inverse_mass[i] * axis.dot(along) + by.dot(model.inverse_inertia[i] * to);
    }
    return W;
}

/// Sliding contacts of a step of bodies.
class BodyFriction final : public FrictionStep {
public:
    BodyFriction(const BodyModel& model, double h_s, double end_s, BodyStepMemory& s)
        : model_(model), h_s_(h_s), s_(s)
    {
        contacts = s.statuses.steps;
        before = s.statuses.statuses;
        ended_s = end_s;
        problem = &s.problem;
    }
    [[nodiscard]] int interaction(const ContactStep& contact) const override { return contact.contact; }
    [[nodiscard]] std::string name(const ContactStep& contact) const override
    {
        return name_of_interaction(model_, s_, contact.contact);
    }
    [[nodiscard]] bool normal_row_ahead(const ContactStep& contact, std::array<double, 3>& W_N) override
    {
        if (contact.sliding_margin > near_margin) return false;
        const auto& here = s_.contacts[static_cast<std::size_t>(contact.contact)];
        const auto there = carried_on(model_, here, s_.mid, h_s_, s_);
        if (!there) return false;
        const auto at_end = [&](int body) {
            const auto i = static_cast<std::size_t>(body);
            return turned(s_.mid.R[i], h_s_ * s_.mid.W[i]);
        };
        const std::array<Rotation, 2> R{at_end(here.first), at_end(here.second)};
        for (std::size_t i = 0; i < static_cast<std::size_t>(contact.dimension); ++i)
            W_N[i] = coupling(model_, *there, R, there->axes[0], there->axes[i]);
        return true;
    }
    [[nodiscard]] bool acts_alone(const ContactStep& contact) override
    {
        const int island = island_of(model_, contact.contact, s_);
        return std::ranges::none_of(s_.statuses.steps, [&](const ContactStep& one) {
            return &one != &contact && one.P[0] > 0 && island_of(model_, one.contact, s_) == island;
        });
    }

private:
    const BodyModel& model_;
    double h_s_;
    BodyStepMemory& s_;
};

}  // namespace

std::string name_of_interaction(const BodyModel& model, const BodyStepMemory& scratch, int k)
{
    const auto contacts = static_cast<int>(scratch.contacts.size());
    if (k >= contacts + static_cast<int>(scratch.joints.size()))
        return scratch.formulas->name_of_interaction(k);
    if (k >= contacts) {
        const JointPart& part = scratch.joints[static_cast<std::size_t>(k - contacts)];
        if (part.actor >= 0) return model.name_of_actor(part.actor);
        return model.setup().joints[static_cast<std::size_t>(part.joint)].name;
    }
    const BodyContact& contact = scratch.contacts[static_cast<std::size_t>(k)];
    const auto& bodies = model.setup().bodies;
    return bodies[static_cast<std::size_t>(contact.first)].name + "-" +
           bodies[static_cast<std::size_t>(contact.second)].name;
}

std::optional<BodyContact> carried_on(const BodyModel& model, const BodyContact& contact, const State& at,
                                      double time_s, BodyStepMemory& s)
{
    BodyContact there = contact;
    std::array<Vec3, 2> centres;
    for (const std::size_t side : {0U, 1U}) {
        const auto i = static_cast<std::size_t>(side == 0 ? contact.first : contact.second);
        centres[side] = at.x[i] + time_s * at.v[i];
        place(model.colliders[i],
              {.position_m = centres[side], .rotation = turned(at.R[i], time_s * at.W[i])}, s.on_path[side]);
    }
    s.points.clear();
    const double size_m = model.size_of_pair_m(contact.first, contact.second);
    find_contact_points(s.on_path[0], s.on_path[1], std::isfinite(size_m) ? size_m : 0.0, s.points);
    if (s.points.empty()) return std::nullopt;
    const auto same = std::ranges::find(s.points, contact.at.feature, &ContactPoint::feature);
    there.at = same != s.points.end() ? *same : *std::ranges::min_element(s.points, {}, [&](const auto& one) {
        return (one.point_m - contact.at.point_m).squaredNorm();
    });
    there.axes[0] = there.at.normal;
    const Vec3 along = contact.axes[1] - contact.axes[1].dot(there.at.normal) * there.at.normal;
    if (!(along.norm() > 0.1)) return std::nullopt;  // the normal has become another one
    there.axes[1] = along.normalized();
    there.axes[2] = there.axes[0].cross(there.axes[1]);
    if (there.axes[2].dot(contact.axes[2]) < 0) there.axes[2] = -there.axes[2];
    there.arm_first = there.at.point_m - centres[0];
    there.arm_second = there.at.point_m - centres[1];
    return there;
}

void look_at_friction(const BodyModel& model, double h_s, double ended_s, BodyStepMemory& s,
                      std::vector<Finding>& findings)
{
    BodyFriction friction(model, h_s, ended_s, s);
    look_for_catastrophes(friction, findings);
    look_for_paradoxes(friction, findings);
}

}  // namespace carom::detail
