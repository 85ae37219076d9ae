#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/certifier.hpp"
#include "stepping/scratch.hpp"

#include <span>
#include <string>

namespace carom {

/// Names for what is told of a step.
class StepNames {
public:
    [[nodiscard]] virtual std::string name_of_interaction(int k) const = 0;  ///< of the one-step problem
    [[nodiscard]] virtual std::string name_of_contact(int c) const = 0;      ///< by ContactStep::contact

protected:
    ~StepNames() = default;
};

/// A step that has been taken, as the certificate sees it: coordinates and bodies alike.
struct TakenStep {
    const StepReport& report;
    std::span<const ContactStep> contacts;
    std::span<const Event> events;
    long number;  ///< from 1
    double began_s, ended_s;
    double tolerance;  ///< of the solver
    const StepNames& names;
};

/// What the step means for the certificate, and what theory says about it.
void account(const TakenStep& step, Certifier& certifier);

}  // namespace carom
