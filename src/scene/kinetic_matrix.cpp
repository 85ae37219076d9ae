#include "expression/parse.hpp"
#include "expression/term.hpp"
#include "system.hpp"

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

bool same_entry(const Node& a, const Node& b)
{
    if (a.kind != b.kind) return false;
    return a.kind == Kind::Text ? a.text == b.text : a.number == b.number;
}

/// n rows, all of length n, or of lengths 1, 2, ..., n. False after a mistake.
bool has_fitting_shape(const Node& matrix, std::size_t n, Mistakes& mistakes)
{
    const auto& rows = matrix.items;
    bool full = rows.size() == n, triangle = rows.size() == n;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        full = full && rows[i].items.size() == n;
        triangle = triangle && rows[i].items.size() == i + 1;
    }
    if (full || triangle) return true;
    std::vector<std::size_t> lengths;
    for (const Node& row : rows)
        lengths.push_back(row.items.size());
    lengths.resize(std::min<std::size_t>(lengths.size(), 10));
    mistakes.add(matrix.place, ErrorCode::WrongSize,
                 fmt::format("the mass matrix has {} rows of lengths {}{}, for {} coordinates", rows.size(),
                             fmt::join(lengths, ", "), rows.size() > 10 ? ", ..." : "", n),
                 "give one row and one column per coordinate, or the lower triangle: [[a], [b, c]]");
    return false;
}

bool is_symmetric(const Node& matrix, Mistakes& mistakes)
{
    bool symmetric = true;
    const auto& rows = matrix.items;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = i + 1; j < rows[i].items.size(); ++j) {
            if (same_entry(rows[i].items[j], rows[j].items[i])) continue;
            mistakes.add(
                rows[i].items[j].place, ErrorCode::WrongSize,
                fmt::format("the mass matrix is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}",
                            i + 1, j + 1, describe(rows[i].items[j]), j + 1, i + 1,
                            describe(rows[j].items[i])),
                "make both equal, or give only the lower triangle");
            symmetric = false;
        }
    }
    return symmetric;
}

}  // namespace

std::optional<Formula> kinetic_of_matrix(const Node& matrix, const std::vector<Coordinate>& coordinates,
                                         const Names& names, Mistakes& mistakes)
{
    if (matrix.kind != Kind::Array || !names.complete) return std::nullopt;
    if (!has_fitting_shape(matrix, coordinates.size(), mistakes) || !is_symmetric(matrix, mistakes))
        return std::nullopt;

    // T = sum over i >= j of A_ij u_i u_j, halved on the diagonal; every entry stays a term of its own
    std::vector<Term> terms;
    bool readable = true;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const Node& entry = matrix.items[i].items[j];
            if (!formula_of(&entry, names, mistakes)) {
                readable = false;
                continue;
            }
            const std::string a = entry.kind == Kind::Text ? entry.text : fmt::format("{}", entry.number);
            const auto product = parse_formula(fmt::format("({})*{}'*{}'{}", a, coordinates[i].name,
                                                           coordinates[j].name, i == j ? "/2" : ""),
                                               names.vocabulary);
            if (!product) {
                mistakes.add(entry.place, product.error());
                readable = false;
                continue;
            }
            const bool zero = entry.kind == Kind::Number && entry.number == 0;
            if (!zero) terms.insert(terms.end(), product->terms().begin(), product->terms().end());
        }
    }
    if (!readable) return std::nullopt;
    return Formula(std::move(terms), "u.A u / 2");
}

}  // namespace carom::detail
