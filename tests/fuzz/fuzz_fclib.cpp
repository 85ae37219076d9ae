// Any content of an FCLIB file: a problem or a named error, never a crash; a problem that is read can be
// checked; some are solved for a few sweeps, written and read again. The bytes choose which datasets there
// are, their types, lengths and values. They lie in memory (memory_hdf5.hpp): HDF5's own parser is not what is
// tested.

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/solution_check.hpp"
#include "carom/solver/solve.hpp"
#include "hdf5_library.hpp"
#include "memory_hdf5.hpp"
#include "scratch_folder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace carom;

namespace {

/// The bytes, taken from the front; zeros when they are used up.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }

    /// Small numbers mostly, sometimes any bits at all.
    double number()
    {
        const std::uint8_t kind = byte();
        if (kind < 240) return (kind % 16) - 4 + (kind / 16) / 16.0;
        std::uint64_t bits = 0;
        for (int k = 0; k < 8; ++k) {
            bits = bits << 8 | byte();
        }
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

void put(fuzz::MemoryFile& file, const std::string& path, const std::vector<double>& values, bool integers)
{
    fuzz::MemoryNode& node = file[path];
    node.is_group = false;
    node.size = {values.size()};
    node.type = integers ? fuzz::MemoryType::integer(4) : fuzz::MemoryType::real();
    node.bytes.resize(values.size() * node.type.size);
    for (std::size_t k = 0; k < values.size(); ++k) {
        // HDF5 gives the nearest integer that there is
        constexpr double max = std::numeric_limits<std::int32_t>::max();
        const auto integer =
            std::isnan(values[k]) ? 0 : static_cast<std::int32_t>(std::clamp(values[k], -max - 1, max));
        if (integers)
            std::memcpy(node.bytes.data() + 4 * k, &integer, 4);
        else
            std::memcpy(node.bytes.data() + 8 * k, &values[k], 8);
    }
}

/// `count` numbers as the format wants them; one byte in 32 spoils length, type or presence.
void put_some(fuzz::MemoryFile& file, const std::string& path, std::vector<double> values, bool integers,
              Bytes& bytes)
{
    const std::uint8_t change = bytes.byte();
    if (change == 255) return;
    if (change == 254) values.push_back(bytes.number());
    if (change == 253 && !values.empty()) values.pop_back();
    if (change == 252) integers = !integers;
    if (change == 251 && !values.empty()) values[bytes.byte() % values.size()] = bytes.number();
    put(file, path, values, integers);
}

void put_matrix(fuzz::MemoryFile& file, const std::string& group, int rows, int columns, Bytes& bytes)
{
    file[group];
    const int kind = bytes.byte() % 3;  // columns, rows, triplets
    std::vector<double> p, i, x;
    const int outer = kind == 1 ? rows : columns, inner = kind == 1 ? columns : rows;
    for (int k = 0; k < outer && inner > 0; ++k) {
        if (kind < 2) p.push_back(static_cast<double>(i.size()));
        for (int entries = bytes.byte() % 4; entries > 0; --entries) {
            if (kind == 2) p.push_back(k);
            i.push_back(bytes.byte() % inner);
            x.push_back(bytes.number());
        }
        // a diagonal that makes most matrices regular
        if (k < inner) {
            if (kind == 2) p.push_back(k);
            i.push_back(k);
            x.push_back(8);
        }
    }
    if (kind < 2) p.push_back(static_cast<double>(i.size()));
    const double nz = kind == 0 ? -1 : kind == 1 ? -2 : static_cast<double>(x.size());
    put_some(file, group + "/m", {static_cast<double>(rows)}, true, bytes);
    put_some(file, group + "/n", {static_cast<double>(columns)}, true, bytes);
    put_some(file, group + "/nz", {nz}, true, bytes);
    put_some(file, group + "/p", p, true, bytes);
    put_some(file, group + "/i", i, true, bytes);
    put_some(file, group + "/x", x, false, bytes);
}

std::vector<double> numbers(int count, Bytes& bytes)
{
    std::vector<double> values;
    for (int k = 0; k < count; ++k) {
        values.push_back(bytes.number());
    }
    return values;
}

/// A problem with laws of carom's own.
void write_carom(fuzz::MemoryFile& file, Bytes& bytes)
{
    struct Example {
        int kind, rows;
        std::vector<double> numbers;
    };
    static const std::vector<Example> examples{
        {0, 1, {0.5}},                                // unilateral
        {1, 1, {}},                                   // bilateral
        {2, 2, {0.5, 0, 0, 0, -1, 0.5}},              // friction: interval
        {2, 3, {0.4, 0, 0, 2, 1, 2, 0, 0, 0}},        // ellipse
        {2, 3, {0.4, 0, 0, 3, -1, -1, 1, -1, 0, 1}},  // polygon
        {3, 1, {1, -1, 0, 0, 0}},                     // limited
        {4, 2, {1, 0, 2, 2, 1, 0, 0}},                // ball
        {4, 1, {1, 0, 1, 1, 1, -1, 0, 0}},            // box
        {5, 6, {0, 0.5, 0.1, 0.1, 0}},                // resisting
    };
    const std::string group = "/carom_problem", laws = group + "/laws";
    file[group];
    file[laws];
    std::vector<double> kinds, begins{0}, all;
    int rows = 0;
    for (int interactions = bytes.byte() % 5; interactions > 0; --interactions) {
        const Example& example = examples[bytes.byte() % examples.size()];
        kinds.push_back(example.kind);
        all.insert(all.end(), example.numbers.begin(), example.numbers.end());
        begins.push_back(static_cast<double>(all.size()));
        rows += example.rows;
    }
    put_some(file, laws + "/kind", kinds, true, bytes);
    put_some(file, laws + "/begin", begins, true, bytes);
    put_some(file, laws + "/numbers", all, false, bytes);
    put_matrix(file, group + "/W", rows, rows, bytes);
    put_some(file, group + "/U_free", numbers(rows, bytes), false, bytes);
    put_some(file, group + "/U_minus", numbers(rows, bytes), false, bytes);
}

void write_file(fuzz::MemoryFile& file, Bytes& bytes)
{
    file["/"];
    const std::uint8_t form = bytes.byte();
    if (form % 4 == 2) {
        write_carom(file, bytes);
        return;
    }
    const bool global = form % 2 == 1;
    const std::string group = global ? "/fclib_global" : "/fclib_local";
    const int dimension = 2 + bytes.byte() % 2, contacts = bytes.byte() % 5, joints = bytes.byte() % 3;
    const int m = dimension * contacts;
    file[group];
    file[group + "/vectors"];
    put_some(file, group + "/spacedim", {static_cast<double>(dimension)}, true, bytes);
    put_some(file, group + "/vectors/mu", std::vector<double>(static_cast<std::size_t>(contacts), 0.5), false,
             bytes);
    if (global) {
        const int n = 1 + bytes.byte() % 8;
        put_matrix(file, group + "/M", n, n, bytes);
        put_matrix(file, group + "/H", n, m, bytes);
        if (joints > 0) put_matrix(file, group + "/G", n, joints, bytes);
        put_some(file, group + "/vectors/f", numbers(n, bytes), false, bytes);
        put_some(file, group + "/vectors/w", numbers(m, bytes), false, bytes);
        if (joints > 0) put_some(file, group + "/vectors/b", numbers(joints, bytes), false, bytes);
    } else {
        put_matrix(file, group + "/W", m, m, bytes);
        if (joints > 0) put_matrix(file, group + "/V", m, joints, bytes);
        if (joints > 0) put_matrix(file, group + "/R", joints, joints, bytes);
        put_some(file, group + "/vectors/q", numbers(m, bytes), false, bytes);
        if (joints > 0) put_some(file, group + "/vectors/s", numbers(joints, bytes), false, bytes);
    }
}

/// A file of the size that the smallest of HDF5 have: readers hold what they take against it.
std::string problem_file()
{
    const std::string path = fuzz::scratch_folder() / "a.hdf5";
    std::ofstream(path, std::ios::binary) << std::string(4096, '\0');
    return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const bool prepared = (fuzz::prepare_hdf5(), true);
    (void)prepared;
    Bytes bytes(data, size);
    static const std::string file = problem_file(), copy = fuzz::scratch_folder() / "b.hdf5";
    fuzz::MemoryFile problem;
    write_file(problem, bytes);
    fuzz::put_in_memory(file, &problem);
    const auto stored = read_fclib(file);
    if (!stored) {
        if (stored.error().message.empty() || stored.error().where.empty()) __builtin_trap();
        return 0;
    }
    if (!stored->q.allFinite()) __builtin_trap();

    // the problem can be worked on: every fourth, since solving takes longer than reading
    if (size % 4 != 0) return 0;
    const auto loaded = one_step_problem(*stored);
    if (!loaded) return 0;
    std::vector<double> P(loaded->rows.size(), 0.0);
    const SolveReport report = solve(loaded->problem, {.max_sweeps = 5}, P);
    const SolutionCheck check = check_solution(loaded->problem, P);
    if (report.status == SolveStatus::Converged && !(check.unit_free <= 1e-7)) __builtin_trap();
    (void)check_operator(loaded->problem);
    (void)hidden_velocity_error(loaded->problem, P);

    // and survives being written: every 128th, by HDF5 itself, which takes most of the time
    if (size % 128 != 0) return 0;
    const FclibSolution solution = fclib_solution(*stored, loaded->rows, P);
    if (!write_fclib(copy, *stored, &solution)) __builtin_trap();
    const auto again = read_fclib(copy);
    if (!again || again->q != stored->q || again->mu != stored->mu) __builtin_trap();
    return 0;
}
