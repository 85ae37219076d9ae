#pragma once

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

    /// Bodies of the contacts in the order of ids, and whether a body moves. Keeps its memory; where nothing
    /// changed since the last call, nothing is done.
    void arrange(std::span<const std::array<int, 2>> bodies, std::span<const char> moves);

    /// Contacts by colours, in the order of ids within one; then those to be taken one after the other.
    [[nodiscard]] std::span<const int> order() const noexcept { return order_; }

    /// Where colours begin in order(), and where the last one ends.
    [[nodiscard]] std::span<const int> begin() const noexcept { return begin_; }

    [[nodiscard]] int colours() const noexcept { return static_cast<int>(begin_.size()) - 1; }

private:
    void count_degrees();
    void sort_by_hash();
    void give_colours();
    void sort_by_colour();

    std::vector<std::array<int, 2>> bodies_;
    std::vector<char> moves_;
    std::vector<int> degree_;              ///< per body, of those that move
    std::vector<std::uint8_t> hash_;       ///< per contact
    std::vector<int> by_hash_;             ///< contacts, huge bodies left out
    std::vector<std::uint64_t> taken_;     ///< colours, per body
    std::vector<std::uint8_t> colour_of_;  ///< per contact
    std::vector<int> order_, begin_{0};
};

}  // namespace carom
