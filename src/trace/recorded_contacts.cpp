#include "recorded_contacts.hpp"

#include "body_paths.hpp"

#include <algorithm>
#include <functional>

namespace carom::detail {
namespace {

constexpr const char *count_path = "/bodies/contacts/count", *step_path = "/bodies/contacts/step_s",
                     *first_path = "/bodies/contacts/first", *second_path = "/bodies/contacts/second",
                     *gap_path = "/bodies/contacts/gap_m";

struct VectorPath {
    const char* path;
    RowMatrix RecordedBodies::* values;
};
constexpr VectorPath vector_paths[] = {{"/bodies/contacts/point_m", &RecordedBodies::point_m},
                                       {"/bodies/contacts/normal", &RecordedBodies::normal},
                                       {"/bodies/contacts/percussion_Ns", &RecordedBodies::percussion_Ns}};

/// Every column has as many rows as there are contacts.
Expected<void> check_lengths(const Hdf5Reader& file, std::uint64_t contacts)
{
    std::vector<Growing> columns{{.path = first_path, .entry = Entry::Integer},
                                 {.path = second_path, .entry = Entry::Integer},
                                 {.path = gap_path}};
    for (const VectorPath& vector : vector_paths)
        columns.push_back({.path = vector.path, .width = 3});
    for (const LaterColumn& later : later_columns) {
        if (file.has(later.path)) columns.push_back({.path = later.path});
    }
    if (file.has(moment_path)) columns.push_back({.path = moment_path, .width = 3});
    for (const Growing& column : columns) {
        const auto rows = file.rows_of(column);
        if (!rows) return rows.error();
        if (*rows != contacts)
            return file.malformed("the columns of /bodies/contacts have different lengths");
    }
    return {};
}

/// Rows of the contacts of some frames: where they are, and where they go.
struct RowPiece {
    Eigen::Index from = 0, to = 0, count = 0;
};

/// Neighbouring frames in one piece. `chosen` gets its `first_row` and its `step_s`.
std::vector<RowPiece> pieces_of(const RecordedBodies& bodies, std::span<const Eigen::Index> frames,
                                RecordedBodies& chosen)
{
    std::vector<RowPiece> pieces;
    chosen.step_s.resize(static_cast<Eigen::Index>(frames.size()));
    Eigen::Index next = 0;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const auto frame = static_cast<std::size_t>(frames[k]);
        const Eigen::Index from = bodies.first_row[frame], count = bodies.first_row[frame + 1] - from;
        chosen.first_row.push_back(next);
        chosen.step_s[static_cast<Eigen::Index>(k)] = bodies.step_s[frames[k]];
        if (!pieces.empty() && pieces.back().from + pieces.back().count == from)
            pieces.back().count += count;
        else
            pieces.push_back({.from = from, .to = next, .count = count});
        next += count;
    }
    chosen.first_row.push_back(next);
    return pieces;
}

/// Takes the pieces of one column after the other, from a file.
class PieceReader {
public:
    PieceReader(const Hdf5Reader& file, const std::vector<RowPiece>& pieces, Eigen::Index rows)
        : file_(file), pieces_(pieces), rows_(rows)
    {
    }

    Expected<void> numbers(const char* path, Eigen::VectorXd& values) const
    {
        values.resize(rows_);
        for (const RowPiece& piece : pieces_) {
            const auto part = file_.column(path, range_of(piece));
            if (!part) return part.error();
            values.segment(piece.to, piece.count) = *part;
        }
        return {};
    }

    Expected<void> vectors(const char* path, RowMatrix& values) const
    {
        values.resize(rows_, 3);
        for (const RowPiece& piece : pieces_) {
            const auto part = file_.table(path, 3, range_of(piece));
            if (!part) return part.error();
            values.middleRows(piece.to, piece.count) = *part;
        }
        return {};
    }

    Expected<void> bodies(const char* path, std::size_t count, std::vector<int>& values) const
    {
        values.reserve(static_cast<std::size_t>(rows_));
        for (const RowPiece& piece : pieces_) {
            const auto part = file_.integers(path, range_of(piece));
            if (!part) return part.error();
            for (const std::int64_t body : *part) {
                if (body < 0 || body >= static_cast<std::int64_t>(count))
                    return file_.malformed("a contact names a body that does not exist");
                values.push_back(static_cast<int>(body));
            }
        }
        return {};
    }

private:
    static RowRange range_of(const RowPiece& piece)
    {
        return {.first = static_cast<hsize_t>(piece.from), .count = static_cast<hsize_t>(piece.count)};
    }

    const Hdf5Reader& file_;
    const std::vector<RowPiece>& pieces_;
    Eigen::Index rows_;
};

}  // namespace

Expected<RecordedBodies> read_recorded_bodies(const Hdf5Reader& file, Eigen::Index frames)
{
    RecordedBodies result;
    auto names = file.texts("/bodies/name");
    if (!names) return names.error();
    result.names = std::move(*names);
    if (!file.has("/bodies/contacts")) return result;
    const auto count = file.integers(count_path);
    auto step = file.column(step_path);
    if (!count) return count.error();
    if (!step) return step.error();

    // every frame has its share of the rows
    const auto rows = file.rows_of({.path = first_path, .entry = Entry::Integer});
    if (!rows) return rows.error();
    std::int64_t sum = 0;
    for (const std::int64_t share : *count) {
        if (share < 0 || share > static_cast<std::int64_t>(*rows) - sum)
            return file.malformed("frames count contacts that are not there");
        result.first_row.push_back(static_cast<Eigen::Index>(sum));
        sum += share;
    }
    result.first_row.push_back(static_cast<Eigen::Index>(sum));
    if (static_cast<Eigen::Index>(count->size()) != frames || step->size() != frames)
        return file.malformed("the columns of /bodies/contacts have different lengths");
    if (auto lengths = check_lengths(file, static_cast<std::uint64_t>(sum)); !lengths) return lengths.error();
    result.step_s = std::move(*step);
    return result;
}

Expected<RecordedBodies> read_contacts(const Hdf5Reader& file, const RecordedBodies& bodies,
                                       std::span<const Eigen::Index> frames)
{
    RecordedBodies result;
    const std::vector<RowPiece> pieces = pieces_of(bodies, frames, result);
    const PieceReader reader(file, pieces, result.first_row.back());
    std::vector<std::function<Expected<void>()>> columns{
        [&] { return reader.bodies(first_path, bodies.names.size(), result.first); },
        [&] { return reader.bodies(second_path, bodies.names.size(), result.second); },
        [&] { return reader.numbers(gap_path, result.gap_m); }};
    for (const VectorPath& vector : vector_paths)
        columns.emplace_back([&] { return reader.vectors(vector.path, result.*vector.values); });
    for (const LaterColumn& later : later_columns) {
        if (file.has(later.path))
            columns.emplace_back([&] { return reader.numbers(later.path, result.*later.values); });
    }
    if (file.has(moment_path))
        columns.emplace_back([&] { return reader.vectors(moment_path, result.moment_Nms); });
    for (const auto& column : columns) {
        if (auto read = column(); !read) return read.error();
    }
    return result;
}

RecordedBodies contacts_of(const RecordedBodies& bodies, std::span<const Eigen::Index> frames)
{
    RecordedBodies result;
    const std::vector<RowPiece> pieces = pieces_of(bodies, frames, result);
    const Eigen::Index rows = result.first_row.back();
    const auto numbers = [&](Eigen::VectorXd RecordedBodies::* values) {
        if ((bodies.*values).size() == 0) return;
        (result.*values).resize(rows);
        for (const RowPiece& piece : pieces)
            (result.*values).segment(piece.to, piece.count) =
                (bodies.*values).segment(piece.from, piece.count);
    };
    const auto vectors = [&](RowMatrix RecordedBodies::* values) {
        if ((bodies.*values).rows() == 0) return;
        (result.*values).resize(rows, (bodies.*values).cols());
        for (const RowPiece& piece : pieces)
            (result.*values).middleRows(piece.to, piece.count) =
                (bodies.*values).middleRows(piece.from, piece.count);
    };
    for (std::vector<int> RecordedBodies::* values : {&RecordedBodies::first, &RecordedBodies::second}) {
        for (const RowPiece& piece : pieces) {
            const auto from = (bodies.*values).begin() + piece.from;
            (result.*values).insert((result.*values).end(), from, from + piece.count);
        }
    }
    numbers(&RecordedBodies::gap_m);
    for (const LaterColumn& later : later_columns)
        numbers(later.values);
    for (const VectorPath& vector : vector_paths)
        vectors(vector.values);
    vectors(&RecordedBodies::moment_Nms);
    return result;
}

std::size_t contact_bytes(const RecordedBodies& bodies) noexcept
{
    constexpr std::size_t numbers = 16;
    return bodies.first_row.empty()
               ? 0
               : numbers * sizeof(double) * static_cast<std::size_t>(bodies.first_row.back());
}

Expected<void> read_forces(const Hdf5Reader& file, Eigen::Index frames, const RecordedSolids& solids,
                           std::size_t joints, RecordedBodies& bodies)
{
    const auto moving = std::ranges::count_if(solids.columns, [](int column) { return column >= 0; });
    for (const ForcePath& part : force_paths) {
        if (!file.has(part.path)) continue;
        const auto vectors = part.needs == Needs::Joints ? static_cast<Eigen::Index>(joints) : moving;
        auto table = file.table(part.path, 3 * vectors);
        if (!table) return table.error();
        if (table->rows() != frames)
            return file.malformed("the forces on bodies have other frames than the run");
        bodies.*part.values = std::move(*table);
    }
    return {};
}

}  // namespace carom::detail
