#include "memory_hdf5.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace carom::fuzz {
namespace {

/// An identifier that is handed out. Those of the library have their type in the upper bits, which are few.
struct Item {
    enum class Kind { None, File, Object, Type, Space, List, Attribute };
    Kind kind = Kind::None;
    const MemoryFile* file = nullptr;
    const MemoryNode* node = nullptr;
    const MemoryAttribute* attribute = nullptr;
    MemoryType type;
    std::vector<hsize_t> size;        ///< of a space
    hsize_t first_row = 0, rows = 0;  ///< what of it was selected
    bool selected = false;
};

constexpr hid_t first_id = hid_t{1} << 61;

std::vector<Item>& items()
{
    static std::vector<Item> all;
    return all;
}

std::map<std::string, const MemoryFile*>& files()
{
    static std::map<std::string, const MemoryFile*> all;
    return all;
}

hid_t hand_out(Item item)
{
    auto& all = items();
    auto free = std::ranges::find(all, Item::Kind::None, &Item::kind);
    if (free == all.end()) free = all.emplace(all.end());
    *free = std::move(item);
    return first_id + (free - all.begin());
}

/// What an identifier stands for; nullptr for those of the library.
Item* item_of(hid_t id)
{
    if (id < first_id) return nullptr;
    Item& item = items().at(static_cast<std::size_t>(id - first_id));
    if (item.kind == Item::Kind::None) __builtin_trap();  // closed before
    return &item;
}

const MemoryNode* find(const MemoryFile& file, const std::string& path)
{
    const auto found = file.find(path);
    return found == file.end() ? nullptr : &found->second;
}

/// The same function of the library.
template <class Function>
Function* real(Function* /*same type*/, const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

herr_t close(hid_t id, herr_t (*library)(hid_t))
{
    Item* const item = item_of(id);
    if (item == nullptr) return library(id);
    *item = {};
    return 0;
}

/// An entry as a number of 64 bits.
template <class To>
To number_at(const char* bytes, const MemoryType& type)
{
    const auto as = [&]<class From>(From value) {
        std::memcpy(&value, bytes, sizeof value);
        return static_cast<To>(value);
    };
    if (type.kind == H5T_FLOAT) return type.size == 4 ? as(0.0F) : as(0.0);
    switch (type.size) {
    case 1: return as(std::int8_t{});
    case 2: return as(std::int16_t{});
    case 4: return as(std::int32_t{});
    default: return as(std::int64_t{});
    }
}

/// Entries in the type that the reader asks for: that of the file, or numbers of 64 bits.
void read_entries(const std::string& bytes, const MemoryType& type, hid_t wanted, std::size_t first,
                  std::size_t count, void* values)
{
    if (bytes.size() < (first + count) * type.size) __builtin_trap();
    const char* const from = bytes.data() + first * type.size;
    if (item_of(wanted) != nullptr) {
        std::memcpy(values, from, count * type.size);
        return;
    }
    const bool reals = wanted == H5T_NATIVE_DOUBLE;
    if (!reals && wanted != H5T_NATIVE_INT64) __builtin_trap();
    for (std::size_t k = 0; k < count; ++k) {
        const char* const entry = from + k * type.size;
        if (reals)
            static_cast<double*>(values)[k] = number_at<double>(entry, type);
        else
            static_cast<std::int64_t*>(values)[k] = number_at<std::int64_t>(entry, type);
    }
}

// ------------------------------------------------------------------ a file of the library, as it is

MemoryType type_of(hid_t type)
{
    return {.kind = H5Tget_class(type), .size = H5Tget_size(type), .variable = H5Tis_variable_str(type) > 0};
}

void load_attributes(hid_t object, MemoryNode& node)
{
    H5O_info_t info{};
    H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS);
    for (hsize_t k = 0; k < info.num_attrs; ++k) {
        const hid_t attribute =
            H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
        std::string name(static_cast<std::size_t>(H5Aget_name(attribute, 0, nullptr)) + 1, '\0');
        H5Aget_name(attribute, name.size(), name.data());
        name.pop_back();
        MemoryAttribute loaded{.type = type_of(type),
                               .count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)),
                               .bytes = {}};
        loaded.bytes.resize(loaded.count * loaded.type.size);
        if (H5Aread(attribute, type, loaded.bytes.data()) < 0) __builtin_trap();
        node.attributes.emplace(std::move(name), std::move(loaded));
        H5Sclose(space);
        H5Tclose(type);
        H5Aclose(attribute);
    }
}

void load_chunks(hid_t dataset, MemoryNode& node)
{
    const hsize_t columns = node.size.size() > 1 ? node.size[1] : 1,
                  width = node.chunk.size() > 1 ? node.chunk[1] : 1;
    for (hsize_t top = 0; top < node.size[0]; top += node.chunk[0]) {
        for (hsize_t left = 0; left < columns; left += width) {
            const std::array<hsize_t, 2> first{top, left};
            hsize_t size = 0;
            std::uint32_t mask = 0;
            if (H5Dget_chunk_storage_size(dataset, first.data(), &size) < 0 || size == 0) continue;
            std::string bytes(size, '\0');
            if (H5Dread_chunk(dataset, H5P_DEFAULT, first.data(), &mask, bytes.data()) < 0) __builtin_trap();
            node.chunks.emplace(first, std::move(bytes));
        }
    }
}

void load_dataset(hid_t dataset, MemoryNode& node)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset),
                list = H5Dget_create_plist(dataset);
    node.is_group = false;
    node.type = type_of(type);
    node.size.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, node.size.data(), nullptr);
    node.layout = H5Pget_layout(list);
    if (node.layout == H5D_CHUNKED) {
        node.chunk.resize(node.size.size());
        H5Pget_chunk(list, static_cast<int>(node.chunk.size()), node.chunk.data());
    }
    for (int k = 0; k < H5Pget_nfilters(list); ++k) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        node.filters.push_back(
            H5Pget_filter2(list, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, &config));
    }
    if (node.filters.empty()) {
        node.bytes.resize(node.entries() * node.type.size);
        if (!node.bytes.empty() &&
            H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, node.bytes.data()) < 0)
            __builtin_trap();
    } else {
        load_chunks(dataset, node);
    }
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

herr_t note(hid_t /*file*/, const char* name, const H5O_info_t* info, void* to)
{
    const std::string path = std::string(name) == "." ? "/" : std::string("/") + name;
    static_cast<MemoryFile*>(to)->operator[](path).is_group = info->type == H5O_TYPE_GROUP;
    return 0;
}

}  // namespace

std::size_t MemoryNode::entries() const
{
    std::size_t count = 1;
    for (const hsize_t n : size)
        count *= n;
    return count;
}

void put_in_memory(const std::string& path, const MemoryFile* file)
{
    if (file == nullptr)
        files().erase(path);
    else
        files()[path] = file;
}

MemoryFile load(const std::string& path)
{
    MemoryFile loaded;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, &loaded, H5O_INFO_BASIC);
    for (auto& [name, node] : loaded) {
        const hid_t object = H5Oopen(file, name.c_str(), H5P_DEFAULT);
        if (!node.is_group) load_dataset(object, node);
        load_attributes(object, node);
        H5Oclose(object);
    }
    H5Fclose(file);
    return loaded;
}

}  // namespace carom::fuzz

// ------------------------------------------------------------------ functions of HDF5, as Hdf5Reader calls them

using carom::fuzz::find;
using carom::fuzz::hand_out;
using carom::fuzz::Item;
using carom::fuzz::item_of;
using carom::fuzz::MemoryNode;
using Kind = carom::fuzz::Item::Kind;

// the function of the library, looked up once
#define LIBRARY(function) static const auto library = carom::fuzz::real(&function, #function)

extern "C" {

hid_t H5Fopen(const char* name, unsigned flags, hid_t access)
{
    LIBRARY(H5Fopen);
    const auto found = carom::fuzz::files().find(name);
    if (found == carom::fuzz::files().end()) return library(name, flags, access);
    return hand_out({.kind = Kind::File, .file = found->second});
}

#define CLOSES(function)                                                                                     \
    herr_t function(hid_t id)                                                                                \
    {                                                                                                        \
        LIBRARY(function);                                                                                   \
        return carom::fuzz::close(id, library);                                                              \
    }
CLOSES(H5Fclose)
CLOSES(H5Oclose)
CLOSES(H5Dclose)
CLOSES(H5Tclose)
CLOSES(H5Sclose)
CLOSES(H5Pclose)
CLOSES(H5Aclose)

htri_t H5Lexists(hid_t place, const char* name, hid_t access)
{
    LIBRARY(H5Lexists);
    const Item* const file = item_of(place);
    if (file == nullptr) return library(place, name, access);
    return find(*file->file, name) != nullptr ? 1 : 0;
}

herr_t H5Lget_info(hid_t place, const char* name, H5L_info_t* info, hid_t access)
{
    LIBRARY(H5Lget_info);
    const Item* const file = item_of(place);
    if (file == nullptr) return library(place, name, info, access);
    const MemoryNode* const node = find(*file->file, name);
    if (node == nullptr) return -1;
    *info = {};
    info->type = node->link;
    return 0;
}

hid_t H5Oopen(hid_t place, const char* name, hid_t access)
{
    LIBRARY(H5Oopen);
    const Item* const file = item_of(place);
    if (file == nullptr) return library(place, name, access);
    const MemoryNode* const node = find(*file->file, name);
    return node == nullptr ? -1 : hand_out({.kind = Kind::Object, .node = node});
}

hid_t H5Dopen2(hid_t place, const char* name, hid_t access)
{
    LIBRARY(H5Dopen2);
    const Item* const file = item_of(place);
    if (file == nullptr) return library(place, name, access);
    const MemoryNode* const node = find(*file->file, name);
    return node == nullptr || node->is_group ? -1 : hand_out({.kind = Kind::Object, .node = node});
}

hid_t H5Dget_type(hid_t dataset)
{
    LIBRARY(H5Dget_type);
    const Item* const item = item_of(dataset);
    return item == nullptr ? library(dataset) : hand_out({.kind = Kind::Type, .type = item->node->type});
}

hid_t H5Dget_space(hid_t dataset)
{
    LIBRARY(H5Dget_space);
    const Item* const item = item_of(dataset);
    return item == nullptr ? library(dataset) : hand_out({.kind = Kind::Space, .size = item->node->size});
}

hid_t H5Dget_create_plist(hid_t dataset)
{
    LIBRARY(H5Dget_create_plist);
    const Item* const item = item_of(dataset);
    return item == nullptr ? library(dataset) : hand_out({.kind = Kind::List, .node = item->node});
}

hsize_t H5Dget_storage_size(hid_t dataset)
{
    LIBRARY(H5Dget_storage_size);
    const Item* const item = item_of(dataset);
    if (item == nullptr) return library(dataset);
    hsize_t size = item->node->bytes.size();
    for (const auto& [first, bytes] : item->node->chunks)
        size += bytes.size();
    return size;
}

herr_t H5Dget_chunk_storage_size(hid_t dataset, const hsize_t* first, hsize_t* size)
{
    LIBRARY(H5Dget_chunk_storage_size);
    const Item* const item = item_of(dataset);
    if (item == nullptr) return library(dataset, first, size);
    const MemoryNode& node = *item->node;
    const auto found = node.chunks.find({first[0], node.size.size() > 1 ? first[1] : 0});
    *size = found == node.chunks.end() ? 0 : found->second.size();
    return 0;
}

herr_t H5Dread_chunk(hid_t dataset, hid_t access, const hsize_t* first, std::uint32_t* mask, void* bytes)
{
    LIBRARY(H5Dread_chunk);
    const Item* const item = item_of(dataset);
    if (item == nullptr) return library(dataset, access, first, mask, bytes);
    const MemoryNode& node = *item->node;
    const auto found = node.chunks.find({first[0], node.size.size() > 1 ? first[1] : 0});
    if (found == node.chunks.end()) return -1;
    *mask = 0;
    std::memcpy(bytes, found->second.data(), found->second.size());
    return 0;
}

herr_t H5Dread(hid_t dataset, hid_t type, hid_t to, hid_t from, hid_t access, void* values)
{
    LIBRARY(H5Dread);
    const Item* const item = item_of(dataset);
    if (item == nullptr) return library(dataset, type, to, from, access, values);
    const MemoryNode& node = *item->node;
    if (node.layout == H5D_VIRTUAL || node.external > 0 || !node.filters.empty())
        __builtin_trap();  // must not be read
    std::size_t first = 0, count = node.entries();
    if (const Item* const space = from == H5S_ALL ? nullptr : item_of(from);
        space != nullptr && space->selected) {
        const std::size_t width = node.size.size() > 1 ? node.size[1] : 1;
        if (space->first_row + space->rows > node.size[0]) return -1;
        first = space->first_row * width;
        count = space->rows * width;
    }
    carom::fuzz::read_entries(node.bytes, node.type, type, first, count, values);
    return 0;
}

htri_t H5Aexists(hid_t object, const char* name)
{
    LIBRARY(H5Aexists);
    const Item* const item = item_of(object);
    return item == nullptr ? library(object, name) : static_cast<htri_t>(item->node->attributes.count(name));
}

hid_t H5Aopen(hid_t object, const char* name, hid_t access)
{
    LIBRARY(H5Aopen);
    const Item* const item = item_of(object);
    if (item == nullptr) return library(object, name, access);
    const auto found = item->node->attributes.find(name);
    return found == item->node->attributes.end()
               ? -1
               : hand_out({.kind = Kind::Attribute, .attribute = &found->second});
}

hid_t H5Aget_type(hid_t attribute)
{
    LIBRARY(H5Aget_type);
    const Item* const item = item_of(attribute);
    return item == nullptr ? library(attribute)
                           : hand_out({.kind = Kind::Type, .type = item->attribute->type});
}

hid_t H5Aget_space(hid_t attribute)
{
    LIBRARY(H5Aget_space);
    const Item* const item = item_of(attribute);
    return item == nullptr ? library(attribute)
                           : hand_out({.kind = Kind::Space, .size = {item->attribute->count}});
}

herr_t H5Aread(hid_t attribute, hid_t type, void* values)
{
    LIBRARY(H5Aread);
    const Item* const item = item_of(attribute);
    if (item == nullptr) return library(attribute, type, values);
    const auto& [of, count, bytes] = *item->attribute;
    carom::fuzz::read_entries(bytes, of, type, 0, count, values);
    return 0;
}

H5T_class_t H5Tget_class(hid_t type)
{
    LIBRARY(H5Tget_class);
    const Item* const item = item_of(type);
    return item == nullptr ? library(type) : item->type.kind;
}

std::size_t H5Tget_size(hid_t type)
{
    LIBRARY(H5Tget_size);
    const Item* const item = item_of(type);
    return item == nullptr ? library(type) : item->type.size;
}

htri_t H5Tis_variable_str(hid_t type)
{
    LIBRARY(H5Tis_variable_str);
    const Item* const item = item_of(type);
    return item == nullptr ? library(type) : item->type.variable ? 1 : 0;
}

htri_t H5Tequal(hid_t one, hid_t other)
{
    LIBRARY(H5Tequal);
    const Item* const item = item_of(one);
    if (item == nullptr) return library(one, other);
    // asked of packed numbers only
    const bool is_float = other == H5T_IEEE_F32LE, is_integer = other == H5T_STD_I32LE;
    if (!is_float && !is_integer) __builtin_trap();
    return item->type.size == 4 && item->type.kind == (is_float ? H5T_FLOAT : H5T_INTEGER) ? 1 : 0;
}

int H5Sget_simple_extent_ndims(hid_t space)
{
    LIBRARY(H5Sget_simple_extent_ndims);
    const Item* const item = item_of(space);
    return item == nullptr ? library(space) : static_cast<int>(item->size.size());
}

int H5Sget_simple_extent_dims(hid_t space, hsize_t* size, hsize_t* max)
{
    LIBRARY(H5Sget_simple_extent_dims);
    const Item* const item = item_of(space);
    if (item == nullptr) return library(space, size, max);
    std::ranges::copy(item->size, size);
    return static_cast<int>(item->size.size());
}

hssize_t H5Sget_simple_extent_npoints(hid_t space)
{
    LIBRARY(H5Sget_simple_extent_npoints);
    const Item* const item = item_of(space);
    if (item == nullptr) return library(space);
    hssize_t count = 1;
    for (const hsize_t n : item->size)
        count *= static_cast<hssize_t>(n);
    return count;
}

htri_t H5Sis_simple(hid_t space)
{
    LIBRARY(H5Sis_simple);
    return item_of(space) == nullptr ? library(space) : 1;
}

herr_t H5Sselect_hyperslab(hid_t space, H5S_seloper_t how, const hsize_t first[], const hsize_t stride[],
                           const hsize_t count[], const hsize_t block[])
{
    LIBRARY(H5Sselect_hyperslab);
    Item* const item = item_of(space);
    if (item == nullptr) return library(space, how, first, stride, count, block);
    item->selected = true;
    item->first_row = first[0];
    item->rows = count[0];
    return 0;
}

H5D_layout_t H5Pget_layout(hid_t list)
{
    LIBRARY(H5Pget_layout);
    const Item* const item = item_of(list);
    return item == nullptr ? library(list) : item->node->layout;
}

int H5Pget_external_count(hid_t list)
{
    LIBRARY(H5Pget_external_count);
    const Item* const item = item_of(list);
    return item == nullptr ? library(list) : item->node->external;
}

int H5Pget_nfilters(hid_t list)
{
    LIBRARY(H5Pget_nfilters);
    const Item* const item = item_of(list);
    return item == nullptr ? library(list) : static_cast<int>(item->node->filters.size());
}

H5Z_filter_t H5Pget_filter2(hid_t list, unsigned place, unsigned* flags, std::size_t* values, unsigned* value,
                            std::size_t room, char* name, unsigned* config)
{
    LIBRARY(H5Pget_filter2);
    const Item* const item = item_of(list);
    return item == nullptr ? library(list, place, flags, values, value, room, name, config)
                           : item->node->filters.at(place);
}

int H5Pget_chunk(hid_t list, int rank, hsize_t* size)
{
    LIBRARY(H5Pget_chunk);
    const Item* const item = item_of(list);
    if (item == nullptr) return library(list, rank, size);
    std::copy_n(item->node->chunk.begin(),
                std::min<std::size_t>(item->node->chunk.size(), static_cast<std::size_t>(rank)), size);
    return static_cast<int>(item->node->chunk.size());
}

}  // extern "C"
