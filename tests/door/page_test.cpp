#include "carom/door/run.hpp"
#include "carom/trace/page.hpp"
#include "support/read_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

/// Pages of runs that are too large for memory, and of runs that go on.

namespace carom::test {
namespace {

/// Balls on a plate: impacts, contacts that come and go, turns.
const std::string balls = R"(
title = "balls"
duration_s = 0.4
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.05
copies = [3, 2, 1]
position_m = ["0.12*i", "0.12*j", "0.1 + 0.03*i"]
velocity_m_s = [0.2, 0.1, 0]
[[material]]
name = "steel"
friction = 0.3
restitution = 0.5
[integrator]
time_step_s = 1e-3
[record]
every_s = 4e-3
)";

const std::string bouncing = R"(
duration_s = 1
[[coordinate]]
name = "z"
start = 0.3
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = 0.7 }
[[draw]]
kind = "point"
at = [0, "z"]
[record]
every_s = 0.01
)";

Recording record_of(const std::string& text, const std::string& file = {})
{
    auto scene = read_scene_text(text, "test");
    REQUIRE(scene.has_value());
    auto result = run(*scene, {.recording = file});
    REQUIRE(result.has_value());
    return std::move(result->record);
}

template <class Table>
void keep_rows(Table& table, Eigen::Index rows)
{
    if (table.rows() > rows) table = table.topRows(rows).eval();
}

/// The recording as it was when it had so many frames.
Recording beginning_of(Recording record, Eigen::Index frames)
{
    const double end_s = record.time_s[frames - 1];
    for (Eigen::VectorXd* column : {&record.time_s, &record.residual, &record.bodies.step_s})
        keep_rows(*column, frames);
    for (auto* list : {&record.energies, &record.probes}) {
        for (RecordedSeries& series : *list)
            keep_rows(series.values, frames);
    }
    RecordedBodies& b = record.bodies;
    for (RowMatrix* table : {&record.q, &record.u, &record.gap_m, &record.percussion_Ns, &record.draw,
                             &b.velocity_change_m_s, &b.spin_change_Nms, &b.half_way_m})
        keep_rows(*table, frames);
    if (!b.first_row.empty()) {
        b.first_row.resize(static_cast<std::size_t>(frames) + 1);
        const Eigen::Index rows = b.first_row.back();
        for (auto* bodies : {&b.first, &b.second})
            bodies->resize(static_cast<std::size_t>(rows));
        for (RowMatrix* table : {&b.point_m, &b.normal, &b.percussion_Ns})
            keep_rows(*table, rows);
        for (Eigen::VectorXd* column : {&b.gap_m, &b.friction, &b.sliding_m_s, &b.residual})
            keep_rows(*column, rows);
    }
    std::erase_if(record.events, [&](const Event& event) { return event.time_s > end_s; });
    const Eigen::Index jumps = std::count_if(record.jumps.time_s.begin(), record.jumps.time_s.end(),
                                             [&](double t_s) { return t_s <= end_s; });
    keep_rows(record.jumps.time_s, jumps);
    for (RowMatrix* table :
         {&record.jumps.q, &record.jumps.u_minus, &record.jumps.u_plus, &record.jumps.draw})
        keep_rows(*table, jumps);
    record.report.reset();
    return record;
}

/// Puts what came later behind what a page has, as the viewer does.
void append(Page& page, const Page& part)
{
    REQUIRE(part.head.at("part") == true);
    for (const auto& [name, later] : part.tracks) {
        if (name == "contacts.every") {
            CHECK(later == page.tracks.at(name));
            continue;
        }
        Eigen::VectorXd& values = page.tracks[name];
        const Eigen::VectorXd before = values;
        values.resize(before.size() + later.size());
        values << before, later;
    }
    page.head["follow"] = part.head.at("follow");
}

void check_grown_page(const Recording& whole, const PageSettings& asked)
{
    PageSettings settings = asked;
    settings.follow = "1";
    Page page = read_page(to_page(beginning_of(whole, 10), settings));
    for (const Eigen::Index frames : {Eigen::Index{11}, Eigen::Index{40}, whole.frames()}) {
        const Recording now = frames < whole.frames() ? beginning_of(whole, frames) : whole;
        settings.follow = std::to_string(frames);
        const auto part = to_page_part(now, page.head.at("follow").get<std::string>(), settings);
        REQUIRE(part.has_value());
        CHECK(part->find("<html") == std::string::npos);
        append(page, read_page(*part));
    }
    const Page wanted = read_page(to_page(whole, asked));
    for (const auto& [name, values] : wanted.tracks) {
        CAPTURE(name);
        CHECK(page.tracks.at(name) == values);
    }
    CHECK(page.tracks.size() == wanted.tracks.size());
}

}  // namespace

TEST_CASE("a page that follows a run and gets what is new holds in the end what a page of the whole run does")
{
    check_grown_page(record_of(bouncing), {});
    check_grown_page(record_of(balls), {});
}

TEST_CASE("a page of another run, or one that has more than the recording, is sent whole")
{
    const Recording run = record_of(bouncing);
    const PageSettings settings{.follow = "1"};
    const auto has = read_page(to_page(run, settings)).head.at("follow").get<std::string>();
    CHECK(to_page_part(run, has, settings).has_value());
    CHECK_FALSE(to_page_part(beginning_of(run, 20), has, settings).has_value());
    Recording other = run;
    other.scene_text += "# another one";
    CHECK_FALSE(to_page_part(other, has, settings).has_value());
    for (const char* wrong : {"", "1", "1/2/3", "1/-5/0/0/1/1/1/0/0/0", "1/x/0/0/1/1/1/0/0/0",
                              "1/999999999999999999999/0/0/1/1/1/0/0/0"})
        CHECK_FALSE(to_page_part(run, wrong, settings).has_value());
    // longer than twice what a page may hold
    CHECK_FALSE(to_page_part(run, has, {.max_data_bytes = 1000, .follow = "1"}).has_value());
}

TEST_CASE("a recording whose tables are left in its file has the same page")
{
    const auto folder = std::filesystem::temp_directory_path() / "carom_page_test";
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "run.h5").string();
    static_cast<void>(record_of(balls, file));
    const auto whole = read_recording(file), left = read_recording(file, {.max_table_bytes = 0});
    REQUIRE(whole.has_value());
    REQUIRE(left.has_value());
    CHECK(left->q.rows() == 0);
    CHECK(left->bodies.first.empty());
    CHECK_FALSE(whole->file);
    // places in blocks, all frames and one in some
    for (const PageSettings& settings :
         {PageSettings{.max_fine_bytes = 0}, PageSettings{.max_motion_bytes = 2000, .max_fine_bytes = 0}}) {
        const auto pieces =
            page_pieces({.runs = {{.name = "", .recording = &*left}}, .tables = {}}, settings);
        REQUIRE(pieces.has_value());
        std::string page;
        for (const std::string& piece : *pieces)
            page += piece;
        CHECK(page == to_page(*whole, settings));
        CHECK(page.find("carom-motion") != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("the first picture of many bodies needs what comes first on the page")
{
    const Recording run = record_of(balls);
    const std::string text = to_page(run, {.max_fine_bytes = 0});
    const Page page = read_page(text);
    // from top to bottom: head, tracks over time, two frames, contacts, the other frames
    const auto place = [&](const std::string& mark, std::size_t from = 0) {
        const std::size_t found = text.find(mark, from);
        REQUIRE(found != std::string::npos);
        return found;
    };
    const std::size_t first = place("\"carom-motion\""), late = place("\"carom-late\"");
    CHECK(place("\"carom-tracks\"") < first);
    CHECK(first < late);
    CHECK(late < place("\"carom-motion\"", late));
    CHECK(page.head.at("motion").at("first_frames") == 2);
    for (const auto& track : page.head.at("tracks"))
        CHECK_FALSE(track.at("name").get<std::string>().starts_with("contacts."));
    // nothing is lost on the way
    CHECK(page.tracks.at("contacts.first").size() == static_cast<Eigen::Index>(run.bodies.first.size()));
    CHECK(page.tracks.at("time_s").size() == run.frames());
    // few bodies have one list of tracks
    CHECK_FALSE(read_page(to_page(run)).head.contains("late"));
}

TEST_CASE("recordings and pages say where springs and motors are")
{
    const Recording run = record_of(R"(
duration_s = 0.01
[[body]]
name = "arm"
shape = "box"
size_m = [0.4, 0.1, 0.1]
position_m = [0.2, 0, 0]
mass_kg = 1
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
position_m = [1, 0, 0]
mass_kg = 1
[[spring]]
first = "ball"
first_point_m = [-0.1, 0, 0]
second = "arm"
second_point_m = [0.2, 0, 0]
stiffness_N_m = 10
rest_length_m = 0.5
[[spring]]
first = "ball"
second_point_m = [1, 0, 2]
stiffness_N_m = "5 + t"
rest_length_m = 2
[[joint]]
name = "pin"
first = "arm"
axis = [0, 1, 0]
turn = { motor_rad_s = 1 }
)");
    const RecordedMechanics& told = run.mechanics;
    REQUIRE(told.springs.size() == 2);
    CHECK(told.springs[0].first == 1);
    CHECK(told.springs[0].second == 0);
    CHECK(told.springs[0].first_point_m == Vec3(-0.1, 0, 0));
    CHECK(told.springs[1].second == -1);
    CHECK(told.springs[1].second_point_m == Vec3(1, 0, 2));
    REQUIRE(told.joints.size() == 1);
    CHECK(told.joints[0].turn_motor);
    CHECK_FALSE(told.joints[0].slide_motor);
    const nlohmann::json head = read_page(to_page(run)).head;
    CHECK(head.at("mechanics").at("springs").size() == 2);
    CHECK(head.at("mechanics").at("joints").at(0).at("turn_motor") == true);
}

}  // namespace carom::test
