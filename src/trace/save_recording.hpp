#pragma once

#include "trace/recorder.hpp"

namespace carom {

/// Writes a recording that is in memory to a file: the one that Recorder::create would have left there.
/// `model` and `bodies` are those of the run. Errors: FileUnwritable; WrongSize for a recording of another
/// model.
[[nodiscard]] Expected<void> save_recording(const std::string& path, const Recording& recording,
                                            const Model& model,
                                            const std::optional<BodiesToRecord>& bodies = {});

}  // namespace carom
