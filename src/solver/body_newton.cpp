#include "solver/body_newton.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr double first_sigma = 1e-3, first_sigma_of_heap = 1e-2, smallest_sigma = 1e-7, largest_sigma = 1.0;
constexpr int max_inner_steps = 10, max_fails = 6;

/// A start with such an error is none.
constexpr double far_away = 1e-2;

/// Beyond the tolerance: digits that later steps need not find.
constexpr double nearly_exact = 1e-13;
constexpr int max_more_rounds = 6, max_steps_for_more = 2;

Eigen::Map<const Eigen::Vector3d> in_eigen(const std::array<double, 3>& a)
{
    return Eigen::Map<const Eigen::Vector3d>(a.data());
}

/// C with C C^T = A, of a symmetric matrix that is not negative.
Eigen::Matrix3d root_of(const std::array<double, 9>& A)
{
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen{Eigen::Map<const Eigen::Matrix3d>(A.data())};
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

double dot(const std::vector<BodyFactor::Vector>& a, const std::vector<BodyFactor::Vector>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i].dot(b[i]);
    }
    return sum;
}

}  // namespace

void BodyNewton::prepare_bodies(std::span<const RigidBody> bodies)
{
    number_.assign(bodies.size(), -1);
    root_.clear();
    root_mass_.clear();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const RigidBody& body = bodies[i];
        const bool turns = std::ranges::any_of(body.inverse_inertia, [](double value) { return value != 0; });
        if (!(body.inverse_mass > 0) && !turns) continue;
        number_[i] = static_cast<int>(root_.size());
        root_.push_back(root_of(body.inverse_inertia));
        root_mass_.push_back(std::sqrt(body.inverse_mass));
    }
}

void BodyNewton::load(std::span<const RigidBody> bodies, std::span<const RigidContact> contacts)
{
    prepare_bodies(bodies);
    const std::size_t m = contacts.size();
    contacts_.assign(m, {});
    flat_.d = 3;
    flat_.kind.resize(m);
    flat_.mu.resize(m);
    flat_.scale.resize(m);
    flat_.q.resize(3 * m);
    for (auto* list : {&x_, &y_, &tau_, &u_}) {
        list->assign(3 * m, 0.0);
    }
    places_.assign(m, Place::Open);
    factored_places_.clear();
    std::vector<std::array<int, 2>> pairs;
    for (std::size_t c = 0; c < m; ++c) {
        load_contact(bodies, contacts[c], static_cast<int>(c));
        if (contacts_[c].a >= 0 && contacts_[c].b >= 0) pairs.push_back({contacts_[c].a, contacts_[c].b});
    }
    project(x_);
    for (auto* list : {&w_, &w_try_, &R_, &R_try_, &step_}) {
        list->assign(root_.size(), Vector::Zero());
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    factor_.analyse(static_cast<int>(root_.size()), pairs);
}

/// Rows, scale, free velocity and start of a contact.
void BodyNewton::load_contact(std::span<const RigidBody> bodies, const RigidContact& given, int c)
{
    Contact& contact = contacts_[static_cast<std::size_t>(c)];
    const Eigen::Vector3d n = in_eigen(given.normal);
    contact.axes.row(0) = n;
    contact.axes.row(1) = n.unitOrthogonal();
    contact.axes.row(2) = n.cross(contact.axes.row(1).transpose());
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    const auto see = [&](int body, const std::array<double, 3>& arm, double sign, int& number, Rows& G) {
        number = body < 0 ? -1 : number_[static_cast<std::size_t>(body)];
        if (body >= 0) {
            const RigidBody& at = bodies[static_cast<std::size_t>(body)];
            velocity += sign * (in_eigen(at.v) + in_eigen(at.w).cross(in_eigen(arm)));
        }
        if (number < 0) return;
        const auto k = static_cast<std::size_t>(number);
        for (int row = 0; row < 3; ++row) {
            const Eigen::Vector3d axis = contact.axes.row(row);
            G.block<1, 3>(row, 0) = sign * root_mass_[k] * axis;
            G.block<1, 3>(row, 3) = sign * (root_[k].transpose() * in_eigen(arm).cross(axis));
        }
    };
    see(given.a, given.arm_a, 1, contact.a, contact.G_a);
    see(given.b, given.arm_b, -1, contact.b, contact.G_b);

    const auto k = static_cast<std::size_t>(c);
    const double scale = 1 / std::sqrt((contact.G_a.squaredNorm() + contact.G_b.squaredNorm()) / 3);
    contact.G_a *= scale;
    contact.G_b *= scale;
    flat_.kind[k] = given.friction > 0 ? FlatKind::Friction : FlatKind::Unilateral;
    flat_.mu[k] = given.friction;
    flat_.scale[k] = scale;
    Eigen::Map<Eigen::Vector3d> q(flat_.q.data() + 3 * k), x(x_.data() + 3 * k);
    q = scale * (contact.axes * velocity);
    q[0] += scale * given.shift_m_s;
    x = contact.axes * in_eigen(given.P) / scale;
    if (given.friction > 0) return;
    q.tail<2>().setZero();
    x.tail<2>().setZero();
    contact.G_a.bottomRows<2>().setZero();
    contact.G_b.bottomRows<2>().setZero();
}

BodyNewton::Local BodyNewton::local_velocity(std::size_t c, const std::vector<Vector>& w) const
{
    const Contact& contact = contacts_[c];
    Local u = Eigen::Map<const Local>(flat_.q.data() + 3 * c);
    if (contact.a >= 0) u.noalias() += contact.G_a.lazyProduct(w[static_cast<std::size_t>(contact.a)]);
    if (contact.b >= 0) u.noalias() += contact.G_b.lazyProduct(w[static_cast<std::size_t>(contact.b)]);
    return u;
}

/// x(w) and where each contact is on its law.
void BodyNewton::percussions_at(const std::vector<Vector>& w)
{
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Eigen::Map<Local> tau(tau_.data() + 3 * c), x(x_.data() + 3 * c);
        tau = Eigen::Map<const Local>(y_.data() + 3 * c) - local_velocity(c, w) / sigma_;
        const double sliding = tau.tail<2>().norm(), radius = flat_.mu[c] * tau[0];
        if (!(tau[0] > 0)) {
            x.setZero();
            places_[c] = Place::Open;
        } else if (sliding <= radius || flat_.kind[c] == FlatKind::Unilateral) {
            x = tau;
            places_[c] = Place::Sticks;
        } else {
            x[0] = tau[0];
            x.tail<2>() = radius / sliding * tau.tail<2>();
            places_[c] = Place::Slides;
        }
    }
}

/// w = G^T x
void BodyNewton::move_bodies(std::span<const double> x, std::vector<Vector>& w) const
{
    std::ranges::fill(w, Vector::Zero());
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        const Contact& contact = contacts_[c];
        const Eigen::Map<const Local> x_c(x.data() + 3 * c);
        if (x_c.isZero(0.0)) continue;
        if (contact.a >= 0)
            w[static_cast<std::size_t>(contact.a)].noalias() += contact.G_a.transpose().lazyProduct(x_c);
        if (contact.b >= 0)
            w[static_cast<std::size_t>(contact.b)].noalias() += contact.G_b.transpose().lazyProduct(x_c);
    }
}

/// R = w - G^T x(w), and its size.
double BodyNewton::imbalance(const std::vector<Vector>& w, std::vector<Vector>& R)
{
    percussions_at(w);
    move_bodies(x_, R);
    double sum = 0;
    for (std::size_t i = 0; i < R.size(); ++i) {
        R[i] = w[i] - R[i];
        sum += R[i].squaredNorm();
    }
    return std::sqrt(sum);
}

/// Onto the cones.
void BodyNewton::project(std::span<double> x) const
{
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Eigen::Map<Local> x_c(x.data() + 3 * c);
        x_c[0] = std::max(0.0, x_c[0]);
        const double sliding = x_c.tail<2>().norm(), radius = flat_.mu[c] * x_c[0];
        if (sliding > radius) x_c.tail<2>() *= radius / sliding;
    }
}

/// The error of percussions in their cones; w_try_ becomes what they do.
double BodyNewton::measure(std::span<const double> x)
{
    move_bodies(x, w_try_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Eigen::Map<Local>(u_.data() + 3 * c) = local_velocity(c, w_try_);
    }
    return flat_.error_at(x, u_).worst();
}

/// I + G^T B G / sigma at the places of now. The factor is kept while all contacts stick or are open as they
/// were when it was made.
bool BodyNewton::factorise()
{
    const bool slides = std::ranges::find(places_, Place::Slides) != places_.end();
    if (!slides && sigma_ == factored_sigma_ && places_ == factored_places_) return true;
    factor_.set_identity();
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        if (places_[c] == Place::Open) continue;
        const Contact& contact = contacts_[c];
        Eigen::Matrix3d B = Eigen::Matrix3d::Identity();
        if (places_[c] == Place::Slides) {
            const Eigen::Map<const Local> tau(tau_.data() + 3 * c);
            const double sliding = tau.tail<2>().norm(), mu = flat_.mu[c];  // above mu tau_N > 0
            const Eigen::Vector2d d = tau.tail<2>() / sliding;
            B.block<2, 1>(1, 0) = mu * d;
            B.block<2, 2>(1, 1) = mu * tau[0] / sliding * (Eigen::Matrix2d::Identity() - d * d.transpose());
        }
        const Rows B_a = B * contact.G_a / sigma_, B_b = B * contact.G_b / sigma_;
        const int a = contact.a, b = contact.b;
        if (a >= 0) factor_.at(a, a).noalias() += contact.G_a.transpose() * B_a;
        if (b >= 0) factor_.at(b, b).noalias() += contact.G_b.transpose() * B_b;
        if (a < 0 || b < 0) continue;
        factor_.at(a, b).noalias() += contact.G_a.transpose() * B_b;
        factor_.at(b, a).noalias() += contact.G_b.transpose() * B_a;
    }
    ++factorisations_;
    factored_sigma_ = sigma_;
    factored_places_ = places_;
    if (factor_.factorise(budget_)) return true;
    factored_places_.clear();
    return false;
}

/// The part of the step that is taken: all of it, less where it goes too far along a direction in which the
/// imbalance falls, and the best of its halves where it does not fall.
double BodyNewton::search(double R_norm, double slope)
{
    const auto try_part = [&](double part) {
        for (std::size_t i = 0; i < w_.size(); ++i) {
            w_try_[i] = w_[i] + part * step_[i];
        }
        return imbalance(w_try_, R_try_);
    };
    const double full = try_part(1), slope_full = dot(R_try_, step_);
    if (slope < 0 && (slope_full <= 0.09 * -slope || full <= 0.9 * R_norm)) return 1;
    if (slope >= 0) {
        double best = 1, smallest = full;
        for (double part = 0.5; part > 1e-3; part *= 0.5) {
            const double here = try_part(part);
            if (here >= smallest && smallest < 0.9 * R_norm) break;
            if (here < smallest) {
                smallest = here;
                best = part;
            }
        }
        return best;
    }
    // the root of step . R by regula falsi, every third time by halving
    double low = 0, high = 1, at_low = slope, at_high = slope_full, part = 1;
    for (int k = 0; k < 12; ++k) {
        part = k % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * -at_low / (at_high - at_low);
        part = std::clamp(part, low + 0.05 * (high - low), high - 0.05 * (high - low));
        (void)try_part(part);
        const double here = dot(R_try_, step_);
        if (std::abs(here) <= 0.1 * -slope) break;
        (here < 0 ? low : high) = part;
        (here < 0 ? at_low : at_high) = here;
    }
    return part;
}

/// Newton's steps for one centre; returns the imbalance that is left.
double BodyNewton::solve_inner(double goal, int max_steps)
{
    double R_norm = imbalance(w_, R_);
    for (int k = 0; k < max_steps && R_norm > goal; ++k) {
        if (!factorise()) break;
        for (std::size_t i = 0; i < R_.size(); ++i) {
            step_[i] = -R_[i];
        }
        factor_.solve(step_);
        const double part = search(R_norm, dot(R_, step_));
        for (std::size_t i = 0; i < w_.size(); ++i) {
            w_[i] += part * step_[i];
        }
        R_norm = imbalance(w_, R_);
        if (!std::isfinite(R_norm)) break;
    }
    return R_norm;
}

/// A start for what stands: all contacts that do not open by themselves hold their bodies as joints would.
/// Only those next to the ground are pressed at first, and Newton's steps would press one row after the
/// other.
void BodyNewton::hold_all()
{
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        const double* q = flat_.q.data() + 3 * c;
        const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        places_[c] = q[0] <= 1e-9 * size ? Place::Sticks : Place::Open;
        for (std::size_t k = 0; k < 3; ++k) {
            tau_[3 * c + k] = places_[c] == Place::Sticks ? y_[3 * c + k] - q[k] / sigma_ : 0.0;
        }
    }
    if (!factorise()) return;
    move_bodies(tau_, step_);
    factor_.solve(step_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Eigen::Map<Local> x(tau_.data() + 3 * c);
        if (places_[c] == Place::Sticks)
            x = Eigen::Map<const Local>(y_.data() + 3 * c) - local_velocity(c, step_) / sigma_;
    }
    project(tau_);
    if (const double now = measure(tau_); now < error_) {
        error_ = now;
        y_ = best_ = tau_;
    }
}

/// The last digits of percussions that hold (SO-41). Those of a centre have rounding of q over sigma; here the
/// velocities that are left are small, and so is the rounding of what corrects them:
///
///     x <- x - (G G^T + sigma)^-1 u  =  x - (u - G (I + G^T G / sigma)^-1 G^T u / sigma) / sigma
///
/// over the contacts that stick, mostly with the factor that is there. What slides next to contacts that stick
/// keeps its percussion: where a structure holds it is on its bound and does not move.
void BodyNewton::refine()
{
    constexpr int max_rounds = 4;
    std::ranges::replace(places_, Place::Slides, Place::Open);
    if (!factorise()) return;
    for (int round = 0; round < max_rounds; ++round) {
        (void)measure(best_);  // the velocities that are left
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            Eigen::Map<Local> left(u_.data() + 3 * c);
            if (places_[c] == Place::Open) left.setZero();
            left /= sigma_;
        }
        move_bodies(u_, step_);
        factor_.solve(step_);
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            const Contact& contact = contacts_[c];
            Local more = Eigen::Map<const Local>(u_.data() + 3 * c);
            if (places_[c] != Place::Open) {
                const auto take = [&](int body, const Rows& G) {
                    if (body < 0) return;
                    more.noalias() -= G.lazyProduct(step_[static_cast<std::size_t>(body)]) / sigma_;
                };
                take(contact.a, contact.G_a);
                take(contact.b, contact.G_b);
            }
            Eigen::Map<Local>(tau_.data() + 3 * c) = Eigen::Map<const Local>(best_.data() + 3 * c) - more;
        }
        project(tau_);
        const double now = measure(tau_);
        if (!(now < 0.5 * error_)) return;
        error_ = now;
        best_ = tau_;
    }
}

int BodyNewton::run(const Budget& budget, Of what)
{
    const bool heap = what == Of::Heap;
    budget_ = budget;
    sigma_ = heap ? first_sigma_of_heap : first_sigma;
    factored_sigma_ = 0;
    factorisations_ = 0;
    y_ = x_;
    best_ = x_;
    error_ = measure(x_);
    if (error_ > far_away && !heap) hold_all();
    double error = error_ = measure(y_);
    w_ = w_try_;
    const double scale = std::sqrt(std::max(
        1e-300, Eigen::Map<const Eigen::VectorXd>(flat_.q.data(), std::ssize(flat_.q)).squaredNorm()));
    int fails = 0, more = 0;
    const auto is_over = [&] {
        if (error_ <= nearly_exact || factorisations_ >= budget.max_iterations || budget.expired())
            return true;
        return error_ <= budget.tolerance && (heap || more++ >= max_more_rounds);
    };
    std::vector<Vector> w_before;
    while (!is_over()) {
        const int before = factorisations_;
        w_before = w_;
        const double goal = std::max(1e-15, std::min(0.05 * error, 100 * budget.tolerance)) * scale;
        const double left = solve_inner(goal, max_inner_steps);
        tau_ = x_;  // percussions of now; tau is made anew
        project(tau_);
        const double now = measure(tau_);
        const bool good = left <= goal || now < 0.5 * error;
        const int steps = factorisations_ - before;
        const bool reached = error_ <= budget.tolerance;
        const bool gains = now < 0.5 * error_;
        if (now < error_) {
            error_ = now;
            best_ = tau_;
        }
        if (reached && (!gains || steps > max_steps_for_more)) break;  // more digits cost too much
        if (good && std::isfinite(now)) {
            y_ = tau_;
            w_ = w_try_;
            // a small sigma costs digits: it is made smaller only where the centres come nearer slowly
            const bool slowly = now > 0.1 * error;
            error = now;
            fails = 0;
            if (steps <= 4 && (slowly || heap))
                sigma_ = std::max((heap ? 0.3 : 0.1) * sigma_, smallest_sigma);
            if (steps > 8) sigma_ = std::min(2 * sigma_, largest_sigma);
        } else {
            sigma_ = std::min(5 * sigma_, largest_sigma);
            w_ = w_before;
            if (++fails > max_fails) break;
        }
    }
    if (!heap && error_ <= budget.tolerance && factorisations_ > 0) refine();
    x_ = best_;
    return factorisations_;
}

std::array<double, 3> BodyNewton::percussion(int contact) const noexcept
{
    const auto c = static_cast<std::size_t>(contact);
    const Local P =
        flat_.scale[c] * (contacts_[c].axes.transpose() * Eigen::Map<const Local>(x_.data() + 3 * c));
    return {P[0], P[1], P[2]};
}

}  // namespace carom
