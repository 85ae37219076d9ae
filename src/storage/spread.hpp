#pragma once

#include <cstdint>
#include <string>

namespace carom::detail {

/// A dataset of a recording may be spread over several files, the parts: RUN.h5.part0, RUN.h5.part1, ... The
/// recording itself then has a virtual dataset of HDF5 that shows the pieces as one.
enum class Spread {
    No,
    Columns,  ///< a part has consecutive columns of all rows
    Rows,     ///< a part has one in so many stripes of consecutive rows
};

/// Rows of a stripe.
inline constexpr std::uint64_t stripe_rows = 1024;

/// The first column of a part; that of part `parts` is the width.
[[nodiscard]] constexpr std::uint64_t first_column(std::uint64_t width, std::uint64_t part,
                                                   std::uint64_t parts) noexcept
{
    return width * part / parts;
}

/// The part that has a row.
[[nodiscard]] constexpr std::uint64_t part_of_row(std::uint64_t row, std::uint64_t parts) noexcept
{
    return row / stripe_rows % parts;
}

/// How many of the first `rows` rows a part has: also the number, within the part, of the first of its rows
/// that is not before row `rows`.
[[nodiscard]] constexpr std::uint64_t rows_of_part(std::uint64_t rows, std::uint64_t part,
                                                   std::uint64_t parts) noexcept
{
    const std::uint64_t round = stripe_rows * parts, rest = rows % round, before = stripe_rows * part;
    const std::uint64_t in_last = rest <= before ? 0 : rest - before;
    return rows / round * stripe_rows + (in_last < stripe_rows ? in_last : stripe_rows);
}

/// The row of the whole dataset that is row `k` of a part.
[[nodiscard]] constexpr std::uint64_t row_in_whole(std::uint64_t k, std::uint64_t part,
                                                   std::uint64_t parts) noexcept
{
    return (k / stripe_rows * parts + part) * stripe_rows + k % stripe_rows;
}

[[nodiscard]] inline std::string name_of_part(const std::string& recording, std::uint64_t part)
{
    return recording + ".part" + std::to_string(part);
}

}  // namespace carom::detail
