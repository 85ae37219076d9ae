#include "body_response.hpp"

#include "body_formulas.hpp"
#include "carom/core/expected.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {
namespace {

Mat3 cross_of(const Vec3& a)
{
    Mat3 M;
    M << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return M;
}

bool is_damped(const Joint& joint)
{
    return joint.turn.damping > 0 || joint.slide.damping > 0;
}

/// Inertia of a body, axes of the world. About axes whose inverse is zero nothing turns it: there it is a
/// large number.
Mat3 inertia_of(const Mat3& inverse)
{
    constexpr double none = 1e-12, large = 1e9;
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(inverse);
    const double largest = principal.eigenvalues()[2];
    if (!(largest > 0)) return Mat3::Identity();
    Vec3 moments;
    for (int k = 0; k < 3; ++k) {
        const double value = principal.eigenvalues()[k];
        moments[k] = value > none * largest ? 1 / value : large / largest;
    }
    return principal.eigenvectors() * moments.asDiagonal() * principal.eigenvectors().transpose();
}

}  // namespace

bool BodyResponse::is_needed(const BodyModel& model, const BodyFormulas* formulas)
{
    return !model.setup().springs.empty() || std::ranges::any_of(model.setup().joints, is_damped) ||
           (formulas != nullptr && formulas->has_forces());
}

BodyResponse::BodyResponse(const BodyModel& model, const BodyFormulas* formulas)
{
    int count = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        std::array<int, 6>& places = place_.emplace_back();
        places.fill(-1);
        if (model.inverse_mass[i] == 0) continue;
        for (const std::size_t k : {0U, 1U, 2U, 3U, 4U, 5U}) {
            if (model.is_flat() && (k == 2 || k == 3 || k == 4)) continue;
            places[k] = count++;
        }
    }
    for (int i = 0; i < model.setup().coordinates; ++i) {
        if (i % 3 == 0) place_.emplace_back().fill(-1);
        place_.back()[static_cast<std::size_t>(i % 3)] = count++;
    }
    std::vector<std::pair<int, int>> pairs;
    const auto join = [&](int a, int b) {
        if (a < 0 || b < 0) return;
        for (const int i : place_[static_cast<std::size_t>(a)]) {
            for (const int j : place_[static_cast<std::size_t>(b)]) {
                if (i >= 0 && j >= 0 && i != j) pairs.emplace_back(std::min(i, j), std::max(i, j));
            }
        }
    };
    for (int i = 0; i < model.bodies(); ++i)
        join(i, i);
    for (const BodySpring& spring : model.setup().springs)
        join(spring.first, spring.second);
    for (const Joint& joint : model.setup().joints) {
        if (is_damped(joint)) join(joint.first, joint.second);
    }
    if (formulas != nullptr) {
        for (const auto& blocks : formulas->coupled_blocks()) {
            for (const int a : blocks) {
                for (const int b : blocks)
                    join(a, b);
            }
        }
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    pattern_ = std::make_unique<MassPattern>(count, pairs);
    J_ = std::make_unique<MassMatrix>(*pattern_);
    x_.resize(static_cast<std::size_t>(count));
}

void BodyResponse::add_block(int first, int second, const Mat3& block, int row, int column)
{
    const auto& to = place_[static_cast<std::size_t>(first)];
    const auto& from = place_[static_cast<std::size_t>(second)];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int a = to[static_cast<std::size_t>(row + i)],
                      b = from[static_cast<std::size_t>(column + j)];
            // an entry and its mirror share a slot: the lower triangle adds it
            if (a >= 0 && b >= 0 && a >= b)
                J_->values()[static_cast<std::size_t>(pattern_->slot(a, b))] += block(i, j);
        }
    }
}

void BodyResponse::put_masses(const BodyModel& model, std::span<const Mat3> inverse_inertia)
{
    std::ranges::fill(J_->values(), 0.0);
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] == 0) continue;
        add_block(i, i, Mat3(Mat3::Identity() / model.inverse_mass[i]), 0, 0);
        add_block(i, i, inertia_of(inverse_inertia[static_cast<std::size_t>(i)]), 3, 3);
    }
    for (int k = 0; k < model.carriers(); ++k)
        add_block(model.bodies() + k, model.bodies() + k, Mat3::Identity(), 0, 0);
}

void BodyResponse::add(std::span<const BodyVelocity> velocities, const Eigen::MatrixXd& K)
{
    const auto place = [&](std::size_t k) {
        return place_[static_cast<std::size_t>(velocities[k].block)]
                     [static_cast<std::size_t>(velocities[k].component)];
    };
    for (std::size_t i = 0; i < velocities.size(); ++i) {
        for (std::size_t j = 0; j < velocities.size(); ++j) {
            const int a = place(i), b = place(j);
            if (a >= 0 && b >= 0 && a >= b)
                J_->values()[static_cast<std::size_t>(pattern_->slot(a, b))] +=
                    K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        }
    }
}

/// D^T E D for the relative velocity  D u = sum over the ends of sign (v + w x arm), or of sign w.
void BodyResponse::add(std::span<const End> ends, const Mat3& E)
{
    for (const End& a : ends) {
        const Mat3 to = a.turns ? Mat3(Mat3::Identity()) : Mat3(-cross_of(a.arm));
        for (const End& b : ends) {
            const Mat3 from = b.turns ? Mat3(Mat3::Identity()) : Mat3(-cross_of(b.arm));
            const Mat3 scaled = a.sign * b.sign * E;
            add_block(a.body, b.body, to.transpose() * scaled * from, 3, 3);
            if (a.turns) continue;
            add_block(a.body, b.body, scaled, 0, 0);
            add_block(a.body, b.body, scaled * from, 0, 3);
            add_block(a.body, b.body, to.transpose() * scaled, 3, 0);
        }
    }
}

void BodyResponse::add_springs(const BodyModel& model, double h_theta_s, bool whole, std::span<const Vec3> x,
                               std::span<const Rotation> R)
{
    const double squared = h_theta_s * h_theta_s;
    for (const BodySpring& spring : model.setup().springs) {
        const int a = spring.first, b = spring.second;
        const Vec3 arm_a = R[a] * (spring.first_point_m - model.centre[a]);
        const Vec3 arm_b =
            b < 0 ? Vec3(Vec3::Zero()) : Vec3(R[b] * (spring.second_point_m - model.centre[b]));
        const Vec3 along = x[a] + arm_a - (b < 0 ? spring.second_point_m : Vec3(x[b] + arm_b));
        const double length = along.norm();
        const Vec3 n = length > 0 ? Vec3(along / length) : Vec3(Vec3::Zero());
        const Mat3 axial = n * n.transpose();
        Mat3 E = (squared * spring.stiffness_N_m + h_theta_s * spring.damping_Ns_m) * axial;

        // its direction turns: k (1 - rest / length) across it; a spring of no length has no direction
        const double pull = spring.stiffness_N_m * (length - spring.rest_length_m);
        if (whole && length > 0) E += squared * pull / length * (Mat3::Identity() - axial);
        std::array<End, 2> ends{End{.body = a, .arm = arm_a, .sign = 1},
                                End{.body = b, .arm = arm_b, .sign = -1}};
        add(std::span<const End>(ends).first(b < 0 ? 1 : 2), E);
        if (!whole) continue;

        // and so do the arms
        for (const End& end : std::span<const End>(ends).first(b < 0 ? 1 : 2)) {
            const Vec3 g = end.sign * pull * n;
            const Mat3 turned = 0.5 * (g * end.arm.transpose() + end.arm * g.transpose());
            add_block(end.body, end.body, squared * (turned - g.dot(end.arm) * Mat3::Identity()), 3, 3);
        }
    }
}

void BodyResponse::add_joints(const BodyModel& model, double h_theta_s, std::span<const Vec3> x,
                              std::span<const Rotation> R)
{
    for (std::size_t j = 0; j < model.setup().joints.size(); ++j) {
        const Joint& joint = model.setup().joints[j];
        if (!is_damped(joint)) continue;
        const BodyModel::JointPlace at = model.place_of_joint(static_cast<int>(j), x, R);
        const Vec3 axis = at.second_axes.col(2);
        const Mat3 axial = axis * axis.transpose();
        const int a = joint.first, b = joint.second;
        const Vec3 arm_b = b < 0 ? Vec3(Vec3::Zero()) : Vec3(at.first_point - x[b]);
        std::array<End, 2> ends{End{.body = a, .arm = at.first_point - x[a], .sign = 1},
                                End{.body = b, .arm = arm_b, .sign = -1}};
        const auto both = std::span<const End>(ends).first(b < 0 ? 1 : 2);
        if (joint.slide.damping > 0) add(both, h_theta_s * joint.slide.damping * axial);
        ends[0].turns = ends[1].turns = true;
        const Mat3 about = joint.kind == JointKind::Spherical ? Mat3(Mat3::Identity()) : axial;
        if (joint.turn.damping > 0) add(both, h_theta_s * joint.turn.damping * about);
    }
}

void BodyResponse::evaluate(const BodyModel& model, double h_theta_s, const State& at,
                            std::span<const Mat3> inverse_inertia, BodyFormulas* formulas)
{
    for (const bool whole : {true, false}) {
        put_masses(model, inverse_inertia);
        add_springs(model, h_theta_s, whole, at.x, at.R);
        add_joints(model, h_theta_s, at.x, at.R);
        if (whole && formulas != nullptr) formulas->add_derivatives(at, h_theta_s, *this);
        if (J_->factorise()) return;
    }
    throw InternalError("masses, stiffness along springs and damping are not positive");
}

void BodyResponse::solve(std::span<Vec3> v, std::span<Vec3> w)
{
    const auto each = [&](auto&& take) {
        for (std::size_t i = 0; i < place_.size(); ++i) {
            for (const std::size_t k : {0U, 1U, 2U}) {
                take(place_[i][k], v[i][static_cast<Eigen::Index>(k)]);
                take(place_[i][k + 3], w[i][static_cast<Eigen::Index>(k)]);
            }
        }
    };
    each([&](int place, double& value) {
        if (place >= 0) x_[static_cast<std::size_t>(place)] = value;
    });
    J_->solve(x_);
    each([&](int place, double& value) { value = place >= 0 ? x_[static_cast<std::size_t>(place)] : 0.0; });
}

void BodyResponse::scatter(std::span<const BodyRows::Term> row, double factor)
{
    for (const BodyRows::Term& term : row) {
        const auto& places = place_[static_cast<std::size_t>(term.block)];
        for (const std::size_t k : {0U, 1U, 2U}) {
            const auto c = static_cast<Eigen::Index>(k);
            if (places[k] >= 0) x_[static_cast<std::size_t>(places[k])] += factor * term.v[c];
            if (places[k + 3] >= 0) x_[static_cast<std::size_t>(places[k + 3])] += factor * term.w[c];
        }
    }
}

double BodyResponse::product(std::span<const BodyRows::Term> row) const
{
    double sum = 0;
    for (const BodyRows::Term& term : row) {
        const auto& places = place_[static_cast<std::size_t>(term.block)];
        for (const std::size_t k : {0U, 1U, 2U}) {
            const auto c = static_cast<Eigen::Index>(k);
            if (places[k] >= 0) sum += term.v[c] * x_[static_cast<std::size_t>(places[k])];
            if (places[k + 3] >= 0) sum += term.w[c] * x_[static_cast<std::size_t>(places[k + 3])];
        }
    }
    return sum;
}

/// Islands of J that the interactions touch.
void BodyResponse::couple(const BodyRows& rows, const OneStepProblem& problem)
{
    const auto count = static_cast<std::size_t>(problem.interactions());
    islands_of_.resize(count);
    of_island_.resize(static_cast<std::size_t>(pattern_->islands()));
    for (auto& list : of_island_)
        list.clear();
    for (std::size_t c = 0; c < count; ++c) {
        auto& islands = islands_of_[c];
        islands.clear();
        // rows of an interaction have the same bodies
        for (const BodyRows::Term& term : rows.row(problem.offsets[c])) {
            for (const int place : place_[static_cast<std::size_t>(term.block)]) {
                if (place >= 0) islands.push_back(pattern_->island(place));
            }
        }
        std::ranges::sort(islands);
        islands.erase(std::unique(islands.begin(), islands.end()), islands.end());
        for (const int island : islands)
            of_island_[static_cast<std::size_t>(island)].push_back(static_cast<int>(c));
    }
}

void BodyResponse::assemble(const BodyRows& rows, OneStepProblem& problem)
{
    couple(rows, problem);
    problem.W.begin(problem.offsets);
    std::ranges::fill(x_, 0.0);
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto& islands = islands_of_[static_cast<std::size_t>(c)];
        neighbours_.assign(1, c);
        for (const int island : islands) {
            const auto& others = of_island_[static_cast<std::size_t>(island)];
            neighbours_.insert(neighbours_.end(), others.begin(), others.end());
        }
        std::ranges::sort(neighbours_);
        neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
        for (const int d : neighbours_)
            problem.W.append(c, d);
        for (int row = problem.offsets[c]; row < problem.offsets[c + 1]; ++row) {
            // y = J^-1 (this row)^T, then row of W_cd = (H_d y)^T
            scatter(rows.row(row), 1);
            J_->solve_on(islands, x_);
            for (const auto& entry : problem.W.appended(c)) {
                const int first = problem.offsets[entry.column],
                          width = problem.offsets[entry.column + 1] - first;
                double* const block =
                    problem.W.values_of(c, entry).data() + (row - problem.offsets[c]) * width;
                for (int j = 0; j < width; ++j)
                    block[j] = product(rows.row(first + j));
            }
            for (const int island : islands) {
                for (const int member : pattern_->members(island))
                    x_[static_cast<std::size_t>(member)] = 0;
            }
        }
    }
    problem.W.finish();
}

}  // namespace carom::detail
