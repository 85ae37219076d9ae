#include "support.hpp"

#include "carom/trace/recording.hpp"

#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

std::vector<std::vector<std::string>> table_in(const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        auto& row = rows.emplace_back();
        std::istringstream entries(line);
        for (std::string entry; std::getline(entries, entry, ',');)
            row.push_back(entry);
    }
    return rows;
}

std::string recorded_ball(const Folder& folder)
{
    const std::string run = folder.path("ball.h5");
    CHECK(carom_program({"run", folder.write("ball.toml", ball), "-o", run, "--quiet"}).status == 0);
    return run;
}

}  // namespace

TEST_CASE("the frames of a recording come out as a table that reads back bit for bit")
{
    const Folder folder;
    const std::string run = recorded_ball(folder);
    const Outcome outcome = carom_program({"export", run, "--to", "csv", "-o", "-"});
    CHECK(outcome.status == 0);
    const auto table = table_in(outcome.out);
    const auto recording = read_recording(run);
    REQUIRE(recording.has_value());
    REQUIRE(table.size() == static_cast<std::size_t>(recording->frames()) + 1);
    REQUIRE(table[0].size() > 6);
    CHECK(table[0][0] == "time_s");
    CHECK(table[0][1] == "z");
    CHECK(table[0][2] == "z'");
    CHECK(table[0][3] == "gap_m.floor");
    for (Eigen::Index k = 0; k < recording->frames(); ++k) {
        const auto& row = table[static_cast<std::size_t>(k) + 1];
        CHECK(row.size() == table[0].size());
        CHECK(std::stod(row[0]) == recording->time_s[k]);
        CHECK(std::stod(row[1]) == recording->q(k, 0));
        CHECK(std::stod(row[2]) == recording->u(k, 0));
    }
}

TEST_CASE("an export stands beside the recording, and never on it")
{
    const Folder folder;
    const std::string run = recorded_ball(folder);
    const Outcome outcome = carom_program({"export", run, "--to", "csv"});
    CHECK(outcome.status == 0);
    CHECK(std::filesystem::exists(folder.path("ball.csv")));
    CHECK(carom_program({"export", run, "--to", "svg", "-o", folder.path("picture.svg")}).status == 0);
    CHECK(std::filesystem::file_size(folder.path("picture.svg")) > 1000);

    CHECK(carom_program({"export", run, "--to", "csv", "-o", run}).status == 2);
    CHECK(read_recording(run).has_value());
    CHECK(carom_program({"export", run, "--to", "csv", "-o", folder.path("no/such/folder.csv")}).status == 2);
}

TEST_CASE("what is no recording, and formats that carom does not know, are bad input")
{
    const Folder folder;
    const Outcome missing = carom_program({"export", folder.path("none.h5"), "--to", "csv"});
    CHECK(missing.status == 2);
    CHECK(contains(missing.err, "none.h5"));
    CHECK(carom_program({"export", folder.write("text.h5", "no recording"), "--to", "csv"}).status == 2);
    CHECK(carom_program({"export", recorded_ball(folder), "--to", "gif"}).status == 2);
}
