#include "series_expansion.hpp"

#include "series_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {

Expansion::Expansion(const Model& model, int order)
    : system_(model, order),
      n_(model.coordinates()),
      K_(order),
      stride_(static_cast<std::size_t>(order) + 1),
      x_((2 * static_cast<std::size_t>(n_) + 1) * stride_, 0.0),
      a_(static_cast<std::size_t>(n_) * stride_, 0.0),
      A_constant_(std::ranges::all_of(system_.entries, [](const auto& entry) { return entry.constant; }))
{
}

const Player* Expansion::player_of(int contact) const noexcept
{
    for (const Player& one : players()) {
        if (one.known.contact == contact) return &one;
    }
    return nullptr;
}

ExpansionStatus Expansion::compute(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                                   std::span<const Known> closed)
{
    known_.assign(closed.begin(), closed.end());
    for (std::size_t attempt = 0; attempt <= known_.size(); ++attempt) {
        set_up(t_s, q, u);
        if (const auto status = first_order_data(); status != ExpansionStatus::Good) return status;
        bounding_ = count_ > 0;
        for (int p = 0; p < K_; ++p) {
            if (p > 0) {
                system_.dynamics.tape.advance(p, x_.data(), stride_);
                for (Player& one : playing()) {
                    if (one.may_act()) one.rows->tape.advance(p, x_.data(), stride_);
                }
            }
            if (bounding_) bound_tapes(p);
            right_hand_side(p);
            if (!y_.allFinite() || !e_.allFinite()) return ExpansionStatus::NotFinite;
            slip_directions(p);
            if (p == 0) free_ = e_;
            if (const auto status = solve_islands(p); status != ExpansionStatus::Good) return status;
            if (p == 0) first_dU_ = dU_;
            accept(p);
            bounding_ = bounding_ && open();
        }
        if (!std::ranges::all_of(x_, [](double c) { return std::isfinite(c); }))
            return ExpansionStatus::NotFinite;
        if (!ask_again()) return ExpansionStatus::Good;
    }
    return ExpansionStatus::Good;
}

std::string Expansion::where_not_finite(const LagrangianSystem& text) const
{
    const auto is_finite = [&](const double* series) {
        return std::all_of(series, series + K_, [](double c) { return std::isfinite(c); });
    };
    const auto& coordinates = text.coordinates;
    for (int i = 0; i < n_; ++i) {
        if (!is_finite(system_.K(i)) || !is_finite(system_.F(i)))
            return "the force on " + coordinates[static_cast<std::size_t>(i)].name;
    }
    for (std::size_t k = 0; k < system_.entries.size(); ++k) {
        if (!is_finite(system_.A(k))) return "the kinetic energy";
    }
    for (const Player& one : players()) {
        for (std::size_t i = 0; i < one.rows->registers.size(); ++i) {
            if (!is_finite(one.rows->output(i)))
                return "contact " + text.contacts[static_cast<std::size_t>(one.known.contact)].name;
        }
    }
    return {};
}

double Expansion::acceleration_scale(const Player& one) const noexcept
{
    double largest = 0;
    for (int i = 0; i < one.dimension; ++i) {
        largest = std::max(largest, std::abs(series(one.r, i)[0]) * W_(one.offset + i, one.offset + i));
    }
    return largest;
}

bool Expansion::open() const noexcept
{
    return std::ranges::any_of(players(), [](const Player& one) {
        return one.normal == NormalStatus::Undecided ||
               (one.may_act() && one.friction == FrictionStatus::Undecided);
    });
}

void Expansion::hold_sides_of(const Expansion& other)
{
    const auto hold = [](SeriesTape& tape, const SeriesTape& from) {
        for (std::size_t i = 0; i < tape.switches().size(); ++i) {
            tape.switches()[i].held = from.switches()[i].held;
        }
    };
    hold(system_.dynamics.tape, other.system_.dynamics.tape);
    for (std::size_t c = 0; c < system_.contacts.size(); ++c) {
        ContactPrograms& contact = system_.contacts[c];
        const ContactPrograms& from = other.system_.contacts[c];
        hold(contact.gap.tape, from.gap.tape);
        for (std::size_t k = 0; k < contact.rows.size(); ++k) {
            hold(contact.rows[k].tape, from.rows[k].tape);
        }
    }
}

/// Past a static threshold the smaller coefficient holds from the first order on: then once more.
bool Expansion::ask_again()
{
    bool again = false;
    for (const Player& one : players()) {
        const bool late = one.polar || one.lead >= 0 || one.friction_order > 0;
        if (one.friction != FrictionStatus::Slip || !one.programs->distinct_static || !late) continue;
        for (Known& it : known_) {
            if (it.contact != one.known.contact || it.begins_slip || !it.at_rest) continue;
            it.begins_slip = again = true;
            it.at_threshold = false;
            it.side = one.side;
        }
    }
    return again;
}

void Expansion::set_up(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    std::ranges::fill(x_, 0.0);
    for (int i = 0; i < n_; ++i) {
        x(i)[0] = q[i];
        x(n_ + i)[0] = u[i];
        x(i)[1] = u[i];
    }
    x(2 * n_)[0] = t_s;
    x(2 * n_)[1] = 1;

    count_ = known_.size();
    if (players_.size() < count_) players_.resize(count_);
    local_size_ = 0;
    trouble_ = -1;
    trusted_s_ = -1;
    untested_matrix_ = untested_directions_ = selected_ = false;
    several_at_ = -1;
    for (std::size_t k = 0; k < count_; ++k) {
        set_up_player(players_[k], known_[k]);
    }
    y_.setZero(n_);
    for (auto* local : {&e_, &r_, &dU_, &scale_, &e_error_, &r_error_, &dU_error_}) {
        local->setZero(local_size_);
    }
}

void Expansion::set_up_player(Player& one, const Known& known)
{
    one.known = known;
    one.programs = &system_.contacts[static_cast<std::size_t>(known.contact)];
    one.dimension = one.programs->dimension;
    one.offset = local_size_;
    one.normal = NormalStatus::Undecided;
    one.normal_order = one.friction_order = one.lead = -1;
    one.normal_leading = one.friction_leading = 0;
    one.side = known.side;
    one.alone = one.polar = false;
    one.scale = 0;
    const auto size = static_cast<std::size_t>(one.dimension) * stride_;
    for (auto* series : {&one.r, &one.U, &one.dU, &one.r_error}) {
        series->assign(size, 0.0);
    }
    if (one.dimension == 3) {
        for (auto* series : {&one.d, &one.mu_d}) {
            series->assign(2 * stride_, 0.0);
        }
        for (auto* series : {&one.speed, &one.sigma, &one.bound}) {
            series->assign(stride_, 0.0);
        }
    }
    local_size_ += one.dimension;
}

/// Values at the instant itself: metric, rows, what moves and what rests.
ExpansionStatus Expansion::first_order_data()
{
    system_.dynamics.tape.start_with_sides(x_.data(), stride_);
    if (!A_known_ || !A_constant_) {
        Eigen::MatrixXd& A = A_0_;
        A.setZero(n_, n_);
        for (std::size_t k = 0; k < system_.entries.size(); ++k) {
            const auto& entry = system_.entries[k];
            A(entry.i, entry.j) = A(entry.j, entry.i) = system_.A(k)[0];
        }
        if (!A.allFinite()) return ExpansionStatus::NotFinite;
        A_.compute(A);
        A_inverse_known_ = false;
        if (A_.info() != Eigen::Success) return ExpansionStatus::MetricSingular;
        A_known_ = true;
    }
    choose_frames();
    local_matrices();
    project_velocity();
    starting_statuses();
    find_islands();
    return W_.allFinite() ? ExpansionStatus::Good : ExpansionStatus::NotFinite;
}

/// (CF-3): tangents along the x axis, but for normals that are nearly along x.
void Expansion::choose_frames()
{
    for (Player& one : playing()) {
        auto& programs = system_.contacts[static_cast<std::size_t>(one.known.contact)].rows;
        one.frame = 0;
        one.rows = &programs.front();
        one.rows->tape.start_with_sides(x_.data(), stride_);
        const double n_x = one.rows->output(static_cast<std::size_t>(one.programs->normal_x))[0];
        if (programs.size() == 1 || std::abs(n_x) < 0.9) continue;
        one.frame = 1;
        one.rows = &programs.back();
        one.rows->tape.start_with_sides(x_.data(), stride_);
    }
}

void Expansion::local_matrices()
{
    H_.setZero(local_size_, n_);
    for (Player& one : playing()) {
        const auto& support = one.programs->support;
        for (int i = 0; i < one.dimension; ++i) {
            double U = one.rows->output(one.programs->b_at(i))[0];
            for (std::size_t s = 0; s < support.size(); ++s) {
                const double entry = one.rows->output(one.programs->H_at(i, s))[0];
                H_(one.offset + i, support[s]) = entry;
                U += entry * x_[static_cast<std::size_t>(n_ + support[s]) * stride_];
            }
            one.U[static_cast<std::size_t>(i) * stride_] = U;
        }
    }
    AiHt_ = H_.transpose();
    if (local_size_ > 0) A_.solveInPlace(AiHt_);
    W_.resize(local_size_, local_size_);
    W_.noalias() = H_ * AiHt_;
}

/// Local velocities that are zero by status are made so: the velocity moves by rounding, in the kinetic
/// metric.
void Expansion::project_velocity()
{
    zero_rows_.clear();
    zero_U_.clear();
    bool moves = false;
    for (Player& one : playing()) {
        for (int i = 0; i < one.dimension; ++i) {
            if (i > 0 && !one.known.at_rest) continue;
            double& U = one.U[static_cast<std::size_t>(i) * stride_];
            zero_rows_.push_back(one.offset + i);
            zero_U_.push_back(U);
            moves = moves || U != 0;
            U = 0;
        }
    }
    if (!moves) return;
    const std::size_t size = zero_rows_.size();
    zero_W_.resize(size * size);
    zero_P_.resize(size);
    for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b) {
            zero_W_[a * size + b] = W_(zero_rows_[a], zero_rows_[b]);
        }
    }
    zero_system_.factor(zero_W_, static_cast<int>(size));
    zero_system_.solve(zero_U_, zero_P_);
    for (int i = 0; i < n_; ++i) {
        for (std::size_t a = 0; a < size; ++a) {
            x(n_ + i)[0] -= AiHt_(i, zero_rows_[a]) * zero_P_[a];
        }
        x(i)[1] = x(n_ + i)[0];
    }
    system_.dynamics.tape.advance(0, x_.data(), stride_);
    for (Player& one : playing()) {
        one.rows->tape.advance(0, x_.data(), stride_);
    }
}

void Expansion::starting_statuses()
{
    for (Player& one : playing()) {
        one.friction = FrictionStatus::None;
        if (!one.programs->friction) continue;
        const bool at_rest = one.known.at_rest;
        one.friction = at_rest ? FrictionStatus::Undecided : FrictionStatus::Slip;
        if (at_rest && one.programs->rough) one.friction = FrictionStatus::Stick;
        if (one.dimension == 2) {
            if (!at_rest) one.side = series(one.U, 1)[0] > 0 ? 1 : -1;
            if (at_rest && one.known.begins_slip && one.side != 0) one.friction = FrictionStatus::Slip;
        }
    }
}

void Expansion::find_islands()
{
    // contacts whose rows of W meet more than by rounding
    const auto meet = [&](const Player& a, const Player& b) {
        const auto block = W_.block(a.offset, b.offset, a.dimension, b.dimension);
        const double size = std::sqrt(W_(a.offset, a.offset) * W_(b.offset, b.offset));
        return !(block.cwiseAbs().maxCoeff() <= 1e-13 * size);
    };
    island_of_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) {
        island_of_[k] = static_cast<int>(k);
        for (std::size_t l = 0; l < k; ++l) {
            const int from = island_of_[k], to = island_of_[l];
            if (from != to && meet(players_[k], players_[l])) std::ranges::replace(island_of_, from, to);
        }
    }
    island_count_ = 0;
    for (std::size_t k = 0; k < count_; ++k) {
        if (std::ranges::find(island_of_, static_cast<int>(k)) == island_of_.end()) continue;
        if (islands_.size() == island_count_) islands_.emplace_back();
        Island& one = islands_[island_count_++];
        one.decided = false;
        one.players.clear();
        for (std::size_t l = 0; l < count_; ++l) {
            if (island_of_[l] == static_cast<int>(k)) one.players.push_back(static_cast<int>(l));
        }
        if (one.players.size() == 1) look_at_particle(players_[static_cast<std::size_t>(one.players[0])]);
    }
}

/// A particle in space, alone: slip that begins has a direction that the series finds (PS-6).
void Expansion::look_at_particle(Player& one)
{
    if (one.dimension != 3 || one.friction == FrictionStatus::None || one.programs->rough) return;
    const auto W = W_.block(one.offset, one.offset, 3, 3);
    const double small = 1e-12 * W(0, 0);
    one.alone = std::abs(W(0, 1)) <= small && std::abs(W(0, 2)) <= small && std::abs(W(1, 2)) <= small &&
                std::abs(W(1, 1) - W(2, 2)) <= small;
    one.polar = one.alone && one.known.at_rest;
    if (one.polar) one.onset.reset(K_);
}

/// Order p of A u' = K + H^T r and of U' = H u' + gamma without the unknown coefficients of order p (PS-4).
void Expansion::right_hand_side(int p)
{
    for (int i = 0; i < n_; ++i) {
        y_[i] = system_.K(i)[p];
    }
    for (std::size_t k = 0; k < system_.entries.size(); ++k) {
        const auto& entry = system_.entries[k];
        if (entry.constant) continue;
        const double* A = system_.A(k);
        y_[entry.i] -= convolution(A, a(entry.j), p, 1, p);
        if (entry.i != entry.j) y_[entry.j] -= convolution(A, a(entry.i), p, 1, p);
    }
    for (const Player& one : players()) {
        if (!one.may_act()) continue;
        const auto& support = one.programs->support;
        for (int row = 0; row < one.dimension; ++row) {
            const double* r = series(one.r, row);
            for (std::size_t s = 0; s < support.size(); ++s) {
                const std::size_t place = one.programs->H_at(row, s);
                if (one.rows->is_constant(place)) continue;
                y_[support[s]] += convolution(one.rows->output(place), r, p, 1, p);
            }
        }
    }
    A_.solveInPlace(y_);

    for (const Player& one : players()) {
        if (!one.may_act()) continue;
        const auto& support = one.programs->support;
        for (int row = 0; row < one.dimension; ++row) {
            double sum = one.rows->output(one.programs->gamma_at(row))[p], size = std::abs(sum);
            for (std::size_t s = 0; s < support.size(); ++s) {
                const std::size_t place = one.programs->H_at(row, s);
                const double* H = one.rows->output(place);
                const double first = H[0] * y_[support[s]];
                const double rest = one.rows->is_constant(place) ? 0 : convolution(H, a(support[s]), p, 1, p);
                sum += first + rest;
                size += std::abs(first) + std::abs(rest);
            }
            e_[one.offset + row] = sum;
            scale_[one.offset + row] = size;
        }
    }
    if (bounding_) bound_right_hand_side(p);
}

/// Coefficient p of the direction of contacts that slide in space, U_T = |U_T| d.
void Expansion::slip_directions(int p)
{
    for (Player& one : playing()) {
        const bool slides = one.dimension == 3 && one.friction == FrictionStatus::Slip;
        if (!one.may_act() || !slides || one.known.at_rest) continue;
        const double *U1 = series(one.U, 1), *U2 = series(one.U, 2);
        double* d1 = one.d.data();
        double* d2 = d1 + stride_;
        double* N = one.speed.data();
        const double square = square_coefficient(U1, p) + square_coefficient(U2, p);
        if (p == 0) {
            N[0] = std::sqrt(square);
            d1[0] = U1[0] / N[0];
            d2[0] = U2[0] / N[0];
        } else {
            N[p] = (square - inner_coefficient(N, N, p)) / (2 * N[0]);
            d1[p] = (U1[p] - d1[0] * N[p] - inner_coefficient(d1, N, p)) / N[0];
            d2[p] = (U2[p] - d2[0] * N[p] - inner_coefficient(d2, N, p)) / N[0];
        }
        const double* mu = one.rows->output(one.programs->mu_at());
        one.mu_d[static_cast<std::size_t>(p)] = product_coefficient(mu, d1, p);
        one.mu_d[stride_ + static_cast<std::size_t>(p)] = product_coefficient(mu, d2, p);
    }
}

ExpansionStatus Expansion::solve_islands(int p)
{
    for (std::size_t k = 0; k < island_count_; ++k) {
        const auto status = OrderProblem(*this, islands_[k], p).solve();
        if (status != ExpansionStatus::Good) return status;
    }
    return ExpansionStatus::Good;
}

/// Everything of order p is known: accelerations, and so velocities of order p + 1.
void Expansion::accept(int p)
{
    const auto at = static_cast<std::size_t>(p);
    for (Player& one : playing()) {
        for (int i = 0; i < one.dimension && one.may_act(); ++i) {
            const std::size_t row = static_cast<std::size_t>(i) * stride_;
            one.r[row + at] = r_[one.offset + i];
            one.dU[row + at] = dU_[one.offset + i];
            one.U[row + at + 1] = dU_[one.offset + i] / (p + 1);
        }
        if (!one.may_act()) r_.segment(one.offset, one.dimension).setZero();
        if (!one.may_act()) r_error_.segment(one.offset, one.dimension).setZero();
    }
    if (local_size_ > 0) y_.noalias() += AiHt_ * r_;
    for (int i = 0; i < n_; ++i) {
        a_[static_cast<std::size_t>(i) * stride_ + at] = y_[i];
        x(n_ + i)[p + 1] = y_[i] / (p + 1);
        if (p + 2 <= K_) x(i)[p + 2] = x(n_ + i)[p + 1] / (p + 2);
    }
    if (bounding_) bound_motion(p);
}

void Expansion::compute_gaps()
{
    for (std::size_t c = 0; c < system_.contacts.size(); ++c) {
        const Player* one = player_of(static_cast<int>(c));
        SeriesTape& tape = system_.contacts[c].gap.tape;
        if (one != nullptr && one->may_act() && tape.switches().empty()) continue;
        tape.start_with_sides(x_.data(), stride_);
        for (int p = 1; p <= K_; ++p) {
            tape.advance(p, x_.data(), stride_);
        }
    }
}

namespace {

/// Largest h with |x_j| h^j <= tolerance max_i |x_i| h^i for the last two orders j and some low order i;
/// sizes become their logarithms.
double trusted_by(std::vector<double>& size, int K, double tolerance)
{
    const auto at = [&](int k) { return size[static_cast<std::size_t>(k)]; };
    if (at(K - 1) == 0 && at(K) == 0) return std::numeric_limits<double>::infinity();
    for (double& one : size) {
        one = std::log2(one);  // of zero: minus infinity
    }
    const double part = std::log2(tolerance);
    double longest = -std::numeric_limits<double>::infinity();
    for (int i = 0; i <= K - 2; ++i) {
        double h = std::numeric_limits<double>::infinity();
        for (int j = K - 1; j <= K; ++j) {
            if (std::isfinite(at(j))) h = std::min(h, (part + at(i) - at(j)) / (j - i));
        }
        longest = std::max(longest, h);
    }
    return std::exp2(longest);
}

}  // namespace

double Expansion::trusted_length_s(double tolerance)
{
    if (trusted_s_ >= 0) return trusted_s_;
    double h = std::numeric_limits<double>::infinity();
    for (int first = 0; first <= n_ && n_ > 0; first += n_) {
        sizes_.assign(stride_, 0.0);
        for (int i = 0; i < n_; ++i) {
            for (std::size_t k = 0; k < stride_; ++k) {
                sizes_[k] = std::max(sizes_[k], std::abs(q(first + i)[k]));
            }
        }
        h = std::min(h, trusted_by(sizes_, K_, tolerance));
    }
    trusted_s_ = 0.9 * h;
    return trusted_s_;
}

double Expansion::trusted_gap_length_s(int contact, double tolerance)
{
    sizes_.assign(gap(contact), gap(contact) + stride_);
    for (double& size : sizes_) {
        size = std::abs(size);
    }
    return 0.9 * trusted_by(sizes_, K_, tolerance);
}

}  // namespace carom::detail
