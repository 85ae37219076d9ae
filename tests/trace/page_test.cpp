#include "support.hpp"
#include "support/read_page.hpp"

#include "carom/trace/page.hpp"

#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using namespace carom;
using namespace carom::test;

namespace {

/// A ball whose place and contact are drawn: point 0, z with its normal, and a circle of radius 0.1 + t.
Model drawn_ball()
{
    const Model plain = ball_and_wheel(0.5);
    LagrangianSystem system = plain.system();
    const Formula zero = Formula::constant(0), one = Formula::constant(1);
    const Formula z = record(2, [](const auto& q, const auto&, const auto&) { return q[0]; });
    const Formula radius = record(2, [](const auto&, const auto&, const auto& t) { return 0.1 + t; });
    system.drawings = {{.kind = DrawingKind::Point,
                        .points = {zero, z},
                        .radius_m = {},
                        .normal = {zero, one},
                        .tangent = {},
                        .contact = 0,
                        .colour = "blue",
                        .label = "ball"},
                       {.kind = DrawingKind::Circle,
                        .dimension = 3,
                        .points = {z, zero, one},
                        .radius_m = radius,
                        .normal = {},
                        .tangent = {},
                        .colour = "grey",
                        .label = {}}};
    auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    return std::move(*model);
}

Recording recorded(const Folder& folder, double every_s = 0.01)
{
    const Model model = drawn_ball();
    RecordSettings settings;
    settings.every_s = every_s;
    static_cast<void>(run_and_record(model, dropped(model), folder / "run.h5", 1.0, 1e-3, settings));
    auto recording = read_recording(folder / "run.h5");
    REQUIRE(recording.has_value());
    return std::move(*recording);
}

double largest_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b)
{
    REQUIRE(a.size() == b.size());
    return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("what is drawn is recorded where the frames and the impacts are")
{
    const Folder folder;
    const Recording run = recorded(folder);
    REQUIRE(run.drawings.size() == 2);
    CHECK(run.drawings[0].kind == DrawingKind::Point);
    CHECK(run.drawings[0].label == "ball");
    CHECK(run.drawings[0].contact == 0);
    CHECK(run.drawings[0].normal == 2);
    CHECK(run.drawings[1].first == 4);
    CHECK(run.drawings[1].radius == 7);
    CHECK(run.drawings[1].colour == "grey");
    REQUIRE(run.draw.cols() == 8);
    REQUIRE(run.draw.rows() == run.frames());

    // the formulas are functions of the recorded numbers
    CHECK(same_bits(Eigen::VectorXd(run.draw.col(1)), Eigen::VectorXd(run.q.col(0))));
    CHECK(same_bits(Eigen::VectorXd(run.draw.col(4)), Eigen::VectorXd(run.q.col(0))));
    CHECK(same_bits(Eigen::VectorXd(run.draw.col(7)), Eigen::VectorXd(run.time_s.array() + 0.1)));
    REQUIRE(run.jumps.draw.rows() == run.jumps.time_s.size());
    REQUIRE(run.jumps.draw.rows() > 0);
    CHECK(same_bits(Eigen::VectorXd(run.jumps.draw.col(1)), Eigen::VectorXd(run.jumps.q.col(0))));
}

TEST_CASE("a recording keeps more drawings than an attribute of HDF5 could")
{
    const Folder folder;
    LagrangianSystem system = drawn_ball().system();
    system.drawings.resize(1, system.drawings[0]);
    system.drawings.resize(1000, system.drawings[0]);
    const auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    static_cast<void>(run_and_record(*model, dropped(*model), folder / "run.h5", 0.1, 1e-3, {}));
    const auto run = read_recording(folder / "run.h5");
    REQUIRE(run.has_value());
    CHECK(run->drawings.size() == 1000);
    CHECK(run->draw.cols() == 4000);
}

TEST_CASE("drawings that do not fit their numbers are refused")
{
    const Folder folder;
    static_cast<void>(recorded(folder));
    for (const char* missing : {"/draw/drawings", "/draw/value", "/jumps/draw"}) {
        const std::string path = folder / "damaged.h5";
        std::filesystem::copy_file(folder / "run.h5", path,
                                   std::filesystem::copy_options::overwrite_existing);
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        REQUIRE(H5Ldelete(file, missing, H5P_DEFAULT) >= 0);
        REQUIRE(H5Fclose(file) >= 0);
        const auto run = read_recording(path);
        REQUIRE_FALSE(run.has_value());
        CHECK(run.error().code == ErrorCode::FileMalformed);
    }

    // a list that is none, names a contact that is not there, or counts other columns
    for (const char* list :
         {"nonsense", "[{}]",
          R"([{"kind":"point","label":"","colour":"","contact":7,"closed":false,"dimension":2,)"
          R"("points":1,"first":0,"radius":-1,"normal":-1}])",
          R"([{"kind":"point","label":"","colour":"","contact":0,"closed":false,"dimension":2,)"
          R"("points":1,"first":5,"radius":-1,"normal":-1}])",
          R"([{"kind":"point","label":"","colour":"","contact":0,"closed":false,"dimension":2,)"
          R"("points":900000000,"first":0,"radius":-1,"normal":-1}])",
          R"([{"kind":"point","label":"","colour":"","contact":0,"closed":false,"dimension":2,)"
          R"("points":1,"first":0,"radius":-1,"normal":-1}])"}) {
        const std::string path = folder / "damaged.h5";
        std::filesystem::copy_file(folder / "run.h5", path,
                                   std::filesystem::copy_options::overwrite_existing);
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        REQUIRE(H5Ldelete(file, "/draw/drawings", H5P_DEFAULT) >= 0);
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        REQUIRE(H5Tset_size(type, std::strlen(list) + 1) >= 0);
        REQUIRE(H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
        const hid_t text =
            H5Dcreate2(file, "/draw/drawings", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Dwrite(text, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) >= 0);
        H5Dclose(text), H5Sclose(space), H5Tclose(type);
        REQUIRE(H5Fclose(file) >= 0);
        const auto run = read_recording(path);
        CAPTURE(list);
        REQUIRE_FALSE(run.has_value());
        CHECK(run.error().code == ErrorCode::FileMalformed);
    }
}

TEST_CASE("a page holds the run: times exact, the rest to single precision")
{
    const Folder folder;
    const Recording run = recorded(folder);
    const Page page = read_page(to_page(run));
    CHECK(same_bits(page.tracks.at("time_s"), run.time_s));
    CHECK(same_bits(page.tracks.at("jumps.time_s"), run.jumps.time_s));
    // values are below 10, and single precision keeps 24 bits
    CHECK(largest_difference(page.tracks.at("q.0"), run.q.col(0)) < 1e-6);
    CHECK(largest_difference(page.tracks.at("u.0"), run.u.col(0)) < 1e-6);
    CHECK(largest_difference(page.tracks.at("jumps.u_minus.0"), run.jumps.u_minus.col(0)) < 1e-6);
    CHECK(largest_difference(page.tracks.at("draw.1"), run.q.col(0)) < 1e-6);
    CHECK(page.tracks.at("events.time_s").size() == static_cast<Eigen::Index>(run.events.size()));
    CHECK(page.head.at("report").at("status") == "certified");
    CHECK(page.head.at("draw").at(0).at("kind") == "point");
    CHECK(page.head.at("notes").empty());
}

TEST_CASE("sixteen bits keep a line to half of 1/65534 of its range, ends and missing numbers exactly")
{
    const Folder folder;
    Recording run = recorded(folder);
    run.q(3, 0) = std::numeric_limits<double>::quiet_NaN();
    run.q(4, 0) = std::numeric_limits<double>::infinity();
    run.u.col(1).setConstant(2.0);
    const Page page = read_page(to_page(run, {.max_fine_bytes = 0}));
    const Eigen::VectorXd& q = page.tracks.at("q.0");
    CHECK(std::isnan(q[3]));
    CHECK(std::isnan(q[4]));
    for (const Eigen::Index i : {3, 4})
        run.q(i, 0) = 0.5;
    Eigen::VectorXd compared = q;
    compared[3] = compared[4] = 0.5;
    const double range = run.q.col(0).maxCoeff() - run.q.col(0).minCoeff();
    // half a step, and roundoff of the decoding
    CHECK(largest_difference(compared, run.q.col(0)) <= range * (0.5 / 65534 + 1e-15));
    CHECK(q[0] == 1.0);  // the start is the highest point
    CHECK(page.tracks.at("u.1") == run.u.col(1));
    CHECK(page.head.at("notes").size() == 1);
}

TEST_CASE(
    "a long recording is thinned: ends kept, percussions summed, residuals the worst, and a note says so")
{
    const Folder folder;
    Recording run = recorded(folder, 1e-3);
    run.residual[502] = 7.0;
    const Page page = read_page(to_page(run, {.max_data_bytes = 30'000}));
    const Eigen::VectorXd& time_s = page.tracks.at("time_s");
    CHECK(time_s.size() < run.frames() / 2);
    CHECK(time_s[0] == run.time_s[0]);
    CHECK(time_s[time_s.size() - 1] == run.time_s[run.frames() - 1]);
    // single precision of a sum of a few terms of about 10
    CHECK(std::abs(page.tracks.at("percussion_Ns.0").sum() - run.percussion_Ns.col(0).sum()) < 1e-4);
    CHECK(page.tracks.at("residual").maxCoeff() == 7.0);
    REQUIRE(page.head.at("notes").size() == 1);
    CHECK(page.head.at("notes")[0].get<std::string>().find("frames") != std::string::npos);
}

TEST_CASE("no name can end the data or begin a script")
{
    const Folder folder;
    Recording run = recorded(folder);
    const std::string hostile = "</script><script>alert(1)</script><!-- \xff";
    run.title = run.scene_text = run.contacts[0] = run.coordinates[0].name = hostile;
    run.drawings[0].label = run.probes[0].name = hostile;
    const std::string text = to_page(run);
    CHECK(text.find("alert(1)</script>") == std::string::npos);
    const Page page = read_page(text);
    CHECK(page.head.at("title").get<std::string>().starts_with("</script><script>alert(1)</script><!-- "));
    CHECK(page.head.at("contacts")[0] == page.head.at("title"));
}

TEST_CASE("a run that has not ended has a page without a certificate")
{
    const Folder folder;
    Recording run = recorded(folder);
    run.report.reset();
    CHECK(read_page(to_page(run)).head.at("report").is_null());
}

TEST_CASE("an empty recording has a page")
{
    const Page page = read_page(to_page(Recording{}));
    CHECK(page.tracks.at("time_s").size() == 0);
}
