#pragma once

namespace carom::detail {

/// Memory that this process can still take, in bytes: what the machine has free, less where a limit of the
/// process or of its control group is closer. Infinite where nothing can be found out.
[[nodiscard]] double available_memory_bytes();

}  // namespace carom::detail
