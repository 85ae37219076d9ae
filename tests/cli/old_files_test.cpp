#include "support.hpp"

#include "carom/trace/recording.hpp"
#include "support/near.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace carom;
using namespace carom::test;

namespace {

/// A copy of a file that an earlier program wrote; tests/data/old/README.md says which.
std::string old_file(const Folder& folder, const std::string& name)
{
    std::filesystem::copy_file(std::filesystem::path(CAROM_SOURCE_DIR) / "tests/data/old" / name,
                               folder.path(name));
    return folder.path(name);
}

/// Both ends are the same up to what rounding makes of some hundred steps.
void check_same_end(const nlohmann::json& a, const nlohmann::json& b)
{
    REQUIRE(a["state"].size() == b["state"].size());
    CHECK(a["time_s"] == b["time_s"]);
    CHECK(a["status"] == b["status"]);
    CHECK(a["steps"] == b["steps"]);
    CHECK(a["events"].size() == b["events"].size());
    for (const auto& [name, value] : a["state"].items()) {
        CAPTURE(name);
        CHECK(value["q"].get<double>() == near(b["state"][name]["q"].get<double>(), 1e-10));
        CHECK(value["u"].get<double>() == near(b["state"][name]["u"].get<double>(), 1e-10));
    }
}

}  // namespace

TEST_CASE("recordings of earlier programs are inspected, shown and resumed")
{
    for (const std::string name : {"block", "ball", "disc"}) {
        CAPTURE(name);
        const Folder folder;
        const std::string file = old_file(folder, name + ".h5");
        const auto recording = read_recording(file);
        REQUIRE(recording);
        const std::string scene = folder.write(name + ".toml", recording->scene_text);

        const Outcome inspected = carom_program({"inspect", file, "--json"});
        CHECK(inspected.status == 0);
        CHECK(inspected.json()["status"] == "certified");
        CHECK(carom_program({"report", file, "-o", folder.path("page.html")}).status == 0);
        CHECK(carom_program({"export", file, "--to", "csv", "-o", folder.path("frames.csv")}).status == 0);

        // sweeps had nothing to go on with then: refused by name
        if (name == "disc") {
            const Outcome refused = carom_program({"resume", file});
            CHECK(refused.status == 2);
            CHECK(contains(refused.err, "wrote this sweep without the data that resuming needs"));
            continue;
        }

        // the longer run, taken up where the earlier program ended, is the one that today's makes of the
        // scene
        const Outcome resumed =
            carom_program({"resume", file, "--json", "--no-svg", "--set", "duration_s=0.4"});
        CAPTURE(resumed.err);
        CHECK(resumed.status == 0);
        check_same_end(resumed.json(),
                       carom_program({"run", scene, "--json", "--set", "duration_s=0.4"}).json());
        const auto longer = read_recording(file);
        REQUIRE(longer);
        CHECK(longer->time_s[longer->frames() - 1] == near(0.4, 1e-12));
    }
}

TEST_CASE("tables of earlier programs are read and merged")
{
    const Folder folder;
    const std::string table = old_file(folder, "table.csv"), merged = folder.path("merged.csv");
    const Outcome outcome = carom_program({"study", "--merge", table, "-o", merged, "--json"});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    const auto text = [](const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    CHECK(text(table).size() > 500);
    CHECK(text(merged) == text(table));
}
