// Any content of a recording: a recording or a named error, never a crash; one that is read can be shown as
// picture, page and table, and taken up again. The bytes choose what is changed in a good recording, of
// coordinates or of bodies, whose frames may be packed: numbers, lengths, texts, attributes, how it is stored, what
// is there at all. The recording lies in memory (memory_hdf5.hpp): HDF5's own parser is not what is tested.

#include "carom/scene/scene.hpp"
#include "carom/trace/export.hpp"
#include "carom/trace/page.hpp"
#include "carom/trace/recording.hpp"
#include "hdf5_library.hpp"
#include "memory_hdf5.hpp"
#include "scene/scene_bodies.hpp"
#include "scratch_folder.hpp"
#include "storage/packed_chunk.hpp"
#include "trace/checkpoint.hpp"
#include "trace/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
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

/// A good recording, and the paths of what it holds.
struct Good {
    fuzz::MemoryFile file;
    std::vector<std::string> datasets, all;
};

std::string temporary()
{
    static const std::string name = fuzz::scratch_folder() / "run.h5";
    return name;
}

herr_t note(hid_t /*file*/, const char* name, const H5O_info_t* info, void* to)
{
    auto& [groups, datasets] =
        *static_cast<std::pair<std::vector<std::string>, std::vector<std::string>>*>(to);
    if (info->type == H5O_TYPE_DATASET) datasets.emplace_back(std::string("/") + name);
    if (info->type == H5O_TYPE_GROUP) groups.emplace_back(std::string("/") + name);
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

/// A recording has room for thousands of rows, all of which would be unpacked for each input: this copy has
/// room for a few.
void make_small(const std::string& path)
{
    std::pair<std::vector<std::string>, std::vector<std::string>> names;
    const auto& [groups, datasets] = names;
    const std::string copied = path + ".copy";
    const hid_t from = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit2(from, H5_INDEX_NAME, H5_ITER_INC, note, &names, H5O_INFO_BASIC);
    const hid_t to = H5Fcreate(copied.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const std::string& group : groups) {
        const hid_t old = H5Oopen(from, group.c_str(), H5P_DEFAULT);
        const hid_t made = group == "/."
                               ? H5Oopen(to, "/", H5P_DEFAULT)
                               : H5Gcreate2(to, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        copy_attributes(old, made);
        H5Oclose(made);
        H5Oclose(old);
    }
    for (const std::string& dataset : datasets)
        copy_dataset(from, to, dataset);
    H5Fclose(to);
    H5Fclose(from);
    std::filesystem::rename(copied, path);
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
    make_small(temporary());

    // what is read from memory is what HDF5 reads
    Good good{.file = fuzz::load(temporary()), .datasets = {}, .all = {}};
    const auto by_library = read_recording(temporary());
    fuzz::put_in_memory(temporary(), &good.file);
    const auto from_memory = read_recording(temporary());
    fuzz::put_in_memory(temporary(), nullptr);
    if (!by_library || !from_memory || to_csv(*by_library) != to_csv(*from_memory)) __builtin_trap();
    for (const auto& [path, node] : good.file) {
        if (!node.is_group) good.datasets.push_back(path);
        good.all.push_back(path);
    }
    return good;
}

/// Some numbers or letters become others.
void change_entries(std::string& raw, const fuzz::MemoryType& type, Bytes& bytes)
{
    if (raw.empty()) return;
    const std::size_t at = (bytes.byte() * 256U + bytes.byte()) % raw.size();
    if (type.kind == H5T_FLOAT && type.size == 8) {
        const double value = bytes.number();
        std::memcpy(raw.data() + at / 8 * 8, &value, 8);
    } else if (type.kind == H5T_INTEGER && type.size == 8) {
        const double number = bytes.number();
        const auto value =
            std::abs(number) < 1e18 ? static_cast<std::int64_t>(number) : std::int64_t{1} << 62;
        std::memcpy(raw.data() + at / 8 * 8, &value, 8);
    } else {
        for (std::size_t k = at, n = bytes.byte() % 16U + 1U; k < raw.size() && n > 0; ++k, --n)
            raw[k] = static_cast<char>(bytes.byte());
    }
}

/// The same for a packed chunk: other numbers, packed again, or damaged code.
void change_chunk(fuzz::MemoryNode& node, Bytes& bytes)
{
    if (node.chunks.empty()) return;
    auto chunk = node.chunks.begin();
    std::advance(chunk, bytes.byte() % node.chunks.size());
    std::string& code = chunk->second;
    std::vector<std::uint32_t> words(node.chunk[0] * (node.chunk.size() > 1 ? node.chunk[1] : 1));
    const auto as_bytes = [&] {
        return std::span(reinterpret_cast<const unsigned char*>(code.data()), code.size());
    };
    if (bytes.byte() % 4 == 0 || !detail::unpack_chunk(as_bytes(), words)) {
        change_entries(code, fuzz::MemoryType::text(1), bytes);
        return;
    }
    words[(bytes.byte() * 256U + bytes.byte()) % words.size()] =
        node.type.kind == H5T_FLOAT ? std::bit_cast<std::uint32_t>(static_cast<float>(bytes.number()))
                                    : bytes.byte() - 2U;
    static detail::ChunkPacker packer;
    const auto packed = packer.pack(words);
    code.assign(packed.begin(), packed.end());
}

/// A dataset becomes longer or shorter.
void change_extent(fuzz::MemoryNode& node, Bytes& bytes)
{
    if (node.size.empty()) return;
    const std::size_t rows = node.size[0], at = bytes.byte() % node.size.size();
    node.size[at] = bytes.byte();
    if (!node.filters.empty()) return;
    // rows are kept as far as they go, new entries are zero
    const std::string old = node.bytes;
    node.bytes.assign(node.entries() * node.type.size, '\0');
    const std::size_t kept = std::min<std::size_t>(rows, node.size[0]);
    if (kept == 0 || old.empty()) return;
    const std::size_t from = old.size() / rows, to = node.bytes.size() / node.size[0];
    for (std::size_t k = 0; k < kept; ++k)
        old.copy(node.bytes.data() + k * to, std::min(from, to), k * from);
}

void replace_dataset(fuzz::MemoryNode& node, Bytes& bytes)
{
    const auto attributes = std::move(node.attributes);
    node = {.is_group = false, .attributes = attributes};
    const hsize_t size[2] = {bytes.byte() % 8U, bytes.byte() % 4U};
    node.size.assign(size, size + bytes.byte() % 3U);
    switch (bytes.byte() % 4U) {
    case 0: break;
    case 1: node.type = fuzz::MemoryType::integer(8); break;
    case 2: node.type = fuzz::MemoryType::integer(4); break;
    default: node.type = fuzz::MemoryType::text(bytes.byte() % 8U + 1U); break;
    }
    node.bytes.assign(node.entries() * node.type.size, '\0');
    if (!node.bytes.empty()) change_entries(node.bytes, node.type, bytes);
}

void change_attribute(fuzz::MemoryNode& node, Bytes& bytes)
{
    if (node.attributes.empty()) return;
    auto attribute = node.attributes.begin();
    std::advance(attribute, bytes.byte() % node.attributes.size());
    auto& [type, count, raw] = attribute->second;
    switch (bytes.byte() % 8U) {
    case 0: node.attributes.erase(attribute); break;
    case 1:
        attribute->second = {.type = fuzz::MemoryType::integer(8), .count = 1, .bytes = std::string(8, '\1')};
        break;
    case 2: type.variable = true; break;
    default: change_entries(raw, type, bytes); break;
    }
}

/// Stored in a way that carom does not write.
void change_storage(fuzz::MemoryNode& node, Bytes& bytes)
{
    switch (bytes.byte() % 6U) {
    case 0: node.link = H5L_TYPE_SOFT; break;
    case 1: node.layout = H5D_VIRTUAL; break;
    case 2: node.external = 1; break;
    case 3: node.filters.push_back(H5Z_FILTER_FLETCHER32); break;
    case 4: node.type.variable = true; break;
    default: node.chunks.clear(); break;
    }
}

void change(const Good& good, fuzz::MemoryFile& file, Bytes& bytes)
{
    for (int changes = 0; changes < 20 && !bytes.empty(); ++changes) {
        const std::uint8_t what = bytes.byte() % 12U;
        const auto& names = what < 9 ? good.datasets : good.all;
        const auto found = file.find(names[bytes.byte() % names.size()]);
        if (found == file.end()) continue;
        fuzz::MemoryNode& node = found->second;
        if (what < 5 && node.filters.empty()) change_entries(node.bytes, node.type, bytes);
        if (what < 5 && !node.filters.empty()) change_chunk(node, bytes);
        if (what == 5) change_extent(node, bytes);
        if (what == 6) replace_dataset(node, bytes);
        if (what == 7) change_storage(node, bytes);
        if (what == 8) file.erase(found);
        if (what > 8) change_attribute(node, bytes);
    }
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
    fuzz::MemoryFile file = good.file;
    change(good, file, bytes);
    fuzz::put_in_memory(temporary(), &file);

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
