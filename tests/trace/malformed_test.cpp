#include "support.hpp"

#include <hdf5.h>
#include <sys/wait.h>

#include <array>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

std::string bytes_of(const std::string& path)
{
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

void write_bytes(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string good_file(const Folder& folder)
{
    const Model model = ball_and_wheel(0.8);
    RecordSettings settings;
    settings.every_s = 0.01;
    static_cast<void>(run_and_record(model, dropped(model), folder / "good.h5", 1.0, 1e-3, settings));
    return folder / "good.h5";
}

/// A copy of a good file, changed through HDF5.
std::string changed(const Folder& folder, const std::function<void(hid_t)>& change)
{
    static int number = 0;
    const std::string path = folder / ("changed" + std::to_string(++number) + ".h5");
    std::filesystem::copy_file(folder / "good.h5", path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    change(file);
    REQUIRE(H5Fclose(file) >= 0);
    return path;
}

ErrorCode code_of(const std::string& path)
{
    const auto recording = read_recording(path);
    REQUIRE_FALSE(recording.has_value());
    CHECK(recording.error().where == path);
    CHECK_FALSE(recording.error().message.empty());
    return recording.error().code;
}

void remove(hid_t file, const char* path)
{
    REQUIRE(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
}

/// A dataset of that type and size without values; `prepare` may change how it is kept.
void add_dataset(hid_t file, const char* path, hid_t type, std::vector<hsize_t> size,
                 const std::function<void(hid_t)>& prepare = {})
{
    const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (prepare) prepare(list);
    const hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
}

}  // namespace

TEST_CASE("files that are missing or of another kind are told apart")
{
    const Folder folder;
    CHECK(code_of(folder / "missing.h5") == ErrorCode::FileUnreadable);
    CHECK(code_of(folder.path().string()) == ErrorCode::FileUnreadable);
    write_bytes(folder / "empty.h5", "");
    CHECK(code_of(folder / "empty.h5") == ErrorCode::FileMalformed);
    write_bytes(folder / "text.h5", "title = \"a scene\"\n");
    CHECK(code_of(folder / "text.h5") == ErrorCode::FileMalformed);

    // HDF5, but nothing of ours
    const std::string foreign = folder / "foreign.h5";
    H5Fclose(H5Fcreate(foreign.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK(code_of(foreign) == ErrorCode::FileMalformed);
}

TEST_CASE("parts that are missing, of another type or rank, or do not fit are refused")
{
    const Folder folder;
    good_file(folder);
    for (const char* path : {"/time_s", "/q", "/scene", "/coordinates", "/events/kind", "/jumps/q",
                             "/checkpoint/q", "/residual", "/energy/impact_J"}) {
        CAPTURE(path);
        CHECK(code_of(changed(folder, [&](hid_t file) { remove(file, path); })) == ErrorCode::FileMalformed);
    }
    const auto replaced = [&](const char* path, hid_t type, std::vector<hsize_t> size) {
        return code_of(changed(folder, [&](hid_t file) {
            remove(file, path);
            add_dataset(file, path, type, size);
        }));
    };
    CHECK(replaced("/q", H5T_STD_I32LE, {101, 2}) == ErrorCode::FileMalformed);
    CHECK(replaced("/q", H5T_IEEE_F64LE, {101}) == ErrorCode::FileMalformed);
    CHECK(replaced("/q", H5T_IEEE_F64LE, {101, 2, 1}) == ErrorCode::FileMalformed);
    CHECK(replaced("/q", H5T_IEEE_F64LE, {101, 3}) == ErrorCode::FileMalformed);
    CHECK(replaced("/q", H5T_IEEE_F64LE, {100, 2}) == ErrorCode::FileMalformed);
    CHECK(replaced("/time_s", H5T_IEEE_F64LE, {}) == ErrorCode::FileMalformed);
    CHECK(replaced("/certificate", H5T_C_S1, {}) == ErrorCode::FileMalformed);
    CHECK(replaced("/coordinates/name", H5T_IEEE_F64LE, {2}) == ErrorCode::FileMalformed);
    CHECK(replaced("/checkpoint/closed", H5T_STD_I64LE, {2}) == ErrorCode::FileMalformed);

    // text of variable length
    CHECK(code_of(changed(folder, [&](hid_t file) {
              const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
              H5Tset_size(type, H5T_VARIABLE);
              H5Adelete(file, "title");
              const hid_t attribute = H5Acreate2(file, "title", type, space, H5P_DEFAULT, H5P_DEFAULT);
              const char* title = "a title";
              REQUIRE(H5Awrite(attribute, type, &title) >= 0);
              H5Aclose(attribute);
              H5Sclose(space);
              H5Tclose(type);
          })) == ErrorCode::FileMalformed);

    // float where the recorder writes double is still a number
    const std::string narrow = changed(folder, [&](hid_t file) {
        remove(file, "/residual");
        add_dataset(file, "/residual", H5T_IEEE_F32LE, {101});
    });
    CHECK(read_recording(narrow).has_value());
}

TEST_CASE("an event at a contact that does not exist is refused")
{
    const Folder folder;
    good_file(folder);
    for (const char* path : {"/events/contact", "/events/kind"}) {
        for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{77}, INT64_MAX}) {
            const std::string file_name = changed(folder, [&](hid_t file) {
                const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
                const hid_t space = H5Dget_space(dataset);
                const auto rows = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
                REQUIRE(rows > 0);
                const std::vector<std::int64_t> values(rows, value);
                H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
                H5Sclose(space);
                H5Dclose(dataset);
            });
            CHECK(code_of(file_name) == ErrorCode::FileMalformed);
        }
    }
}

TEST_CASE("sizes that the file cannot hold are refused before memory is taken")
{
    const Folder folder;
    good_file(folder);
    for (const hsize_t rows : {hsize_t{1} << 30, hsize_t{1} << 45, hsize_t{1} << 62}) {
        const std::string huge = changed(folder, [&](hid_t file) {
            remove(file, "/time_s");
            add_dataset(file, "/time_s", H5T_IEEE_F64LE, {rows}, [](hid_t list) {
                const hsize_t chunk = 1024;
                H5Pset_chunk(list, 1, &chunk);
            });
        });
        CHECK(code_of(huge) == ErrorCode::FileMalformed);
    }
    const std::string long_text = changed(folder, [&](hid_t file) {
        remove(file, "/scene");
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, std::size_t{1} << 31U);
        add_dataset(file, "/scene", type, {});
        H5Tclose(type);
    });
    CHECK(code_of(long_text) == ErrorCode::FileMalformed);
}

TEST_CASE("links and data outside the file are not followed")
{
    const Folder folder;
    good_file(folder);
    std::filesystem::copy_file(folder / "good.h5", folder / "other.h5");
    const std::string other = folder / "other.h5";

    const auto code_after = [&](const char* path, const std::function<void(hid_t)>& add) {
        return code_of(changed(folder, [&](hid_t file) {
            remove(file, path);
            add(file);
        }));
    };
    CHECK(code_after("/q", [&](hid_t file) {
              H5Lcreate_external(other.c_str(), "/q", file, "/q", H5P_DEFAULT, H5P_DEFAULT);
          }) == ErrorCode::FileMalformed);
    CHECK(code_after("/checkpoint", [&](hid_t file) {
              H5Lcreate_external(other.c_str(), "/checkpoint", file, "/checkpoint", H5P_DEFAULT, H5P_DEFAULT);
          }) == ErrorCode::FileMalformed);
    CHECK(code_after("/u", [&](hid_t file) { H5Lcreate_soft("/q", file, "/u", H5P_DEFAULT, H5P_DEFAULT); }) ==
          ErrorCode::FileMalformed);

    // values kept in another file
    CHECK(code_after("/residual", [&](hid_t file) {
              add_dataset(file, "/residual", H5T_IEEE_F64LE, {101},
                          [&](hid_t list) { H5Pset_external(list, other.c_str(), 0, 808); });
          }) == ErrorCode::FileMalformed);
    CHECK(code_after("/residual", [&](hid_t file) {
              add_dataset(file, "/residual", H5T_IEEE_F64LE, {101}, [&](hid_t list) {
                  const hsize_t size = 101;
                  const hid_t space = H5Screate_simple(1, &size, nullptr);
                  H5Pset_virtual(list, space, other.c_str(), "/residual", space);
                  H5Sclose(space);
              });
          }) == ErrorCode::FileMalformed);

    // compressed: what is small on disk could be anything in memory
    CHECK(code_after("/residual", [&](hid_t file) {
              add_dataset(file, "/residual", H5T_IEEE_F64LE, {101}, [&](hid_t list) {
                  const hsize_t chunk = 101;
                  H5Pset_chunk(list, 1, &chunk);
                  H5Pset_deflate(list, 1);
              });
          }) == ErrorCode::FileMalformed);
}

TEST_CASE("truncated files give errors")
{
    const Folder folder;
    const std::string bytes = bytes_of(good_file(folder));
    const std::string cut = folder / "cut.h5";
    for (std::size_t part = 0; part < 100; ++part) {
        write_bytes(cut, bytes.substr(0, bytes.size() * part / 100));
        CAPTURE(part);
        CHECK(code_of(cut) == ErrorCode::FileMalformed);
    }
}

TEST_CASE("files with wrong bytes give errors or other numbers, never a crash or an endless loop")
{
    const Folder folder;
    const std::string bytes = bytes_of(good_file(folder));
    const std::string wrong = folder / "wrong.h5";

    // in a process of its own: HDF5 1.10 does not free all it took for a file whose checksums fail
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(120);
        std::mt19937_64 random(7);
        int refused = 0;
        for (int attempt = 0; attempt < 300; ++attempt) {
            // most of the file is numbers, where every byte is good: half of the changes go to its first 4
            // KiB
            std::string damaged = bytes;
            const std::size_t reach = attempt % 2 == 0 ? 4096 : bytes.size();
            for (int i = 0; i < 1 + attempt % 4; ++i) {
                damaged[random() % reach] = static_cast<char>(random());
            }
            write_bytes(wrong, damaged);
            const auto recording = read_recording(wrong);
            if (recording) continue;
            ++refused;
            if (recording.error().code != ErrorCode::FileMalformed) ::_exit(1);
        }
        ::_exit(refused > 50 ? 0 : 2);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
