#include "inspections.hpp"
#include "run/run_parts.hpp"
#include "scene/scene_bodies.hpp"
#include "system/bodies/joint_rows.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <Eigen/SparseQR>

namespace carom::detail {
namespace {

/// Overlaps at the start above this part of the typical length are worth a warning: the first steps push
/// them apart.
constexpr double visible_overlap = 1e-6;

/// Rows of what joints hold at the start, and how many of them are independent: turns count as ways at the
/// typical length.
void count_held(const Scene& scene, BodyInspection& result)
{
    const BodyModel& model = *scene.model.bodies();
    const State& start = scene.start;
    if (model.setup().joints.empty()) return;
    BodyRows rows;
    std::vector<JointPart> parts;
    add_joint_rows(model, {.x = start.x, .R = start.R, .turns = start.turns, .drives = false}, rows, parts);
    // one column per condition, six rows per body
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < rows.size(); ++i) {
        if (parts[i].kind != JointPart::Kind::Held) continue;
        for (const BodyRows::Term& term : rows.row(i)) {
            if (model.inverse_mass[term.block] == 0) continue;
            for (int k = 0; k < 3; ++k) {
                entries.emplace_back(6 * term.block + k, result.held, term.v[k]);
                entries.emplace_back(6 * term.block + 3 + k, result.held, term.w[k] / scene.length_m);
            }
        }
        ++result.held;
    }
    Eigen::SparseMatrix<double> G(6 * model.bodies(), result.held);
    G.setFromTriplets(entries.begin(), entries.end());
    G.makeCompressed();
    Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
    qr.setPivotThreshold(1e-9);
    qr.compute(G);
    result.rank = static_cast<int>(qr.rank());
}

}  // namespace

BodyInspection inspect_bodies(const Scene& scene)
{
    const BodyModel& model = *scene.model.bodies();
    const State& start = scene.start;
    BodyInspection result;
    double lightest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < model.bodies(); ++i) {
        const Body& body = model.setup().bodies[static_cast<std::size_t>(i)];
        ++result.motions[body.motion == BodyMotion::Free    ? "free"
                         : body.motion == BodyMotion::Fixed ? "fixed"
                                                            : "prescribed"];
        ++result.shapes[body.shape ? name_of(*body.shape) : "without shape"];
        if (model.inverse_mass[static_cast<std::size_t>(i)] == 0) continue;
        const double mass = model.mass[static_cast<std::size_t>(i)];
        result.mass_kg += mass;
        lightest = std::min(lightest, mass);
        result.heaviest_kg = std::max(result.heaviest_kg, mass);
        result.degrees_of_freedom += model.is_flat() ? 3 : 6;
    }
    result.degrees_of_freedom += model.setup().coordinates;
    result.lightest_kg = result.heaviest_kg > 0 ? lightest : 0;
    std::set<std::pair<int, int>> pairs;
    for (const BodyContact& contact : body_contacts(model, start, activation_gap_m(scene.integrator))) {
        ++result.closed;
        result.unknowns += contact.dimension;
        pairs.insert({contact.first, contact.second});
        if (contact.at.gap_m >= -result.deepest_m) continue;
        result.deepest_m = -contact.at.gap_m;
        result.deepest_first = contact.first;
        result.deepest_second = contact.second;
    }
    result.pairs = static_cast<long>(pairs.size());
    count_held(scene, result);
    Workspace work;
    const Point at = point_of(scene.start);
    result.kinetic_J = scene.model.kinetic_energy(at, work);
    result.potential_J = scene.model.potential_energy(at, work);
    result.overlaps = result.deepest_m > visible_overlap * scene.length_m;
    return result;
}

}  // namespace carom::detail
