#include "support.hpp"

#include <random>

using namespace carom;
using namespace carom::test;

namespace {

/// Rows of several runs, with a strobe so that runs have more than one row.
Study strobe_study(const Folder& folder)
{
    return study_of(folder, ball,
                    {.axes = {axis("parameters.e=0:1:0.25")}, .strobe = Strobe{.period = "0.3", .skip = 0}});
}

}  // namespace

TEST_CASE("a table cut off at any byte becomes the whole table again")
{
    const Folder folder;
    const Study study = strobe_study(folder);
    static_cast<void>(table_of(study, folder.path("whole.csv")));
    const std::string whole = folder.read("whole.csv");
    REQUIRE(whole.size() > 2000);

    // every kind of place: in the header, within a number, at line ends, between rows of a run
    std::mt19937 random(7);
    std::vector<std::size_t> cuts{0,           1, whole.find('\n'), whole.find('\n') + 1, whole.size() - 1,
                                  whole.size()};
    for (int i = 0; i < 25; ++i)
        cuts.push_back(random() % whole.size());
    for (const std::size_t cut : cuts) {
        CAPTURE(cut);
        folder.write("cut.csv", whole.substr(0, cut));
        static_cast<void>(table_of(study, folder.path("cut.csv"), {}, 2));
        CHECK(folder.read("cut.csv") == whole);
    }
}

TEST_CASE("a finished part is not computed again")
{
    const Folder folder;
    const Study study = strobe_study(folder);
    for (const char* name : {"t.csv", "t.h5"}) {
        const ResultTable begun = table_of(study, folder.path(name), {}, 1, 2);
        CHECK(begun.rows() == 8);  // 0, 0.3, 0.6, 0.9 s, two runs
        auto file = TableFile::open(folder.path(name), study, {});
        REQUIRE(file);
        CHECK(file->done() == 2);
        CHECK(text_of(file->table()) == text_of(begun));
    }
}

TEST_CASE("HDF5 goes on as CSV does, also after a kill")
{
    const Folder folder;
    const Study study = strobe_study(folder);
    const std::string whole = text_of(table_of(study));

    // ended early, and put in place
    static_cast<void>(table_of(study, folder.path("t.h5"), {}, 1, 3));
    CHECK_FALSE(std::filesystem::exists(folder.path("t.h5.part.csv")));
    static_cast<void>(table_of(study, folder.path("t.h5")));
    auto table = read_table_hdf5(folder.path("t.h5"));
    REQUIRE(table);
    CHECK(text_of(*table) == whole);

    // killed: only the rows as they came are there, the last one torn
    folder.write("k.h5.part.csv", whole.substr(0, whole.size() * 2 / 3));
    static_cast<void>(table_of(study, folder.path("k.h5")));
    table = read_table_hdf5(folder.path("k.h5"));
    REQUIRE(table);
    CHECK(text_of(*table) == whole);
    CHECK_FALSE(std::filesystem::exists(folder.path("k.h5.part.csv")));
}

TEST_CASE("tables of something else are left alone")
{
    const Folder folder;
    const StudyPlan plan{.axes = {axis("parameters.e=0,1")}};
    const Study study = study_of(folder, ball, plan);
    static_cast<void>(table_of(study, folder.path("t.csv")));
    static_cast<void>(table_of(study, folder.path("t.h5")));
    const std::string before = folder.read("t.csv");
    const auto refused = [&](const Study& other, Shard shard = {}) {
        for (const char* name : {"t.csv", "t.h5"}) {
            const auto file = TableFile::open(folder.path(name), other, shard);
            REQUIRE_FALSE(file);
            CHECK(file.error().code == ErrorCode::FileUnwritable);
        }
    };
    const Folder elsewhere;
    auto heavier = ball;
    heavier.replace(heavier.find("9.81"), 4, "9.82");
    refused(study_of(elsewhere, heavier, plan));
    refused(study_of(elsewhere, ball, {.axes = {axis("parameters.e=0,0.5")}}));
    refused(study_of(elsewhere, ball, {.axes = {axis("parameters.e=0,1")}, .seed = 1}));
    refused(study_of(elsewhere, ball, {.axes = {axis("parameters.g=0,1")}}));
    refused(study, {.part = 1, .parts = 2});
    CHECK(folder.read("t.csv") == before);

    for (const char* text : {"some notes\n", "run,study,x\n1,2\n", "a,b,c\n1,2,3\n"}) {
        folder.write("notes.csv", text);
        CHECK_FALSE(TableFile::open(folder.path("notes.csv"), study, {}));
        CHECK(folder.read("notes.csv") == text);
    }
    folder.write("notes.h5", "no HDF5");
    CHECK_FALSE(TableFile::open(folder.path("notes.h5"), study, {}));
    CHECK_FALSE(TableFile::open(folder.path("table.txt"), study, {}));
    CHECK_FALSE(TableFile::open(folder.path("no/such/folder.csv"), study, {}));
}

TEST_CASE("merging refuses what does not belong together")
{
    const Folder folder;
    const Study one = study_of(folder, ball, {.repeat = 4}),
                two = study_of(folder, ball, {.repeat = 4, .seed = 1});
    static_cast<void>(table_of(one, folder.path("a.csv"), {.part = 0, .parts = 2}));
    static_cast<void>(table_of(two, folder.path("b.csv"), {.part = 1, .parts = 2}));
    const auto merge = [&](const std::vector<std::string>& names) {
        std::vector<std::string> paths;
        for (const std::string& name : names)
            paths.push_back(folder.path(name));
        return merge_tables(paths, folder.path("all.csv"));
    };
    CHECK(merge({"a.csv", "b.csv"}).error().code == ErrorCode::FileMalformed);
    CHECK(merge({"a.csv", "none.csv"}).error().code == ErrorCode::FileUnreadable);
    folder.write("notes.csv", "a,b,c\n1,2,3\n");
    CHECK(merge({"notes.csv"}).error().code == ErrorCode::FileMalformed);

    // the same run twice is one run; but not when they differ
    const auto twice = merge({"a.csv", "a.csv"});
    REQUIRE(twice);
    CHECK(twice->runs == 2);
    CHECK(twice->of == 4);
    auto other = folder.read("a.csv");
    other.replace(other.find("certified"), 9, "failed");
    folder.write("c.csv", other);
    CHECK(merge({"a.csv", "c.csv"}).error().code == ErrorCode::FileMalformed);
}
