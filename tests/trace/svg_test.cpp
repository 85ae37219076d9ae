#include "support.hpp"

#include "carom/trace/export.hpp"

#include <cctype>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

/// What a parser of XML would insist on, for the subset that pictures use: tags that close, attributes in
/// quotes, only known entities, no control characters. Empty, or what is wrong.
std::string xml_mistake(const std::string& text)
{
    static const std::regex tag(R"re(^<(/?)([a-zA-Z]+)((\s+[a-zA-Z][a-zA-Z:-]*="[^"<]*")*)\s*(/?)>)re");
    static const std::regex entity("^&(amp|lt|gt|quot|apos);");
    std::vector<std::string> open;
    for (std::size_t i = 0; i < text.size();) {
        std::smatch found;
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 32 && byte != '\n') return "control character";
        if (text[i] == '&') {
            const std::string piece = text.substr(i, 8);
            if (!std::regex_search(piece, found, entity)) return "bare & at " + text.substr(i, 20);
        }
        if (text[i] == '>') return "bare > at " + text.substr(i, 20);
        if (text[i] != '<') {
            ++i;
            continue;
        }
        // a path can be long: its data are not looked at by the regular expression
        const std::size_t end = text.find('>', i);
        if (end == std::string::npos) return "tag without end";
        std::string piece = text.substr(i, end - i + 1);
        if (const auto data = piece.find(" d=\""); data != std::string::npos) {
            const auto quote = piece.find('"', data + 4);
            if (piece.find_first_not_of("MLHVhv0123456789. -", data + 4) != quote)
                return "strange path " + piece.substr(0, 80);
            piece.erase(data, quote + 1 - data);
        }
        if (!std::regex_match(piece, found, tag)) return "strange tag " + piece.substr(0, 80);
        if (found[1].length() > 0) {
            if (open.empty() || open.back() != found[2]) return "closes what is not open: " + piece;
            open.pop_back();
        } else if (found[5].length() == 0) {
            open.push_back(found[2]);
        }
        i = end + 1;
    }
    return open.empty() ? "" : "never closed: " + open.back();
}

std::size_t count(const std::string& text, const std::string& piece)
{
    std::size_t result = 0;
    for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
        ++result;
    }
    return result;
}

/// The points of line number `k` in the picture.
std::vector<std::pair<double, double>> points_of(const std::string& svg, std::size_t k)
{
    std::size_t at = 0;
    for (std::size_t i = 0; i <= k; ++i) {
        at = svg.find("<path class=\"line\" d=\"", at + 1);
        REQUIRE(at != std::string::npos);
    }
    const std::size_t begin = at + 22;
    std::string data = svg.substr(begin, svg.find('"', begin) - begin);
    for (char& letter : data) {
        if (letter == 'M' || letter == 'L') letter = ' ';
    }
    for (auto h0 = data.find("h0"); h0 != std::string::npos; h0 = data.find("h0")) {
        data.erase(h0, 2);
    }
    std::istringstream in(data);
    std::vector<std::pair<double, double>> points;
    for (double x = 0, y = 0; in >> x >> y;) {
        points.emplace_back(x, y);
    }
    return points;
}

/// Frames of one coordinate by hand.
Recording made_by_hand(Eigen::Index frames, Eigen::Index coordinates)
{
    Recording run;
    run.title = "by hand";
    run.time_step_s = 0.1;
    run.every_s = 1;
    run.time_s = Eigen::VectorXd::LinSpaced(frames, 0, static_cast<double>(frames - 1));
    run.q = RowMatrix::Zero(frames, coordinates);
    run.u = RowMatrix::Zero(frames, coordinates);
    for (Eigen::Index i = 0; i < coordinates; ++i) {
        run.coordinates.push_back({.name = "x" + std::to_string(i), .unit = "m"});
    }
    run.jumps.q = run.jumps.u_minus = run.jumps.u_plus = RowMatrix(0, coordinates);
    return run;
}

}  // namespace

TEST_CASE("the picture of a bouncing ball is well-formed and shows every panel")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const Recording run = run_and_record(model, dropped(model), folder / "run.h5", 3.0, 1e-3).recording;
    const std::string svg = to_svg(run);
    CHECK(xml_mistake(svg) == "");
    CHECK(svg.size() < 1'000'000);

    // metres and radians have panels of their own, and so have their velocities and the two probes
    CHECK(count(svg, ">coordinates</text>") == 2);
    CHECK(count(svg, ">velocities</text>") == 2);
    CHECK(count(svg, ">gaps</text>") == 1);
    CHECK(count(svg, ">probes</text>") == 2);
    CHECK(count(svg, ">energies</text>") == 1);
    for (const char* label :
         {"time (s)", "(m)", "(rad)", "(m/s)", "(rad/s)", "(J)", ">floor<", ">kinetic<", ">total<"}) {
        CAPTURE(label);
        CHECK(count(svg, label) >= 1);
    }
    CHECK(count(svg, "script") == 0);
}

TEST_CASE("an impact between frames is a vertical line from u- to u+")
{
    Recording run = made_by_hand(3, 1);
    run.q << 1, 0, 1;
    run.u << -1, 2, 2;
    run.jumps.time_s = Eigen::VectorXd::Constant(1, 0.5);
    run.jumps.q = RowMatrix::Constant(1, 1, -3);
    run.jumps.u_minus = RowMatrix::Constant(1, 1, -1);
    run.jumps.u_plus = RowMatrix::Constant(1, 1, 2);
    const std::string svg = to_svg(run);

    // frame, u-, u+, frame, frame
    const auto u = points_of(svg, 1);
    REQUIRE(u.size() == 5);
    CHECK(u[1].first == u[2].first);
    CHECK(u[1].first == doctest::Approx((3 * u[0].first + u[4].first) / 4).epsilon(1e-3));
    CHECK(u[1].second == u[0].second);
    CHECK(u[2].second == u[3].second);
    CHECK(u[2].second < u[1].second);  // upwards is up

    // the coordinate passes through the value that it had there, the lowest of all
    const auto q = points_of(svg, 0);
    REQUIRE(q.size() == 5);
    CHECK(q[1].second > q[0].second);
    CHECK(q[1].second > q[3].second);
}

TEST_CASE("a frame between the start of a step and its impact does not show the jump twice")
{
    // the step from 0.95 to 1.05 has an impact at 1; the frame at 0.97 has the velocity after it already
    // (MS-6)
    Recording run = made_by_hand(3, 1);
    run.time_s << 0, 0.97, 2;
    run.u << -1, 2, 2;
    run.jumps.time_s = Eigen::VectorXd::Constant(1, 1.0);
    run.jumps.q = RowMatrix::Zero(1, 1);
    run.jumps.u_minus = RowMatrix::Constant(1, 1, -1);
    run.jumps.u_plus = RowMatrix::Constant(1, 1, 2);
    const auto u = points_of(to_svg(run), 1);
    REQUIRE(u.size() == 4);
    CHECK(u[0].second == u[1].second);
    CHECK(u[2].second == u[3].second);
}

TEST_CASE("names from others are text, whatever they contain")
{
    Recording run = made_by_hand(3, 1);
    run.title = "</script><b>& \"quoted\" 'too' \x01 \xff \xef\xbf\xbf";
    run.coordinates[0] = {.name = "</svg><script>alert(1)</script>", .unit = "<m>"};
    const std::string svg = to_svg(run);
    CHECK(xml_mistake(svg) == "");
    CHECK(count(svg, "<script") == 0);
    CHECK(count(svg, "<b>") == 0);
    CHECK(count(svg, "&lt;/script&gt;&lt;b&gt;&amp;") >= 1);
    CHECK(count(svg, "\xef\xbf\xbf") == 0);
}

TEST_CASE("what is not a number is not drawn")
{
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    Recording run = made_by_hand(7, 1);
    run.q << 0, 1, nan, 2, inf, 3, -inf;
    run.u.setConstant(nan);
    run.contacts = {"wall"};
    run.gap_m = RowMatrix::Constant(7, 1, 1e308);
    const std::string svg = to_svg(run, {.width_px = nan, .panel_height_px = -inf, .max_lines = 99});
    CHECK(xml_mistake(svg) == "");
    std::string small = svg;
    for (char& letter : small) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    CHECK(count(small, "nan") == 0);
    CHECK(count(small, "inf") == 0);

    // 0 1 | 2 | 3: three pieces
    CHECK(points_of(svg, 0).size() == 4);

    // no frames, no time, nothing at all
    CHECK(xml_mistake(to_svg(Recording{})) == "");
    CHECK(xml_mistake(to_svg(made_by_hand(1, 1))) == "");
    Recording constant = made_by_hand(2, 1);
    constant.q.setConstant(1e-310);
    constant.u.setConstant(-5e307);
    constant.time_s.setConstant(4);
    CHECK(xml_mistake(to_svg(constant)) == "");
}

TEST_CASE("a panel shows eight lines and counts the others")
{
    const std::string svg = to_svg(made_by_hand(3, 20));
    CHECK(count(svg, ">and 12 more</text>") == 2);
    CHECK(count(svg, "class=\"line\"") == 16);
    CHECK(count(svg, ">x7</text>") == 1);
    CHECK(count(svg, ">x7&apos;</text>") == 1);
    CHECK(count(svg, ">x8</text>") == 0);
}

TEST_CASE("long recordings stay below 1 MB and keep their extremes")
{
    // noise in every pixel, and in one frame of 200 000 a peak that a sample of every n-th frame would miss
    Recording run = made_by_hand(200'000, 8);
    std::uint64_t seed = 1;
    const auto noise = [&seed] {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(seed >> 40U) / static_cast<double>(1U << 24U);
    };
    for (RowMatrix* values : {&run.q, &run.u}) {
        for (Eigen::Index i = 0; i < values->size(); ++i) {
            values->data()[i] = noise();
        }
    }
    run.q(77'777, 3) = 10;
    run.q(123'456, 5) = -10;
    const std::string svg = to_svg(run);
    CHECK(svg.size() < 1'000'000);
    CHECK(svg.size() > 100'000);

    const auto up = points_of(svg, 3), down = points_of(svg, 5);
    const auto by_height = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto top = std::min_element(up.begin(), up.end(), by_height);
    const auto bottom = std::max_element(down.begin(), down.end(), by_height);
    // the axis reaches from -10 to 10 and noise has height 1: the peaks are 9 times as far from the middle
    const double middle = (top->second + bottom->second) / 2;
    CHECK(middle - top->second > 50);
    const double left = up.front().first, right = up.back().first;
    CHECK(top->first == doctest::Approx(left + (right - left) * 77'777 / 199'999).epsilon(1e-3));
}

TEST_CASE("ticks are at round numbers")
{
    Recording run = made_by_hand(2, 1);
    run.q << 0.013, 0.087;
    const std::string svg = to_svg(run);
    for (const char* label : {">0.02<", ">0.04<", ">0.06<", ">0.08<"}) {
        CAPTURE(label);
        CHECK(count(svg, label) == 1);
    }

    // small numbers: the power of ten stands at the axis
    run.q << 1.3e-6, 8.7e-6;
    CHECK(count(to_svg(run), "(10⁻⁶ m)") == 1);
}
