#include "system/lagrangian/contact_geometry.hpp"

#include "system/lagrangian/contact_expressions.hpp"

namespace carom {
namespace {

/// The first d rows of H, then as many b.
Program rows_program(const Graph& graph, const ContactExpressions& contact, int d)
{
    std::vector<int> results;
    for (int i = 0; i < d; ++i) {
        results.insert(results.end(), contact.H[i].begin(), contact.H[i].end());
    }
    results.insert(results.end(), contact.b.begin(), contact.b.begin() + d);
    return {graph, results};
}

/// d/dt of U_N = H_N u + b_N while u stays.
Program curvature_program(Graph& graph, const ContactExpressions& contact, std::span<const int> support)
{
    using Kind = Variable::Kind;
    std::vector<Variable> along;
    std::vector<int> speeds;
    int U_n = contact.b.front();
    for (std::size_t i = 0; i < support.size(); ++i) {
        along.push_back({Kind::Coordinate, support[i]});
        speeds.push_back(graph.variable({Kind::Velocity, support[i]}));
        U_n = graph.add(U_n, graph.multiply(contact.H.front()[i], speeds.back()));
    }
    along.push_back({Kind::Time, 0});
    speeds.push_back(graph.constant(1));
    const std::vector<int> rates = gradient(graph, U_n, along);
    int sum = graph.constant(0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        sum = graph.add(sum, graph.multiply(rates[i], speeds[i]));
    }
    return {graph, {&sum, 1}};
}

}  // namespace

ContactGeometry::ContactGeometry(const Contact& contact) : support_(support_of(contact))
{
    Graph graph;
    const ContactExpressions expressions(graph, contact, support_);
    gap_ = {graph, {&expressions.gap, 1}};
    normal_row_ = rows_program(graph, expressions, 1);
    rows_ = rows_program(graph, expressions, contact.dimension());
    curvature_ = curvature_program(graph, expressions, support_);
}

double ContactGeometry::gap_m(const Point& at, Workspace& work) const
{
    return gap_.value(at, work);
}

void ContactGeometry::rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const
{
    (b.size() == 1 ? normal_row_ : rows_).run(at, work, H, b);
}

double ContactGeometry::curvature(const Point& at, Workspace& work) const
{
    return curvature_.value(at, work);
}

}  // namespace carom
