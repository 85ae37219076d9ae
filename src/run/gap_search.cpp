#include "gap_search.hpp"

#include "system/lagrangian/contact_expressions.hpp"

#include <cmath>

namespace carom::path_parts {

GapFormula gap_formula(const Model& model, int c)
{
    const Contact& contact = model.system().contacts[static_cast<std::size_t>(c)];
    const auto support = model.support(c);
    Graph graph;
    const ContactExpressions expressions(graph, contact, support);
    std::vector<int> results{expressions.gap};
    results.insert(results.end(), expressions.H[0].begin(), expressions.H[0].end());
    results.push_back(expressions.b[0]);
    RangeProgram gap(graph, {&expressions.gap, 1}), rows(graph, results);
    const bool analytic = rows.tape().analytic();
    return {std::move(gap), std::move(rows), {support.begin(), support.end()}, analytic};
}

Entry entry_at(const GapFormula& formula, GapSearch& search, const Piece& piece, double s, Scratch& scratch,
               Eigen::VectorXd& x, Eigen::VectorXd& u, Ranges& ranges)
{
    const double length_s = piece.t_to_s - piece.t_from_s;
    Entry entry;
    entry.t_s = piece.t_s(s);
    entry.U_n = search.rate(piece, s) / length_s;
    x.setZero(scratch.u_end.size());
    u.setZero(scratch.u_end.size());
    for (std::size_t i = 0; i < formula.support.size(); ++i) {
        const int k = formula.support[i];
        x[k] = ranges[formula.rows.results()[i + 1]].low;
        u[k] = ((*piece.to)[k] - (*piece.from)[k]) / length_s;
    }
    const double speed2 = scratch.A.squared_norm(view(u));
    const Eigen::VectorXd H = x;
    scratch.A.solve(view(x));
    const double W = H.dot(x), met = std::sqrt(W * speed2);
    const double approach = -entry.U_n;
    entry.approach = !(approach > 0) ? 0.0 : (met > approach ? approach / met : 1.0);
    return entry;
}

}  // namespace carom::path_parts
