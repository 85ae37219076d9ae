#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// Contacts in groups that share no moving body: those of one colour can be solved in any order, or at once,
/// with the same result to the last bit. The colouring is that of Jones and Plassmann, contacts coloured in
/// the order of a hash of their ids, each with the least colour that its bodies leave: it depends on the ids
/// of the contacts alone, not on who computes it. Bodies with very many contacts would need as many colours;
/// theirs come behind all colours, one after the other, in the order of ids.
///
/// Symbols    id of a contact: its two bodies, and which of their contacts it is
/// Theory     docs/theory/solvers.md, (SO-38)
/// Papers     [JonesPlassmann 1993]
class ContactColours {
public:
    /// A body that moves and has more contacts is a huge one: two others leave a colour of 64.
    static constexpr int max_degree = 32;

    /// Bodies of the contacts in the order of ids, and whether a body moves. `places`: of the bodies in an
    /// order that follows the scene; none: their numbers do. Keeps its memory; where nothing changed since the
    /// last call, nothing is done.
    void arrange(std::span<const std::array<int, 2>> bodies, std::span<const char> moves,
                 std::span<const int> places = {});

    /// Contacts by colours, within one in the order of places, so that a part of a colour is a part of the
    /// scene; then, in the order of ids, those to be taken one after the other.
    [[nodiscard]] std::span<const int> order() const noexcept { return order_; }

    /// Where colours begin in order(), and where the last one ends.
    [[nodiscard]] std::span<const int> begin() const noexcept { return begin_; }

    [[nodiscard]] int colours() const noexcept { return static_cast<int>(begin_.size()) - 1; }

    [[nodiscard]] std::span<const int> places() const noexcept { return places_; }

    /// Of a contact of these bodies: that of the one that comes first, of those that move.
    [[nodiscard]] int place(std::size_t a, std::size_t b) const noexcept
    {
        const int of_a = places_.empty() ? static_cast<int>(a) : places_[a],
                  of_b = places_.empty() ? static_cast<int>(b) : places_[b];
        if (moves_[a] != 0 && moves_[b] != 0) return std::min(of_a, of_b);
        return moves_[a] != 0 ? of_a : of_b;
    }

private:
    void count_degrees();
    void sort_by_hash();
    void give_colours();
    void sort_by_place();
    void sort_by_colour();

    std::vector<std::array<int, 2>> bodies_;
    std::vector<char> moves_;
    std::vector<int> places_;
    std::vector<int> degree_;                     ///< per body, of those that move
    std::vector<std::uint8_t> hash_;              ///< per contact
    std::vector<int> by_hash_;                    ///< contacts, huge bodies left out
    std::vector<std::uint64_t> taken_;            ///< colours, per body
    std::vector<std::uint8_t> colour_of_;         ///< per contact
    std::vector<int> by_place_, begin_of_place_;  ///< contacts
    std::vector<int> order_, begin_{0};
};

}  // namespace carom
