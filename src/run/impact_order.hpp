#pragma once

#include "carom/ledger/certificate.hpp"
#include "carom/onestep/problem.hpp"
#include "ledger/certifier.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace carom {

/// Contacts that close in a step one after the other are solved together. Where their order matters the
/// finding is `impact_order`: coordinates and bodies alike.
///
/// Theory     docs/theory/impacts.md, (IM-11)

/// Steps with more contacts are not looked at.
inline constexpr std::size_t max_contacts_in_order = 40;

/// A contact of the step: its place among the interactions, and how long before the middle it closed; below
/// zero: after it.
struct Closing {
    int k = 0;
    double since_s = std::numeric_limits<double>::infinity();  ///< it touched before the step
    double U_minus_m_s = 0, restitution = 0;
    bool fresh = false;    ///< it closed in this step, or collides again while it is inside
    bool entered = false;  ///< where it closed is known
    bool recent = false;   ///< an impact of the step before closed it, without restitution
};

/// The contacts of a step in the order in which they closed; those that touched before come first.
struct ClosingOrder {
    const OneStepProblem& problem;  ///< with the whole of W
    const std::vector<Closing>& closings;
    double h_s = 0, time_s = 0;
    double kinetic_J = 0;                       ///< of what takes part, in the last steps (LE-5)
    std::function<std::string(int)> name = {};  ///< of an interaction
};

void look_at_order(const ClosingOrder& order, Certifier& certifier);

}  // namespace carom
