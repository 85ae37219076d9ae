#include "solver/contact_colours.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace carom {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

/// Random contacts of neighbours in a row of bodies, sorted; body 0 is a floor that all may touch.
Pairs heap(int first, int bodies, int contacts, unsigned seed)
{
    std::mt19937 random(seed);
    std::set<std::array<int, 2>> pairs;
    while (static_cast<int>(pairs.size()) < contacts) {
        const int a = first + static_cast<int>(random() % static_cast<unsigned>(bodies));
        const int b = a + 1 + static_cast<int>(random() % 6);
        if (b >= first + bodies) {
            pairs.insert({0, a});
        } else {
            pairs.insert({a, b});
        }
    }
    Pairs result;
    for (const auto& pair : pairs) {
        for (int k = 0; k <= pair[0] % 3; ++k) {  // some touch in several points
            result.push_back(pair);
        }
    }
    return result;
}

std::vector<char> moving(int bodies)
{
    std::vector<char> moves(static_cast<std::size_t>(bodies), 1);
    moves[0] = 0;
    return moves;
}

/// The colour of each contact; -1: taken in turn.
std::vector<int> colours_of(const ContactColours& colours, std::size_t contacts)
{
    std::vector<int> result(contacts, -1);
    for (int colour = 0; colour < colours.colours(); ++colour) {
        const auto k = static_cast<std::size_t>(colour);
        for (int place = colours.begin()[k]; place < colours.begin()[k + 1]; ++place) {
            result[static_cast<std::size_t>(colours.order()[static_cast<std::size_t>(place)])] = colour;
        }
    }
    return result;
}

}  // namespace

TEST_CASE("contacts of one colour share no body that moves")
{
    const Pairs pairs = heap(1, 200, 900, 3);
    ContactColours colours;
    colours.arrange(pairs, moving(201));
    std::vector<int> all(colours.order().begin(), colours.order().end());
    std::ranges::sort(all);
    for (std::size_t c = 0; c < pairs.size(); ++c) {
        REQUIRE(all[c] == static_cast<int>(c));
    }
    const auto colour = colours_of(colours, pairs.size());
    std::set<std::array<int, 2>> taken;  // colour and body
    int in_turn = 0;
    for (std::size_t c = 0; c < pairs.size(); ++c) {
        in_turn += colour[c] < 0 ? 1 : 0;
        for (const int body : pairs[c]) {
            if (colour[c] < 0 || body == 0) continue;
            CHECK(taken.insert({colour[c], body}).second);
        }
    }
    CHECK(in_turn < static_cast<int>(pairs.size()) / 10);
    CHECK(colours.colours() <= 2 * ContactColours::max_degree - 1);
}

TEST_CASE("colours depend on the ids of a contact and its neighbours alone")
{
    const Pairs here = heap(1, 60, 200, 5), there = heap(100, 60, 200, 6);
    ContactColours alone;
    alone.arrange(here, moving(200));
    std::map<std::pair<std::array<int, 2>, int>, int> known;
    const auto number = [](const Pairs& pairs, std::size_t c) {
        int which = 0;
        while (c > 0 && pairs[c - 1] == pairs[c]) {
            --c;
            ++which;
        }
        return which;
    };
    const auto first = colours_of(alone, here.size());
    for (std::size_t c = 0; c < here.size(); ++c) {
        known[{here[c], number(here, c)}] = first[c];
    }

    // with others far away in the same list, in a memory that has seen another problem
    Pairs both = here;
    both.insert(both.end(), there.begin(), there.end());
    std::ranges::sort(both);
    alone.arrange(both, moving(200));
    const auto second = colours_of(alone, both.size());
    int found = 0;
    for (std::size_t c = 0; c < both.size(); ++c) {
        const auto before = known.find({both[c], number(both, c)});
        if (before == known.end()) continue;
        ++found;
        CHECK(before->second == second[c]);
    }
    CHECK(found == static_cast<int>(here.size()));
}

TEST_CASE("a floor needs one colour; a huge body that moves none, its contacts come in turn")
{
    Pairs pairs;
    for (int k = 1; k <= 300; ++k) {
        pairs.push_back({0, k});
    }
    ContactColours colours;
    colours.arrange(pairs, moving(301));
    CHECK(colours.colours() == 1);
    CHECK(colours.begin().back() == 300);

    colours.arrange(pairs, std::vector<char>(301, 1));
    CHECK(colours.colours() == 0);
    CHECK(std::ranges::is_sorted(colours.order()));

    colours.arrange({}, {});
    CHECK(colours.colours() == 0);
    CHECK(colours.order().empty());
}

}  // namespace carom
