#pragma once

#include "binding.hpp"

namespace carom::python {

/// A run as Python holds it: just made, or from a file.
struct RunObject {
    Run run;
    std::string status;  ///< certified, uncertified, failed; of files also interrupted or unfinished
    SharedScene scene;   ///< none: from a file
};

/// carom.StepContact, carom.Finding objects; the lines of a ledger, a certificate.
[[nodiscard]] py::object contact_object(const StepContact& contact);
[[nodiscard]] py::list findings_list(const std::vector<Finding>& findings);
[[nodiscard]] py::dict lines_dict(const EnergyLines& energy);
[[nodiscard]] py::dict certificate_dict(const Certificate& certificate);

}  // namespace carom::python
