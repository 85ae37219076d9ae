#include "grazing.hpp"

#include "closure.hpp"
#include "core/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {
namespace {

/// The same member as if a contact were not there; nothing: no such model.
std::unique_ptr<Member> member_without(const Member& member, int contact)
{
    LagrangianSystem system = member.scene.model.system();
    system.contacts.erase(system.contacts.begin() + contact);
    system.drawings.clear();  // they may name the contact
    auto model = make_model(std::move(system));
    if (!model) return nullptr;
    Scene scene = member.scene;
    scene.start = without_contact(member.scene.model, scene.start, contact);
    scene.model = std::move(*model);
    auto open = std::make_unique<Member>(std::move(scene));
    open->symbols = member.symbols;
    open->symbols.system.contacts.erase(open->symbols.system.contacts.begin() + contact);
    open->flow = std::make_unique<Flow>(open->scene, open->symbols);
    return open;
}

}  // namespace

State without_contact(const Model& model, const State& state, int contact)
{
    State result = state;
    const auto at = [contact](auto& of) { return of.begin() + contact; };
    result.closed.erase(at(result.closed));
    result.slides.erase(at(result.slides));
    const auto first = result.percussion_Ns.begin() + model.offset(contact);
    result.percussion_Ns.erase(first, first + model.dimension(contact));
    return result;
}

ImpactingOrbit::ImpactingOrbit(const Scene& scene, const OrbitOptions& options, int contact, double last_s)
    : scene_(scene), options_(options), contact_(contact), last_s_(last_s)
{
}

bool ImpactingOrbit::make_members()
{
    const std::array values{value};
    auto member = make_member(scene_, options_, values);
    if (!member) return false;
    member_ = std::move(*member);
    open_ = member_without(*member_, contact_);
    if (member_->period) period_s = given_period(*member_).value_s;
    return open_ != nullptr;
}

/// Onto gap = 0 and U_N = -v, by the shortest way.
void ImpactingOrbit::put_on_obstacle(double speed_m_s)
{
    const auto n = before.q.size();
    VariationalSystem& system = member_->flow->system();
    auto& contact = system.contacts[static_cast<std::size_t>(contact_)];
    Workspace work;
    for (int k = 0; k < 4; ++k) {
        contact.gap.at(system.place(before.t_s, before.q, before.u).point(), work);
        const Eigen::VectorXd g = contact.gap.slope.row(0).head(n).transpose();
        before.q -= g * (contact.gap.value[0] / g.squaredNorm());
        contact.U[0].at(system.place(before.t_s, before.q, before.u).point(), work);
        const Eigen::VectorXd H = contact.U[0].slope.row(0).segment(n, n).transpose();
        before.u -= H * ((contact.U[0].value[0] + speed_m_s) / H.squaredNorm());
    }
    const Held held = held_at(*member_, before);
    std::ranges::fill(before.closed, char{0});
    std::ranges::fill(before.slides, char{0});
    for (std::size_t k = 0; k < held.contacts.size(); ++k) {
        if (held.contacts[k] == contact_) continue;
        const auto c = static_cast<std::size_t>(held.contacts[k]);
        before.closed[c] = 2;
        if (system.contacts[c].friction && held.sticks[k] == 0) before.slides[c] = 1;
    }
}

/// Residual and derivatives by (z, t or T, p).
bool ImpactingOrbit::evaluate(double speed_m_s)
{
    if (!make_members() || !(period_s > last_s_)) return false;
    put_on_obstacle(speed_m_s);
    const auto n = before.q.size();
    const bool driven = member_->period.has_value();
    VariationalSystem& system = member_->flow->system();
    const int P = system.parameters();  // one

    // the impact, then on with the contact, then without it
    Rows D = Rows::Zero(2 * n + P, 2 * n + 1 + P), dt = Rows::Zero(1, D.cols());
    D.topLeftCorner(2 * n, 2 * n).setIdentity();
    D(2 * n, 2 * n + 1) = 1;
    if (driven) dt(0, 2 * n) = 1;
    Flow &flow = *member_->flow, &open = *open_->flow;
    flow.set_until(nullptr);
    flow.start_moving(before, D, dt);
    if (flow.advance(before.t_s + period_s - last_s_) == Flow::End::Failed || !flow.differentiable())
        return false;
    if (flow.at_event()) return false;
    open.set_until(nullptr);
    open.start(without_contact(member_->scene.model, flow.state(), contact_), flow.X());
    if (open.advance(before.t_s + period_s) == Flow::End::Failed || !open.differentiable()) return false;

    Eigen::VectorXd z(2 * n), end(2 * n), f(2 * n);
    z << before.q, before.u;
    end << open.state().q, open.state().u;
    f << open.state().u, open.acceleration();
    scale_.resize(2 * n);
    scale_.head(n).setConstant(std::max(1e-3 * scene_.length_m, z.head(n).cwiseAbs().maxCoeff()));
    scale_.tail(n).setConstant(std::max(scale_[0] / period_s, z.tail(n).cwiseAbs().maxCoeff()));

    residual_.resize(2 * n + 2);
    residual_.head(2 * n) = end - z;
    J_.setZero(2 * n + 2, 2 * n + 2);
    J_.topRows(2 * n) = open.X().topRows(2 * n);
    J_.topLeftCorner(2 * n, 2 * n) -= Eigen::MatrixXd::Identity(2 * n, 2 * n);
    J_.col(2 * n).head(2 * n) += f;
    if (driven) {
        Workspace work;
        member_->period->at(system.place(before.t_s, before.q, before.u).point(), work);
        J_.col(2 * n + 1).head(2 * n) += f * member_->period->slope(0, 2 * n);
    }
    for (Eigen::Index i = 0; i < n; ++i) {
        residual_[i] -= member_->shift[static_cast<std::size_t>(i)];
        J_(i, 2 * n + 1) -= member_->shift_slopes[static_cast<std::size_t>(i)][0];
        if (member_->is_free[static_cast<std::size_t>(i)] == 0) continue;
        residual_[i] = 0;  // a coordinate that moves on freely stays where it is
        J_.row(i).setZero();
        J_(i, i) = 1;
    }

    // on the obstacle, at that speed
    Workspace work;
    auto& contact = system.contacts[static_cast<std::size_t>(contact_)];
    const auto place = system.place(before.t_s, before.q, before.u);
    contact.gap.at(place.point(), work);
    contact.U[0].at(place.point(), work);
    residual_[2 * n] = contact.gap.value[0];
    residual_[2 * n + 1] = contact.U[0].value[0] + speed_m_s;
    for (const Eigen::Index row : {Eigen::Index{0}, Eigen::Index{1}}) {
        const auto slope = row == 0 ? contact.gap.slope.row(0) : contact.U[0].slope.row(0);
        J_.row(2 * n + row).head(2 * n) = slope.head(2 * n);
        J_(2 * n + row, 2 * n + 1) = slope[2 * n];
        if (driven) J_(2 * n + row, 2 * n) = slope[slope.size() - 1];
    }
    return residual_.allFinite() && J_.allFinite();
}

bool ImpactingOrbit::solve(double speed_m_s)
{
    constexpr int max_iterations = 30;
    const auto n = before.q.size();
    if (!evaluate(speed_m_s)) return false;
    const auto size = [&] { return (residual_.head(2 * n).array() / scale_.array()).abs().maxCoeff(); };
    double now = size();
    for (int k = 0; k < max_iterations && now > 1e-13; ++k) {
        const Eigen::VectorXd by = FullLu(J_).solve(residual_);
        const State from = before;
        const double from_value = value, from_period = period_s;
        bool closer = false;
        for (double length = 1; length > 1e-3 && !closer; length /= 2) {
            before.q = from.q - length * by.head(n);
            before.u = from.u - length * by.segment(n, n);
            (member_->period ? before.t_s : period_s) =
                (member_->period ? from.t_s : from_period) - length * by[2 * n];
            value = from_value - length * by[2 * n + 1];
            closer = by.allFinite() && evaluate(speed_m_s) && size() < now;
        }
        if (!closer) {
            before = from;
            value = from_value;
            period_s = from_period;
            return now <= options_.tolerance * 100 && evaluate(speed_m_s);
        }
        now = size();
    }
    return now <= options_.tolerance * 100;
}

}  // namespace carom::detail
