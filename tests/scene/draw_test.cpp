#include "support.hpp"
#include "support/near.hpp"

#include "core/palette.hpp"
#include "expression/workspace.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

std::string drawn(const std::string& entries)
{
    return pendulum + "[[draw]]\n" + entries;
}

/// Line 23 is the header of the first [[draw]] behind the pendulum.
constexpr const char* first_line = "s.toml:23:1";

}  // namespace

TEST_CASE("what a scene draws is where its formulas say")
{
    const Scene scene = good(drawn(R"toml(kind = "segment"
points = [[0, 0], ["l*sin(theta)", "-l*cos(theta)"]]
colour = "vermilion"
[[draw]]
kind = "point"
at = ["l*sin(theta)", "-l*cos(theta)", "t"]
contact = "wall"
normal = ["cos(theta)", "sin(theta)", 0]
tangent = ["-sin(theta)", "cos(theta)", 0]
label = "bob"
[[draw]]
kind = "circle"
at = [0, 0]
radius_m = "l/10"
[[draw]]
kind = "polyline"
points = [[0, 0], [1, 0], [0, 1]]
closed = true
[[draw]]
kind = "trace"
at = ["theta", 0]
)toml"));
    const auto& drawings = scene.model.system().drawings;
    REQUIRE(drawings.size() == 5);
    Workspace work;
    const Point start = point_of(scene.start);

    CHECK(drawings[0].kind == DrawingKind::Segment);
    CHECK(drawings[0].colour == "vermilion");
    REQUIRE(drawings[0].points.size() == 4);
    // the same functions of the same number: equal to the last bit but for the order of a product
    CHECK(drawings[0].points[2].value(start, work) == near(std::sin(1.0), 1e-15));

    CHECK(drawings[1].dimension == 3);
    CHECK(drawings[1].contact == 0);
    CHECK(drawings[1].label == "bob");
    REQUIRE(drawings[1].normal.size() == 3);
    CHECK(drawings[1].normal[1].value(start, work) == near(std::sin(1.0), 1e-15));
    REQUIRE(drawings[1].tangent.size() == 3);
    CHECK(drawings[1].tangent[0].value(start, work) == near(-std::sin(1.0), 1e-15));
    CHECK(drawings[1].colour == palette[1].name);  // colours come in turn

    REQUIRE(drawings[2].radius_m.has_value());
    CHECK(drawings[2].radius_m->value(start, work) == near(0.1, 1e-16));
    CHECK(drawings[3].closed);
    CHECK(drawings[3].point_count() == 3);
    CHECK(drawings[4].kind == DrawingKind::Trace);
}

TEST_CASE("drawing never changes the motion")
{
    const Scene plain = good(pendulum);
    const Scene with_picture = good(drawn("kind = \"point\"\nat = [\"theta\", 0]\n"));
    State a = plain.start, b = with_picture.start;
    const RunPlan plan{.duration_s = 1.0, .until = {}};
    CHECK(simulate(plain.model, plain.integrator, plain.solver, plan, a).status == RunStatus::Certified);
    CHECK(simulate(with_picture.model, with_picture.integrator, with_picture.solver, plan, b).status ==
          RunStatus::Certified);
    CHECK(a.q == b.q);
    CHECK(a.u == b.u);
}

TEST_CASE("mistakes in what is drawn are told with their place")
{
    only_error(drawn("kind = \"point\"\n"), ErrorCode::MissingKey, first_line);
    only_error(drawn("kind = \"point\"\npoints = [[0, 0]]\n"), ErrorCode::NotAllowedHere, "s.toml:25:1");
    only_error(drawn("kind = \"segment\"\nat = [0, 0]\n"), ErrorCode::NotAllowedHere, "s.toml:25:1");
    only_error(drawn("kind = \"segment\"\npoints = [[0, 0]]\n"), ErrorCode::WrongSize, "s.toml:25:10");
    only_error(drawn("kind = \"polyline\"\npoints = [[0, 0], [1, 1, 1]]\n"), ErrorCode::WrongSize,
               "s.toml:25:10");
    only_error(drawn("kind = \"point\"\nat = [0]\n"), ErrorCode::WrongSize, "s.toml:25:6");
    only_error(drawn("kind = \"point\"\nat = \"theta\"\n"), ErrorCode::WrongType, "s.toml:25:6");
    only_error(drawn("kind = \"circle\"\nat = [0, 0]\n"), ErrorCode::MissingKey, first_line);
    only_error(drawn("kind = \"circle\"\nat = [0, 0]\nradius_m = -1\n"), ErrorCode::SettingOutOfRange,
               "s.toml:26:12");
    only_error(drawn("kind = \"point\"\nat = [0, 0]\nradius_m = 1\n"), ErrorCode::NotAllowedHere,
               "s.toml:26:1");
    only_error(drawn("kind = \"point\"\nat = [0, 0]\nclosed = true\n"), ErrorCode::NotAllowedHere,
               "s.toml:26:1");
    only_error(drawn("kind = \"point\"\nat = [0, \"theta'\"]\n"), ErrorCode::NotAllowedHere, "s.toml:25:10");
    only_error(drawn("kind = \"point\"\nat = [0, \"phi\"]\n"), ErrorCode::UnknownName, "s.toml:25:10");
    only_error(drawn("kind = \"dot\"\nat = [0, 0]\n"), ErrorCode::UnknownName, "s.toml:24:8");
    only_error(drawn("kind = \"point\"\nat = [0, 0]\ncolour = \"red\"\n"), ErrorCode::UnknownName,
               "s.toml:26:10");
    const Error contact = only_error(drawn("kind = \"point\"\nat = [0, 0]\ncontact = \"wal\"\n"),
                                     ErrorCode::UnknownName, "s.toml:26:11");
    CHECK(contains(contact.hint, "wall"));
    only_error(drawn("kind = \"point\"\nat = [0, 0]\nnormal = [1, 0]\n"), ErrorCode::NotAllowedHere,
               "s.toml:26:1");
    only_error(drawn("kind = \"point\"\nat = [0, 0]\ncontact = \"wall\"\nnormal = [1, 0, 0]\n"),
               ErrorCode::WrongSize, "s.toml:27:10");
    only_error(drawn("kind = \"point\"\nat = [0, 0]\ncontact = \"wall\"\ntangent = [1, 0]\n"),
               ErrorCode::NotAllowedHere, "s.toml:27:1");
    only_error(
        drawn("kind = \"point\"\nat = [0, 0]\ncontact = \"wall\"\nnormal = [1, 0]\ntangent = [1, 0, 0]\n"),
        ErrorCode::WrongSize, "s.toml:28:11");
}
