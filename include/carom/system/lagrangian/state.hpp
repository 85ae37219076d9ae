#pragma once

#include <Eigen/Dense>

#include <vector>

namespace carom {

/// The complete state of a run: a run resumed from a State continues bit for bit.
struct State {
    double t_s = 0;
    Eigen::VectorXd q;  ///< configuration
    Eigen::VectorXd u;  ///< velocity, right limit
    std::vector<double>
        percussion_Ns;         ///< of the last step, the warm start of the next solve; at Model::offset(c)
    std::vector<char> closed;  ///< per contact: 0 open; 1 an impact of the last step closed it; 2 it persists
    std::vector<char>
        slides;  ///< per contact, in the last step: 0 not; 1 slid; 2 slid, in the plane backwards;
                 ///< + 4: its catastrophe has been named
    std::vector<char> constraint_status{};  ///< per part of a constraint: ConstraintStatus; empty: not known
};

}  // namespace carom
