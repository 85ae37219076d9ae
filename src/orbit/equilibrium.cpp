#include "carom/orbit/equilibrium.hpp"

#include "core/dense.hpp"
#include "directions.hpp"
#include "member.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

/// Forces and closed contacts at one value of the parameter.
class Statics {
public:
    Statics(const Scene& scene, const std::string& over, double value, std::vector<int> closed,
            std::vector<int> sides)
        : closed_(std::move(closed)), sides_(std::move(sides))
    {
        OrbitOptions options;
        options.parameters = {over};
        const std::array values{value};
        auto member = make_member(scene, options, values);
        if (member) member_ = std::move(*member);
    }
    [[nodiscard]] bool is_good() const noexcept { return member_ != nullptr; }

    /// Newton's method for K + H^T r = 0, gaps zero; unknowns q and the normal reactions.
    [[nodiscard]] bool solve(Eigen::VectorXd& q, Eigen::VectorXd& r_N)
    {
        constexpr int max_iterations = 40;
        double before = INFINITY;
        for (int k = 0; k < max_iterations; ++k) {
            evaluate(q, r_N);
            const Eigen::VectorXd step = FullLu(J_).solve(-residual_);
            if (!step.allFinite()) return false;
            q += step.head(q.size());
            r_N += step.tail(r_N.size());
            const double size = step.cwiseAbs().maxCoeff();
            if (size <= 1e-14 * (1 + q.cwiseAbs().maxCoeff())) return true;
            if (k > 4 && size >= before && size <= 1e-10 * (1 + q.cwiseAbs().maxCoeff())) return true;
            before = size;
        }
        return false;
    }

    /// Of the motion with closed contacts held: M z'' + D z' + S z = 0 along what they leave free.
    [[nodiscard]] std::vector<std::complex<double>> eigenvalues(const Eigen::VectorXd& q,
                                                                const Eigen::VectorXd& r_N)
    {
        evaluate(q, r_N);
        const auto n = q.size();
        Eigen::MatrixXd B = Eigen::MatrixXd::Identity(n, n);
        if (!closed_.empty()) {
            const Svd svd(J_.bottomLeftCorner(r_N.size(), n), Eigen::ComputeFullV);
            B = svd.V().rightCols(n - svd.rank());
        }
        const auto d = B.cols();
        if (d == 0) return {};
        const Eigen::MatrixXd M = B.transpose() * mass(q) * B;
        const Eigen::MatrixXd S = B.transpose() * J_.topLeftCorner(n, n) * B,
                              D = B.transpose() * damping_ * B;
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * d, 2 * d);
        A.topRightCorner(d, d).setIdentity();
        const Ldlt inertia(M);
        A.bottomLeftCorner(d, d) = inertia.solve(S);
        A.bottomRightCorner(d, d) = inertia.solve(D);
        const Eigen::VectorXcd found = eigenvalues_of(A);
        std::vector<std::complex<double>> values(found.begin(), found.end());
        std::ranges::stable_sort(values, [](const auto& a, const auto& b) { return a.real() > b.real(); });
        return values;
    }

    /// Of all contacts.
    [[nodiscard]] std::vector<double> gaps(const Eigen::VectorXd& q)
    {
        std::vector<double> result;
        const Eigen::VectorXd u = Eigen::VectorXd::Zero(q.size());
        for (auto& contact : system().contacts) {
            contact.gap.at(system().place(member_->scene.start.t_s, q, u).point(), work_);
            result.push_back(contact.gap.value[0]);
        }
        return result;
    }

    /// The sign tells on which side of a fold an equilibrium lies.
    [[nodiscard]] double determinant() const { return Lu(J_).determinant(); }

private:
    [[nodiscard]] VariationalSystem& system() { return member_->flow->system(); }

    void evaluate(const Eigen::VectorXd& q, const Eigen::VectorXd& r_N)
    {
        const auto n = q.size();
        const auto m = static_cast<Eigen::Index>(closed_.size());
        const Eigen::VectorXd u = Eigen::VectorXd::Zero(n);
        const double t_s = member_->scene.start.t_s;
        residual_.setZero(n + m);
        J_.setZero(n + m, n + m);
        system().balances.at(system().place(t_s, q, u).point(), work_);
        residual_.head(n) = system().balances.value;
        J_.topLeftCorner(n, n) = system().balances.slope.leftCols(n);
        damping_ = system().balances.slope.middleCols(n, n);
        std::size_t rough = 0;
        for (Eigen::Index k = 0; k < m; ++k) {
            auto& contact = system().contacts[static_cast<std::size_t>(closed_[static_cast<std::size_t>(k)])];
            auto place = system().place(t_s, q, u);
            contact.coefficients.at(place.point(), work_);
            const double side = contact.friction ? sides_[rough++] : 0;
            const double bound = side * contact.coefficients.value[1];
            const Eigen::VectorXd d_bound = side * contact.coefficients.slope.row(1).head(n).transpose();
            place.q[static_cast<std::size_t>(system().reaction_at(contact.offset))] = r_N[k];
            if (side != 0)
                place.q[static_cast<std::size_t>(system().reaction_at(contact.offset + 1))] = bound * r_N[k];
            contact.HT_r[0].at(place.point(), work_);
            contact.U[0].at(place.point(), work_);
            contact.gap.at(place.point(), work_);
            const Eigen::MatrixXd H = contact.U[0].slope.middleCols(n, n);
            residual_.head(n) += contact.HT_r[0].value;
            J_.topLeftCorner(n, n) += contact.HT_r[0].slope.leftCols(n);
            J_.col(n + k).head(n) = H.row(0).transpose();
            if (side != 0) {
                J_.col(n + k).head(n) += bound * H.row(1).transpose();
                J_.topLeftCorner(n, n) += H.row(1).transpose() * (r_N[k] * d_bound).transpose();
            }
            residual_[n + k] = contact.gap.value[0];
            J_.row(n + k).head(n) = contact.gap.slope.row(0).head(n);
        }
    }

    [[nodiscard]] Eigen::MatrixXd mass(const Eigen::VectorXd& q)
    {
        auto place = system().place(member_->scene.start.t_s, q, Eigen::VectorXd::Zero(q.size()));
        return kinetic_matrix(system(), place, work_);
    }

    std::unique_ptr<Member> member_;
    std::vector<int> closed_, sides_;
    Workspace work_;
    Eigen::VectorXd residual_;
    Eigen::MatrixXd J_, damping_;
};

/// An equilibrium with what decides about statuses there.
struct RestNode {
    Equilibrium point;
    Eigen::VectorXd r_N;
    std::vector<double> gaps;
    double determinant = 0;
};

class RestWalk {
public:
    RestWalk(const Scene& scene, const EquilibriumOptions& options, std::vector<int> closed,
             std::vector<int> sides)
        : scene_(scene), options_(options), closed_(std::move(closed)), sides_(std::move(sides))
    {
    }

    [[nodiscard]] std::optional<RestNode> at(double value, Eigen::VectorXd q, Eigen::VectorXd r_N) const
    {
        Statics statics(scene_, options_.over, value, closed_, sides_);
        if (!statics.is_good() || !statics.solve(q, r_N)) return std::nullopt;
        RestNode node{.point = {.value = value, .q = q, .r_N = {r_N.data(), r_N.data() + r_N.size()}},
                      .r_N = r_N};
        node.gaps = statics.gaps(q);
        node.determinant = statics.determinant();
        if (!sides_.empty()) return node;
        node.point.eigenvalues = statics.eigenvalues(q, r_N);
        const double size = node.point.eigenvalues.empty() ? 0 : std::abs(node.point.eigenvalues.back());
        node.point.stable = std::ranges::all_of(node.point.eigenvalues,
                                                [&](const auto& m) { return m.real() <= 1e-9 * (1 + size); });
        return node;
    }

    /// On to an end of the range; returns why it ended.
    std::string follow(RestNode from, bool upwards, EquilibriumBranch& branch) const
    {
        const double whole = options_.high - options_.low, end = upwards ? options_.high : options_.low;
        const double longest = whole / options_.steps;
        double step = longest;
        while (from.point.value != end) {
            const double left = std::abs(end - from.point.value);
            const double next = step >= left * (1 - 1e-9) ? end : from.point.value + (upwards ? step : -step);
            auto node = at(next, from.point.q, from.r_N);
            const bool jumped = node && (node->point.q - from.point.q).norm() >
                                            10 * (1 + from.point.q.norm()) * step / whole * 10;
            if (!node || jumped || node->determinant * from.determinant <= 0) {
                step /= 2;
                if (step > 1e-12 * whole) continue;
                branch.special.push_back({.kind = "fold", .value = from.point.value, .place = {}});
                return fmt::format("fold at {:.12g}", from.point.value);
            }
            if (const auto lost = first_change(from, *node)) {
                branch.special.push_back(*lost);
                return fmt::format("{} at {:.12g}: {}", lost->kind, lost->value, lost->place);
            }
            if (from.point.stable != node->point.stable && sides_.empty())
                branch.special.push_back(
                    {.kind = "stability", .value = root_of_stability(from, *node), .place = {}});
            branch.points.push_back(node->point);
            from = std::move(*node);
            step = std::min(2 * step, longest);
        }
        return "range";
    }

private:
    /// A reaction that turns into a pull, or a gap that closes, between two nodes: the first of them.
    [[nodiscard]] std::optional<EquilibriumPoint> first_change(const RestNode& a, const RestNode& b) const
    {
        std::optional<EquilibriumPoint> first;
        const auto take = [&](const char* kind, int contact,
                              const std::function<double(const RestNode&)>& test) {
            if (!(test(a) >= 0 && test(b) < 0)) return;
            const double value = root(a, b, test);
            if (first && std::abs(value - a.point.value) >= std::abs(first->value - a.point.value)) return;
            first = EquilibriumPoint{
                .kind = kind,
                .value = value,
                .place = scene_.model.system().contacts[static_cast<std::size_t>(contact)].name};
        };
        for (std::size_t k = 0; k < closed_.size(); ++k) {
            take("contact_lost", closed_[k],
                 [k](const RestNode& node) { return node.r_N[static_cast<Eigen::Index>(k)]; });
        }
        for (int c = 0; c < static_cast<int>(a.gaps.size()); ++c) {
            if (std::ranges::find(closed_, c) != closed_.end()) continue;
            take("contact_made", c,
                 [c](const RestNode& node) { return node.gaps[static_cast<std::size_t>(c)]; });
        }
        return first;
    }

    [[nodiscard]] double root(const RestNode& a, const RestNode& b,
                              const std::function<double(const RestNode&)>& test) const
    {
        double low = a.point.value, high = b.point.value, f_low = test(a), f_high = test(b);
        for (int k = 0; k < 100 && std::abs(high - low) > 1e-15 * (std::abs(low) + std::abs(high)); ++k) {
            double value = (low * f_high - high * f_low) / (f_high - f_low);
            if (k % 3 == 2) value = (low + high) / 2;
            const auto node = at(value, a.point.q, a.r_N);
            if (!node) break;
            const double f = test(*node);
            if (f == 0) return value;
            ((f < 0) == (f_low < 0) ? low : high) = value;
            ((f < 0) == (f_low < 0) ? f_low : f_high) = f;
        }
        return std::abs(f_low) < std::abs(f_high) ? low : high;
    }

    [[nodiscard]] double root_of_stability(const RestNode& a, const RestNode& b) const
    {
        double low = a.point.value, high = b.point.value;
        for (int k = 0; k < 60; ++k) {
            const double middle = (low + high) / 2;
            const auto node = at(middle, a.point.q, a.r_N);
            if (!node) break;
            (node->point.stable == a.point.stable ? low : high) = middle;
        }
        return (low + high) / 2;
    }

    const Scene& scene_;
    const EquilibriumOptions& options_;
    std::vector<int> closed_, sides_;
};

Error refuse_rest(ErrorCode code, const char* where, std::string message, std::string hint)
{
    return {
        .code = code, .where = where, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

/// Contacts that are closed at the start, and how many of them are rough.
struct ClosedContacts {
    std::vector<int> contacts;
    int rough = 0;
};

/// Forces that depend on the time, or obstacles that move: nothing stays at rest.
Errors check_rest(const Scene& scene, const SceneSymbols& symbols)
{
    constexpr int instants = 8;
    VariationalSystem system(symbols, scene.model);
    Workspace work;
    const State& start = scene.start;
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(start.q.size());
    const auto changes = [&](Differentiated& f, Eigen::Index rows) {
        f.at(system.place(start.t_s, start.q, still).point(), work);
        const Eigen::VectorXd first = f.value.head(rows);
        const double size = f.value.cwiseAbs().sum() + f.slope.cwiseAbs().sum();
        for (int k = 1; k <= instants; ++k) {
            const double t_s = start.t_s + 0.137 * k * scene.plan.duration_s;
            f.at(system.place(t_s, start.q, still).point(), work);
            if ((f.value.head(rows) - first).cwiseAbs().maxCoeff() > 1e-9 * size) return true;
        }
        return false;
    };
    if (system.balances.value.size() > 0 && changes(system.balances, system.balances.value.size())) {
        return {refuse_rest(ErrorCode::NotAllowedHere, "--equilibrium", "forces depend on the time",
                            "follow orbits instead, with --period")};
    }
    for (std::size_t c = 0; c < system.contacts.size(); ++c) {
        auto& contact = system.contacts[c];
        contact.U[0].at(system.place(start.t_s, start.q, still).point(), work);
        const bool moves = contact.U[0].value.cwiseAbs().maxCoeff() > 0;
        if (!moves && !changes(contact.gap, 1) && !changes(contact.U[0], contact.dimension)) continue;
        return {refuse_rest(
            ErrorCode::NotAllowedHere, "--equilibrium",
            fmt::format("the obstacle of {} moves", scene.model.system().contacts[c].name),
            "follow orbits instead, with --period or --section, or let the obstacle stand still")};
    }
    return {};
}

Expected<ClosedContacts, Errors> closed_at_start(const Scene& scene)
{
    ClosedContacts closed;
    Workspace work;
    const State& start = scene.start;
    const auto n = static_cast<std::size_t>(start.q.size());
    const Point at{{start.q.data(), n}, {start.u.data(), n}, start.t_s};
    for (int c = 0; c < scene.model.contacts(); ++c) {
        if (!(scene.model.gap_m(c, at, work) <= 10 * series_settings(scene).activation_gap_m)) continue;
        closed.contacts.push_back(c);
        if (!scene.model.system().contacts[static_cast<std::size_t>(c)].friction) continue;
        ++closed.rough;
        if (scene.model.dimension(c) == 3 || closed.rough > 8) {
            return Errors{refuse_rest(
                ErrorCode::NotAllowedHere, "--equilibrium",
                "edges of sets of equilibria are followed for up to 8 rough contacts in the plane",
                "write the system down in a plane, or without friction")};
        }
    }
    return closed;
}

}  // namespace

Expected<Equilibria, Errors> follow_equilibria(const Scene& scene, const EquilibriumOptions& options)
{
    if (Errors errors = check_for_orbits(scene); !errors.empty()) return errors;
    const std::array names{options.over};
    const auto symbols = read_symbols(scene, names);
    if (!symbols) return symbols.error();
    const double value = symbols->values.front();
    if (!(options.low <= value && value <= options.high && options.low < options.high) || options.steps < 1) {
        return Errors{
            refuse_rest(ErrorCode::SettingOutOfRange, "--over",
                        fmt::format("{} is {} in the scene, outside {} to {}", options.over, value,
                                    options.low, options.high),
                        "give a range that holds the value of the scene, or set another with --set")};
    }
    if (Errors errors = check_rest(scene, *symbols); !errors.empty()) return errors;
    const auto closed = closed_at_start(scene);
    if (!closed) return closed.error();
    Equilibria result;
    for (const int c : closed->contacts) {
        result.contacts.push_back(scene.model.system().contacts[static_cast<std::size_t>(c)].name);
    }
    for (unsigned edge = 0; edge < (1U << closed->rough); ++edge) {
        std::vector<int> sides;
        for (int i = 0; i < closed->rough; ++i) {
            sides.push_back((edge >> i & 1U) != 0 ? 1 : -1);
        }
        const RestWalk walk(scene, options, closed->contacts, sides);
        EquilibriumBranch& branch = result.branches.emplace_back();
        branch.sides = sides;
        const auto first = walk.at(value, scene.start.q,
                                   Eigen::VectorXd::Zero(static_cast<Eigen::Index>(closed->contacts.size())));
        if (!first) {
            branch.end = "no equilibrium is found near the start";
            continue;
        }
        const std::string below = walk.follow(*first, false, branch);
        std::ranges::reverse(branch.points);
        std::ranges::reverse(branch.special);
        branch.points.push_back(first->point);
        const std::string above = walk.follow(*first, true, branch);
        branch.end = fmt::format("below: {}; above: {}", below, above);
    }
    return result;
}

}  // namespace carom
