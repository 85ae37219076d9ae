#include "solver/contact_colours.hpp"

#include <algorithm>
#include <numeric>

namespace carom {
namespace {

constexpr std::size_t max_colours = 64;
constexpr std::uint8_t in_turn = max_colours;

/// Mixes the bits of an id; the highest eight decide.
std::uint8_t hash_of(int a, int b, unsigned which)
{
    std::uint64_t x = (std::uint64_t{static_cast<std::uint32_t>(a)} << 32U) | static_cast<std::uint32_t>(b);
    x += 0x9e3779b97f4a7c15U * (which + 1);
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::uint8_t>(x >> 56U);
}

}  // namespace

void ContactColours::arrange(std::span<const std::array<int, 2>> bodies, std::span<const char> moves,
                             std::span<const int> places)
{
    if (std::ranges::equal(bodies, bodies_) && std::ranges::equal(moves, moves_) &&
        std::ranges::equal(places, places_)) {
        return;
    }
    bodies_.assign(bodies.begin(), bodies.end());
    moves_.assign(moves.begin(), moves.end());
    places_.assign(places.begin(), places.end());
    count_degrees();
    sort_by_hash();
    give_colours();
    sort_by_place();
    sort_by_colour();
}

void ContactColours::count_degrees()
{
    degree_.assign(moves_.size(), 0);
    for (const auto& pair : bodies_) {
        for (const int body : pair) {
            const auto k = static_cast<std::size_t>(body);
            degree_[k] += moves_[k];
        }
    }
}

/// By counting: contacts of one hash stay in the order of ids.
void ContactColours::sort_by_hash()
{
    const std::size_t m = bodies_.size();
    hash_.resize(m);
    colour_of_.assign(m, 0);
    std::array<int, 257> begin{};
    unsigned which = 0;
    int kept = 0;
    for (std::size_t c = 0; c < m; ++c) {
        const auto [a, b] = bodies_[c];
        which = c > 0 && bodies_[c - 1] == bodies_[c] ? which + 1 : 0;
        hash_[c] = hash_of(a, b, which);
        if (degree_[static_cast<std::size_t>(a)] > max_degree ||
            degree_[static_cast<std::size_t>(b)] > max_degree) {
            colour_of_[c] = in_turn;
            continue;
        }
        ++begin[hash_[c] + std::size_t{1}];
        ++kept;
    }
    for (std::size_t k = 1; k < begin.size(); ++k) {
        begin[k] += begin[k - 1];
    }
    by_hash_.resize(static_cast<std::size_t>(kept));
    for (std::size_t c = 0; c < m; ++c) {
        if (colour_of_[c] == in_turn) continue;
        by_hash_[static_cast<std::size_t>(begin[hash_[c]]++)] = static_cast<int>(c);
    }
}

/// A contact meets at most 2 (max_degree - 1) others: a colour is left.
void ContactColours::give_colours()
{
    taken_.assign(moves_.size(), 0);
    for (const int c : by_hash_) {
        const auto [a, b] = bodies_[static_cast<std::size_t>(c)];
        std::uint64_t &of_a = taken_[static_cast<std::size_t>(a)],
                      &of_b = taken_[static_cast<std::size_t>(b)];
        const int colour = __builtin_ctzll(~(of_a | of_b));
        const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(colour);
        if (moves_[static_cast<std::size_t>(a)]) of_a |= bit;
        if (moves_[static_cast<std::size_t>(b)]) of_b |= bit;
        colour_of_[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(colour);
    }
}

/// By counting: contacts of one place stay in the order of ids.
void ContactColours::sort_by_place()
{
    const auto of = [&](std::size_t c) {
        const auto [a, b] = bodies_[c];
        return static_cast<std::size_t>(place(static_cast<std::size_t>(a), static_cast<std::size_t>(b)));
    };
    begin_of_place_.assign(moves_.size() + 1, 0);
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        ++begin_of_place_[of(c) + 1];
    }
    std::partial_sum(begin_of_place_.begin(), begin_of_place_.end(), begin_of_place_.begin());
    by_place_.resize(bodies_.size());
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        by_place_[static_cast<std::size_t>(begin_of_place_[of(c)]++)] = static_cast<int>(c);
    }
}

void ContactColours::sort_by_colour()
{
    std::array<int, max_colours + 2> next{};
    for (const std::uint8_t colour : colour_of_) {
        ++next[colour + std::size_t{1}];
    }
    begin_.assign(1, 0);
    for (std::size_t k = 1; k < next.size(); ++k) {
        // colours have no holes: the least one that is free is given
        if (k <= max_colours && next[k] > 0) begin_.push_back(begin_.back() + next[k]);
        next[k] += next[k - 1];
    }
    order_.resize(bodies_.size());
    const auto put = [&](int c) {
        order_[static_cast<std::size_t>(next[colour_of_[static_cast<std::size_t>(c)]]++)] = c;
    };
    for (const int c : by_place_) {
        if (colour_of_[static_cast<std::size_t>(c)] != in_turn) put(c);
    }
    for (std::size_t c = 0; c < colour_of_.size(); ++c) {
        if (colour_of_[c] == in_turn) put(static_cast<int>(c));
    }
}

}  // namespace carom
