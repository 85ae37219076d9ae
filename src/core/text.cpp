#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace carom {

namespace {

constexpr std::size_t window = 100;  ///< characters of a line that an excerpt shows

bool continues_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Bytes of the UTF-8 character at the start of `text`; 0 if it is none.
std::size_t character_length(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    std::size_t length = 0;
    if (lead < 0x80)
        length = 1;
    else if (lead >= 0xC2 && lead < 0xE0)
        length = 2;
    else if (lead >= 0xE0 && lead < 0xF0)
        length = 3;
    else if (lead >= 0xF0 && lead < 0xF5)
        length = 4;
    if (length > text.size()) return 0;
    if (!std::all_of(text.begin() + (length > 0), text.begin() + length, continues_character)) return 0;
    if (length < 3) return length;

    // three and four bytes: no overlong forms, no surrogates, nothing beyond U+10FFFF
    const auto next = static_cast<unsigned char>(text[1]);
    const bool refused = (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next >= 0xA0) ||
                         (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next >= 0x90);
    return refused ? 0 : length;
}

std::size_t character_count(std::string_view valid)
{
    return valid.size() -
           static_cast<std::size_t>(std::count_if(valid.begin(), valid.end(), continues_character));
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& letter : result)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return result;
}

/// Letters to insert, delete, replace or swap with their neighbour to make `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

/// What of a name counts in a comparison: capitals, underscores and dashes say little.
std::string letters_of(std::string_view name)
{
    std::string letters;
    for (const char letter : lower(name)) {
        if (letter != '_' && letter != '-') letters += letter;
    }
    return letters;
}

/// A name of the same beginning and another end, `lagrangian` for `lagrange`: at least four letters, three quarters
/// of what was typed and more than half of the name.
std::string longest_beginning(std::string_view wanted, std::span<const std::string> known)
{
    std::size_t best = std::max<std::size_t>(3, (3 * wanted.size() + 3) / 4 - 1);
    std::string nearest;
    for (const std::string& candidate : known) {
        const std::string name = letters_of(candidate);
        const auto [end, other] = std::mismatch(wanted.begin(), wanted.end(), name.begin(), name.end());
        const auto same = static_cast<std::size_t>(end - wanted.begin());
        if (same > best && 2 * same > name.size()) {
            best = same;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace

std::string printable(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const auto lead = static_cast<unsigned char>(text.front());
        if (length == 0)
            result += '?';
        else if (lead < 0x20 || lead == 0x7F)
            result += ' ';
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string quoted(std::string_view piece, std::size_t longest)
{
    if (piece.size() <= longest) return fmt::format("`{}`", printable(piece));
    while (longest > 0 && continues_character(piece[longest]))
        --longest;
    return fmt::format("`{}...`", printable(piece.substr(0, longest)));
}

std::string nearest_name(std::string_view name, std::span<const std::string> known)
{
    const std::string wanted = letters_of(name);
    if (wanted.empty()) return {};
    if (wanted.ends_with("ies")) {  // bodies, of a body
        const std::string one = wanted.substr(0, wanted.size() - 3) + "y";
        const auto found = std::ranges::find(known, one);
        if (found != known.end()) return *found;
    }
    constexpr std::size_t slip = 4;  // what a wrong letter costs; quarters of it are what a name has letters
    std::size_t best = std::numeric_limits<std::size_t>::max();
    std::string nearest;
    for (const std::string& candidate : known) {
        const std::string other = letters_of(candidate);
        if (other.empty()) continue;
        const std::size_t longer = std::max(wanted.size(), other.size());
        const std::size_t allowed = std::max(slip, longer);

        // a different length alone already costs that many insertions
        if (slip * (longer - std::min(wanted.size(), other.size())) > allowed) continue;

        // people rarely miss the first letter: another one is half a slip more
        const std::size_t letters = edit_distance(wanted, other);
        const std::size_t cost = slip * letters + (wanted.front() == other.front() ? 0 : slip / 2);
        if (cost > allowed || letters >= longer) continue;

        // capitals, underscores and dashes decide between equals
        const std::size_t rank = 2 * cost + (candidate != name ? 1 : 0);
        if (rank < best) {
            best = rank;
            nearest = candidate;
        }
    }
    return nearest.empty() ? longest_beginning(wanted, known) : nearest;
}

std::string excerpt_with_caret(std::string_view text, std::size_t position)
{
    // the caret points at whole characters
    position = std::min(position, text.size());
    while (position > 0 && position < text.size() && continues_character(text[position]))
        --position;

    // the line that holds the place
    const std::size_t line_break = position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    const std::size_t end = std::min(text.find('\n', position), text.size());

    // long lines: a window around the place that cuts no character in two
    std::size_t first = begin;
    std::size_t last = end;
    if (end - begin > window) {
        first = std::max(begin, position - std::min(position, window / 2));
        last = std::min(end, first + window);
        first = std::min(first, std::max(begin, last - std::min(last, window)));
        while (first > begin && continues_character(text[first]))
            --first;
        while (last < end && continues_character(text[last]))
            ++last;
    }
    std::string shown = first > begin ? "..." : "";
    shown += printable(text.substr(first, position - first));
    const std::size_t column = character_count(shown);
    shown += printable(text.substr(position, last - position));
    if (last < end) shown += "...";
    return fmt::format("{}\n{:>{}}", shown, '^', column + 1);
}

}  // namespace carom
