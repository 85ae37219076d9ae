#include "carom/system/lagrangian/geometry.hpp"
#include "expression/workspace.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <cmath>

namespace carom {

Expected<Metric> metric_at(const Model& model, const Eigen::VectorXd& q)
{
    Workspace work;
    MassMatrix A(model.mass_pattern());
    const Eigen::VectorXd at_rest = Eigen::VectorXd::Zero(q.size());
    Eigen::VectorXd velocity_terms(q.size());
    model.kinetic_terms({view(q), view(at_rest), 0}, A, view(velocity_terms), work);
    return Metric::from_matrix(A.dense());
}

std::vector<int> closed_contacts_at(const Model& model, const Eigen::VectorXd& q, double t_s,
                                    double tolerance_m)
{
    Workspace work;
    std::vector<int> closed;
    for (int c = 0; c < model.contacts(); ++c) {
        if (!(model.gap_m(c, {view(q), {}, t_s}, work) > tolerance_m)) closed.push_back(c);
    }
    return closed;
}

Eigen::MatrixXd gap_gradients_at(const Model& model, const Eigen::VectorXd& q, std::span<const int> contacts,
                                 double t_s)
{
    Workspace work;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(contacts.size()), q.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const auto support = model.support(contacts[k]);
        std::vector<double> row(support.size());
        model.gap_gradient(contacts[k], {view(q), {}, t_s}, row, work);
        for (std::size_t i = 0; i < support.size(); ++i) {
            H(static_cast<Eigen::Index>(k), support[i]) = row[i];
        }
    }
    return H;
}

ImpactContacts impact_contacts_at(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                                  std::span<const int> contacts, double t_s)
{
    Workspace work;
    ImpactContacts result;
    for (const int c : contacts) {
        result.offsets.push_back(result.offsets.back() + model.dimension(c));
    }
    result.rows = Eigen::MatrixXd::Zero(result.offsets.back(), q.size());
    result.b = Eigen::VectorXd::Zero(result.offsets.back());
    const Point at{view(q), view(u), t_s};
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const auto support = model.support(contacts[k]);
        const int first = result.offsets[k], d = model.dimension(contacts[k]);
        std::vector<double> H(support.size() * static_cast<std::size_t>(d));
        model.contact_rows(
            contacts[k], at, H,
            view(result.b).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(d)), work);
        for (std::size_t i = 0; i < H.size(); ++i) {
            const auto row = static_cast<int>(i / support.size());
            result.rows(first + row, support[i % support.size()]) = H[i];
        }
        const Eigen::VectorXd U = result.rows.middleRows(first, d) * u + result.b.segment(first, d);
        const bool sticks = U.tail(d - 1).norm() <= 1e-12 * std::abs(U[0]);
        result.laws.push_back(model.law(contacts[k], at, sticks, work));
    }
    return result;
}

Expected<PolyhedralCone> velocity_cone_at(const Model& model, const Eigen::VectorXd& q,
                                          std::span<const int> contacts, double t_s)
{
    return PolyhedralCone::from_inequalities(-gap_gradients_at(model, q, contacts, t_s));
}

Expected<Impact> impact_at(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u_minus,
                           double restitution, double t_s)
{
    const auto A = metric_at(model, q);
    if (!A) return A.error();
    return canonical_impact(*A, gap_gradients_at(model, q, closed_contacts_at(model, q, t_s), t_s), u_minus,
                            restitution);
}

}  // namespace carom
