#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace carom::fuzz {

/// What HDF5 files hold, in memory. The functions of HDF5 that `Hdf5Reader` calls are defined a second time in
/// memory_hdf5.cpp: of a path that has been given to `put_in_memory` they read what lies here, of any other
/// the file, by the library. Files took nine tenths of the time of a target, and HDF5's parser of
/// containers is not what is tested.
struct MemoryType {
    H5T_class_t kind = H5T_FLOAT;
    std::size_t size = 8;
    bool variable = false;  ///< text of variable length

    [[nodiscard]] static MemoryType real() { return {}; }
    [[nodiscard]] static MemoryType integer(std::size_t size) { return {.kind = H5T_INTEGER, .size = size}; }
    [[nodiscard]] static MemoryType text(std::size_t size) { return {.kind = H5T_STRING, .size = size}; }
};

struct MemoryAttribute {
    MemoryType type;
    std::size_t count = 1;
    std::string bytes;  ///< `count` entries of `type`
};

/// A group or dataset.
struct MemoryNode {
    bool is_group = true;
    H5L_type_t link = H5L_TYPE_HARD;
    std::map<std::string, MemoryAttribute> attributes;

    // of a dataset
    MemoryType type;
    std::vector<hsize_t> size;  ///< of each dimension
    std::string bytes;          ///< entries of `type`, row by row, where there are no filters
    H5D_layout_t layout = H5D_CONTIGUOUS;
    int external = 0;  ///< other files that have its data
    std::vector<H5Z_filter_t> filters;
    std::vector<hsize_t> chunk;
    std::map<std::array<hsize_t, 2>, std::string> chunks;  ///< by their first entry, as the filters left them

    [[nodiscard]] std::size_t entries() const;
};

/// By path; "/" is there.
using MemoryFile = std::map<std::string, MemoryNode>;

/// What is found under this path from now on, with nullptr the file again; it lives as long as it is asked for. HDF5's reader wants
/// a file of that name to exist, whose size bounds what it takes from it.
void put_in_memory(const std::string& path, const MemoryFile* file);

/// The content of a file.
[[nodiscard]] MemoryFile load(const std::string& path);

}  // namespace carom::fuzz
