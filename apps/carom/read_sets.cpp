#include "read_sets.hpp"

namespace carom::app {

std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors)
{
    std::vector<Override> overrides;
    for (const std::string& text : sets) {
        auto set = parse_override(text);
        if (set)
            overrides.push_back(std::move(*set));
        else
            errors.push_back(set.error());
    }
    return overrides;
}

}  // namespace carom::app
