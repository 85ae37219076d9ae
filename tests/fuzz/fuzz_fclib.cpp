// Any content of an FCLIB file: a problem or a named error, never a crash; a problem that is read can be
// checked; some are solved for a few sweeps, written and read again. The bytes choose which datasets there
// are, their types, lengths and values; the container is made by HDF5 itself, whose own parser is not what is
// tested.

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/solution_check.hpp"
#include "carom/solver/solve.hpp"
#include "hdf5_library.hpp"
#include "scratch_folder.hpp"

#include <cstdint>
#include <cstring>
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

/// Small data beside their names, short headers: files take most of the time.
hid_t compact_data()
{
    static const hid_t list = [] {
        const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_layout(made, H5D_COMPACT);
        return made;
    }();
    return list;
}

hid_t short_headers()
{
    static const hid_t list = [] {
        const hid_t made = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(made, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        return made;
    }();
    return list;
}

void put(hid_t file, const std::string& path, const std::vector<double>& values, hid_t type)
{
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t dataset =
        H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, compact_data(), H5P_DEFAULT);
    if (dataset >= 0) {
        if (size > 0) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(dataset);
    }
    H5Sclose(space);
}

/// `count` numbers as the format wants them; one byte in 32 spoils length, type or presence.
void put_some(hid_t file, const std::string& path, std::vector<double> values, bool integers, Bytes& bytes)
{
    const std::uint8_t change = bytes.byte();
    if (change == 255) return;
    if (change == 254) values.push_back(bytes.number());
    if (change == 253 && !values.empty()) values.pop_back();
    if (change == 252) integers = !integers;
    if (change == 251 && !values.empty()) values[bytes.byte() % values.size()] = bytes.number();
    put(file, path, values, integers ? H5T_STD_I32LE : H5T_IEEE_F64LE);
}

void put_matrix(hid_t file, const std::string& group, int rows, int columns, Bytes& bytes)
{
    H5Gclose(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
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
void write_carom(hid_t file, Bytes& bytes)
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
    for (const std::string& name : {group, laws}) {
        H5Gclose(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
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

void write_file(const std::string& path, Bytes& bytes)
{
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, short_headers());
    if (file < 0) __builtin_trap();
    const std::uint8_t form = bytes.byte();
    if (form % 4 == 2) {
        write_carom(file, bytes);
        H5Fclose(file);
        return;
    }
    const bool global = form % 2 == 1;
    const std::string group = global ? "/fclib_global" : "/fclib_local";
    const int dimension = 2 + bytes.byte() % 2, contacts = bytes.byte() % 5, joints = bytes.byte() % 3;
    const int m = dimension * contacts;
    for (const std::string& name : {group, group + "/vectors"}) {
        H5Gclose(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
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
    H5Fclose(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const bool prepared = (fuzz::prepare_hdf5(), true);
    (void)prepared;
    Bytes bytes(data, size);
    const std::string file = fuzz::scratch_folder() / "a.hdf5", copy = fuzz::scratch_folder() / "b.hdf5";
    write_file(file, bytes);
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

    // and survives being written: every sixteenth, since files take most of the time
    if (size % 16 != 0) return 0;
    const FclibSolution solution = fclib_solution(*stored, loaded->rows, P);
    if (!write_fclib(copy, *stored, &solution)) __builtin_trap();
    const auto again = read_fclib(copy);
    if (!again || again->q != stored->q || again->mu != stored->mu) __builtin_trap();
    return 0;
}
