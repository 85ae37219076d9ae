#include "fclib_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// What a matrix says about itself.
struct Head {
    std::int64_t m = 0, n = 0, nz = 0;
};

Expected<std::int64_t> read_integer(const Hdf5Reader& file, const std::string& path)
{
    const auto values = file.integers(path);
    if (!values) return values.error();
    if (values->size() != 1) {
        return file.malformed(fmt::format("{} has {} entries instead of one", path, values->size()));
    }
    return values->front();
}

Expected<Head> read_head(const Hdf5Reader& file, const std::string& group)
{
    Head head;
    for (auto [name, value] : {std::pair{"/m", &head.m}, {"/n", &head.n}, {"/nz", &head.nz}}) {
        const auto read = read_integer(file, group + name);
        if (!read) return read.error();
        *value = *read;
    }
    return head;
}

/// Entries of compressed rows or columns: `p` has one entry more than there are of them.
Expected<void> add_compressed(const Hdf5Reader& file, const std::string& group, bool by_rows,
                              std::span<const std::int64_t> p, std::span<const std::int64_t> i,
                              std::span<const double> x, Eigen::Index inner, Triplets& entries)
{
    for (std::size_t outer = 0; outer + 1 < p.size(); ++outer) {
        if (p[outer] < 0 || p[outer + 1] < p[outer] || p[outer + 1] > std::ssize(i) ||
            p[outer + 1] > std::ssize(x)) {
            return file.malformed(fmt::format("{}/p[{}] = {} is not between {} and the {} entries", group,
                                              outer + 1, p[outer + 1], p[outer],
                                              std::min(i.size(), x.size())));
        }
        for (auto k = static_cast<std::size_t>(p[outer]); k < static_cast<std::size_t>(p[outer + 1]); ++k) {
            if (i[k] < 0 || i[k] >= inner) {
                return file.malformed(
                    fmt::format("{}/i[{}] = {} is not an index below {}", group, k, i[k], inner));
            }
            const auto a = static_cast<int>(outer), b = static_cast<int>(i[k]);
            entries.emplace_back(by_rows ? a : b, by_rows ? b : a, x[k]);
        }
    }
    return {};
}

bool all_below(std::span<const std::int64_t> indices, std::int64_t bound)
{
    return std::all_of(indices.begin(), indices.end(),
                       [&](std::int64_t index) { return index >= 0 && index < bound; });
}

/// Rows in `i` and columns in `p`, as CSparse has them and as the files out there do. FCLIB's own text says
/// the opposite: where only that fits the size it is meant.
Expected<void> add_triplets(const Hdf5Reader& file, const std::string& group, const Head& head,
                            std::span<const std::int64_t> p, std::span<const std::int64_t> i,
                            std::span<const double> x, Triplets& entries)
{
    if (head.nz > std::ssize(p) || head.nz > std::ssize(i) || head.nz > std::ssize(x)) {
        return file.malformed(fmt::format("{}/nz = {} is more than there are entries in p, i or x ({})",
                                          group, head.nz, std::min({p.size(), i.size(), x.size()})));
    }
    const auto count = static_cast<std::size_t>(head.nz);
    auto rows = i.first(count), columns = p.first(count);
    if (!all_below(rows, head.m) || !all_below(columns, head.n)) std::swap(rows, columns);
    if (!all_below(rows, head.m) || !all_below(columns, head.n)) {
        return file.malformed(fmt::format("{}: i and p hold indices outside {} x {}", group, head.m, head.n));
    }
    for (std::size_t k = 0; k < count; ++k) {
        entries.emplace_back(static_cast<int>(rows[k]), static_cast<int>(columns[k]), x[k]);
    }
    return {};
}

}  // namespace

Expected<Eigen::VectorXd> read_vector(const Hdf5Reader& file, const std::string& path)
{
    auto values = file.column(path);
    if (!values) return values.error();
    for (Eigen::Index k = 0; k < values->size(); ++k) {
        if (std::isfinite((*values)[k])) continue;
        Error error =
            file.malformed(fmt::format("{}[{}] = {} is not a finite number", path, k, (*values)[k]));
        error.code = ErrorCode::NotFinite;
        return error;
    }
    return values;
}

Expected<FclibProblem::Matrix> read_matrix(const Hdf5Reader& file, const std::string& group,
                                           Eigen::Index rows, Eigen::Index columns)
{
    const auto head = read_head(file, group);
    if (!head) return head.error();
    if (head->m != rows || head->n != columns) {
        Error error = file.malformed(
            fmt::format("{} is {} x {}, the vectors need {} x {}", group, head->m, head->n, rows, columns));
        error.code = ErrorCode::WrongSize;
        return error;
    }
    const auto p = file.integers(group + "/p");
    if (!p) return p.error();
    const auto i = file.integers(group + "/i");
    if (!i) return i.error();
    const auto x = read_vector(file, group + "/x");
    if (!x) return x.error();

    // triplets, whatever the storage; entries at one place are summed
    Triplets entries;
    entries.reserve(static_cast<std::size_t>(x->size()));
    const std::span<const double> values(x->data(), static_cast<std::size_t>(x->size()));
    if (head->nz >= 0) {
        if (auto added = add_triplets(file, group, *head, *p, *i, values, entries); !added)
            return added.error();
    } else if (head->nz == -1 || head->nz == -2) {
        const bool by_rows = head->nz == -2;
        const Eigen::Index outer = by_rows ? rows : columns;
        if (std::ssize(*p) != outer + 1) {
            return file.malformed(
                fmt::format("{}/p has {} entries instead of {}", group, p->size(), outer + 1));
        }
        if (auto added =
                add_compressed(file, group, by_rows, *p, *i, values, by_rows ? columns : rows, entries);
            !added) {
            return added.error();
        }
    } else {
        return file.malformed(fmt::format(
            "{}/nz = {}: -1 (columns), -2 (rows) or a number of triplets is known", group, head->nz));
    }
    FclibProblem::Matrix matrix(rows, columns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

Expected<void> write_matrix(Hdf5Writer& file, const std::string& group, const FclibProblem::Matrix& matrix)
{
    FclibProblem::Matrix W = matrix;
    W.makeCompressed();
    const auto numbers = [](const int* begin, Eigen::Index size) {
        return std::vector<double>(begin, begin + size);
    };
    const std::vector<double> p = numbers(W.outerIndexPtr(), W.rows() + 1);
    const std::vector<double> i = numbers(W.innerIndexPtr(), W.nonZeros());
    const auto put = [&](const char* name, double value) {
        return file.put(group + name, std::span(&value, 1), Entry::Integer);
    };

    auto written = file.add_group(group);
    if (written) written = put("/m", static_cast<double>(W.rows()));
    if (written) written = put("/n", static_cast<double>(W.cols()));
    if (written) written = put("/nz", -2);
    if (written) written = put("/nzmax", static_cast<double>(W.nonZeros()));
    if (written) written = file.put(group + "/p", p, Entry::Integer);
    if (written) written = file.put(group + "/i", i, Entry::Integer);
    if (written) written = file.put(group + "/x", {W.valuePtr(), static_cast<std::size_t>(W.nonZeros())});
    return written;
}

}  // namespace carom::detail
