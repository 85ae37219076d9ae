#include "support.hpp"

#include <fstream>
#include <sstream>

using namespace carom::test;

namespace {

std::string recorded(const Folder& folder)
{
    const std::string run = folder.path("ball.h5");
    const std::string scene =
        folder.write("ball.toml", ball + "[[draw]]\nkind = \"point\"\nat = [0, \"z\"]\n");
    CHECK(carom_program({"run", scene, "-o", run, "--quiet"}).status == 0);
    return run;
}

std::string text_of(const std::string& file)
{
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
}

}  // namespace

TEST_CASE("carom report writes a page beside the recording and says where it is")
{
    const Folder folder;
    const Outcome outcome = carom_program({"report", recorded(folder)});
    CHECK(outcome.status == 0);
    CHECK(outcome.out == folder.path("ball.html") + "\n");
    const std::string page = text_of(folder.path("ball.html"));
    CHECK(contains(page, "<!doctype html>"));
    CHECK(contains(page, "\"format\":\"carom-page\""));
    CHECK(contains(page, "\"kind\":\"point\""));
    CHECK(page.size() < 2'000'000);
}

TEST_CASE("the page goes where it is wanted, and never over the recording")
{
    const Folder folder;
    const std::string run = recorded(folder);
    CHECK(contains(carom_program({"report", run, "-o", "-"}).out, "</html>"));
    CHECK(carom_program({"report", run, "-o", folder.path("page.html")}).status == 0);
    CHECK(std::filesystem::exists(folder.path("page.html")));
    CHECK(carom_program({"report", run, "-o", run}).status == 2);
    CHECK(carom_program({"report", run, "-o", folder.path("no/folder.html")}).status == 2);
    CHECK(carom_program({"report", folder.path("none.h5")}).status == 2);
    CHECK(carom_program({"report", folder.write("text.h5", "no recording")}).status == 2);
}

TEST_CASE("carom export --to vtk writes a collection and a file per frame")
{
    const Folder folder;
    const std::string run = recorded(folder);
    const Outcome outcome = carom_program({"export", run, "--to", "vtk"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out == folder.path("ball.pvd") + "\n");
    CHECK(contains(text_of(folder.path("ball.pvd")), "ball_frames/frame_000007.vtp"));
    CHECK(contains(text_of(folder.path("ball_frames/frame_000007.vtp")), "PolyData"));
    CHECK(carom_program({"export", run, "--to", "vtk", "-o", "-"}).status == 2);
    CHECK(carom_program({"export", run, "--to", "vtk", "-o", run}).status == 2);

    // without [[draw]] there is nothing to export, and carom says what to do
    const std::string plain = folder.path("plain.h5");
    CHECK(carom_program({"run", folder.write("plain.toml", ball), "-o", plain, "--quiet"}).status == 0);
    const Outcome nothing = carom_program({"export", plain, "--to", "vtk"});
    CHECK(nothing.status == 2);
    CHECK(contains(nothing.err, "[[draw]]"));
}

TEST_CASE("carom export --to gltf writes one asset, as text or binary")
{
    const Folder folder;
    const std::string run = recorded(folder);
    const Outcome outcome = carom_program({"export", run, "--to", "gltf"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out == folder.path("ball.gltf") + "\n");
    const auto asset = carom_program({"export", run, "--to", "gltf", "-o", "-"}).json();
    CHECK(asset["asset"]["version"] == "2.0");
    CHECK(asset["animations"][0]["channels"].size() == 1);
    CHECK(carom_program({"export", run, "--to", "gltf", "-o", folder.path("ball.glb")}).status == 0);
    CHECK(text_of(folder.path("ball.glb")).starts_with("glTF"));
    CHECK(carom_program({"export", run, "--to", "gltf", "-o", run}).status == 2);

    const std::string plain = folder.path("plain.h5");
    CHECK(carom_program({"run", folder.write("plain.toml", ball), "-o", plain, "--quiet"}).status == 0);
    const Outcome nothing = carom_program({"export", plain, "--to", "gltf"});
    CHECK(nothing.status == 2);
    CHECK(contains(nothing.err, "[[draw]]"));
}
