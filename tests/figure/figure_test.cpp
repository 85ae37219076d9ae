#include "carom/figure/figure.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

namespace {

using namespace carom;

/// A ball that falls from 1 m, bounces with restitution 1/2, and is drawn in several ways.
const std::string ball = R"toml(duration_s = 0.7
[parameters]
e = 0.5
[[coordinate]]
name = "z"
start = 1.0
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = "e" }
[integrator]
kind = "series"
time_step_s = 0.01
[record]
every_s = 0.01
)toml";

Scene scene_with(const std::string& figure)
{
    auto scene = read_scene_text(ball + figure, "ball.toml");
    if (!scene) {
        for (const Error& error : scene.error()) {
            MESSAGE(to_text(error));
        }
    }
    REQUIRE(scene.has_value());
    return *scene;
}

std::string svg_of(const Scene& scene)
{
    const auto figure = make_figure(scene, scene.figures.at(0), FigureFormat::Svg);
    REQUIRE(figure.has_value());
    return figure->file;
}

using Points = std::vector<std::array<double, 2>>;

/// The polylines of a colour.
std::vector<Points> lines_of(const std::string& svg, const std::string& colour)
{
    std::vector<Points> lines;
    const std::regex path("<path[^>]* d=\"([^\"]*)\"[^>]*stroke=\"" + colour + "\" stroke-width=\"1.00\"");
    const std::regex point("[ML](-?[0-9.]+) (-?[0-9.]+)");
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), path); it != std::sregex_iterator(); ++it) {
        const std::string d = (*it)[1];
        Points& line = lines.emplace_back();
        for (auto p = std::sregex_iterator(d.begin(), d.end(), point); p != std::sregex_iterator(); ++p) {
            line.push_back({std::stod((*p)[1]), std::stod((*p)[2])});
        }
    }
    return lines;
}

const std::string blue = "#0072B2", vermilion = "#D55E00";

}  // namespace

TEST_CASE("a ball that falls is drawn as a parabola, from its start to the floor")
{
    const std::string svg = svg_of(scene_with(R"toml(
[[figure]]
name = "fall"
[[figure.panel]]
y = ["z"]
x_range = [0, 0.7]
y_range = [0, 1]
)toml"));
    const auto lines = lines_of(svg, blue);
    REQUIRE(lines.size() == 1);

    // the frame of the axes: the start is its upper left corner
    const double left = lines[0].front()[0], top = lines[0].front()[1];
    const double impact_s = std::sqrt(2 / 9.81);
    const auto lowest = std::ranges::max_element(lines[0], {}, [](const auto& p) { return p[1]; });
    const double bottom = (*lowest)[1];
    const double width = (*lowest)[0] - left;
    for (const auto& p : lines[0]) {
        if (p[0] > (*lowest)[0]) break;
        const double t = (p[0] - left) / width * impact_s;
        // numbers are written to 0.01 points
        CHECK((p[1] - top) / (bottom - top) == doctest::Approx(9.81 * t * t / 2).epsilon(1e-3).scale(1));
    }
}

TEST_CASE("at an impact the velocity jumps: its curve is vertical there, from -v to e v")
{
    const std::string svg = svg_of(scene_with(R"toml(
[[figure]]
name = "speed"
[[figure.panel]]
y = ["z'"]
x_range = [0, 0.7]
y_range = [-5, 5]
)toml"));
    const auto lines = lines_of(svg, blue);
    REQUIRE(lines.size() == 1);
    double longest = 0;
    for (std::size_t k = 1; k < lines[0].size(); ++k) {
        if (std::abs(lines[0][k][0] - lines[0][k - 1][0]) < 0.02)
            longest = std::max(longest, lines[0][k - 1][1] - lines[0][k][1]);
    }
    // 1.5 sqrt(2 g) of the ten m/s of the axis, whose length the start at 0, in the middle, tells
    const double v = std::sqrt(2 * 9.81);
    const auto panel_height = 80 / 25.4 * 72 - 8 - 30;
    // the recording has the velocities at both ends of the step with the impact: gravity acts for at most 2 h
    CHECK(longest == doctest::Approx(1.5 * v / 10 * panel_height).epsilon(2 * 9.81 * 0.01 / (1.5 * v)));
}

TEST_CASE("values of a parameter give one run and one curve each")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "several"
over = "parameters.e"
values = [0, 0.5]
[[figure.panel]]
y = ["z"]
)toml");
    const auto figure = make_figure(scene, scene.figures[0], FigureFormat::Svg);
    REQUIRE(figure.has_value());
    REQUIRE(figure->runs.size() == 2);
    // without restitution it stays where it fell, with it it is on its way up
    CHECK(std::abs(figure->runs[0].run.at_end.q[0]) < 1e-9);
    CHECK(figure->runs[1].run.at_end.q[0] > 0.1);
    CHECK(lines_of(figure->file, blue).size() == 1);
    CHECK(lines_of(figure->file, vermilion).size() == 1);
    CHECK(figure->file.find(">e = 0<") != std::string::npos);
    CHECK(figure->file.find(">e = 0.5<") != std::string::npos);
}

TEST_CASE("a strobe shows the system at its own instants, not at those of the frames")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "strobe"
[[figure.panel]]
y = ["z"]
strobe_s = 0.123
)toml");
    const auto figure = make_figure(scene, scene.figures[0], FigureFormat::Svg);
    REQUIRE(figure.has_value());
    const auto& snapshots = figure->runs[0].run.snapshots;
    REQUIRE(snapshots.size() == 6);  // 0 to 0.615 s
    CHECK(snapshots[3].q[0] == doctest::Approx(1 - 9.81 * 0.369 * 0.369 / 2).epsilon(1e-12));
}

TEST_CASE("a figure has the same bytes every time, and its PDF tells where its parts are")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "both"
title = "Höhe und Geschwindigkeit, μ = 0"
columns = 2
[[figure.panel]]
y = ["z"]
events = true
[[figure.panel]]
x = "z"
y = ["z'"]
[[figure.panel]]
[[figure.panel.curve]]
energy = "kinetic_J"
dashed = true
[[figure.panel.curve]]
gap = "floor"
label = "gap"
points = true
)toml");
    const auto first = make_figure(scene, scene.figures[0], FigureFormat::Pdf);
    const auto second = make_figure(scene, scene.figures[0], FigureFormat::Pdf);
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    const std::string& pdf = first->file;
    CHECK(pdf == second->file);
    CHECK(pdf.starts_with("%PDF-1.7\n"));

    // every entry of the table of objects points at an object of that number
    const std::size_t startxref = pdf.rfind("startxref\n");
    const std::size_t table = std::stoul(pdf.substr(startxref + 10));
    REQUIRE(pdf.compare(table, 5, "xref\n") == 0);
    std::size_t at = pdf.find("65535 f \n", table) + 9;
    int objects = 0;
    for (; pdf.compare(at + 10, 9, " 00000 n ") == 0; at += 20) {
        ++objects;
        const std::size_t place = std::stoul(pdf.substr(at, 10));
        const std::string head = std::to_string(objects) + " 0 obj\n";
        CHECK(pdf.compare(place, head.size(), head) == 0);
    }
    CHECK(objects == 9);

    // what is drawn can be unpacked, and has texts in it
    const std::size_t stream = pdf.find("stream\n", pdf.find("4 0 obj")) + 7;
    std::string content(1'000'000, '\0');
    uLongf size = content.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(content.data()), &size,
                       reinterpret_cast<const Bytef*>(pdf.data() + stream), pdf.size() - stream) == Z_OK);
    content.resize(size);
    CHECK(content.find("> Tj") != std::string::npos);
}

TEST_CASE("a figure that cannot be drawn is told by its mistakes")
{
    const Scene plain = scene_with("");
    const auto none = figure_named(plain, "phase");
    REQUIRE(!none.has_value());
    CHECK(none.error().code == ErrorCode::UnknownName);

    const auto mistakes = read_scene_text(ball + R"toml(
[[figure]]
name = "wrong"
over = "parameters.e"
[[figure.panel]]
y = ["zz"]
x_range = [1, 0]
[[figure.panel]]
kind = "cone"
contact = "flor"
[[figure.panel]]
[[figure.panel.curve]]
y = "z"
gap = "floor"
)toml",
                                          "wrong.toml");
    REQUIRE(!mistakes.has_value());
    CHECK(mistakes.error().size() == 5);

    const Scene unknown = scene_with(R"toml(
[[figure]]
name = "unknown"
over = "parameters.f"
values = [1]
[[figure.panel]]
y = ["z"]
)toml");
    CHECK(!make_figure(unknown, unknown.figures[0], FigureFormat::Svg).has_value());

    const Scene energy = scene_with(R"toml(
[[figure]]
name = "energy"
[[figure.panel]]
[[figure.panel.curve]]
energy = "heat_J"
)toml");
    const auto drawn = make_figure(energy, energy.figures[0], FigureFormat::Svg);
    REQUIRE(!drawn.has_value());
    CHECK(drawn.error()[0].message.find("heat_J") != std::string::npos);
}
