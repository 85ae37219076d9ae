// Compares many pairs of scenes in one process, for random_twins.py. Each line of the standard input names two
// files and, after them, overrides of both, separated by tabs; each line of the output says what they differ in:
//
//     {"different": ["motion"], "seen": ["px: 1 and 2"], "settled": true, "status": ["certified", "certified"]}
//
// A scene that cannot be run gives {"mistake": "..."}.

#include "compare.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>

/// Steps that the instants of an event may be apart: where a force fades, more than those of an impact.
constexpr double instants = 6;

int main()
{
    using namespace carom;
    using namespace carom::twins;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string first, second, word;
        std::getline(words, first, '\t');
        std::getline(words, second, '\t');
        std::vector<Override> scheme;
        while (std::getline(words, word, '\t'))
            if (auto override = parse_override(word)) scheme.push_back(*std::move(override));
        const std::vector<double> parts{0.83, 0.61, 0.5};
        const Way a = way_of(first, scheme, parts), b = way_of(second, scheme, parts);
        nlohmann::json told = nlohmann::json::object();
        if (!a.mistake.empty() || !b.mistake.empty() || a.probes != b.probes) {
            told["mistake"] = a.mistake + b.mistake;
        } else {
            const Differences found = differences(a, b, instants);
            told = {{"different", found.aspects},
                    {"seen", found.seen},
                    {"settled", is_settled(a, instants) && is_settled(b, instants)},
                    {"status", {name_of(a.coarse.status), name_of(b.coarse.status)}}};
        }
        std::cout << told.dump() << std::endl;
    }
}
