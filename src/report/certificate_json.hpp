#pragma once

#include "carom/ledger/certificate.hpp"
#include "report/json_text.hpp"

#include <optional>
#include <span>

namespace carom::detail {

/// The certificate of a run; with the number of its worst step where that is known.
[[nodiscard]] Json certificate_json(const Certificate& certificate, std::optional<long> worst_step = {});

/// What theory says of a run.
[[nodiscard]] Json findings_json(std::span<const Finding> findings);

}  // namespace carom::detail
