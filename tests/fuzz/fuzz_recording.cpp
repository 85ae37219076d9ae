// Any content of a recording: a recording or a named error, never a crash; one that is read can be shown as
// picture, page and table, and taken up again. The bytes choose what is changed in a good recording, of
// coordinates or of bodies, whose frames may be packed: numbers, lengths, texts, attributes, what is there at
// all. The container is made by HDF5 itself, whose own parser is not what is tested.

#include "carom/scene/scene.hpp"
#include "carom/trace/export.hpp"
#include "carom/trace/page.hpp"
#include "carom/trace/recording.hpp"
#include "hdf5_library.hpp"
#include "scene/scene_bodies.hpp"
#include "scratch_folder.hpp"
#include "trace/checkpoint.hpp"
#include "trace/recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace carom;

namespace {

constexpr const char* slider = R"toml(duration_s = 0.02
[[coordinate]]
name = "x"
start = 0.0
start_velocity = 1.0
[[coordinate]]
name = "y"
start = 0.0
[[coordinate]]
name = "z"
start = 0.3
start_velocity = 0.1
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = 0.3 }
[[constraint]]
name = "rod"
zero = ["z - 0.3 - x/10"]
[[probe]]
name = "energy"
value = "x'^2/2"
unit = "J"
)toml";

constexpr const char* boxes = R"toml(duration_s = 0.01
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "box"
shape = "box"
size_m = [0.1, 0.1, 0.1]
copies = [2]
position_m = [0, 0, "0.05 + 0.1*i"]
[[joint]]
name = "hinge"
kind = "spherical"
first = "box_0"
point_m = [0, 0, 0.05]
)toml";

/// The bytes, taken from the front; zeros when they are used up.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    [[nodiscard]] bool empty() const { return at_ >= size_; }
    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }

    /// Small numbers mostly, sometimes any bits at all.
    double number()
    {
        const std::uint8_t kind = byte();
        if (kind < 200) return (kind % 16) - 4 + (kind / 16) / 16.0;
        std::uint64_t bits = 0;
        for (int k = 0; k < 8; ++k)
            bits = bits << 8 | byte();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

/// A good recording: its bytes, and the paths of what it holds.
struct Good {
    std::string bytes;
    std::vector<std::string> datasets, groups;
};

std::string temporary()
{
    static const std::string name = fuzz::scratch_folder() / "run.h5";
    return name;
}

herr_t note(hid_t /*file*/, const char* name, const H5O_info_t* info, void* to)
{
    auto& good = *static_cast<Good*>(to);
    if (info->type == H5O_TYPE_DATASET) good.datasets.emplace_back(std::string("/") + name);
    if (info->type == H5O_TYPE_GROUP) good.groups.emplace_back(std::string("/") + name);
    return 0;
}

void copy_attributes(hid_t from, hid_t to)
{
    H5O_info_t info{};
    H5Oget_info2(from, &info, H5O_INFO_NUM_ATTRS);
    for (hsize_t k = 0; k < info.num_attrs; ++k) {
        const hid_t old = H5Aopen_by_idx(from, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(old), space = H5Aget_space(old);
        std::string name(static_cast<std::size_t>(H5Aget_name(old, 0, nullptr)) + 1, '\0');
        H5Aget_name(old, name.size(), name.data());
        std::vector<char> raw(H5Tget_size(type) *
                              static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        H5Aread(old, type, raw.data());
        const hid_t made = H5Acreate2(to, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (made < 0 || H5Awrite(made, type, raw.data()) < 0) __builtin_trap();
        H5Aclose(made);
        H5Sclose(space);
        H5Tclose(type);
        H5Aclose(old);
    }
}

/// The same dataset, in chunks of a few rows.
void copy_dataset(hid_t from, hid_t to, const std::string& path)
{
    const hid_t old = H5Dopen2(from, path.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(old), space = H5Dget_space(old), list = H5Dget_create_plist(old);
    if (H5Pget_layout(list) == H5D_CHUNKED) {
        hsize_t chunk[2] = {1, 1};
        const int rank = H5Pget_chunk(list, 2, chunk);
        chunk[0] = std::min<hsize_t>(chunk[0], 8);
        H5Pset_chunk(list, rank, chunk);
    }
    std::vector<char> raw(H5Tget_size(type) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    const hid_t made = H5Dcreate2(to, path.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (made < 0) __builtin_trap();
    if (!raw.empty() && (H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0 ||
                         H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0))
        __builtin_trap();
    copy_attributes(old, made);
    H5Dclose(made);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(old);
}

std::string bytes_of(const std::string& path)
{
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(bytes).str();
}

/// A recording has room for thousands of rows, which would be written and read for each input: this copy has
/// room for a few.
Good small_copy(const std::string& path)
{
    Good good;
    const std::string copied = path + ".copy";
    const hid_t from = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit2(from, H5_INDEX_NAME, H5_ITER_INC, note, &good, H5O_INFO_BASIC);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t to = H5Fcreate(copied.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (const std::string& path_of_group : good.groups) {
        const hid_t old = H5Oopen(from, path_of_group.c_str(), H5P_DEFAULT);
        const hid_t made = path_of_group == "/."
                               ? H5Oopen(to, "/", H5P_DEFAULT)
                               : H5Gcreate2(to, path_of_group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        copy_attributes(old, made);
        H5Oclose(made);
        H5Oclose(old);
    }
    for (const std::string& dataset : good.datasets)
        copy_dataset(from, to, dataset);
    H5Fclose(to);
    H5Pclose(access);
    H5Fclose(from);
    good.bytes = bytes_of(copied);
    return good;
}

Good record(const char* text)
{
    auto scene = read_scene_text(text, "fuzz.toml");
    if (!scene) __builtin_trap();
    std::optional<BodiesToRecord> bodies;
    if (scene->bodies)
        bodies.emplace(BodiesToRecord{*scene->model.bodies(), scene->start, {}, scene->bodies->colours});
    std::filesystem::remove(temporary());
    {
        auto recorder =
            Recorder::create(temporary(), scene->model, "fuzz", scene->text, scene->record, scene->start,
                             scene->plan.duration_s, time_step_s(scene->integrator), {}, {0.005}, bodies);
        if (!recorder) __builtin_trap();
        RunSoFar run = start_run(scene->model, scene->start);
        const RunReport report =
            resume_run(scene->model, scene->integrator, scene->solver, scene->plan, run, std::ref(*recorder));
        if (!recorder->finish(report)) __builtin_trap();
    }
    return small_copy(temporary());
}

/// Some numbers or letters of a dataset become others.
void change_values(hid_t file, const std::string& path, Bytes& bytes)
{
    const hid_t dataset = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const std::size_t count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)),
                      width = H5Tget_size(type);
    if (H5Tis_variable_str(type) <= 0 && count * width > 0 && count * width < (1U << 22U)) {
        std::vector<char> raw(count * width);
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data());
        const std::size_t at = (bytes.byte() * 256U + bytes.byte()) % raw.size();
        if (H5Tget_class(type) == H5T_FLOAT && width == 8) {
            const double value = bytes.number();
            std::memcpy(raw.data() + at / 8 * 8, &value, 8);
        } else if (H5Tget_class(type) == H5T_INTEGER && width == 8) {
            const double number = bytes.number();
            const auto value =
                std::abs(number) < 1e18 ? static_cast<std::int64_t>(number) : std::int64_t{1} << 62;
            std::memcpy(raw.data() + at / 8 * 8, &value, 8);
        } else {
            for (std::size_t k = at, n = bytes.byte() % 16U + 1U; k < raw.size() && n > 0; ++k, --n)
                raw[k] = static_cast<char>(bytes.byte());
        }
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data());
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
}

/// A dataset becomes longer, shorter, or another one.
void change_extent(hid_t file, const std::string& path, Bytes& bytes)
{
    const hid_t dataset = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    hsize_t size[8] = {};
    const int rank = H5Sget_simple_extent_dims(space, size, nullptr);
    if (rank > 0 && rank <= 2) {
        size[bytes.byte() % rank] = bytes.byte();
        H5Dset_extent(dataset, size);
    }
    H5Sclose(space);
    H5Dclose(dataset);
}

void replace_dataset(hid_t file, const std::string& path, Bytes& bytes)
{
    H5Ldelete(file, path.c_str(), H5P_DEFAULT);
    const hsize_t size[2] = {bytes.byte() % 8U, bytes.byte() % 4U};
    const hid_t space = H5Screate_simple(1 + bytes.byte() % 2, size, nullptr);
    const hid_t type = bytes.byte() % 2 == 0 ? H5T_IEEE_F64LE : H5T_STD_I64LE;
    const hid_t dataset = H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset >= 0) H5Dclose(dataset);
    H5Sclose(space);
}

void change_attribute(hid_t file, const std::string& group, Bytes& bytes)
{
    const hid_t object = H5Oopen(file, group.c_str(), H5P_DEFAULT);
    H5O_info_t info{};
    H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS);
    if (info.num_attrs > 0) {
        const hid_t attribute = H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC,
                                               bytes.byte() % info.num_attrs, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute);
        std::vector<char> raw(H5Tget_size(type) * 64 + 64);
        if (H5Tis_variable_str(type) <= 0 && H5Aread(attribute, type, raw.data()) >= 0) {
            const double value = bytes.number();
            if (H5Tget_class(type) == H5T_STRING)
                raw[bytes.byte() % H5Tget_size(type)] = static_cast<char>(bytes.byte());
            else
                std::memcpy(raw.data(), &value, 8);
            H5Awrite(attribute, type, raw.data());
        }
        H5Tclose(type);
        H5Aclose(attribute);
    }
    H5Oclose(object);
}

void change(const Good& good, Bytes& bytes)
{
    const hid_t file = H5Fopen(temporary().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) return;
    for (int changes = 0; changes < 20 && !bytes.empty(); ++changes) {
        const std::uint8_t what = bytes.byte() % 8U;
        const std::string& path = good.datasets[bytes.byte() % good.datasets.size()];
        if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) continue;
        if (what < 4) change_values(file, path, bytes);
        if (what == 4) change_extent(file, path, bytes);
        if (what == 5) replace_dataset(file, path, bytes);
        if (what == 6) H5Ldelete(file, path.c_str(), H5P_DEFAULT);
        if (what == 7) {
            const std::size_t group = bytes.byte() % (good.groups.size() + 1);
            change_attribute(file, group == 0 ? "/" : good.groups[group - 1], bytes);
        }
    }
    H5Fclose(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const bool prepared = (fuzz::prepare_hdf5(), true);
    (void)prepared;
    static const std::string packed = std::string("record = { precision = \"single\" }\n") + boxes;
    static const Good recordings[] = {record(slider), record(boxes), record(packed.c_str())};
    Bytes bytes(data, size);
    const Good& good = recordings[bytes.byte() % 3U];
    std::ofstream(temporary(), std::ios::binary) << good.bytes;
    change(good, bytes);

    const auto recording = read_recording(temporary());
    if (!recording) {
        if (recording.error().message.empty()) __builtin_trap();
        return 0;
    }
    // a page holds the whole viewer: pictures of some, since they take most of the time
    if (size % 4 == 0) (void)to_svg(*recording);
    if (size % 4 == 1) (void)to_csv(*recording);
    if (size % 32 == 2) (void)to_page(*recording);
    // most recordings still have the text of the one before
    static std::string text;
    static auto scene = read_scene_text(text, "fuzz.toml");
    if (text != recording->scene_text) {
        text = recording->scene_text;
        scene = read_scene_text(text, "fuzz.toml");
    }
    if (!scene) return 0;
    if (auto run = run_at_checkpoint(*recording, scene->model); !run && run.error().message.empty())
        __builtin_trap();
    return 0;
}
