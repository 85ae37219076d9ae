#include "carom/door/run.hpp"
#include "carom/trace/recording.hpp"
#include "storage/hdf5.hpp"
#include "storage/spread.hpp"
#include "support/thread_messages.hpp"
#include "trace/checkpoint.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

/// Recordings that are spread over several files: what they show does not depend on how many there are, nor
/// on how many ranks wrote them.

namespace carom {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder()
    {
        std::string pattern = (fs::temp_directory_path() / "carom_parts_XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

/// A heap of balls that falls; more contacts than two stripes have rows (1024).
Scene heap(const std::vector<Override>& overrides)
{
    const auto scene = read_scene_text(R"(
title = "Heap"
duration_s = 0.08
[integrator]
time_step_s = 0.004
[solver]
tolerance = 1e-3
[record]
every_s = 0.004
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.05
copies = [8, 8, 2]
position_m = ["0.1*i", "0.1*j", "0.05 + 0.0999*k"]
)",
                                       "test", overrides);
    REQUIRE(scene.has_value());
    return *scene;
}

std::vector<Override> with(const std::string& parts, const std::string& precision,
                           const std::string& steps = "3")
{
    return {{"record.parts", parts}, {"record.precision", precision}, {"record.checkpoint_steps", steps}};
}

bool same(const auto& a, const auto& b)
{
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) == 0;
}

void check_same(const std::string& file, const Recording& expected)
{
    const auto found = read_recording(file);
    if (!found) FAIL(found.error().where, ": ", found.error().message);
    CHECK(same(found->time_s, expected.time_s));
    CHECK(same(found->q, expected.q));
    CHECK(same(found->u, expected.u));
    CHECK(found->bodies.first_row == expected.bodies.first_row);
    CHECK(found->bodies.first == expected.bodies.first);
    CHECK(found->bodies.second == expected.bodies.second);
    CHECK(same(found->bodies.point_m, expected.bodies.point_m));
    CHECK(same(found->bodies.percussion_Ns, expected.bodies.percussion_Ns));
    CHECK(same(found->bodies.gap_m, expected.bodies.gap_m));
    CHECK(same(found->bodies.residual, expected.bodies.residual));
    CHECK(same(found->bodies.velocity_change_m_s, expected.bodies.velocity_change_m_s));
    CHECK(same(found->checkpoint->state.q, expected.checkpoint->state.q));
    CHECK(found->report.has_value() == expected.report.has_value());
}

/// Runs on so many ranks until so many steps are done.
void record(const Scene& scene, const std::string& file, int ranks, long steps = 1000)
{
    ThreadRanks together(ranks);
    together.run([&](int) {
        const auto run =
            carom::run(scene, {.recording = file, .columns = false, .listener = [&](const StepRecord& step) {
                                   return step.step() < steps;
                               }});
        if (!run) throw std::runtime_error(run.error()[0].message);
        if (!run->not_written.empty()) throw std::runtime_error(run->not_written[0].message);
    });
}

void resume_recording(const std::string& file, int ranks)
{
    ThreadRanks together(ranks);
    together.run([&](int) {
        const auto run = resume(file, {.columns = false});
        if (!run) throw std::runtime_error(run.error()[0].message);
        if (!run->not_written.empty()) throw std::runtime_error(run->not_written[0].message);
    });
}

Recording whole(const Folder& folder, const std::string& precision)
{
    record(heap(with("0", precision)), folder / "one.h5", 1);
    auto recording = read_recording(folder / "one.h5");
    REQUIRE(recording.has_value());
    REQUIRE(recording->bodies.first_row.back() > 2100);
    CHECK_FALSE(fs::exists(folder / "one.h5.part0"));
    return std::move(*recording);
}

}  // namespace

TEST_CASE("every row of a striped dataset is in one part, at the place that its number says")
{
    using namespace detail;
    for (const std::uint64_t parts : {1, 2, 3, 7}) {
        std::vector<std::uint64_t> counts(parts, 0);
        for (std::uint64_t row = 0; row < 9000; ++row) {
            const std::uint64_t part = part_of_row(row, parts);
            REQUIRE(rows_of_part(row, part, parts) == counts[part]);
            REQUIRE(row_in_whole(counts[part], part, parts) == row);
            ++counts[part];
        }
        for (std::uint64_t part = 0; part < parts; ++part)
            CHECK(rows_of_part(9000, part, parts) == counts[part]);
    }
}

TEST_CASE("a recording in parts shows what one file shows, whoever wrote them")
{
    const Folder folder;
    for (const char* precision : {"double", "single"}) {
        CAPTURE(precision);
        const Recording expected = whole(folder, precision);
        for (const auto& [parts, ranks] : {std::pair{"3", 1}, {"3", 2}, {"2", 3}, {"20", 2}}) {
            CAPTURE(parts);
            CAPTURE(ranks);
            record(heap(with(parts, precision)), folder / "parts.h5", ranks);
            check_same(folder / "parts.h5", expected);
            CHECK(fs::exists(folder / (std::string("parts.h5.part") + std::to_string(std::stoi(parts) - 1))));
            CHECK_FALSE(fs::exists(folder / (std::string("parts.h5.part") + parts)));
        }
    }
}

TEST_CASE("a recording in parts is resumed on any number of ranks, with the same bits")
{
    const Folder folder;
    for (const char* precision : {"double", "single"}) {
        CAPTURE(precision);
        const Recording expected = whole(folder, precision);
        for (const auto& [first, then] : {std::pair{1, 3}, {3, 1}, {2, 4}}) {
            CAPTURE(first);
            record(heap(with("3", precision)), folder / "parts.h5", first, 7);
            const auto stopped = read_recording(folder / "parts.h5");
            REQUIRE(stopped.has_value());
            CHECK(stopped->checkpoint->progress.steps == 7);
            CHECK(stopped->settings.checkpoint_steps == 3);
            resume_recording(folder / "parts.h5", then);
            check_same(folder / "parts.h5", expected);
        }
    }
}

TEST_CASE("parts may be ahead of the recording: a rank was killed between the two")
{
    // the parts of a whole run under the recording of one that was stopped: rows beyond its checkpoint are
    // not shown, and are computed again
    const Folder folder;
    const Recording expected = whole(folder, "single");
    const Scene scene = heap(with("2", "single"));
    record(scene, folder / "run.h5", 1, 7);
    const auto before = read_recording(folder / "run.h5");
    REQUIRE(before.has_value());
    record(scene, folder / "ahead.h5", 1);
    for (const char* part : {".part0", ".part1"}) {
        fs::rename(folder / (std::string("ahead.h5") + part), folder / (std::string("run.h5") + part));
    }
    check_same(folder / "run.h5", *before);
    resume_recording(folder / "run.h5", 2);
    check_same(folder / "run.h5", expected);
}

TEST_CASE("a part that is missing, of another run, or given as a recording is named")
{
    const Folder folder;
    record(heap(with("2", "double")), folder / "run.h5", 1);
    record(heap(with("2", "single")), folder / "other.h5", 1);
    const auto refused = [&](const std::string& file) {
        const auto read = read_recording(file);
        REQUIRE_FALSE(read.has_value());
        return read.error().where + ": " + read.error().message;
    };
    CHECK(refused(folder / "run.h5.part1").find("this is a part of a recording") != std::string::npos);
    fs::rename(folder / "other.h5.part1", folder / "run.h5.part1");
    CHECK(refused(folder / "run.h5").find("run.h5.part1: this is not the part that belongs") !=
          std::string::npos);
    fs::remove(folder / "run.h5.part1");
    CHECK(refused(folder / "run.h5").find("run.h5.part1: there is no such file") != std::string::npos);

    // an older recording of that name takes its parts with it
    record(heap(with("0", "double")), folder / "run.h5", 1);
    CHECK_FALSE(fs::exists(folder / "run.h5.part0"));
    CHECK(read_recording(folder / "run.h5").has_value());
}

/// A dataset of so many rows without columns, which take no room; virtual ones are without pieces.
void put_empty_rows(const std::string& path, const char* name, hsize_t rows, H5D_layout_t layout)
{
    using detail::Handle;
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    REQUIRE(H5Ldelete(file.id(), name, H5P_DEFAULT) >= 0);
    const std::array<hsize_t, 2> size{rows, 0};
    const Handle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose);
    const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(list.id(), layout);
    const Handle dataset(
        H5Dcreate2(file.id(), name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, list.id(), H5P_DEFAULT),
        H5Dclose);
    REQUIRE(dataset);
}

TEST_CASE("any number of rows without columns, spread over parts, is refused at once")
{
    const Folder folder;
    const std::string file = folder / "run.h5";
    record(heap(with("2", "double")), file, 1);
    constexpr hsize_t rows = hsize_t{1} << 50U;
    put_empty_rows(file, "/q", rows, H5D_VIRTUAL);
    {
        auto writer = detail::Hdf5Writer::open(file);
        REQUIRE(writer.has_value());
        REQUIRE(writer->set_attribute("/q", "spread", "rows").has_value());
    }
    for (const char* part : {".part0", ".part1"})
        put_empty_rows(file + part, "/q", rows / 2, H5D_CONTIGUOUS);
    const auto read = read_recording(file);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.find("/q has another number of columns") != std::string::npos);
}

TEST_CASE("a part that cannot be written ends the run on all ranks, and is named")
{
    const Folder folder;
    fs::create_directory(folder / "run.h5.part1");
    const Scene scene = heap(with("2", "double"));
    std::vector<std::string> said(2);
    ThreadRanks together(2);
    together.run([&](int rank) {
        const auto run = carom::run(scene, {.recording = folder / "run.h5", .columns = false});
        if (!run) said[static_cast<std::size_t>(rank)] = run.error()[0].where + ": " + run.error()[0].message;
    });
    CHECK(said[0].find("run.h5.part1: rank 1: this is a folder") != std::string::npos);
    CHECK(said[1].find("run.h5.part1: this is a folder") != std::string::npos);
    CHECK_FALSE(fs::exists(folder / "run.h5.part0"));
}

TEST_CASE("checkpoint_steps says how much a killed run loses")
{
    const Folder folder;
    for (const int steps : {1, 4, 7}) {
        CAPTURE(steps);
        const Scene scene = heap(with("0", "single", std::to_string(steps)));
        const std::string file = folder / "run.h5";
        std::vector<long> kept;
        const auto run =
            carom::run(scene, {.recording = file, .columns = false, .listener = [&](const StepRecord& step) {
                                   if (const auto now = read_recording(file); now)
                                       kept.push_back(step.step() - 1 - now->checkpoint->progress.steps);
                                   return true;
                               }});
        REQUIRE(run.has_value());
        REQUIRE(kept.size() == 20);
        // before a step is recorded the file is behind by the steps since the last multiple
        for (std::size_t k = 0; k < kept.size(); ++k)
            CHECK(kept[k] == static_cast<long>(k) % steps);
    }
}

}  // namespace carom
