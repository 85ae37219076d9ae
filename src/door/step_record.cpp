#include "carom/door/step_record.hpp"

#include "carom/run/body_run.hpp"

namespace carom {
namespace {

std::array<double, 3> numbers_of(const Vec3& x)
{
    return {x.x(), x.y(), x.z()};
}

std::array<double, 3> first_three(const BodyContact::Slots& slots)
{
    return {slots[0], slots[1], slots[2]};
}

StepContact record_of(const BodyStep& step, const BodyContact& contact)
{
    const auto& bodies = step.model.setup().bodies;
    const auto name = [&](int body) { return bodies[static_cast<std::size_t>(body)].name; };
    return {.name = name(contact.first) + "/" + name(contact.second),
            .first = contact.first,
            .second = contact.second,
            .gap_m = contact.at.gap_m,
            .dimension = contact.dimension,
            .percussion_Ns = first_three(contact.P),
            .velocity_before_m_s = first_three(contact.U_minus),
            .velocity_after_m_s = first_three(contact.U_plus),
            .point_m = numbers_of(contact.at.point_m),
            .normal = numbers_of(contact.at.normal)};
}

StepContact record_of(const StepView& view, const ContactStep& contact)
{
    const auto number = static_cast<std::size_t>(contact.contact);
    return {.name = view.model.system().contacts[number].name,
            .contact = contact.contact,
            .gap_m = view.gap_m[number],
            .dimension = contact.dimension,
            .percussion_Ns = contact.P,
            .velocity_before_m_s = contact.U_minus,
            .velocity_after_m_s = contact.U_plus};
}

}  // namespace

std::vector<StepContact> StepRecord::contacts() const
{
    std::vector<StepContact> contacts;
    if (view_->bodies != nullptr) {
        for (const BodyContact& contact : view_->bodies->contacts)
            contacts.push_back(record_of(*view_->bodies, contact));
        return contacts;
    }
    for (const ContactStep& contact : view_->contacts)
        contacts.push_back(record_of(*view_, contact));
    return contacts;
}

}  // namespace carom
