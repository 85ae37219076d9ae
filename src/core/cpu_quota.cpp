#include "core/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace carom::detail {
namespace {

namespace fs = std::filesystem;

/// Version 2: "max 100000" or "150000 100000", microseconds of use and of a period.
std::optional<double> of_version_2(const fs::path& group)
{
    std::ifstream file(group / "cpu.max");
    double used = 0, period = 0;
    if (file >> used >> period && used > 0 && period > 0) return used / period;
    return {};
}

/// Version 1: -1 is no limit.
std::optional<double> of_version_1(const fs::path& group)
{
    std::ifstream quota(group / "cpu.cfs_quota_us"), length(group / "cpu.cfs_period_us");
    double used = 0, period = 0;
    if (quota >> used && length >> period && used > 0 && period > 0) return used / period;
    return {};
}

/// The least limit of a group and those above it up to the root.
template <class Limit>
std::optional<double> smallest(const fs::path& root, const std::string& group, Limit limit_of)
{
    std::optional<double> result;
    fs::path relative = fs::path(group).relative_path();
    while (true) {
        if (const auto limit = limit_of(root / relative)) {
            result = result ? std::min(*result, *limit) : *limit;
        }
        if (relative.empty()) return result;
        relative = relative.parent_path();
    }
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& membership, const fs::path& root)
{
    // lines are number:controllers:group; version 2 has number 0 and no controllers
    std::ifstream file(membership);
    std::optional<double> result;
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1),
                          group = line.substr(second + 1);
        std::optional<double> limit;
        if (controllers.empty()) limit = smallest(root, group, of_version_2);
        std::istringstream names(controllers);
        for (std::string name; std::getline(names, name, ',');) {
            if (name != "cpu") continue;
            const fs::path below = fs::exists(root / controllers) ? root / controllers : root / "cpu";
            limit = smallest(below, group, of_version_1);
        }
        if (limit) result = result ? std::min(*result, *limit) : *limit;
    }
    return result;
}

}  // namespace carom::detail
