#include "carom/model/geometry.hpp"

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
