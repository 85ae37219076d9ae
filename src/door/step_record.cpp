#include "carom/door/step_record.hpp"

#include "run/step_view.hpp"

namespace carom {
namespace {

std::array<double, 3> numbers_of(const Vec3& x)
{
    return {x.x(), x.y(), x.z()};
}

StepContact record_of(const StepView& view, const BodyContact& contact)
{
    const auto& bodies = view.model.bodies()->setup().bodies;
    const auto name = [&](int body) { return bodies[static_cast<std::size_t>(body)].name; };
    return {.name = name(contact.first) + "/" + name(contact.second),
            .first = contact.first,
            .second = contact.second,
            .gap_m = contact.at.gap_m,
            .dimension = contact.dimension,
            .percussion_Ns = contact.P,
            .velocity_before_m_s = contact.U_minus,
            .velocity_after_m_s = contact.U_plus,
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

long StepRecord::step() const noexcept
{
    return view_->step;
}
double StepRecord::time_s() const noexcept
{
    return view_->after.t_s;
}
double StepRecord::step_s() const noexcept
{
    return view_->report.h_s;
}
std::span<const double> StepRecord::q() const noexcept
{
    return view(view_->after.q);
}
std::span<const double> StepRecord::u() const noexcept
{
    return view(view_->after.u);
}
std::span<const double> StepRecord::q_before() const noexcept
{
    return view(view_->before.q);
}
std::span<const double> StepRecord::u_before() const noexcept
{
    return view(view_->before.u);
}
StepStatus StepRecord::status() const noexcept
{
    return view_->report.status;
}
double StepRecord::residual() const noexcept
{
    return solved_to(view_->report.solve.residual);
}
int StepRecord::iterations() const noexcept
{
    return view_->report.solve.iterations;
}
const EnergyLines& StepRecord::energy() const noexcept
{
    return view_->report.energy;
}
const Energies& StepRecord::energies() const noexcept
{
    return view_->report.at_end;
}
std::span<const double> StepRecord::percussions_Ns() const noexcept
{
    return view_->after.percussion_Ns;
}
std::span<const Event> StepRecord::events() const noexcept
{
    return view_->events;
}
Certificate StepRecord::certificate() const
{
    return view_->progress.certifier.certificate();
}

void StepRecord::state_at(double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u) const
{
    interpolate(*view_, t_s, q, u);
}

std::vector<StepContact> StepRecord::contacts() const
{
    std::vector<StepContact> contacts;
    if (view_->model.bodies() != nullptr) {
        for (const BodyContact& contact : view_->body_contacts)
            contacts.push_back(record_of(*view_, contact));
        return contacts;
    }
    for (const ContactStep& contact : view_->contacts)
        contacts.push_back(record_of(*view_, contact));
    return contacts;
}

}  // namespace carom
