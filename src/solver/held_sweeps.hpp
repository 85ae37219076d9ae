#pragma once

#include "carom/onestep/problem.hpp"
#include "solver/rigid_contacts.hpp"

namespace carom {

/// Sweeps over contacts whose operator is factors, of bodies that something beside them holds (SO-42). Keeps
/// its memory from one problem to the next.
///
/// Theory     docs/theory/solvers.md, (SO-42)
class HeldSweeps {
public:
    /// Whether the kernels know a law: no friction, or one that is the same in all directions.
    [[nodiscard]] static bool takes(const Law& law);

    /// From P on; `contacts` has nothing but contacts. Returns the sweeps, none where a law is not swept.
    int run(const OneStepProblem& contacts, const Budget& budget, BesideContacts& beside,
            std::span<double> P);

private:
    std::vector<RigidContact> contacts_;
    RigidContacts kernel_;
};

}  // namespace carom
