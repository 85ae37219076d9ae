#include "differentiated.hpp"

namespace carom::detail {

Differentiated::Differentiated(Graph& graph, const std::vector<int>& nodes,
                               const std::vector<Variable>& columns)
{
    const auto rows = static_cast<Eigen::Index>(nodes.size());
    value.setZero(rows);
    slope.setZero(rows, static_cast<Eigen::Index>(columns.size()));
    std::vector<int> outputs = nodes;
    for (Eigen::Index row = 0; row < rows; ++row) {
        const auto slopes = gradient(graph, nodes[static_cast<std::size_t>(row)], columns);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (graph.is_constant(slopes[column], 0)) continue;
            outputs.push_back(slopes[column]);
            places_.push_back({row, static_cast<Eigen::Index>(column)});
        }
    }
    program_ = Program(graph, outputs);
    results_.resize(outputs.size());
}

void Differentiated::at(const Point& point, Workspace& work)
{
    program_.run(point, work, results_);
    const auto rows = static_cast<std::size_t>(value.size());
    for (std::size_t i = 0; i < rows; ++i) {
        value[static_cast<Eigen::Index>(i)] = results_[i];
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        slope(places_[i].row, places_[i].column) = results_[rows + i];
    }
}

}  // namespace carom::detail
