#pragma once

#include "carom/trace/recording.hpp"

#include <string_view>

namespace carom {

/// How a recorded run ended: certified, uncertified or failed; interrupted where somebody stopped it;
/// unfinished where it was killed or is still running.
[[nodiscard]] std::string_view status_of(const Recording& recording) noexcept;

/// The certificate and findings of a recorded run; of one that was killed those at its last checkpoint.
[[nodiscard]] Certificate certificate_of(const Recording& recording);
[[nodiscard]] std::vector<Finding> findings_of(const Recording& recording);

}  // namespace carom
