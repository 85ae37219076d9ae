#include "support.hpp"

#include "carom/scene/fields.hpp"

#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

/// Runs a scene that must be refused; the message must hold this piece.
void refused(const std::string& text, const char* piece)
{
    const Folder folder;
    const Outcome outcome = carom_program({"run", folder.write("bad.toml", text)});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, piece));
    CHECK(contains(outcome.err, "bad.toml"));
    CHECK(contains(outcome.err, "error: "));
}

}  // namespace

TEST_CASE("every kind of bad input gets its message and exit status 2")
{
    refused("", "empty");
    refused("this is not TOML", "not TOML");
    refused("{\"json\": 1}", "not TOML");
    refused(std::string("\x7f"
                        "ELF\x02\x01\x01\0\0\0",
                        10),
            "error");
    refused(with(ball, "1.0", "true"), "not a number");
    refused(with(ball, "start = 1.0", "start = nan"), "nan");
    refused(with(ball, "[[coordinate]]\nname = \"z\"\nstart = 1.0\n", ""), "coordinate");
    refused(with(ball, "\"g*z\"", "\"g*zz\""), "nothing is called `zz`");
    refused(with(ball, "\"g*z\"", "\"g*\""), "ends too early");
    refused(with(ball, "\"z'^2/2\"", "\"0\""), "the kinetic energy is zero");
    refused(with(with(ball, "\"z'^2/2\"", "\"(z' + y')^2/2\""), "[lagrangian]",
                 "[[coordinate]]\nname = \"y\"\nstart = 0\n[lagrangian]"),
            "singular");
    refused(with(ball, "e = 0.0", "e = 1.01"), "restitution is 1.01");
    refused(with(ball, "\"z'^2/2\"", "\"-z'^2/2\""), "mass of coordinate z is -1");
    refused(with(ball, "start = 1.0", "start = -0.1"), "overlap");
    refused(with(ball, "duration_s = 1.0", "duration_s = -1.0"), "end before it starts");
    refused(with(ball, "g = 9.81", "μ = 9.81"), "write mu for μ");
    std::string sum = "z";
    while (sum.size() < 1000000)
        sum += " + z";
    refused(with(ball, "\"g*z\"", "\"" + sum + "\""), "characters");
    refused(with(ball, "1e-3", "1e-3\nkind = \"leapfrog\""),
            "carom does not know the integrator.kind `leapfrog`");
    refused(ball + "[[gadget]]\nname = \"b\"\n", "carom does not know the key `gadget`");
}

TEST_CASE("files and folders that cannot be used are bad input")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const auto refuse = [&](const std::vector<std::string>& arguments, const char* piece) {
        const Outcome outcome = carom_program(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, piece));
    };
    refuse({"run", folder.path("none.toml")}, "no such file");
    refuse({"run", folder.path(".")}, "folder");
    refuse({"run", scene, "-o", folder.path("none/run.h5")}, "error");
    std::filesystem::create_directory(folder.path("taken.h5"));
    refuse({"run", scene, "-o", folder.path("taken.h5")}, "error");
    std::filesystem::create_directory(folder.path("run.svg"));
    refuse({"run", scene, "-o", folder.path("run.h5")}, "picture");
    refuse({"run", scene, "-o", folder.path("other.svg")}, "picture");
    refuse({"run", scene, "-o", scene}, "scene itself");
    refuse({"run", scene, "-o", "/proc/run.h5"}, "error");
    CHECK(std::filesystem::file_size(scene) == ball.size());
}

TEST_CASE("all mistakes are listed, and --json lists them too")
{
    const Folder folder;
    const std::string text =
        with(with(with(ball, "1e-3", "0"), "\"g*z\"", "\"g*zz\""), "unilateral", "bilateral");
    const Outcome outcome = carom_program({"run", folder.write("bad.toml", text), "--json"});
    CHECK(outcome.status == 2);
    const auto json = outcome.json();
    CHECK(json["status"] == "bad_input");
    REQUIRE(json["errors"].size() == 3);
    CHECK(json["errors"][0]["code"] == "unknown_name");
    CHECK(json["errors"][1]["code"] == "unknown_name");
    CHECK(json["errors"][2]["code"] == "setting_out_of_range");
    CHECK(contains(outcome.err, "3 mistakes"));
    CHECK(contains(outcome.err, "bad.toml:10:13"));
}

TEST_CASE("the reference page of the scene format names every key")
{
    std::ifstream in(CAROM_SOURCE_DIR "/docs/reference/scene_format.md");
    std::ostringstream page;
    page << in.rdbuf();
    for (const Field& field : scene_fields()) {
        CAPTURE(field.path);
        if (field.key() != "*") CHECK(contains(page.str(), "`" + std::string(field.key()) + "`"));
        for (const std::string& choice : field.choices)
            CHECK(contains(page.str(), choice));
    }
}
