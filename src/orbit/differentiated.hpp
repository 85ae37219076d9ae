#pragma once

#include "expression/derivative.hpp"
#include "expression/program.hpp"

#include <Eigen/Dense>

#include <vector>

namespace carom::detail {

/// Some functions with their derivatives, as numbers.
class Differentiated {
public:
    Differentiated() = default;
    Differentiated(Graph& graph, const std::vector<int>& nodes, const std::vector<Variable>& columns);

    /// Values, one per function, and derivatives, one row per function.
    void at(const Point& point, Workspace& work);

    Eigen::VectorXd value;
    Eigen::MatrixXd slope;

private:
    struct Place {
        Eigen::Index row = 0, column = 0;
    };
    Program program_;
    std::vector<Place> places_;
    std::vector<double> results_;
};

}  // namespace carom::detail
