#pragma once

#include <cstddef>
#include <vector>

namespace carom {

/// Memory that evaluations need; kept by the caller so that repeated evaluation allocates nothing.
struct Workspace {
    std::vector<double> registers;
    std::vector<double> first, second;  ///< for callers of gradient() and hessian()

    /// Makes `first` and `second` large enough for the derivatives of a term of that many variables.
    void make_room(std::size_t variables)
    {
        if (first.size() < variables) first.resize(variables);
        const std::size_t pairs = variables * (variables + 1) / 2;
        if (second.size() < pairs) second.resize(pairs);
    }
};

}  // namespace carom
