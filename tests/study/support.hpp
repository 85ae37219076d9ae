#pragma once

#include "carom/study/run_study.hpp"
#include "study/table_file.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace carom::test {

/// A folder of its own for one test, removed at its end.
class Folder {
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "carom_study_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder()
    {
        std::error_code problem;
        std::filesystem::remove_all(path_, problem);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    [[nodiscard]] std::string read(const std::string& name) const
    {
        std::ifstream in(path(name), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }

private:
    std::filesystem::path path_;
};

/// A ball dropped from 1 m; it bounces with restitution e.
inline const std::string ball = R"toml(duration_s = 1.0
[parameters]
g = 9.81
e = 0.5
[[coordinate]]
name = "z"
start = 1.0
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = "e" }
[[probe]]
name = "height"
value = "2*z"
[integrator]
time_step_s = 1e-3
)toml";

/// A pendulum that swings freely.
inline const std::string pendulum = R"toml(duration_s = 2.0
[[coordinate]]
name = "theta"
start = 1.0
unit = "rad"
[lagrangian]
kinetic = "theta'^2/2"
potential = "-9.81*cos(theta)"
[integrator]
time_step_s = 0.02
)toml";

inline Axis axis(const std::string& text)
{
    auto parsed = parse_axis(text);
    REQUIRE(parsed);
    return *parsed;
}

/// The study of a scene that must be a good one.
inline Study study_of(const Folder& folder, const std::string& scene, StudyPlan plan)
{
    auto study = Study::prepare(folder.write("scene.toml", scene), {}, std::move(plan));
    if (!study) {
        for (const Error& error : study.error())
            MESSAGE(to_text(error));
    }
    REQUIRE(study);
    return std::move(*study);
}

/// All runs of a shard into a file, or into memory for an empty path; ends after `largest` runs.
inline ResultTable table_of(const Study& study, const std::string& path = {}, Shard shard = {},
                            int threads = 1, long largest = max_study_rows)
{
    auto file = TableFile::open(path, study, shard);
    REQUIRE(file);
    long left = largest;
    const auto sink = [&](long, std::span<const Row> rows) { return left-- > 0 && file->add(rows); };
    static_cast<void>(compute_runs(study, shard, file->done(), threads, sink, {}));
    REQUIRE(file->finish());
    return file->table();
}

/// Tables as one text: equal texts mean equal bits.
inline std::string text_of(const ResultTable& table)
{
    std::string text = csv_header(table);
    for (std::size_t i = 0; i < table.rows(); ++i)
        text += csv_line(table.row(i));
    return text;
}

}  // namespace carom::test
