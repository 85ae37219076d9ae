#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/energy_watch.hpp"

namespace carom {

/// What a step did to one of several groups of a system that move by themselves.
///
/// Theory     docs/theory/energy_ledger.md, (LE-27), (LE-28)
struct GroupStep {
    EnergyLines lines = {};
    StepAccuracy accuracy = {};
    Energies start = {}, end = {};

    /// The identity (LE-1) holds of each group: what nothing else explains is what the scheme and the
    /// correction did.
    void close() noexcept
    {
        lines.kinetic_J = end.kinetic_J - start.kinetic_J;
        lines.potential_J = end.potential_J - start.potential_J;
        lines.scheme_J = lines.balance_J();
    }
};

}  // namespace carom
