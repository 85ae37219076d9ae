#include "solver/one_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

using Vector = std::array<double, 2>;

/// What cancellation leaves of a number that should vanish, relative to the terms it is made of.
constexpr double rounding = 1e-13;

double dot(const Vector& a, const Vector& b)
{
    return a[0] * b[0] + a[1] * b[1];
}

double length(const Vector& a)
{
    return std::sqrt(a[0] * a[0] + a[1] * a[1]);
}

ContactStatus open(std::span<double> P)
{
    std::fill(P.begin(), P.end(), 0.0);
    return ContactStatus::Open;
}

/// The plane (OC-2): Moreau's line U_N = 0 meets the cone between P_T = low P_N and P_T = high P_N. It passes
/// through P_T = 0 inside the cone, so towards the sticking point it leaves the cone by one edge at most.
ContactStatus solve_in_plane(std::span<const double> W, std::span<const double> b, double low, double high,
                             bool rough, std::span<double> P)
{
    const double W_nn = W[0], W_nt = W[1], W_tn = W[2], W_tt = W[3];
    const double P_n0 = -b[0] / W_nn;  // without friction
    const double drive = b[1] + W_tn * P_n0, S = W_tt - W_tn * W_nt / W_nn;

    // sticking point; without tangential mobility it exists only where nothing drives
    const bool mobile = S > rounding * W_tt;
    const bool driven = std::abs(drive) > rounding * (std::abs(b[1]) + std::abs(W_tn * P_n0));
    if (mobile || !driven) {
        const double P_t = mobile ? -drive / S : 0.0;
        const double P_n = P_n0 - W_nt * P_t / W_nn;
        const bool inside = rough ? P_n >= 0 : P_n >= 0 && P_t >= low * P_n && P_t <= high * P_n;
        if (inside) {
            P[0] = P_n;
            P[1] = P_t;
            return ContactStatus::Stick;
        }
    }

    // sliding against the drive: the edge on the side of the sticking point
    if (rough) {
        const double P_t = -b[0] / W_nt;
        if (!(P_t * drive <= 0) || !std::isfinite(P_t)) return ContactStatus::None;
        P[0] = 0;
        P[1] = P_t;
        return ContactStatus::Slip;
    }
    const double edge = drive > 0 ? low : high;
    const double denominator = W_nn + W_nt * edge;
    if (!(denominator > 0)) return ContactStatus::None;
    P[0] = -b[0] / denominator;
    P[1] = edge * P[0];
    return ContactStatus::Slip;
}

/// A contact in space with U_N = 0 eliminated:  U_T = S P_T + drive,  P_N = P_n0 - a.P_T.
struct Reduced {
    double S11, S12, S21, S22;
    Vector drive, a;
    double P_n0;
    double scale;  ///< size of the terms that S is made of

    Reduced(std::span<const double> W, std::span<const double> b)
        : S11(W[4] - W[3] * W[1] / W[0]),
          S12(W[5] - W[3] * W[2] / W[0]),
          S21(W[7] - W[6] * W[1] / W[0]),
          S22(W[8] - W[6] * W[2] / W[0]),
          drive{b[1] - W[3] * b[0] / W[0], b[2] - W[6] * b[0] / W[0]},
          a{W[1] / W[0], W[2] / W[0]},
          P_n0(-b[0] / W[0]),
          scale(std::max(std::abs(W[4]), std::abs(W[8])))
    {
    }
    [[nodiscard]] double normal(const Vector& P_t) const { return P_n0 - dot(a, P_t); }

    /// (S + alpha I)^-1 x
    [[nodiscard]] Vector solve(double alpha, const Vector& x) const
    {
        const double d11 = S11 + alpha, d22 = S22 + alpha, det = d11 * d22 - S12 * S21;
        return {(d22 * x[0] - S12 * x[1]) / det, (d11 * x[1] - S21 * x[0]) / det};
    }
    [[nodiscard]] double det() const { return S11 * S22 - S12 * S21; }

    /// The largest alpha >= 0 where S + alpha I is singular, 0 when there is none: an ellipse off its centre
    /// makes S nonsymmetric, and then it need not be positive.
    [[nodiscard]] double largest_pole() const
    {
        const double half = (S11 + S22) / 2, root2 = half * half - det();
        return root2 >= 0 ? std::max(0.0, std::sqrt(root2) - half) : 0.0;
    }
};

/// Sticking where S has a kernel (OC-4): P_T = p + s k with k in the kernel; of all s the one that asks for
/// the least friction. Returns false where nothing holds the drive within the cone.
bool stick_singular(const Reduced& c, double mu, bool rough, const Vector& drive_terms, Vector& P_t)
{
    const double frobenius2 = c.S11 * c.S11 + c.S12 * c.S12 + c.S21 * c.S21 + c.S22 * c.S22;
    const double drive_size = length(drive_terms);
    if (frobenius2 <= rounding * rounding * c.scale * c.scale) {  // no tangential mobility at all
        P_t = {0, 0};
        return length(c.drive) <= rounding * drive_size;
    }
    // rank one: S = u v^T with |v| = 1, v the larger row
    const bool first = std::hypot(c.S11, c.S12) >= std::hypot(c.S21, c.S22);
    Vector v = first ? Vector{c.S11, c.S12} : Vector{c.S21, c.S22};
    const double size = length(v);
    v = {v[0] / size, v[1] / size};
    const Vector u{c.S11 * v[0] + c.S12 * v[1], c.S21 * v[0] + c.S22 * v[1]};
    const double along = dot(u, c.drive) / dot(u, u);
    const Vector rest{c.drive[0] - along * u[0], c.drive[1] - along * u[1]};
    if (length(rest) > 1e3 * rounding * drive_size) return false;
    const Vector k{-v[1], v[0]};
    const double p = std::abs(along), P_n = c.normal({-along * v[0], -along * v[1]}), a_k = dot(c.a, k);

    // least of |P_T| - mu P_N over s: sqrt(p^2 + s^2) + mu a_k s
    const double slope = mu * a_k;
    double s = 0;
    if (rough) {
        s = a_k != 0 && P_n < 0 ? 2 * P_n / a_k : 0.0;
    } else if (std::abs(slope) < 1) {
        s = -p * slope / std::sqrt(1 - slope * slope);
    } else {
        s = -std::copysign(2 * (p + mu * std::abs(P_n)) + p,
                           slope);  // wedged: far enough out it always holds
        for (int doubling = 0; doubling < 60 && std::hypot(p, s) > mu * (P_n - a_k * s); ++doubling) {
            s *= 2;
        }
    }
    P_t = {-along * v[0] + s * k[0], -along * v[1] + s * k[1]};
    return true;
}

/// Newton's step in alpha for sliding, from P_T(alpha) and d = -dP_T/dalpha. On a disc it is taken on
/// mu P_N / |P_T| - 1, which is linear in alpha where S is isotropic and P_N does not depend on P_T.
double slip_step(const Reduced& c, double mu, bool rough, const Vector& P_t, const Vector& d)
{
    const double P_n = c.normal(P_t), normal_rate = dot(c.a, d);
    if (rough) return -P_n / normal_rate;
    const double size2 = dot(P_t, P_t), size = std::sqrt(size2);
    return size2 * (size - mu * P_n) / (mu * (normal_rate * size2 + P_n * dot(P_t, d)));
}

/// Sliding against a disc of radius mu P_N (OC-3): P_T(alpha) = -(S + alpha I)^-1 drive with U_T = -alpha
/// P_T; alpha > 0 is where |P_T| = mu P_N, found by Newton's method kept inside a bracket.
bool slip_on_disc(const Reduced& c, double mu, bool rough, Vector& P_t)
{
    const auto excess = [&](const Vector& p) { return rough ? -c.normal(p) : length(p) - mu * c.normal(p); };
    const Vector minus_drive{-c.drive[0], -c.drive[1]};
    const double size = std::max((std::abs(c.S11) + std::abs(c.S22)) / 2, rounding * c.scale);
    double low = c.largest_pole(), high = std::numeric_limits<double>::infinity();

    // begin where an isotropic S would end
    double alpha = rough ? 0.0 : length(c.drive) / (mu * c.P_n0) - (c.S11 + c.S22) / 2;
    if (!(alpha > low && std::isfinite(alpha))) alpha = low + size;
    for (int k = 0; k < 200; ++k) {
        P_t = c.solve(alpha, minus_drive);
        const double f = excess(P_t);
        (f > 0 ? low : high) = alpha;
        if (f == 0) break;
        const double step = slip_step(c, mu, rough, P_t, c.solve(alpha, P_t));
        double next = alpha + step;
        if (next > low && next < high) {
            // quadratic convergence: what is left after a step this small is rounding
            const bool last = std::abs(step) <= 1e-9 * alpha;
            alpha = next;
            if (!last) continue;
            P_t = c.solve(alpha, minus_drive);
            break;
        }
        next = std::isfinite(high) ? low + (high - low) / 2 : 4 * std::max(low, size);
        if (std::abs(step) <= 1e-16 * alpha || !(next > low && next < high)) break;
        alpha = next;
    }
    // a sign change at a pole is no solution
    return std::abs(excess(P_t)) <= 1e-9 * (length(P_t) + mu * std::abs(c.P_n0));
}

/// Isotropic friction in space; also every ellipse, after a change of tangential coordinates.
ContactStatus solve_on_disc(std::span<const double> W, std::span<const double> b, double mu, bool rough,
                            std::span<double> P)
{
    const Reduced c(W, b);
    if (mu == 0 && !rough) {
        P[0] = c.P_n0;
        P[1] = P[2] = 0;
        return length(c.drive) > 0 ? ContactStatus::Slip : ContactStatus::Stick;
    }
    const double trace = c.S11 + c.S22;
    const bool mobile = c.det() > rounding * trace * trace && trace > rounding * c.scale;
    Vector P_t{};
    bool sticks = false;
    if (mobile) {
        P_t = c.solve(0, c.drive);
        P_t = {-P_t[0], -P_t[1]};
        sticks = true;
    } else {
        const Vector terms{std::abs(b[1]) + std::abs(W[3] * c.P_n0),
                           std::abs(b[2]) + std::abs(W[6] * c.P_n0)};
        sticks = stick_singular(c, mu, rough, terms, P_t);
    }
    double P_n = c.normal(P_t);
    if (sticks && P_n >= 0 && (rough || length(P_t) <= mu * P_n)) {
        P[0] = P_n;
        P[1] = P_t[0];
        P[2] = P_t[1];
        return ContactStatus::Stick;
    }
    if (!slip_on_disc(c, mu, rough, P_t)) return ContactStatus::None;
    P_n = rough ? 0.0 : std::max(0.0, c.normal(P_t));

    // on the bound to the last digit
    const double size = length(P_t);
    const double onto = !rough && size > 0 ? mu * P_n / size : 1.0;
    P[0] = P_n;
    P[1] = onto * P_t[0];
    P[2] = onto * P_t[1];
    return ContactStatus::Slip;
}

/// P_T = P_N c + L y with |y| <= P_N makes an ellipse a disc of radius one; U_T turns into L^T U_T.
ContactStatus solve_on_ellipse(const FrictionEllipse& ellipse, double mu, std::span<const double> W,
                               std::span<const double> b, std::span<double> P)
{
    const double cos = std::cos(ellipse.angle_rad), sin = std::sin(ellipse.angle_rad);
    const double k1 = mu * ellipse.half_axes[0], k2 = mu * ellipse.half_axes[1];
    const std::array<double, 9> right{
        1, 0, 0, mu * ellipse.centre[0], k1 * cos, -k2 * sin, mu * ellipse.centre[1], k1 * sin, k2 * cos};
    const std::array<double, 9> left{1, 0, 0, 0, k1 * cos, -k2 * sin, 0, k1 * sin, k2 * cos};
    std::array<double, 9> WT{}, local{};
    std::array<double, 3> b_local{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                WT[3 * i + j] += W[3 * i + k] * right[3 * k + j];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            b_local[i] += left[3 * k + i] * b[k];
            for (int j = 0; j < 3; ++j) {
                local[3 * i + j] += left[3 * k + i] * WT[3 * k + j];
            }
        }
    }
    if (!(local[0] > 0)) return ContactStatus::None;
    std::array<double, 3> y{};
    const ContactStatus status = solve_on_disc(local, b_local, 1.0, false, y);
    if (status == ContactStatus::None) return status;
    for (int i = 0; i < 3; ++i) {
        P[i] = right[3 * i] * y[0] + right[3 * i + 1] * y[1] + right[3 * i + 2] * y[2];
    }
    return status;
}

/// A polygon: sticking, or one of its corners, or one of its edges. Of all candidates the one that violates
/// the law least is the solution.
ContactStatus solve_on_polygon(const FrictionPolygon& polygon, double mu, std::span<const double> W,
                               std::span<const double> b, std::span<double> P)
{
    const auto& vertices = *polygon.vertices;
    const Reduced c(W, b);
    const auto velocity = [&](double P_n, const Vector& P_t) {
        return Vector{b[1] + W[3] * P_n + W[4] * P_t[0] + W[5] * P_t[1],
                      b[2] + W[6] * P_n + W[7] * P_t[0] + W[8] * P_t[1]};
    };
    const FrictionShape shape = polygon;
    double best = std::numeric_limits<double>::infinity();
    ContactStatus status = ContactStatus::None;
    const auto consider = [&](double P_n, const Vector& P_t, ContactStatus candidate) {
        if (!(P_n >= 0) || !std::isfinite(P_n + P_t[0] + P_t[1])) return;
        // natural map of the tangential part, in the units of U
        const Vector U_t = velocity(P_n, P_t);
        Vector moved{P_t[0] - U_t[0] / c.scale, P_t[1] - U_t[1] / c.scale};
        project_on_shape(shape, mu * P_n, moved);
        const double violation = std::hypot(P_t[0] - moved[0], P_t[1] - moved[1]);
        if (!(violation < best)) return;
        best = violation;
        status = candidate;
        P[0] = P_n;
        P[1] = P_t[0];
        P[2] = P_t[1];
    };
    const double trace = c.S11 + c.S22;
    if (c.det() > rounding * trace * trace) {
        const Vector stick = c.solve(0, c.drive);
        const Vector P_t{-stick[0], -stick[1]};
        consider(c.normal(P_t), P_t, ContactStatus::Stick);
    } else {
        consider(c.P_n0, {0, 0}, ContactStatus::Stick);
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vector v{mu * vertices[i][0], mu * vertices[i][1]};
        const Vector& next = vertices[(i + 1) % vertices.size()];
        const Vector edge{mu * next[0] - v[0], mu * next[1] - v[1]};

        // corner: P = P_n (1, v) with U_N = 0
        const double P_n = c.P_n0 / (1 + dot(c.a, v));
        consider(P_n, {P_n * v[0], P_n * v[1]}, ContactStatus::Slip);

        // edge: P = P_n (1, v) + z (0, edge) with U_N = 0 and no sliding along the edge
        const Vector along_v = velocity(1, v), zero = velocity(0, {0, 0}), along_edge = velocity(0, edge);
        const double m11 = W[0] + W[1] * v[0] + W[2] * v[1], m12 = W[1] * edge[0] + W[2] * edge[1];
        const double m21 = dot(edge, {along_v[0] - zero[0], along_v[1] - zero[1]}),
                     m22 = dot(edge, {along_edge[0] - zero[0], along_edge[1] - zero[1]});
        const double r1 = -b[0], r2 = -dot(edge, zero), det = m11 * m22 - m12 * m21;
        const double normal = (r1 * m22 - m12 * r2) / det, z = (m11 * r2 - m21 * r1) / det;
        consider(normal, {normal * v[0] + z * edge[0], normal * v[1] + z * edge[1]}, ContactStatus::Slip);
    }
    return status;
}

}  // namespace

const char* name_of(ContactStatus status) noexcept
{
    switch (status) {
    case ContactStatus::Open: return "open";
    case ContactStatus::Stick: return "stick";
    case ContactStatus::Slip: return "slip";
    case ContactStatus::None: return "none";
    }
    return "unknown";
}

ContactStatus solve_one_contact(const Coulomb& law, std::span<const double> W, std::span<const double> b,
                                std::span<double> P) noexcept
{
    // separates by itself
    if (b[0] >= 0) return open(P);
    if (!(W[0] > 0)) {  // nothing moves along the normal, whatever acts
        open(P);
        return ContactStatus::None;
    }
    const double mu = law.friction;
    const bool rough = std::holds_alternative<FrictionRough>(law.shape);
    if (tangential_dimension(law.shape) == 1) {
        const auto* interval = std::get_if<FrictionInterval>(&law.shape);
        const double low = interval != nullptr ? mu * interval->low : 0.0;
        const double high = interval != nullptr ? mu * interval->high : 0.0;
        return solve_in_plane(W, b, low, high, rough, P);
    }
    if (const auto* ellipse = std::get_if<FrictionEllipse>(&law.shape); ellipse != nullptr && mu > 0) {
        return solve_on_ellipse(*ellipse, mu, W, b, P);
    }
    if (const auto* polygon = std::get_if<FrictionPolygon>(&law.shape); polygon != nullptr && mu > 0) {
        return solve_on_polygon(*polygon, mu, W, b, P);
    }
    return solve_on_disc(W, b, mu, rough, P);
}

double sliding_margin(const Coulomb& law, std::span<const double> W) noexcept
{
    const auto d = static_cast<std::size_t>(dimension(law));
    std::array<double, 2> towards{};
    for (std::size_t k = 1; k < d; ++k) {
        towards[k - 1] = -W[k];
    }
    const double largest = support(law.shape, std::span(towards).first(d - 1));
    if (largest == 0) return 1;
    return 1 - (std::holds_alternative<FrictionRough>(law.shape) ? largest : law.friction * largest) / W[0];
}

}  // namespace carom
