#include "memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace carom::detail {
namespace {

/// The number at the start of a file; nothing where there is none, such as the word max.
std::optional<double> number_in(const std::filesystem::path& file)
{
    std::ifstream in(file);
    double number = 0;
    if (in >> number) return number;
    return std::nullopt;
}

/// Free memory of the machine, with what the kernel gives back when it is asked.
std::optional<double> free_on_machine()
{
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        constexpr std::string_view key = "MemAvailable:";
        if (line.starts_with(key)) return 1024 * std::stod(line.substr(key.size()));
    }
    return std::nullopt;
}

/// What the control groups of this process leave, its own one and those above.
double left_by_groups()
{
    double left = std::numeric_limits<double>::infinity();
    const auto look_at = [&](const std::filesystem::path& folder, const char* limit, const char* used) {
        const auto largest = number_in(folder / limit), now = number_in(folder / used);
        if (largest && now) left = std::min(left, std::max(0.0, *largest - *now));
    };
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos || line[second + 1] != '/') continue;
        const std::string kind = line.substr(first + 1, second - first - 1);
        if (!kind.empty() && kind != "memory") continue;
        const std::filesystem::path top = kind.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        std::filesystem::path group = line.substr(second + 2);
        for (bool at_top = false; !at_top; group = group.parent_path()) {
            at_top = group.empty();
            if (kind.empty())
                look_at(top / group, "memory.max", "memory.current");
            else
                look_at(top / group, "memory.limit_in_bytes", "memory.usage_in_bytes");
        }
    }
    return left;
}

/// What the limit of the address space leaves (ulimit -v).
double left_by_limit()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<double>::infinity();
    const double used =
        number_in("/proc/self/statm").value_or(0) * static_cast<double>(sysconf(_SC_PAGESIZE));
    return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

}  // namespace

double available_memory_bytes()
{
    const double machine = free_on_machine().value_or(std::numeric_limits<double>::infinity());
    return std::min({machine, left_by_groups(), left_by_limit()});
}

}  // namespace carom::detail
