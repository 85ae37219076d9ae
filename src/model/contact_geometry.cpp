#include "carom/model/contact_geometry.hpp"

#include "carom/model/contact_expressions.hpp"

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

}  // namespace

ContactGeometry::ContactGeometry(const Contact& contact) : support_(support_of(contact))
{
    Graph graph;
    const ContactExpressions expressions(graph, contact, support_);
    gap_ = {graph, {&expressions.gap, 1}};
    normal_row_ = rows_program(graph, expressions, 1);
    rows_ = rows_program(graph, expressions, contact.dimension());
}

double ContactGeometry::gap_m(const Point& at, Workspace& work) const
{
    return gap_.value(at, work);
}

void ContactGeometry::rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const
{
    (b.size() == 1 ? normal_row_ : rows_).run(at, work, H, b);
}

}  // namespace carom
