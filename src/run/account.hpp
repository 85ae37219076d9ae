#pragma once

#include "carom/ledger/certificate.hpp"
#include "stepping/scratch.hpp"

#include <functional>
#include <span>
#include <string>

namespace carom {

/// A step that has been taken, as the certificate sees it: coordinates and bodies alike.
struct TakenStep {
    const StepReport& report;
    std::span<const ContactStep> contacts;
    std::span<const Event> events = {};
    long number = 0;  ///< from 1
    double began_s = 0, ended_s = 0;
    double tolerance = 0;                                      ///< of the solver
    std::function<std::string(int)> name_of_interaction = {};  ///< of the one-step problem
    std::function<std::string(int)> name_of_contact = {};      ///< by ContactStep::contact
};

/// What the step means for the certificate, and what theory says about it.
void account(const TakenStep& step, Certifier& certifier);

}  // namespace carom
