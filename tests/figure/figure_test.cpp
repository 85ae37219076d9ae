#include "carom/figure/diagram.hpp"
#include "carom/figure/figure.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <regex>
#include <string>

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
    const auto figure = make_figure(scene, scene.figures.at(0), {.format = FigureFormat::Svg});
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

/// Texts of a size: where they are, how they are anchored, what they say.
struct Written {
    double x = 0, y = 0;
    std::string anchor, text;
};

std::vector<Written> texts_of(const std::string& svg, const std::string& size)
{
    std::vector<Written> texts;
    const std::regex text(
        "<text transform=\"translate\\((-?[0-9.]+) (-?[0-9.]+)\\)\" text-anchor=\"([a-z]+)\" font-size=\"" +
        size + "\"[^>]*>([^<]*)<");
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator(); ++it) {
        texts.push_back({std::stod((*it)[1]), std::stod((*it)[2]), (*it)[3], (*it)[4]});
    }
    return texts;
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
    const auto figure = make_figure(scene, scene.figures[0], {.format = FigureFormat::Svg});
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
    const auto figure = make_figure(scene, scene.figures[0], {.format = FigureFormat::Svg});
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
    const auto first = make_figure(scene, scene.figures[0], {.format = FigureFormat::Pdf});
    const auto second = make_figure(scene, scene.figures[0], {.format = FigureFormat::Pdf});
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
    CHECK(!make_figure(unknown, unknown.figures[0], {.format = FigureFormat::Svg}).has_value());

    const Scene energy = scene_with(R"toml(
[[figure]]
name = "energy"
[[figure.panel]]
[[figure.panel.curve]]
energy = "heat_J"
)toml");
    const auto drawn = make_figure(energy, energy.figures[0], {.format = FigureFormat::Svg});
    REQUIRE(!drawn.has_value());
    CHECK(drawn.error()[0].message.find("heat_J") != std::string::npos);

    // a strobe of a second, a billion times
    const Scene strobes = scene_with(R"toml(
[[figure]]
name = "strobes"
[[figure.panel]]
y = ["z"]
strobe_s = 1e-9
)toml");
    const auto many = make_figure(strobes, strobes.figures[0], {.format = FigureFormat::Svg});
    REQUIRE(!many.has_value());
    CHECK(many.error()[0].where == "strobe_s");
}

TEST_CASE("values that no axis can reach are not drawn, and leave the others their scale")
{
    const auto has_scale_of_z = [](const std::string& y) {
        const std::string svg = svg_of(scene_with("[[figure]]\nname = \"far\"\n[[figure.panel]]\ny = " + y));
        return svg.find(">0.8<") != std::string::npos;
    };
    CHECK(has_scale_of_z("[\"z\"]"));
    CHECK(has_scale_of_z("[\"z\", \"1e308*(1 + t)\", \"-1e308*(1 + t)\"]"));

    const auto wide = read_scene_text(
        ball + "[[figure]]\nname = \"wide\"\n[[figure.panel]]\ny = [\"z\"]\nx_range = [-1e308, 1e308]\n",
        "wide.toml");
    REQUIRE(!wide.has_value());
    CHECK(wide.error()[0].hint.find("difference") != std::string::npos);
}

namespace {

/// The dots of a PNG that is not filtered: red, green, blue.
struct Dots {
    std::size_t width = 0, height = 0;
    std::string bytes;

    [[nodiscard]] std::array<int, 3> at(double x, double y) const
    {
        const std::size_t place =
            static_cast<std::size_t>(y) * (3 * width + 1) + 1 + 3 * static_cast<std::size_t>(x);
        const auto byte = [&](std::size_t k) {
            return static_cast<int>(static_cast<unsigned char>(bytes[k]));
        };
        return {byte(place), byte(place + 1), byte(place + 2)};
    }
};

std::size_t number_at(const std::string& bytes, std::size_t place)
{
    std::size_t number = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        number = number << 8U | static_cast<unsigned char>(bytes[place + k]);
    }
    return number;
}

Dots dots_of(const std::string& png)
{
    REQUIRE(png.starts_with("\x89PNG\r\n\x1A\n"));
    Dots dots;
    for (std::size_t at = 8; at < png.size(); at += 12 + number_at(png, at)) {
        const std::string kind = png.substr(at + 4, 4), data = png.substr(at + 8, number_at(png, at));
        // each part carries the checksum of its name and data
        const std::string checked = kind + data;
        CHECK(number_at(png, at + 8 + data.size()) ==
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
        if (kind == "IHDR") {
            dots.width = number_at(data, 0);
            dots.height = number_at(data, 4);
        }
        if (kind != "IDAT") continue;
        dots.bytes.resize(dots.height * (3 * dots.width + 1));
        uLongf size = dots.bytes.size();
        REQUIRE(uncompress(reinterpret_cast<Bytef*>(dots.bytes.data()), &size,
                           reinterpret_cast<const Bytef*>(data.data()), data.size()) == Z_OK);
        REQUIRE(size == dots.bytes.size());
    }
    return dots;
}

const std::string fall = R"toml(
[[figure]]
name = "fall"
[[figure.panel]]
y = ["z"]
x_range = [0, 0.7]
y_range = [0, 1]
)toml";

}  // namespace

TEST_CASE("a PNG has the lines of the SVG, in dots of the size asked for")
{
    const Scene scene = scene_with(fall);
    const std::string svg = svg_of(scene);
    for (const double dpi : {72.0, 200.0}) {
        const auto png =
            make_figure(scene, scene.figures[0], {.format = FigureFormat::Png, .dots_per_inch = dpi});
        REQUIRE(png.has_value());
        const Dots dots = dots_of(png->file);
        CHECK(dots.width == static_cast<std::size_t>(std::lround(120 / 25.4 * dpi)));
        CHECK(dots.height == static_cast<std::size_t>(std::lround(80 / 25.4 * dpi)));
        // the corner is paper; where the curve is, the dots are blue: #0072B2 has no red. Lines are a point
        // wide, so that one dot of 1/72 inch may be half covered
        CHECK(dots.at(1, 1) == std::array{255, 255, 255});
        const auto line = lines_of(svg, blue).at(0);
        for (std::size_t k = 5; k + 5 < line.size(); ++k) {
            const auto [red, green, shade] = dots.at(line[k][0] * dpi / 72, line[k][1] * dpi / 72);
            CHECK(red < (dpi > 100 ? 60 : 200));
            CHECK(shade > red);
        }
    }
}

TEST_CASE("an area of a PNG has the darkness of its size: the disc of an exposure")
{
    const Scene scene = scene_with(R"toml(
[[draw]]
kind = "circle"
at = [0, "z"]
radius_m = 0.2
colour = "black"
[[figure]]
name = "disc"
width_mm = 60
height_mm = 60
[[figure.panel]]
kind = "exposure"
every = 100000
numbers = false
x_range = [-1, 1]
y_range = [0, 2]
)toml");
    const auto png =
        make_figure(scene, scene.figures[0], {.format = FigureFormat::Png, .dots_per_inch = 200});
    const auto svg = make_figure(scene, scene.figures[0]);
    REQUIRE(png.has_value());
    REQUIRE(svg.has_value());
    std::smatch found;
    REQUIRE(std::regex_search(svg->file, found,
                              std::regex("<circle[^>]* cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"([0-9.]+)\"")));
    const double scale = 200.0 / 72, x = std::stod(found[1]) * scale, y = std::stod(found[2]) * scale,
                 r = std::stod(found[3]) * scale, width = 0.7 * scale;
    const Dots dots = dots_of(png->file);
    double dark = 0;
    for (double i = x - r - 3; i < x + r + 3; ++i) {
        for (double j = y - r - 3; j < y + r + 3; ++j) {
            dark += 1 - dots.at(i, j)[0] / 255.0;
        }
    }
    // a ring of the width of the line; the grid behind it adds some per cent
    CHECK(dark == doctest::Approx(2 * std::numbers::pi * r * width).epsilon(0.15));
}

TEST_CASE("curves of columns have marks at events too, and names of their own")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "columns"
[[figure.panel]]
events = true
[[figure.panel.curve]]
gap = "floor"
[[figure.panel.curve]]
percussion = "floor"
)toml");
    const std::string svg = svg_of(scene);
    CHECK(svg.find(">gap of floor<") != std::string::npos);
    CHECK(svg.find(">impulse of floor<") != std::string::npos);
    // one impact before 0.7 s, marked on both curves
    const std::regex mark("<circle[^>]*fill=\"#FFFFFF\"");
    CHECK(std::distance(std::sregex_iterator(svg.begin(), svg.end(), mark), std::sregex_iterator()) == 2);
}

TEST_CASE("numbers of exposures that lie close together do not cover each other")
{
    // in its first 0.1 s the ball falls by 5 cm, a few points of a figure of 60 mm
    const Scene scene = scene_with(R"toml(
[[draw]]
kind = "circle"
at = [0, "z"]
radius_m = 0.2
[[figure]]
name = "balls"
width_mm = 60
height_mm = 60
[[figure.panel]]
kind = "exposure"
every = 2
)toml");
    const std::vector<Written> numbers = texts_of(svg_of(scene), "6.50");
    // 36 exposures, more than lines fit into the frame above the floor
    REQUIRE(numbers.size() > 10);
    REQUIRE(numbers.size() < 36);
    CHECK(numbers.front().text == "0");
    for (std::size_t a = 0; a < numbers.size(); ++a) {
        CHECK(numbers[a].y - 6.5 > 0);
        for (std::size_t b = 0; b < a; ++b) {
            // lines of 6.5 points; digits are 0.64 em wide
            CAPTURE(numbers[a].text);
            CAPTURE(numbers[b].text);
            const bool beside = std::abs(numbers[a].x - numbers[b].x) > 0.6 * 6.5;
            CHECK((beside || std::abs(numbers[a].y - numbers[b].y) > 6.4));
        }
    }
}

TEST_CASE("an axis has at least three numbers, and they do not cover each other")
{
    for (const char* const range :
         {"[7, 83]", "[-0.3, 0.31]", "[100, 173]", "[0, 2.4e-7]", "[1e6, 1.00001e6]"}) {
        CAPTURE(range);
        const Scene scene =
            scene_with("[[figure]]\nname = \"narrow\"\nwidth_mm = 45\nheight_mm = 45\n[[figure.panel]]\n"
                       "y = [\"z\"]\nx_range = " +
                       std::string(range) + "\n");
        std::vector<Written> below;
        for (const Written& text : texts_of(svg_of(scene), "7.50")) {
            if (text.anchor == "middle") below.push_back(text);
        }
        CHECK(below.size() >= 2);
        for (std::size_t k = 1; k < below.size(); ++k) {
            const double wide =
                0.64 * 7.5 * static_cast<double>(std::max(below[k].text.size(), below[k - 1].text.size()));
            CHECK(below[k].x - below[k - 1].x > 0.9 * wide);
        }
    }
    const Scene scene = scene_with(
        "[[figure]]\nname = \"narrow\"\nwidth_mm = 45\n[[figure.panel]]\ny = [\"z\"]\nx_range = [7, 83]\n");
    CHECK(std::ranges::count_if(texts_of(svg_of(scene), "7.50"),
                                [](const Written& t) { return t.anchor == "middle"; }) >= 3);
}

TEST_CASE("numbers of a figure: instants of events, energies, runs by their value, means")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "numbers"
over = "parameters.e"
values = [0, 0.5, 1]
[[figure.number]]
label = "first impact"
event = "impact"
reference = "sqrt(2/9.81)"
[[figure.number]]
label = "second impact, e = 1/2"
event = "impact"
place = "floor"
which = 2
of_value = 0.5
reference = "2*sqrt(2/9.81)"
[[figure.number]]
label = "kinetic energy, e = 0"
energy = "kinetic_J"
of_value = 0
reference = 0
[[figure.number]]
label = "e as a mean"
value = "e"
mean = true
reference = 0.5
[[figure.number]]
label = "e of the last"
value = "e"
of_value = 1
reference = "e"
[[figure.number]]
label = "never"
event = "slip"
reference = 0
[[figure.set]]
key = "duration_s"
value = 1
[[figure.panel]]
y = ["z"]
)toml");
    const auto figure = make_figure(scene, scene.figures[0]);
    REQUIRE(figure.has_value());
    const auto& results = figure->results;
    REQUIRE(results.size() == 6);
    CHECK(results[0].error() < 1e-12);
    CHECK(results[1].error() < 1e-12);
    CHECK(results[2].value == 0);
    CHECK(results[3].value == doctest::Approx(0.5));
    // formulas and references have the parameter of their run
    CHECK(results[4].value == 1);
    CHECK(results[4].reference == 1);
    CHECK(std::isnan(results[5].value));
    // the figure runs longer than the scene
    CHECK(figure->runs[0].run.at_end.t_s == doctest::Approx(1));
    CHECK(scene.plan.duration_s == doctest::Approx(0.7));
}

TEST_CASE("values between two ends are equally spaced, or random and the same for the same seed")
{
    const auto values = [](const std::string& keys) {
        return scene_with("[[figure]]\nname = \"many\"\nover = \"parameters.e\"\nbetween = [0.2, 0.8]\n" +
                          keys + "[[figure.panel]]\ny = [\"z\"]\n")
            .figures[0]
            .values;
    };
    const auto even = values("runs = 4\n");
    REQUIRE(even.size() == 4);
    CHECK(even[1] == doctest::Approx(0.4));
    CHECK(even[3] == doctest::Approx(0.8));
    const auto random = values("runs = 50\nseed = 7\n");
    CHECK(random == values("runs = 50\nseed = 7\n"));
    CHECK(random != values("runs = 50\nseed = 8\n"));
    CHECK(std::ranges::all_of(random, [](double v) { return v >= 0.2 && v < 0.8; }));
}

TEST_CASE("with many runs the key names the first and the last")
{
    const Scene scene = scene_with(R"toml(
[[figure]]
name = "many"
over = "parameters.e"
between = [0, 1]
runs = 11
[[figure.panel]]
y = ["z"]
)toml");
    const std::string svg = svg_of(scene);
    CHECK(svg.find(">e = 0<") != std::string::npos);
    CHECK(svg.find(">e = 1<") != std::string::npos);
    CHECK(svg.find(">e = 0.5<") == std::string::npos);
}

namespace {

/// A forced mass that strikes a stop once in each period.
const std::string oscillator = R"toml(duration_s = 10
[parameters]
w = 2.2
[[coordinate]]
name = "x"
start = -0.5
start_velocity = 0.1
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
forces = { x = "-0.05*x' + cos(w*t)" }
[[contact]]
name = "stop"
gap = "-x"
law = { restitution = 0.8 }
[integrator]
kind = "series"
time_step_s = 0.02
)toml";

}  // namespace

TEST_CASE("a figure of an orbit shows one period, which closes; a branch shows where its stability changes")
{
    const auto scene = read_scene_text(oscillator + R"toml(
[[figure]]
name = "orbit"
[figure.orbit]
period = "2*pi/w"
settle = 60
along = "w"
range = [2.1, 2.8]
[[figure.number]]
label = "doubling"
special = "period_doubling"
reference = 2.65
[[figure.panel]]
x = "x"
y = ["x'"]
[[figure.panel]]
kind = "branch"
y = ["x'"]
)toml",
                                       "oscillator.toml");
    REQUIRE(scene.has_value());
    const auto figure = make_figure(*scene, scene->figures[0]);
    REQUIRE(figure.has_value());
    const Run& run = figure->runs.at(0).run;
    CHECK(run.at_end.t_s - run.record.start_s == doctest::Approx(2 * std::numbers::pi / 2.2));
    CHECK(run.at_end.q[0] == doctest::Approx(run.record.q(0, 0)).epsilon(1e-9));
    CHECK(run.at_end.u[0] == doctest::Approx(run.record.u(0, 0)).epsilon(1e-9));
    CHECK(std::isfinite(figure->results.at(0).value));
    // the name of a point near the right side of its frame stands to the left of the point, and no point of
    // the curve that falls towards it is behind the name
    const auto texts = texts_of(figure->file, "7.00");
    const auto name = std::ranges::find(texts, "period doubling", &Written::text);
    REQUIRE(name != texts.end());
    CHECK(name->anchor == "end");
    const std::regex circle("<circle[^>]* cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"2.40\"");
    std::smatch mark;
    REQUIRE(std::regex_search(figure->file, mark, circle));
    CHECK(name->x < std::stod(mark[1]));
    for (const Points& line : lines_of(figure->file, blue)) {
        for (const auto& [x, y] : line) {
            const bool behind = x > name->x - 40 && x < name->x && y > name->y - 7 && y < name->y;
            CHECK_FALSE(behind);
        }
    }
}

TEST_CASE("names of special points of a diagram stand in its frame, clear of each other")
{
    DiagramPanel panel{.x_label = "w", .y_label = "x"};
    panel.curves.push_back({.colour = blue, .points = {{0, 0}, {1, 1}}});
    for (const double at : {0.7, 0.8, 0.99, 1.0})
        panel.marks.push_back({{at, 1}, "period_doubling", vermilion});
    const Diagram diagram{.panels = {panel}};
    const std::string svg = draw_diagram(diagram, FigureFormat::Svg);
    const std::vector<Written> names = texts_of(svg, "7.00");
    REQUIRE(names.size() == panel.marks.size());
    // letters of 7 points are at least 0.4 em wide
    constexpr double size = 7, width = 0.4 * size * 15;
    const double frame_right = diagram.width_mm * 72 / 25.4 - 14;
    const auto left_of = [](const Written& name) { return name.anchor == "end" ? name.x - width : name.x; };
    for (std::size_t a = 0; a < names.size(); ++a) {
        CHECK(names[a].text == "period doubling");
        CHECK(left_of(names[a]) + width <= frame_right);
        CHECK(names[a].y - size >= 20);
        for (std::size_t b = 0; b < a; ++b) {
            const bool beside = std::abs(left_of(names[a]) - left_of(names[b])) >= width;
            CHECK((beside || std::abs(names[a].y - names[b].y) >= size));
        }
    }
}

TEST_CASE("strobes follow the parameter that a run has")
{
    const auto scene = read_scene_text(oscillator + R"toml(
[[figure]]
name = "strobe"
over = "parameters.w"
values = [2.2, 3.3]
[[figure.panel]]
strobe_s = "2*pi/w"
y = ["x"]
)toml",
                                       "oscillator.toml");
    REQUIRE(scene.has_value());
    const auto figure = make_figure(*scene, scene->figures[0]);
    REQUIRE(figure.has_value());
    CHECK(figure->runs[0].run.snapshots.at(1).time_s == doctest::Approx(2 * std::numbers::pi / 2.2));
    CHECK(figure->runs[1].run.snapshots.at(1).time_s == doctest::Approx(2 * std::numbers::pi / 3.3));
}

TEST_CASE("a cone in space is seen from the top and projected; one of the plane is not")
{
    const std::string head = R"toml(duration_s = 1.2
[parameters]
beta = 0.7853981633974483
[[coordinate]]
name = "s"
start = 0
[[coordinate]]
name = "r"
start = 0
[lagrangian]
kinetic = "(s'^2 + r'^2)/2"
forces = { s = "t", r = "-1" }
[[contact]]
name = "floor"
gap = "r*cos(beta)"
)toml";
    const std::string tail = R"toml(
law = { kind = "coulomb", friction = 0.5 }
[integrator]
time_step_s = 1e-3
[[figure]]
name = "cone"
[[figure.number]]
label = "slip"
event = "slip"
reference = "0.5/cos(beta)/sqrt(1 - 0.25*tan(beta)^2)"
[[figure.panel]]
kind = "cone"
view = "projection"
plane_rad = "beta"
contact = "floor"
[[figure.panel]]
kind = "cone"
view = "top"
contact = "floor"
)toml";
    const auto space = read_scene_text(head + "sliding = [\"s'\", \"r'*sin(beta)\"]\n" + tail, "space.toml");
    REQUIRE(space.has_value());
    const auto drawn = make_figure(*space, space->figures[0]);
    REQUIRE(drawn.has_value());
    // static and dynamic coefficients differ [Moreau 1988, section 17]; the instant is known to a step
    CHECK(drawn->results[0].value == doctest::Approx(drawn->results[0].reference).epsilon(2e-3));
    const auto plane = read_scene_text(head + "sliding = [\"s'\"]\n" + tail, "plane.toml");
    REQUIRE(plane.has_value());
    CHECK(!make_figure(*plane, plane->figures[0]).has_value());
}
