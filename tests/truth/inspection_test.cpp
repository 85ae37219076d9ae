#include "support.hpp"

using namespace carom::test;

namespace {

/// What `carom inspect` says of a scene, with these further arguments.
nlohmann::json inspection_of(const std::string& scene, std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), {"inspect", scene, "--json"});
    return carom_program(arguments).json();
}

/// The hypothesis of that code in the JSON object of an inspection; null if it is not there.
nlohmann::json hypothesis_in(const nlohmann::json& inspection, const std::string& code)
{
    for (const auto& item : inspection["hypotheses"]) {
        if (item["code"] == code) return item;
    }
    return nullptr;
}

}  // namespace

TEST_CASE(
    "two contacts with a constraint between their coordinates can be inspected, as a scene and as a run")
{
    const Outcome scene = carom_program({"inspect", defect("inspect_crash"), "--json"});
    CHECK((scene.status == 0 || scene.status == 1));
    CHECK(scene.json()["contacts"] == 2);
    const Folder folder;
    const std::string run = folder.path("run.h5");
    REQUIRE(carom_program({"run", defect("inspect_crash"), "-o", run, "--quiet", "--no-svg"}).status == 0);
    CHECK(carom_program({"inspect", run, "--json"}).json()["status"] == "certified");
}
