#include "support.hpp"

#include "carom/trace/recording.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carom;
using namespace carom::test;

namespace {

/// A ball that bounces while it swings: a kinetic matrix that changes, a probe, and a run of some 0.2 s.
const std::string swing = R"toml(title = "swing"
duration_s = 3.00004
[[coordinate]]
name = "theta"
start = 1.0
unit = "rad"
[[coordinate]]
name = "r"
start = 1.0
[lagrangian]
kinetic = "(r'^2 + r^2*theta'^2)/2"
potential = "-9.81*r*cos(theta) + 50*(r - 1)^2"
[[contact]]
name = "wall"
gap = "r*sin(theta) + 0.2"
law = { kind = "unilateral", restitution = 0.8 }
[[probe]]
name = "height"
value = "-r*cos(theta)"
[integrator]
time_step_s = 1e-4
[record]
every_s = 0.0007
)toml";

const std::vector<std::string> asked{"--json", "--at", "0.5,2.9,0,3.00004", "--set",
                                     "contact.wall.law.restitution=0.7"};

/// The same program with other last arguments.
std::vector<std::string> arguments(std::vector<std::string> first, const std::vector<std::string>& more)
{
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

nlohmann::json without_timing(const Outcome& outcome)
{
    auto json = outcome.json();
    json.erase("timing");
    return json;
}

/// Starts carom, waits until the file is there and some time more, and sends it a signal.
void signal_program(const std::vector<std::string>& words, const std::string& file, int signal, int wait_us)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(open("/dev/null", O_WRONLY), 2);
        std::vector<char*> argv{const_cast<char*>(CAROM_PROGRAM)};
        for (const std::string& word : words)
            argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        execv(CAROM_PROGRAM, argv.data());
        _exit(127);
    }
    while (!std::filesystem::exists(file) && waitpid(child, nullptr, WNOHANG) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    usleep(static_cast<useconds_t>(wait_us));
    kill(child, signal);
    waitpid(child, nullptr, 0);
}

/// The bytes of every dataset and attribute of a file, by path.
using Contents = std::map<std::string, std::string>;

void add_values(Contents& contents, const std::string& path, hid_t type, hssize_t points,
                const std::function<herr_t(hid_t, void*)>& read)
{
    std::string bytes(H5Tget_size(type) * static_cast<std::size_t>(points), '\0');
    if (!bytes.empty()) REQUIRE(read(type, bytes.data()) >= 0);
    contents[path] = std::to_string(points) + ":" + bytes;
}

herr_t add_attribute(hid_t object, const char* name, const H5A_info_t*, void* data)
{
    auto& [contents, path] = *static_cast<std::pair<Contents*, std::string>*>(data);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute),
                space = H5Aget_space(attribute);
    add_values(*contents, path + "@" + name, type, H5Sget_simple_extent_npoints(space),
               [&](hid_t t, void* to) { return H5Aread(attribute, t, to); });
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

herr_t add_object(hid_t file, const char* name, const H5O_info_t* info, void* data)
{
    auto* contents = static_cast<Contents*>(data);
    std::pair<Contents*, std::string> at{contents, name};
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute, &at);
    if (info->type == H5O_TYPE_DATASET) {
        const hid_t type = H5Dget_type(object), space = H5Dget_space(object);
        add_values(*contents, name, type, H5Sget_simple_extent_npoints(space),
                   [&](hid_t t, void* to) { return H5Dread(object, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Oclose(object);
    return 0;
}

Contents contents_of(const std::string& path)
{
    Contents contents;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    REQUIRE(file >= 0);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &contents);
    H5Fclose(file);
    REQUIRE(contents.size() > 50);
    return contents;
}

void check_same_contents(const Contents& a, const Contents& b, const std::string& but = {})
{
    CHECK(a.size() == b.size());
    for (const auto& [path, bytes] : a) {
        CAPTURE(path);
        const auto other = b.find(path);
        REQUIRE(other != b.end());
        if (path != but) CHECK(bytes == other->second);
    }
}

/// Resuming this file is bad input, for this reason.
void refused(const std::string& file, const char* piece)
{
    const Outcome outcome = carom_program({"resume", file});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, piece));
}

}  // namespace

TEST_CASE("a run that was killed or interrupted is resumed to the same file and the same result")
{
    const Folder folder;
    const std::string scene = folder.write("swing.toml", swing), whole = folder.path("whole.h5"),
                      part = folder.path("part.h5");
    const Outcome all = carom_program(arguments({"run", scene, "-o", whole}, asked));
    REQUIRE(all.status == 0);
    const Contents contents = contents_of(whole);

    // kill -9 and Ctrl-C by turns, at random moments, of the run and of the resumed run
    std::mt19937 random(11);
    std::uniform_int_distribution<int> microseconds(0, 100'000);
    int interrupted = 0;
    for (int attempt = 0; attempt < 6; ++attempt) {
        CAPTURE(attempt);
        std::filesystem::remove(part);
        signal_program(arguments({"run", scene, "--no-svg", "-o", part}, asked), part,
                       attempt % 2 == 0 ? SIGKILL : SIGINT, microseconds(random));
        REQUIRE(read_recording(part).has_value());
        signal_program({"resume", part, "--no-svg"}, part, attempt % 2 == 0 ? SIGINT : SIGKILL,
                       microseconds(random));
        const auto half = read_recording(part);
        REQUIRE(half.has_value());
        interrupted += is_finished(*half) ? 0 : 1;

        const Outcome rest = carom_program({"resume", part, "--json"});
        CAPTURE(rest.err);
        CHECK(rest.status == 0);
        CHECK(without_timing(rest) == without_timing(all));
        check_same_contents(contents, contents_of(part));
        CHECK(std::filesystem::exists(folder.path("part.svg")));
    }
    MESSAGE("interrupted twice before the end: " << interrupted);
}

TEST_CASE("a sweep that was killed or interrupted is resumed to the same file and the same result")
{
    // some 0.2 s of work: a disc that jumps and drags a point that drifts, by controlled and by equal steps
    const std::string dragged = R"toml(duration_s = 2
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 1
[[set]]
name = "disc"
kind = "ball"
centre = ["if(t < 0.5, t, t + 0.4)", 0]
radius = 1
[sweeping]
set = "disc"
jumps_s = [0.5]
time_step_s = 1e-5
drift = { y = "0.3*cos(7*t)" }
[record]
every_s = 0.001
)toml";
    const Folder folder;
    const std::string scene = folder.write("disc.toml", dragged), whole = folder.path("whole.h5"),
                      part = folder.path("part.h5");
    std::mt19937 random(5);
    std::uniform_int_distribution<int> microseconds(0, 100'000);
    int interrupted = 0;
    for (const char* steps : {"sweeping.time_step_s=1e-5", "sweeping.tolerance_per_s=1e-6"}) {
        const std::vector<std::string> more{"--json", "--at", "0.5,1.3", "--set", steps};
        const Outcome all = carom_program(arguments({"run", scene, "-o", whole}, more));
        REQUIRE(all.status == 0);
        const Contents contents = contents_of(whole);
        for (const int signal : {SIGKILL, SIGINT}) {
            std::filesystem::remove(part);
            signal_program(arguments({"run", scene, "--no-svg", "-o", part}, more), part, signal,
                           microseconds(random));
            const auto half = read_recording(part);
            REQUIRE(half.has_value());
            interrupted += is_finished(*half) ? 0 : 1;
            const Outcome rest = carom_program({"resume", part, "--json"});
            CAPTURE(rest.err);
            CHECK(rest.status == 0);
            CHECK(without_timing(rest) == without_timing(all));
            check_same_contents(contents, contents_of(part));
        }
    }
    MESSAGE("interrupted before the end: " << interrupted);
}

TEST_CASE("resuming a complete run says so and tells its result again")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), run = folder.path("run.h5");
    const Outcome first = carom_program({"run", scene, "--json", "-o", run, "--at", "0.3"});
    const Outcome again = carom_program({"resume", run, "--json"});
    CHECK(again.status == 0);
    CHECK(contains(again.err, "complete"));
    CHECK(without_timing(again) == without_timing(first));

    // one that failed has that status, and no longer duration helps it
    const std::string bad =
        folder.write("bad.toml", with(ball, "\"g*z\"", "\"g*z\"\nforces = { z = \"1e-3*sqrt(z - 0.5)\" }"));
    const Outcome failed = carom_program({"run", bad, "--json", "-o", run});
    CHECK(failed.status == 3);
    for (const std::vector<std::string>& set :
         std::vector<std::vector<std::string>>{{}, {"--set", "duration_s=5"}}) {
        const Outcome still = carom_program(arguments({"resume", run, "--json"}, set));
        CHECK(still.status == 3);
        CHECK(without_timing(still) == without_timing(failed));
    }
}

TEST_CASE("a finished run is prolonged, and is then the longer run")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", with(ball, "e = 0.0", "e = 0.6")),
                      whole = folder.path("whole.h5"), run = folder.path("run.h5");
    const std::string every = "record.every_s=0.0031";
    const Outcome all =
        carom_program({"run", scene, "--json", "-o", whole, "--set", every, "--set", "duration_s=2.5"});
    CHECK(carom_program({"run", scene, "-o", run, "--set", every, "--set", "duration_s=1.0004"}).status == 0);
    const Outcome longer = carom_program({"resume", run, "--json", "--set", "duration_s=2.5"});
    CHECK(longer.status == 0);
    CHECK(without_timing(longer) == without_timing(all));
    // the text of the scene names the last --set on top, the longer run both
    check_same_contents(contents_of(whole), contents_of(run), "scene");

    // back in time it cannot go, and nothing else can be changed
    const Outcome shorter = carom_program({"resume", run, "--set", "duration_s=2"});
    CHECK(shorter.status == 2);
    CHECK(contains(shorter.err, "lasted 2.5 s already"));
    const Outcome other = carom_program({"resume", run, "--set", "parameters.e=1"});
    CHECK(other.status == 2);
    CHECK(contains(other.err, "only duration_s"));
}

TEST_CASE("a resumed run needs nothing but its recording")
{
    // the scene and the file of its table are gone
    const Folder folder;
    const std::string table = folder.write("pull.csv", "t,force\n0,0\n0.4,3\n1,-2\n");
    const std::string scene = folder.write(
        "ball.toml",
        with(with(ball, "[lagrangian]", "[[table]]\nname = \"pull\"\nfile = \"pull.csv\"\n[lagrangian]"),
             "\"g*z\"", "\"g*z\"\nforces = { z = \"table(pull, t)\" }"));
    const std::string run = folder.path("run.h5"), whole = folder.path("whole.h5");
    const Outcome all = carom_program({"run", scene, "--json", "-o", whole, "--set", "record.every_s=0.01"});
    CAPTURE(all.err);
    REQUIRE(all.status == 0);
    REQUIRE(
        carom_program({"run", scene, "-o", run, "--set", "record.every_s=0.01", "--set", "duration_s=0.6"})
            .status == 0);
    std::filesystem::remove(table);
    std::filesystem::remove(scene);
    const Outcome rest = carom_program({"resume", run, "--json", "--set", "duration_s=1"});
    CAPTURE(rest.err);
    CHECK(rest.status == 0);
    CHECK(without_timing(rest) == without_timing(all));
}

TEST_CASE("files that are no recordings, damaged, newer or with links outside are refused")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), run = folder.path("run.h5");
    REQUIRE(carom_program({"run", scene, "--no-svg", "-o", run}).status == 0);
    std::ostringstream bytes;
    bytes << std::ifstream(run, std::ios::binary).rdbuf();

    refused(folder.path("none.h5"), "no such file");
    refused(scene, "not an HDF5 file");
    refused(folder.write("cut.h5", bytes.str().substr(0, bytes.str().size() / 2)), "error");
    const auto changed = [&](const char* name, const std::function<void(hid_t)>& change) {
        const std::string path = folder.write(name, bytes.str());
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        REQUIRE(file >= 0);
        change(file);
        H5Fclose(file);
        return path;
    };
    refused(changed("newer.h5",
                    [](hid_t file) {
                        const std::int64_t version = 7;
                        const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
                        H5Awrite(attribute, H5T_NATIVE_INT64, &version);
                        H5Aclose(attribute);
                    }),
            "format version 7");
    refused(changed("link.h5",
                    [&](hid_t file) {
                        H5Ldelete(file, "/q", H5P_DEFAULT);
                        H5Lcreate_external(run.c_str(), "/q", file, "/q", H5P_DEFAULT, H5P_DEFAULT);
                    }),
            "link to another place");

    // a place where carom would write, and does not look when it only reads
    const std::string trap = changed("trap.h5", [&](hid_t file) {
        H5Ldelete(file, "/certificate", H5P_DEFAULT);
        const hid_t attribute = H5Aopen_by_name(file, "/probes", "probes", H5P_DEFAULT, H5P_DEFAULT);
        H5Aclose(attribute);
        H5Adelete_by_name(file, "/probes", "probes", H5P_DEFAULT);
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, 2);
        const hid_t list =
            H5Acreate_by_name(file, "/probes", "probes", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(list, type, "[]");
        H5Aclose(list);
        H5Sclose(space);
        H5Tclose(type);
        H5Ldelete(file, "/probes/energy", H5P_DEFAULT);
        H5Lcreate_external(run.c_str(), "/probes/energy", file, "/probes/energy", H5P_DEFAULT, H5P_DEFAULT);
    });
    refused(trap, "link to another place");
    CHECK(std::filesystem::file_size(run) == bytes.str().size());
}
