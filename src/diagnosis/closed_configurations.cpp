#include "degenerate_search.hpp"
#include "state_samples.hpp"

#include "convex/nonnegative_qp.hpp"
#include "core/dense.hpp"
#include "system/lagrangian/contact_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace carom {
namespace {

constexpr int max_coordinates = 200;  ///< dense factors stay below a moment

/// Gradients in whitened coordinates, each of length 1; one column per contact.
Eigen::MatrixXd unit_gradients(const Metric& A, const Eigen::MatrixXd& H)
{
    Eigen::MatrixXd G = A.whitened_covectors(H.transpose());
    for (auto column : G.colwise()) {
        const double length = column.norm();
        if (length > 0) column /= length;
    }
    return G;
}

/// The combination of the columns that vanishes: the right singular vector of the smallest singular value. Of
/// more columns than the space has dimensions, and one, the first ones depend on each other.
void look_for_dependence(const Eigen::MatrixXd& G, double tolerance, ConeDiagnosis& result)
{
    const Eigen::Index first = std::min(G.cols(), G.rows() + 1);
    const Svd svd(G.leftCols(first), Eigen::ComputeFullV);
    const Eigen::Index rank = first == G.cols() ? svd.rank_above(tolerance) : Svd(G).rank_above(tolerance);
    result.rank = static_cast<int>(rank);
    if (result.rank == G.cols()) return;
    const Eigen::VectorXd x = svd.V().col(first - 1);
    Eigen::Index largest = 0;
    x.cwiseAbs().maxCoeff(&largest);
    result.dependence = Eigen::VectorXd::Zero(G.cols());
    result.dependence.head(first) = x / x[largest];
}

/// Gordan's alternative (WP-2): either some velocity is strictly inside every wall, or the gradients have a
/// vanishing combination with weights >= 0 that sum to 1. Both come out of one nearest-point problem.
void look_for_interior(const Metric& A, const Eigen::MatrixXd& G, double tolerance, ConeDiagnosis& result)
{
    const Eigen::Index n = G.rows(), m = G.cols();
    Eigen::MatrixXd F(n + 1, m);
    F << G, Eigen::RowVectorXd::Ones(m);
    const Eigen::VectorXd z = Eigen::VectorXd::Unit(n + 1, n);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(m), remainder(n + 1);
    solve_nonnegative_least_squares(F, z, {}, x, remainder);

    // v = G x has v.g_i >= 1 - sum of x > 0 for every i unless the remainder vanishes
    const Eigen::VectorXd v = G * x;
    const double worst = v.norm() > 0 ? (G.transpose() * v).minCoeff() / v.norm() : 0.0;
    if (worst > tolerance) {
        result.margin = worst;
        result.inside = A.unwhitened(v / v.norm());
    } else {
        result.pinch = x / x.sum();
    }
}

std::vector<int> flat_contacts(const Metric& A, const Eigen::MatrixXd& H, std::span<const int> contacts,
                               const Eigen::VectorXd& usual)
{
    std::vector<int> flat;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const double length = A.dual_norm(H.row(static_cast<Eigen::Index>(k)).transpose());
        if (!(length > 1e-6 * usual[contacts[k]])) flat.push_back(contacts[k]);
    }
    return flat;
}

/// Lengths of all gap gradients, the largest over the start and some configurations around it.
Eigen::VectorXd usual_lengths(const Model& model, const State& start, std::span<const State> around)
{
    std::vector<int> all(static_cast<std::size_t>(model.contacts()));
    for (std::size_t c = 0; c < all.size(); ++c)
        all[c] = static_cast<int>(c);
    Eigen::VectorXd usual = Eigen::VectorXd::Zero(model.contacts());
    const auto look = [&](const State& at) {
        const auto A = metric_at(model, at.q);
        const Eigen::MatrixXd H = gap_gradients_at(model, at.q, all, at.t_s);
        if (!A || !H.allFinite()) return;
        for (Eigen::Index c = 0; c < H.rows(); ++c)
            usual[c] = std::max(usual[c], A->dual_norm(H.row(c).transpose()));
    };
    look(start);
    for (const State& state : around)
        look(state);
    return usual;
}

/// Contacts that meet this one through the kinetic matrix, or through it and a constraint.
std::vector<int> neighbouring_contacts(const Model& model, int contact)
{
    const auto near = model.coupling().neighbours(contact);
    if (model.constraints() == 0) return {near.begin(), near.end()};
    std::vector<int> contacts;
    for (const int interaction : near) {
        if (model.is_contact(interaction)) {
            contacts.push_back(interaction);
            continue;
        }
        for (const int other : model.coupling().neighbours(interaction)) {
            if (model.is_contact(other)) contacts.push_back(other);
        }
    }
    std::ranges::sort(contacts);
    contacts.erase(std::ranges::unique(contacts).begin(), contacts.end());
    return contacts;
}

/// Which contacts to close next: every contact alone first, then pairs and larger groups of neighbours.
std::vector<int> next_group(const Model& model, int search, detail::Dice& dice)
{
    if (search < model.contacts() && search < 40) return {search};
    std::vector<int> group{dice.below(model.contacts())};
    const int most = std::min({model.coordinates() + 1, model.contacts(), 6});
    const int wanted = 1 + dice.below(most);
    for (int tries = 0; tries < 4 * wanted && static_cast<int>(group.size()) < wanted; ++tries) {
        const auto near = neighbouring_contacts(
            model, group[static_cast<std::size_t>(dice.below(static_cast<int>(group.size())))]);
        if (near.empty()) continue;
        const int candidate = near[static_cast<std::size_t>(dice.below(static_cast<int>(near.size())))];
        if (std::ranges::find(group, candidate) == group.end()) group.push_back(candidate);
    }
    std::ranges::sort(group);
    return group;
}

/// Of two configurations with the same closed contacts the worse one is kept.
bool worse(const ClosedConfiguration& x, const ClosedConfiguration& y)
{
    if (x.vanishing.size() != y.vanishing.size()) return x.vanishing.size() > y.vanishing.size();
    if (x.cone.rank != y.cone.rank) return x.cone.rank < y.cone.rank;
    return x.cone.margin < y.cone.margin;
}

}  // namespace

ConeDiagnosis diagnose_cone(const Metric& A, const Eigen::MatrixXd& H, double tolerance)
{
    ConeDiagnosis result;
    result.margin = 1;
    if (H.rows() == 0) return result;
    result.margin = 0;
    const Eigen::MatrixXd G = unit_gradients(A, H);
    look_for_dependence(G, tolerance, result);
    look_for_interior(A, G, tolerance, result);
    return result;
}

ClosedSearch search_closed_configurations(const Model& model, const State& start,
                                          const WellPosednessSettings& settings)
{
    ClosedSearch result;
    if (model.contacts() == 0 || model.coordinates() > max_coordinates) return result;
    const Eigen::VectorXd usual = usual_lengths(model, start, detail::sampled_states(model, start, settings));
    const detail::AdmissibleSet admissible(model);
    std::map<std::vector<int>, ClosedConfiguration> worst;

    // a configuration with closed contacts counts if no gap is negative there
    const auto look_at = [&](const Eigen::VectorXd& q) -> void {
        const double closed_m = 1e-8 * settings.length_m;
        const auto A = metric_at(model, q);
        if (!A || !admissible.contains(q, start.t_s, closed_m)) return;
        ClosedConfiguration at{.q = q,
                               .contacts = closed_contacts_at(model, q, start.t_s, closed_m),
                               .vanishing = {},
                               .cone = {}};
        const Eigen::MatrixXd H = detail::free_gap_gradients(model, *A, q, at.contacts, start.t_s);
        if (!H.allFinite()) return;
        at.vanishing = flat_contacts(*A, H, at.contacts, usual);
        at.cone = diagnose_cone(*A, H, 1e-6);
        ++result.found;
        if (at.contacts.size() > 1) ++result.several;
        const auto [known, is_new] = worst.try_emplace(at.contacts, at);
        if (!is_new && worse(at, known->second)) known->second = at;
    };
    detail::Dice dice(2);
    for (; result.searches < settings.searches; ++result.searches) {
        // from a random configuration to one where the gaps of some group vanish
        const std::vector<int> group = next_group(model, result.searches, dice);
        const double reach_m = 2 * settings.length_m * std::pow(10.0, dice.uniform() - 1);
        Eigen::VectorXd q = start.q + reach_m * dice.vector(start.q.size());
        const detail::DegenerateSearch search(model, group, start.t_s, settings.length_m);
        if (!search.close(q)) continue;
        look_at(q);

        // and from there to one where their gradients depend on each other
        Eigen::VectorXd lengths = search.lengths(q);
        if (lengths.size() == 0) continue;
        for (std::size_t k = 0; k < group.size(); ++k)
            lengths[static_cast<Eigen::Index>(k)] = usual[group[k]];
        if (search.pull(lengths, q) && search.close(q)) look_at(q);
    }
    for (auto& [contacts, configuration] : worst)
        result.samples.push_back(std::move(configuration));
    return result;
}

std::optional<ClosedConfiguration> find_pinch(const Model& model, const State& before, const State& after,
                                              std::span<const int> contacts)
{
    const double reach = 4 * (after.q - before.q).norm() + 1e-9;
    const double length = std::max(1.0, after.q.cwiseAbs().maxCoeff());
    const detail::DegenerateSearch search(model, contacts, after.t_s, length);
    const detail::AdmissibleSet admissible(model);
    for (const State* from : {&before, &after}) {
        // the configuration itself, and the nearest one where the gradients depend on each other
        for (const bool pulled : {false, true}) {
            Eigen::VectorXd q = from->q;
            const Eigen::VectorXd usual = search.lengths(q);
            if (usual.size() == 0 || (pulled && !search.pull(usual, q))) continue;
            if (!((q - from->q).norm() <= reach)) continue;
            const double closed_m = 1e-8 * length;
            const auto A = metric_at(model, q);
            if (!A || !admissible.contains(q, from->t_s, closed_m)) continue;
            ClosedConfiguration at{.q = q,
                                   .contacts = closed_contacts_at(model, q, from->t_s, closed_m),
                                   .vanishing = {},
                                   .cone = {}};
            if (at.contacts.size() < 2) continue;
            at.cone =
                diagnose_cone(*A, detail::free_gap_gradients(model, *A, q, at.contacts, from->t_s), 1e-6);
            if (!at.cone.has_interior()) return at;
        }
    }
    return std::nullopt;
}

}  // namespace carom
