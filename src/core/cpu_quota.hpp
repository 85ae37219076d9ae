#pragma once

#include <filesystem>
#include <optional>

namespace carom::detail {

/// Cores that the control groups of a process grant it: the least of its own group and those above it, from
/// the files `cpu.max` (version 2) or `cpu.cfs_quota_us` and `cpu.cfs_period_us` (version 1). Empty: no
/// limit. `membership`: /proc/self/cgroup;  `root`: /sys/fs/cgroup.
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& membership,
                                              const std::filesystem::path& root);

}  // namespace carom::detail
