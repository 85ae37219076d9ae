#include "core/text.hpp"
#include "names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include <fmt/format.h>

namespace carom::detail {
namespace {

bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Parameters as a graph: who needs whom.
class Resolution {
public:
    Resolution(const Node& parameters, Names& names, Mistakes& mistakes)
        : entries_(parameters.entries),
          names_(names),
          mistakes_(mistakes),
          needs_(entries_.size()),
          needed_by_(entries_.size()),
          state_(entries_.size(), State::Waiting)
    {
        std::map<std::string_view, std::size_t> index;
        for (std::size_t i = 0; i < entries_.size(); ++i)
            index.emplace(entries_[i].key, i);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].value.kind != Node::Kind::Text) continue;
            for (const std::string_view word : words_in(entries_[i].value.text)) {
                const auto other = index.find(word);
                if (other == index.end()) continue;
                needs_[i].push_back(other->second);
                needed_by_[other->second].push_back(i);
            }
        }
    }

    void run()
    {
        // first what needs nothing, then what needs only parameters that are known
        std::vector<std::size_t> open(entries_.size());
        std::queue<std::size_t> ready;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            open[i] = needs_[i].size();
            if (open[i] == 0) ready.push(i);
        }
        while (!ready.empty()) {
            const std::size_t i = ready.front();
            ready.pop();
            evaluate(i);
            for (const std::size_t j : needed_by_[i]) {
                if (--open[j] == 0) ready.push(j);
            }
        }
        // what is left waits for itself, or for someone who does
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (state_[i] == State::Waiting) report_circle(i);
        }
    }

private:
    enum class State { Waiting, OnTheWay, Done };

    void evaluate(std::size_t i)
    {
        const Entry& entry = entries_[i];
        auto value = constant_of(entry.value, names_, mistakes_);
        if (value && !std::isfinite(*value)) value.reset();  // reported with the ranges
        add(i, value);
    }

    /// A parameter without a value still is a name: formulas that use it are not to blame.
    void add(std::size_t i, std::optional<double> value)
    {
        state_[i] = State::Done;
        if (!value) names_.unvalued.insert(entries_[i].key);
        if (auto added = names_.vocabulary.add_parameter(entries_[i].key, value.value_or(1.0)); !added) {
            names_.complete = false;
            mistakes_.add(entries_[i].value.key_place, added.error());
        }
    }

    /// Follows needs from `i` until a parameter comes back; all that were seen are then settled.
    void report_circle(std::size_t i)
    {
        std::vector<std::size_t> chain;
        bool circle = true;
        while (circle && state_[i] == State::Waiting) {
            state_[i] = State::OnTheWay;
            chain.push_back(i);
            const auto open =
                std::ranges::find_if(needs_[i], [&](std::size_t n) { return state_[n] != State::Done; });
            circle = open != needs_[i].end();
            if (circle) i = *open;
        }
        if (circle) report(chain, i);
        for (const std::size_t settled : chain)
            add(settled, std::nullopt);
    }

    void report(const std::vector<std::size_t>& chain, std::size_t begin)
    {
        std::string circle;
        bool inside = false;
        for (const std::size_t i : chain) {
            inside = inside || i == begin;
            if (inside) circle += printable(entries_[i].key) + " -> ";
        }
        circle += printable(entries_[begin].key);
        if (circle.size() > 200) circle = circle.substr(0, 100) + " ... " + circle.substr(circle.size() - 80);
        mistakes_.add(entries_[begin].value.place, ErrorCode::UnknownName,
                      fmt::format("parameters depend on each other in a circle: {}", circle),
                      "give one of them as a number");
    }

    const std::vector<Entry>& entries_;
    Names& names_;
    Mistakes& mistakes_;
    std::vector<std::vector<std::size_t>> needs_, needed_by_;
    std::vector<State> state_;
};

}  // namespace

std::vector<std::string_view> words_in(std::string_view formula)
{
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < formula.size();) {
        const std::size_t begin = i;
        if (begins_name(formula[i])) {
            while (i < formula.size() && (begins_name(formula[i]) || is_digit(formula[i])))
                ++i;
            words.push_back(formula.substr(begin, i - begin));
        } else if (is_digit(formula[i]) || formula[i] == '.') {
            while (i < formula.size() && (is_digit(formula[i]) || formula[i] == '.' || formula[i] == 'e'))
                ++i;
        } else {
            ++i;
        }
    }
    return words;
}

void add_parameters(const Node& parameters, Names& names, Mistakes& mistakes)
{
    if (parameters.kind == Node::Kind::Table) Resolution(parameters, names, mistakes).run();
}

}  // namespace carom::detail
