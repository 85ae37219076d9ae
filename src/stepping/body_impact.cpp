#include "body_parts.hpp"
#include "impact_map.hpp"

#include "carom/convex/metric.hpp"
#include "core/dense.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// The freedoms of one body: its velocity along the axes of the world, and angular velocities about those
/// principal axes that have inertia. In them the metric is diagonal.
struct Freedoms {
    std::vector<Vec3> v, w;  ///< directions of unit freedoms, axes of the world
    std::vector<double> inertia;
};

Freedoms freedoms_of(const BodyModel& model, const Rotation& R, int body)
{
    Freedoms free;
    for (int k = 0; k < (model.is_flat() ? 2 : 3); ++k) {
        free.v.push_back(Vec3::Unit(k));
        free.w.push_back(Vec3::Zero());
        free.inertia.push_back(model.mass[body]);
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(model.inertia[body]);
    for (int k = 0; k < 3; ++k) {
        const double moment = principal.eigenvalues()[k];
        if (!(moment > 1e-12 * principal.eigenvalues()[2])) continue;
        free.v.push_back(Vec3::Zero());
        free.w.emplace_back(R * Vec3(principal.eigenvectors().col(k)));
        free.inertia.push_back(moment);
    }
    return free;
}

/// Moving bodies that closed contacts and joints connect, directly or through others.
BodyIslands closed_islands(const BodyModel& model, double activation_gap_m,
                           std::span<const BodyContact> contacts, const BodyRows& joint_rows)
{
    BodyIslands islands;
    islands.clear(model.bodies());
    for (const BodyContact& contact : contacts) {
        const bool both = model.inverse_mass[contact.first] > 0 && model.inverse_mass[contact.second] > 0;
        if (both && contact.at.gap_m <= activation_gap_m) islands.join(contact.first, contact.second);
    }
    for (int row = 0; row < joint_rows.size(); ++row) {
        int last = -1;
        for (const BodyRows::Term& term : joint_rows.row(row)) {
            if (model.inverse_mass[term.block] == 0) continue;
            if (last >= 0) islands.join(last, term.block);
            last = term.block;
        }
    }
    return islands;
}

/// Velocities and rows of some contacts in the freedoms of their moving bodies.
struct Site {
    std::vector<int> contacts, bodies;
    std::vector<Freedoms> freedoms;
    std::vector<int> begin{0};  ///< of each body among the freedoms
    Eigen::MatrixXd A, H;
    Eigen::VectorXd u;
    Eigen::MatrixXd allowed;  ///< columns: what joints allow, by which the map's velocities are counted

    // with all freedoms: what the reactions of joints are found from
    Eigen::VectorXd all_inertia, all_u;
    Eigen::MatrixXd all_rows;
    ImpactContacts closed;
};

void add_bodies(const BodyModel& model, const BodyStepMemory& s, Site& site)
{
    for (const int body : site.bodies) {
        site.freedoms.push_back(freedoms_of(model, s.mid.R[body], body));
        site.begin.push_back(site.begin.back() + static_cast<int>(site.freedoms.back().inertia.size()));
    }
    const int n = site.begin.back();
    site.A.setZero(n, n);
    site.u.resize(n);
    for (std::size_t k = 0; k < site.bodies.size(); ++k) {
        const Freedoms& free = site.freedoms[k];
        const int body = site.bodies[k];
        for (std::size_t f = 0; f < free.inertia.size(); ++f) {
            const int at = site.begin[k] + static_cast<int>(f);
            site.A(at, at) = free.inertia[f];
            site.u[at] = free.v[f].dot(s.mid.v[body]) + free.w[f].dot(s.mid.R[body] * s.mid.W[body]);
        }
    }
}

/// One row over bodies in the freedoms of the site, added to a row of `out`; what bodies outside it do is
/// returned.
double add_row(const BodyModel& model, const BodyStepMemory& s, const Site& site,
               std::span<const BodyRows::Term> row, Eigen::MatrixXd& out, Eigen::Index at_row)
{
    double outside = 0;
    for (const BodyRows::Term& term : row) {
        if (!(model.inverse_mass[term.block] > 0)) {
            outside +=
                term.v.dot(s.mid.v[term.block]) + term.w.dot(s.mid.R[term.block] * s.mid.W[term.block]);
            continue;
        }
        const auto at = std::lower_bound(site.bodies.begin(), site.bodies.end(), term.block);
        const auto place = static_cast<std::size_t>(at - site.bodies.begin());
        const Freedoms& free = site.freedoms[place];
        for (std::size_t f = 0; f < free.inertia.size(); ++f) {
            out(at_row, site.begin[place] + static_cast<int>(f)) +=
                term.v.dot(free.v[f]) + term.w.dot(free.w[f]);
        }
    }
    return outside;
}

void add_rows(const BodyModel& model, const BodyStepMemory& s, Site& site)
{
    const auto n = site.A.rows();
    int rows = 0;
    for (const int c : site.contacts) {
        rows += s.contacts[c].dimension;
    }
    site.closed.rows.setZero(rows, n);
    site.closed.b.setZero(rows);
    site.H.resize(static_cast<Eigen::Index>(site.contacts.size()), n);
    int row = 0;
    for (std::size_t k = 0; k < site.contacts.size(); ++k) {
        const int c = site.contacts[k];
        for (int i = 0; i < s.contacts[c].dimension; ++i, ++row) {
            site.closed.b[row] =
                add_row(model, s, site, s.rows.row(s.problem.offsets[c] + i), site.closed.rows, row);
        }
        site.closed.offsets.push_back(row);
        site.closed.laws.push_back(s.problem.laws[c]);
        site.H.row(static_cast<Eigen::Index>(k)) = site.closed.rows.row(site.closed.offsets[k]);
    }
}

/// What joints hold stays: the map sees the velocities that they allow, and no others.
void reduce_by_joints(const BodyModel& model, const BodyRows& joint_rows, const BodyStepMemory& s, Site& site)
{
    const auto n = site.A.rows();
    site.all_inertia = site.A.diagonal();
    site.all_u = site.u;
    site.all_rows = site.closed.rows;
    site.allowed = Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd held(0, n);
    for (int row = 0; row < joint_rows.size(); ++row) {
        const auto terms = joint_rows.row(row);
        const bool ours = std::any_of(terms.begin(), terms.end(), [&](const BodyRows::Term& term) {
            return std::binary_search(site.bodies.begin(), site.bodies.end(), term.block);
        });
        if (!ours) continue;
        held.conservativeResize(held.rows() + 1, Eigen::NoChange);
        held.row(held.rows() - 1).setZero();
        add_row(model, s, site, terms, held, held.rows() - 1);
    }
    if (held.rows() == 0) return;
    site.allowed = FullLu(held, 1e-10).kernel();
    const Eigen::MatrixXd A = site.allowed.transpose() * site.A * site.allowed;
    const Eigen::VectorXd momentum = site.allowed.transpose() * (site.A * site.u);
    site.u = Ldlt(A).solve(momentum);
    site.A = A;
    site.closed.rows *= site.allowed;
    site.H *= site.allowed;
}

/// What the map left of the velocities, and its percussions into the contacts.
void take(const Site& site, const Impact& impact, BodyStepMemory& s)
{
    const Eigen::VectorXd& P = impact.percussions_Ns;
    const Eigen::VectorXd change = site.allowed * (impact.u_plus - site.u);
    const Eigen::VectorXd by_joints = site.all_inertia.asDiagonal() * change - site.all_rows.transpose() * P;
    s.map_joint_J += by_joints.dot(site.all_u + 0.5 * change);
    if (site.allowed.cols() < site.allowed.rows()) s.constrained.resize(s.mid.x.size());
    for (std::size_t k = 0; k < site.bodies.size(); ++k) {
        const int body = site.bodies[k];
        const Freedoms& free = site.freedoms[k];
        for (std::size_t f = 0; f < free.inertia.size(); ++f) {
            const double d = change[site.begin[k] + static_cast<int>(f)];
            s.mid.v[body] += d * free.v[f];
            s.mid.W[body] += s.mid.R[body].conjugate() * Vec3(d * free.w[f]);
            if (s.constrained.empty()) continue;
            const double by = by_joints[site.begin[k] + static_cast<int>(f)];
            s.constrained[static_cast<std::size_t>(body)].force_N += by * free.v[f];
            s.constrained[static_cast<std::size_t>(body)].torque_Nm += by * free.w[f];
        }
    }
    for (std::size_t k = 0; k < site.contacts.size(); ++k) {
        BodyContact& contact = s.contacts[site.contacts[k]];
        for (int i = 0; i < contact.dimension; ++i) {
            const std::size_t slot = contact.slot(i);
            double& by_map = slot < 3 ? contact.beyond->map_P[slot] : contact.beyond->turning_map_P[slot - 3];
            by_map = P[site.closed.offsets[k] + i];
        }
    }
}

/// One call of the map. False where it gave no velocity.
bool strike(const BodyModel& model, const BodyRows& joint_rows, Site& site, BodyStepMemory& s,
            StepReport& report)
{
    add_bodies(model, s, site);
    add_rows(model, s, site);
    reduce_by_joints(model, joint_rows, s, site);
    const auto A = Metric::from_matrix(site.A);
    if (!A) return false;
    const Eigen::VectorXd none;
    const auto impact = call_impact_map(
        model.setup().impact_map,
        {.A = *A, .H = site.H, .closed = site.closed, .contacts = site.contacts, .q = none, .t_s = s.mid.t_s},
        site.u, report);
    if (!impact) return false;
    take(site, *impact, s);
    return true;
}

}  // namespace

bool apply_impact_map(const BodyModel& model, const MoreauSettings& settings, const State& state,
                      BodyStepMemory& s, StepReport& report)
{
    s.map_joint_J = 0;
    s.constrained.clear();
    if (!model.setup().impact_map || s.contacts.empty()) return true;
    s.w_before.clear();
    for (int i = 0; i < model.bodies(); ++i) {
        s.w_before.emplace_back(s.mid.R[i] * s.mid.W[i]);
    }
    load_map_rows(model, s);
    BodyRows all_rows, joint_rows;
    std::vector<JointPart> parts;
    add_joint_rows(model, {.x = s.mid.x, .R = s.mid.R, .turns = s.mid.turns, .drives = false}, all_rows,
                   parts);
    for (int row = 0; row < all_rows.size(); ++row) {
        if (parts[static_cast<std::size_t>(row)].kind != JointPart::Kind::Held) continue;
        joint_rows.begin_row();
        for (const BodyRows::Term& term : all_rows.row(row)) {
            joint_rows.add(term.block, term.v, term.w);
        }
    }
    BodyIslands islands = closed_islands(model, settings.activation_gap_m, s.contacts, joint_rows);
    const auto island_of = [&](const BodyContact& contact) {
        return islands.root(model.inverse_mass[contact.first] > 0 ? contact.first : contact.second);
    };

    // islands in which an open contact closes, approaching by more than rounding
    double fastest = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        fastest = std::max({fastest, s.mid.v[i].norm(), s.mid.W[i].norm() * model.length_m()});
    }
    std::vector<int> struck;
    for (BodyContact& contact : s.contacts) {
        contact.beyond->U_start = relative_velocity(contact, s.mid.v, s.w_before);
        contact.beyond->turning_U_start = rolling_velocity(contact, s.w_before);
        if (contact.beyond->U_start[0] < -1e-12 * fastest && !was_closed(state, contact))
            struck.push_back(island_of(contact));
    }
    std::sort(struck.begin(), struck.end());
    struck.erase(std::unique(struck.begin(), struck.end()), struck.end());
    for (const int island : struck) {
        Site site;
        for (int c = 0; c < static_cast<int>(s.contacts.size()); ++c) {
            if (island_of(s.contacts[c]) == island) site.contacts.push_back(c);
        }
        for (int i = 0; i < model.bodies(); ++i) {
            if (model.inverse_mass[i] > 0 && islands.root(i) == island) site.bodies.push_back(i);
        }
        if (!strike(model, joint_rows, site, s, report)) return false;
    }
    return true;
}

}  // namespace carom::detail
