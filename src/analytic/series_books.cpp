#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

/// The last coefficient that is not zero.
int degree_of(const double* x, int order)
{
    while (order > 0 && x[order] == 0) {
        --order;
    }
    return order;
}

/// Integral of the product of two series from 0 to s, with the orders of the product that lie beyond those of
/// the factors: of t^23 and t^24 the product is one of them. `scaled` is memory.
double product_integral(const double* x, const double* y, int order, double s, std::vector<double>& scaled)
{
    const auto count = static_cast<std::size_t>(order) + 1;
    scaled.resize(2 * count);
    double* X = scaled.data();
    double* Y = X + count;
    double power = 1;
    for (std::size_t i = 0; i < count; ++i) {
        X[i] = x[i] * power;
        Y[i] = y[i] * power;
        power *= s;
    }
    // polynomials have no more terms than this; pairs of terms are those of the whole sum
    const int of_x = degree_of(X, order), of_y = degree_of(Y, order);
    double sum = 0;
    for (int k = of_x + of_y; k >= 0; --k) {
        const int first = std::max(0, k - order), needed = std::max(0, k - of_y);
        sum += convolution(X, Y, k, first + (needed - first) / 2 * 2, std::min(k, of_x)) / (k + 1);
    }
    return sum * s;
}

std::string name_of_status(NormalStatus status)
{
    switch (status) {
    case NormalStatus::Active: return "active";
    case NormalStatus::Inactive: return "inactive";
    case NormalStatus::Undecided: break;
    }
    return "undecided";
}

std::string name_of_status(FrictionStatus status)
{
    switch (status) {
    case FrictionStatus::None: return "";
    case FrictionStatus::Stick: return "stick";
    case FrictionStatus::Slip: return "slip";
    case FrictionStatus::Undecided: break;
    }
    return "undecided";
}

}  // namespace

/// Works and percussions of an expansion up to s, as integrals of series up to that order.
void SeriesEngine::account(double s, int order)
{
    EnergyLines& energy = report_.energy;
    const SeriesSystem& system = x_->system();
    if (!model_.system().forces.empty()) {
        for (int i = 0; i < model_.coordinates(); ++i) {
            energy.given_forces_J += product_integral(system.F(i), x_->u(i), order, s, w_.bound);
        }
    }
    energy.prescribed_motions_J += series_integral(system.potential_rate(), order, s);
    std::vector<double>& held = w_.held;  // percussions of this expansion
    held.assign(static_cast<std::size_t>(x_->local_size()), 0.0);
    for (const Player& one : x_->players()) {
        if (!one.may_act()) continue;
        ContactNow& contact = contacts_[static_cast<std::size_t>(one.known.contact)];
        for (int i = 0; i < one.dimension; ++i) {
            const double* r = x_->series(one.r, i);
            const double P = series_integral(r, order, s);
            contact.P[static_cast<std::size_t>(i)] += P;
            held[static_cast<std::size_t>(one.offset + i)] = P;
            energy.prescribed_motions_J -=
                product_integral(r, one.rows->output(one.programs->b_at(i)), order, s, w_.bound);
            const bool slides = i > 0 && one.friction == FrictionStatus::Slip;
            const double work = slides ? product_integral(r, x_->series(one.U, i), order, s, w_.bound) : 0;
            energy.friction_J += work;
            contact.friction_J += work;
            contact.U_plus[static_cast<std::size_t>(i)] = series_value(x_->series(one.U, i), order + 1, s);
        }
    }
    // P.W P/2: the kinetic energy that reactions have kept from arising, or made, the only energy there is in
    // a system at rest under its load (LE-5)
    for (int i = 0; i < x_->local_size(); ++i) {
        for (int j = 0; j < x_->local_size(); ++j) {
            report_.accuracy.held_back_J +=
                held[static_cast<std::size_t>(i)] * x_->W(i, j) * held[static_cast<std::size_t>(j)] / 2;
        }
    }
}

/// What a reaction has that its law does not allow, N: pulling, friction that is not against the slip, beyond
/// its bound where it sticks. The equations of motion hold for any reaction: without this the series of a
/// direction might be used far beyond where they converge. H and b are those of the contact at s.
std::array<double, 3> SeriesEngine::law_defect(const Player& one, const Point& at, double s) const
{
    constexpr double rounding = 1e-13;  // of a sliding velocity, against its terms
    std::array<double, 3> r{}, U{}, wrong{};
    double terms = 0;
    const auto& support = one.programs->support;
    for (int i = 0; i < one.dimension; ++i) {
        const auto row = static_cast<std::size_t>(i);
        r[row] = series_value(x_->series(one.r, i), x_->order() - 1, s);
        U[row] = w_.b[row];
        for (std::size_t k = 0; k < support.size(); ++k) {
            const double part = w_.H[row * support.size() + k] * at.u[static_cast<std::size_t>(support[k])];
            U[row] += part;
            terms = std::max(terms, std::abs(part));
        }
    }
    if (r[0] < 0) wrong[0] = r[0];
    const bool sticks = one.friction == FrictionStatus::Stick;
    if (!one.programs->friction || (!sticks && one.friction != FrictionStatus::Slip) || one.programs->rough)
        return wrong;
    const Law law = model_.law(one.known.contact, at, sticks, scratch_.work);
    const double bound = std::get<Coulomb>(law).friction * std::max(r[0], 0.0);
    if (one.dimension == 2) {
        const double low = one.programs->low * bound, high = one.programs->high * bound;
        const double side = std::abs(U[1]) > rounding * terms ? U[1] : one.side;
        const double allowed = sticks ? std::clamp(r[1], low, high) : side > 0 ? low : high;
        wrong[1] = r[1] - allowed;
        return wrong;
    }
    const double friction = std::hypot(r[1], r[2]), speed = std::hypot(U[1], U[2]);
    if (sticks ? friction <= bound : speed <= rounding * terms) return wrong;
    for (std::size_t i = 1; i < 3; ++i) {
        const double allowed = sticks ? r[i] * bound / friction : -bound * U[i] / speed;
        wrong[i] = r[i] - allowed;
    }
    return wrong;
}

/// How well the equations of motion hold at s: by the model's own evaluation on numbers, which no series
/// uses; negative where it cannot be compared.
double SeriesEngine::defect(double s)
{
    const int n = model_.coordinates(), K = x_->order();
    Scratch& w = scratch_;
    negligible_ = false;
    const double t_s = t_s_ + s;
    Eigen::VectorXd &q = w_.q_inside, &u = w_.u_inside, &acceleration = w_.acceleration;
    Eigen::VectorXd &balance = w_.balance, &size = w_.sizes, &momentum = w_.momentum;
    for (auto* vector : {&q, &u, &acceleration, &balance, &momentum}) {
        vector->resize(n);
    }
    for (int i = 0; i < n; ++i) {
        q[i] = series_value(x_->q(i), K, s);
        u[i] = series_value(x_->u(i), K, s);
    }
    const Point at{view(q), view(u), t_s};
    model_.kinetic_terms(at, w.A, view(w.velocity_terms), w.work);
    model_.given_forces(at, view(w.given_forces), w.work);
    static_cast<void>(model_.potential_gradient(at, view(w.potential_gradient), w.work));
    for (int i = 0; i < n; ++i) {
        acceleration[i] = series_value(x_->a(i), K - 1, s);
    }
    w.A.multiply(view(acceleration), view(balance));
    size = balance.cwiseAbs() + w.given_forces.cwiseAbs() + w.potential_gradient.cwiseAbs() +
           w.velocity_terms.cwiseAbs();
    balance += w.velocity_terms + w.potential_gradient - w.given_forces;
    std::vector<double>&H = w_.H, &b = w_.b;
    for (const Player& one : x_->players()) {
        if (!one.may_act()) continue;
        const int c = one.known.contact;
        const auto& support = one.programs->support;
        H.assign(support.size() * static_cast<std::size_t>(one.dimension), 0.0);
        b.assign(static_cast<std::size_t>(one.dimension), 0.0);
        model_.contact_rows(c, at, H, b, w.work);
        if (one.programs->rows.size() > 1) {
            // the model may turn its tangents within an expansion
            const double n_x =
                series_value(one.rows->output(static_cast<std::size_t>(one.programs->normal_x)), K - 1, s);
            if ((std::abs(n_x) < 0.9 ? 0 : 1) != one.frame) return -1;
        }
        const std::array<double, 3> wrong = law_defect(one, at, s);
        for (int i = 0; i < one.dimension; ++i) {
            const double r = series_value(x_->series(one.r, i), K - 1, s);
            for (std::size_t k = 0; k < support.size(); ++k) {
                const double h = H[static_cast<std::size_t>(i) * support.size() + k];
                balance[support[k]] += h * (wrong[static_cast<std::size_t>(i)] - r);
                size[support[k]] += std::abs(h * r);
            }
        }
    }
    // what moves nothing by far less than a rounding of the scene's length is none: forces that vanish like
    // t^100
    double moved = 0;
    for (std::size_t k = 0; k < x_->system().entries.size(); ++k) {
        const auto& entry = x_->system().entries[k];
        if (entry.i == entry.j)
            moved = std::max(moved, std::abs(balance[entry.i]) / x_->system().A(k)[0] * s * s);
    }
    if (moved <= 1e-18 * length_m()) return 0;

    // momentum that the defect would make in this time, against momentum and forces
    w.A.multiply(view(u), view(momentum));
    const double scale = momentum.cwiseAbs().maxCoeff() + s * size.maxCoeff();
    const double defect = scale > 0 ? s * balance.cwiseAbs().maxCoeff() / scale : 0;

    // where forces vanish only the rounding of q says how small a force is none: one that moves no place by
    // more
    constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();
    w.A.multiply(view(q), view(momentum));
    negligible_ = s * s * balance.cwiseAbs().maxCoeff() <= roundings * momentum.cwiseAbs().maxCoeff();
    return defect;
}

/// How well gaps are told by their series, and those of contacts that act by zero, against the lengths at
/// hand.
double SeriesEngine::gap_defect(double s)
{
    Eigen::VectorXd &q = w_.q_inside, &u = w_.u_inside;  // as `defect` has left them
    const double scale = std::max(length_m(), q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0);
    double worst = 0;
    for (int c = 0; c < model_.contacts(); ++c) {
        const double gap = model_.gap_m(c, {view(q), view(u), t_s_ + s}, scratch_.work);
        const bool acts = contacts_[static_cast<std::size_t>(c)].closed;
        const double told = acts ? 0 : series_value(x_->gap(c), x_->order(), s);
        const double size = scale + std::abs(told);
        double miss = std::abs(gap - told);
        // what the rounding of the instant makes of an obstacle that moves is no error of the series
        if (miss > small_defect * size) miss = std::max(0.0, miss - 4 * gap_rounding_m(c));
        worst = std::max(worst, miss / size);
    }
    return worst;
}

/// The defect of an expansion goes into the certificate.
void SeriesEngine::judge(double value)
{
    Residual& residual = report_.solve.residual;
    if (!std::isfinite(value)) {
        residual.finite = false;
    } else if (value > residual.unit_free) {
        residual.unit_free = value;
    }
    if (is_solved(residual, solver_.tolerance)) return;
    report_.status = StepStatus::NotSolved;
    if (value > solver_.tolerance) {
        finding("unsolved_step",
                fmt::format("the series miss the equations of motion by {:.2e} of momentum "
                            "and forces, the limit is {:.2g}: a smaller integrator.tolerance or a shorter "
                            "integrator.time_step_s makes expansions shorter",
                            value, solver_.tolerance));
    }
}

Expected<std::vector<StatusDecision>> SeriesEngine::decisions()
{
    look_at_start();
    if (report_.status != StepStatus::Solved || !expand()) {
        return Error{.code = ErrorCode::NotAllowedHere,
                     .where = "series",
                     .message = report_.findings.empty() ? "no series" : report_.findings.back().message,
                     .hint = {},
                     .excerpt = {}};
    }
    std::vector<StatusDecision> result;
    for (const Player& one : x_->players()) {
        result.push_back({.contact = one.known.contact,
                          .normal = name_of_status(one.normal),
                          .normal_order = one.normal_order,
                          .normal_leading = one.normal_leading,
                          .friction = one.may_act() ? name_of_status(one.friction) : "",
                          .friction_order = one.friction_order,
                          .friction_leading = one.friction_leading});
    }
    return result;
}

/// Hands the result over to the state and to listeners.
void SeriesEngine::finish()
{
    state_.q = q_;
    state_.u = u_;
    state_.t_s = start_s_ + done_s_;
    memory_.end_s = state_.t_s;
    report_.h_s = done_s_;
    report_.until = ended_;
    scratch_.contacts.clear();
    std::ranges::fill(state_.percussion_Ns, 0.0);
    for (int c = 0; c < model_.contacts(); ++c) {
        const auto index = static_cast<std::size_t>(c);
        const ContactNow& contact = contacts_[index];
        state_.closed[index] = contact.closed ? 1 : 0;
        state_.slides[index] = contact.closed && model_.dimension(c) > 1 && !contact.known.at_rest ? 1 : 0;
        const double gap = model_.gap_m(c, point_of(state_), scratch_.work);
        scratch_.gap_m[index] = gap;
        report_.max_penetration_m = std::max(report_.max_penetration_m, -gap);
        if (!contact.acted) continue;
        ContactStep step;
        step.contact = c;
        step.dimension = model_.dimension(c);
        step.P = contact.P;
        step.U_minus = contact.U_minus;
        step.U_free = contact.U_minus;
        step.U_plus = contact.U_plus;
        step.energy_J = contact.energy_J;
        step.friction_J = contact.friction_J;
        step.from_free_J = step.energy_J + step.friction_J;
        scratch_.contacts.push_back(step);
        std::copy_n(contact.P.begin(), step.dimension, state_.percussion_Ns.begin() + model_.offset(c));
    }
    scratch_.u_free = u_;
    const Point end = point_of(state_);
    static_cast<void>(model_.potential_gradient(end, view(scratch_.potential_gradient), scratch_.work));
    report_.accuracy.rounding_J =
        std::numeric_limits<double>::epsilon() * scratch_.potential_gradient.cwiseAbs().dot(q_.cwiseAbs());
    if (!std::isfinite(report_.at_end.kinetic_J) || !q_.allFinite()) report_.status = StepStatus::NotFinite;
}

}  // namespace carom::detail
