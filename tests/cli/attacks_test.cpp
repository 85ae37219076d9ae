#include "support.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

/// What careless and hostile users do: typing errors, damaged files, two runs at once, full disks.

using namespace carom::test;

namespace {

const std::string grains = R"toml(duration_s = 0.01
[[body]]
name = "grain"
shape = "sphere"
radius_m = "r"
copies = [2]
position_m = ["3*i", 0, 1]
[[body.random]]
name = "r"
kind = "listed"
values = [0.1, 0.2]
)toml";

const std::string pushed = R"toml(duration_s = 1.0
[[table]]
name = "F"
file = "force.csv"
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "table(F, t)" }
)toml";

std::string text_of(const std::string& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// A robot whose base carries a chain of links.
std::string chain(int links, const std::string& kind)
{
    std::ostringstream text;
    text << "<robot name=\"chain\">\n<link name=\"l0\"/>\n";
    for (int i = 1; i <= links; ++i) {
        text << "<link name=\"l" << i << "\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" ixy=\"0\" "
             << "ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link>\n<joint name=\"j" << i
             << "\" type=\"" << kind << "\"><parent link=\"l" << i - 1 << "\"/><child link=\"l" << i
             << "\"/><origin xyz=\"0 0 0.1\"/><axis xyz=\"1 0 0\"/></joint>\n";
    }
    text << "</robot>\n";
    return text.str();
}

/// carom in the background, until it is told to stop.
class Background {
public:
    explicit Background(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), CAROM_PROGRAM);
        std::vector<char*> words;
        for (std::string& word : arguments)
            words.push_back(word.data());
        words.push_back(nullptr);
        process_ = fork();
        if (process_ != 0) return;
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execv(words[0], words.data());
        _exit(127);
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() { stop(SIGKILL); }

    void stop(int signal)
    {
        if (process_ <= 0) return;
        kill(process_, signal);
        waitpid(process_, nullptr, 0);
        process_ = -1;
    }

private:
    pid_t process_ = -1;
};

bool appears(const std::string& file)
{
    for (int i = 0; i < 1000; ++i) {
        if (std::filesystem::exists(file)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

TEST_CASE("a number at random that cannot be drawn is a mistake with its place")
{
    const Folder folder;
    const std::string good = "kind = \"listed\"\nvalues = [0.1, 0.2]\n";
    REQUIRE(carom_program({"run", folder.write("s.toml", grains), "--quiet"}).status == 0);
    for (const char* bad :
         {"kind = \"foo\"\n", "kind = 7\n", "kind = \"listed\"\n", "kind = \"listed\"\nvalues = []\n",
          "kind = \"listed\"\nvalues = \"abc\"\n", "kind = \"listed\"\nvalues = [1, 2, 3]\nweights = [1]\n",
          "kind = \"listed\"\nvalues = [1]\nweights = [-1]\n", "kind = \"uniform\"\n",
          "kind = \"uniform\"\nlow = 1\n", "kind = \"normal\"\nmean = [1]\ndeviation = 1\n"}) {
        CAPTURE(bad);
        const Outcome outcome = carom_program({"run", folder.write("s.toml", with(grains, good, bad))});
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "s.toml:"));
    }
}

TEST_CASE("copies of a group times copies of the bodies in it are counted before they are made")
{
    const Folder folder;
    for (const char* copies : {"[1000, 1000]", "[100, 100, 100]", "[1001]"}) {
        const std::string scene = std::string("duration_s = 1\n[[group]]\nname = \"g\"\ncopies = ") + copies +
                                  "\n[[group.body]]\nname = \"b\"\nshape = \"sphere\"\nradius_m = 0.1\n"
                                  "copies = [1000]\nposition_m = [\"i\", \"gi\", 0]\n";
        const Outcome outcome = carom_program({"run", folder.write("s.toml", scene)});
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "s.toml:4:10"));
        CHECK(contains(outcome.err, "a million bodies"));
    }
}

TEST_CASE("a heading of a table has no number in it")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", pushed);
    for (const char* first :
         {"0,10.0N", "0,nan", "0,1e400", "0x1,0x2", "O,5", "nan,nan", "-,-", "\"0\",\"1\"", "[0],[1]"}) {
        CAPTURE(first);
        folder.write("force.csv", std::string(first) + "\n0.5,0\n1,0\n");
        const Outcome outcome = carom_program({"run", scene});
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "line 1 of `force.csv` is not two finite numbers"));
    }
    // a force of 1 N on 1 kg
    for (const char* first : {"t_s,F_N", "t [s], F [10^3 N]", "# t, F 1", "\xef\xbb\xbft;F1", "time force"}) {
        CAPTURE(first);
        folder.write("force.csv", std::string(first) + "\n0,1\n2,1\n");
        const Outcome outcome = carom_program({"run", scene, "--json"});
        CAPTURE(outcome.err);
        REQUIRE(outcome.status == 0);
        CHECK(std::abs(outcome.json()["state"]["x"]["u"].get<double>() - 1) < 1e-9);
    }
}

TEST_CASE("a sweep whose velocity is no number is not certified")
{
    for (const char* a : {"-1e308", "1e308", "1.7e308"}) {
        const Outcome outcome = carom_program({"run", CAROM_SOURCE_DIR "/scenes/play.toml", "--json", "--set",
                                               std::string("parameters.a=") + a});
        CAPTURE(a);
        CHECK(outcome.status == 3);
        CHECK(outcome.json()["status"] == "failed");
    }
}

TEST_CASE("masses beyond all numbers are bad input, in JSON too")
{
    for (const char* m : {"1e308", "1.7e308", "1e309"}) {
        const Outcome outcome = carom_program({"run", CAROM_SOURCE_DIR "/scenes/tippe_top.toml", "--json",
                                               "--set", std::string("parameters.m=") + m});
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(outcome.json()["status"] == "bad_input");
        CHECK_FALSE(contains(outcome.err, "internal error"));
    }
}

#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
TEST_CASE("more bodies than the memory holds are told before it is taken")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", R"toml(duration_s = 1.0
[[body]]
name = "ball"
shape = "sphere"
copies = [100, 100, 99]
radius_m = 0.1
position_m = ["i", "j", "k"]
[integrator]
time_step_s = 1e-3
)toml");
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    rlimit small = before;
    small.rlim_cur = rlim_t{1} << 30;
    REQUIRE(setrlimit(RLIMIT_AS, &small) == 0);
    const Outcome outcome = carom_program({"inspect", scene, "--json"});
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "9.9e+05 bodies"));
    CHECK(contains(outcome.err, "GB are free"));
}
#endif

TEST_CASE("commands and options that do not exist are told with the ones that were meant")
{
    CHECK(contains(carom_program({"rnu"}).err, "did you mean run?"));
    CHECK(contains(carom_program({"inspct", "a.toml"}).err, "did you mean inspect?"));
    const Outcome option = carom_program({"run", "a.toml", "--jsno", "--json"});
    CHECK(option.status == 2);
    CHECK(contains(option.err, "did you mean --json?"));
    CHECK(option.json()["errors"][0]["code"] == "unknown_name");
    CHECK(contains(carom_program({"run", "a.toml", "--otput=x"}).err, "did you mean --output?"));
    CHECK(carom_program({"run", "--json"}).json()["status"] == "bad_input");
}

TEST_CASE("two runs do not write one file, and what is being written is not resumed")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", with(ball, "duration_s = 1.0", "duration_s = 100000.0"));
    const std::string run = folder.path("run.h5"), link = folder.path("link.h5");
    std::filesystem::create_symlink("run.h5", link);
    Background first({"run", scene, "-o", run, "--no-svg"});
    REQUIRE(appears(run));
    for (const std::string& name : {run, link}) {
        const Outcome second = carom_program({"run", scene, "-o", name, "--set", "parameters.g=5", "--json"});
        CHECK(second.status == 2);
        CHECK(contains(second.json()["errors"][0]["message"].get<std::string>(), "another run writes this"));
    }
    const Outcome resumed = carom_program({"resume", run});
    CHECK(resumed.status == 2);
    CHECK(contains(resumed.err, "another run writes this"));
    const Outcome study = carom_program({"study", scene, "--repeat", "2", "-o", run});
    CHECK(study.status == 2);

    // the lock of a run that was killed is taken over, with all that it left
    first.stop(SIGKILL);
    CHECK(std::filesystem::exists(run + ".lock"));
    const Outcome later = carom_program({"run", folder.write("t.toml", ball), "-o", run, "--no-svg"});
    CAPTURE(later.err);
    CHECK(later.status == 0);
    for (const char* left : {".lock", ".next"})
        CHECK_FALSE(std::filesystem::exists(run + left));
}

TEST_CASE("files that carom did not write are not replaced")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", ball);
    const auto refused = [&](const std::string& name) {
        std::error_code loop;
        const std::string before = std::filesystem::is_regular_file(name, loop) ? text_of(name) : "";
        const Outcome outcome = carom_program({"run", scene, "-o", folder.path("run.h5"), "--quiet"});
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        if (!before.empty()) CHECK(text_of(name) == before);
        std::filesystem::remove(name);
    };
    std::filesystem::copy(CAROM_SOURCE_DIR "/tests/data/fclib/Box_Stacks-i0122-82-5.hdf5",
                          folder.path("run.h5"));
    refused(folder.path("run.h5"));
    refused(folder.write("run.svg", "<svg>mine</svg>"));
    refused(folder.write("run.h5.next", "mine"));
    refused(folder.write("run.h5.lock", "mine"));

    // pictures go to plain files: a pipe that nobody reads would stop the run for ever
    REQUIRE(mkfifo(folder.path("run.svg").c_str(), 0600) == 0);
    refused(folder.path("run.svg"));
    std::filesystem::create_symlink("run.h5", folder.path("run.h5"));
    refused(folder.path("run.h5"));

    // what carom wrote is replaced, and links stay links
    std::filesystem::create_symlink("there.h5", folder.path("run.h5"));
    for (int i = 0; i < 2; ++i)
        CHECK(carom_program({"run", scene, "-o", folder.path("run.h5"), "--quiet"}).status == 0);
    CHECK(std::filesystem::is_symlink(folder.path("run.h5")));
    CHECK(std::filesystem::is_regular_file(folder.path("there.h5")));

    // the same for what is made beside a recording; a file that is named may be replaced
    const std::string run = folder.path("run.h5"), mine = "mine, and longer than nothing\n";
    for (const auto& [ending, arguments] :
         {std::pair{"html", std::vector<std::string>{"report", run}},
          std::pair{"csv", std::vector<std::string>{"export", run, "--to", "csv"}},
          std::pair{"svg", std::vector<std::string>{"export", run, "--to", "svg"}}}) {
        CAPTURE(std::string(ending));
        const std::string made = folder.write(std::string("run.") + ending, mine);
        CHECK(contains(carom_program(arguments).err, "not written by carom"));
        CHECK(text_of(made) == mine);
        auto named = arguments;
        named.insert(named.end(), {"-o", made});
        CHECK(carom_program(named).status == 0);
        CHECK(carom_program(arguments).status == 0);
        CHECK(text_of(made) != mine);
    }
}

TEST_CASE("an output without a name is a mistake, and a folder that does not exist is told")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", ball);
    const Outcome nameless = carom_program({"run", scene, "-o", ""});
    CHECK(nameless.status == 2);
    CHECK(contains(nameless.err, "the name is empty"));
    const Outcome nowhere = carom_program({"run", scene, "-o", folder.path("none/run.h5")});
    CHECK(nowhere.status == 2);
    CHECK_FALSE(contains(nowhere.err, "picture"));
}

namespace {

/// The outcome of a command whose files may have so many bytes at most.
Outcome program_with_short_files(const std::vector<std::string>& arguments, rlim_t bytes)
{
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
    const Outcome outcome = carom_program(arguments);
    setrlimit(RLIMIT_FSIZE, &before);
    return outcome;
}

}  // namespace

TEST_CASE("a run whose file may not grow further fails, says why, and is resumed")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", with(ball, "duration_s = 1.0", "duration_s = 20.0") +
                                                         "[record]\nevery_s = 0.001\n");
    const std::string run = folder.path("run.h5");
    const Outcome outcome = program_with_short_files({"run", scene, "-o", run, "--no-svg"}, 1 << 19);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 3);
    CHECK(contains(outcome.err, "ulimit -f"));
    CHECK(contains(outcome.err, "carom resume continues"));
    CHECK_FALSE(contains(outcome.out, "add -o RUN.h5"));  // it was given
    CHECK(carom_program({"resume", run, "--no-svg", "--quiet"}).status == 0);

    // a page that does not fit is not left half-written
    const std::string page = folder.path("page.html");
    const Outcome shown = program_with_short_files({"report", run, "-o", page}, 1 << 16);
    CAPTURE(shown.err);
    CHECK(shown.status == 2);
    CHECK(contains(shown.err, "the file cannot be written: File too large"));
    CHECK_FALSE(std::filesystem::exists(page));
}

TEST_CASE("a run whose file cannot even be made promises nothing to resume")
{
    const Folder folder;
    const std::string run = folder.path("run.h5");
    const Outcome outcome =
        program_with_short_files({"run", folder.write("s.toml", ball), "-o", run, "--no-svg"}, 2000);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "ulimit -f"));
    CHECK_FALSE(contains(outcome.err, "resume"));
    CHECK_FALSE(std::filesystem::exists(run));
}

TEST_CASE("scenes and tables that may not grow further name the limit, and scenes are not left half-written")
{
    const Folder folder;
    const std::string robot = CAROM_SOURCE_DIR "/tests/data/urdf/arm.urdf", scene = folder.path("arm.toml"),
                      made = folder.path("made.toml"), table = folder.path("table.csv");
    const std::string ball_scene = folder.write("s.toml", ball);
    // room for the message, which goes to a file as well; and for the heading of the table and some of its rows
    const std::vector<std::pair<std::vector<std::string>, rlim_t>> commands{
        {{"import", robot, "-o", scene}, 300},
        {{"new", made}, 300},
        {{"study", ball_scene, "--repeat", "60", "-o", table}, 2000}};
    for (const auto& [command, bytes] : commands) {
        const Outcome outcome = program_with_short_files(command, bytes);
        CAPTURE(outcome.err);
        CHECK(outcome.status != 0);
        CHECK(contains(outcome.err, "the file cannot be written: File too large"));
        CHECK(contains(outcome.err, "ulimit -f"));
    }
    CHECK_FALSE(std::filesystem::exists(scene));
    CHECK_FALSE(std::filesystem::exists(made));
}

TEST_CASE("the violation of joints of bodies is that of the whole run, also after resuming")
{
    const Folder folder;
    const std::string run = folder.path("run.h5");
    const auto violation = [](const Outcome& outcome) {
        return outcome.json()["certificate"]["max_violation"].get<double>();
    };
    const Outcome first =
        carom_program({"run", CAROM_SOURCE_DIR "/scenes/slider_crank.toml", "-o", run, "--no-svg", "--json",
                       "--set", "integrator.correction=false", "--set", "duration_s=0.5"});
    CHECK(violation(first) > 0);
    CHECK(violation(carom_program({"resume", run, "--json", "--no-svg"})) == violation(first));
}

TEST_CASE("numbers of a robot that are none are mistakes with their lines")
{
    const Folder folder;
    const std::string robot = chain(2, "revolute");
    REQUIRE(carom_program(
                {"import", folder.write("r.urdf", with(robot, "type=\"revolute\"", "type=\"continuous\""))})
                .status == 2);  // the other has no limits
    const std::string good = chain(2, "continuous");
    REQUIRE(carom_program({"import", folder.write("r.urdf", good)}).status == 0);
    for (const char* bad : {"ixx=\"0,001\"", "ixx=\"abc\"", "ixx=\"inf\"", "ixx=\"nan\"", "ixx=\"\"",
                            "ixx=\"0.1 \"", "ixx=\"1e999\"", "ixx=\"0x1\"", "iyx=\"1\""}) {
        CAPTURE(bad);
        const Outcome outcome =
            carom_program({"import", folder.write("r.urdf", with(good, "ixx=\"0.1\"", bad))});
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "r.urdf:3: error"));
    }
    CHECK(carom_program({"import", folder.write("r.urdf", with(good, "xyz=\"0 0 0.1\"", "xyz=\"0 0,1 0\""))})
              .status == 2);
    CHECK(carom_program({"import", folder.write("r.urdf", with(good, "value=\"1\"", "value=\"one\""))})
              .status == 2);
    CHECK(carom_program({"import", folder.write("r.urdf", with(good, "<mass value=\"1\"/>", ""))}).status ==
          2);
    // limits between which no angle lies, and shapes that are none: the joint would turn freely, the link touch nothing
    const auto limited = [&](const char* limits) {
        const std::string joint =
            "type=\"revolute\"><limit effort=\"1\" velocity=\"1\" " + std::string(limits) + "/>";
        return carom_program({"import", folder.write("r.urdf", with(good, "type=\"continuous\">", joint))});
    };
    CHECK(limited("lower=\"-1\" upper=\"1\"").status == 0);
    CHECK(contains(limited("lower=\"1\" upper=\"-1\"").err, "is above upper"));
    CHECK(contains(limited("lower=\"1\"").err, "is above upper"));  // what is left out is zero
    const auto shaped = [&](const std::string& geometry) {
        const std::string with_shape = "</inertial><collision>" + geometry + "</collision>";
        return carom_program({"import", folder.write("r.urdf", with(good, "</inertial>", with_shape))});
    };
    CHECK(shaped("<geometry><sphere radius=\"0.1\"/></geometry>").status == 0);
    for (const char* none :
         {"<geometry><ball radius=\"0.1\"/></geometry>", "<geometry></geometry>", "<geometry/>"}) {
        CAPTURE(none);
        CHECK(contains(shaped(none).err, "has no shape"));
    }
    // what other programs keep in the file is theirs
    CHECK(carom_program({"import", folder.write("r.urdf", with(good, "</robot>",
                                                               "<gazebo><inertial><mass value=\"?\"/>"
                                                               "</inertial></gazebo></robot>"))})
              .status == 0);
}

TEST_CASE("a gallery does not wait for what somebody may write into a pipe")
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("scenes"));
    REQUIRE(mkfifo(folder.path("scenes/pipe.toml").c_str(), 0600) == 0);
    const Outcome outcome = carom_program({"gallery", folder.path("scenes"), "-o", folder.path("pages")});
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "hint"));
}

TEST_CASE("links of a robot that hang on each other in a circle are named")
{
    const Folder folder;
    const auto robot = [&](const std::string& joints) {
        return carom_program(
            {"import",
             folder.write("r.urdf",
                          "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>" +
                              joints + "</robot>")});
    };
    const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
        return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" +
               child + "\"/></joint>";
    };
    const Outcome circle = robot(joint("1", "a", "b") + joint("2", "b", "c") + joint("3", "c", "a"));
    CHECK(circle.status == 2);
    CHECK(contains(circle.err, "in a circle of joints"));
    // below a link that hangs on another joint as well
    const Outcome below = robot(joint("1", "a", "b") + joint("2", "b", "c") + joint("3", "c", "b"));
    CHECK(contains(below.err, "in a circle of joints"));
    CHECK_FALSE(contains(robot(joint("1", "a", "b") + joint("2", "b", "c")).err, "circle"));
}

TEST_CASE("robots of any depth are read or refused, in time that grows with their length")
{
    const Folder folder;
    std::string nested = "<robot name=\"n\"><link name=\"a\">";
    for (int i = 0; i < 100000; ++i)
        nested += "<a>";
    const Outcome deep = carom_program({"import", folder.write("r.urdf", nested)});
    CHECK(deep.status == 2);
    CHECK(contains(deep.err, "nested more than"));
    CHECK(carom_program({"import", folder.write("r.urdf", chain(20001, "fixed"))}).status == 2);

    std::string wide = "<robot name=\"n\"><link name=\"a\"";
    for (int i = 0; i < 100000; ++i)
        wide += " a" + std::to_string(i) + "=\"1\"";
    CHECK(contains(carom_program({"import", folder.write("r.urdf", wide + "/></robot>")}).err, "attributes"));

    // ten thousand links that fixed joints join are one body
    const Outcome rigid =
        carom_program({"import", folder.write("r.urdf", chain(10000, "fixed")), "--floating"});
    CAPTURE(rigid.err.substr(0, 500));
    CHECK(rigid.status == 0);
    CHECK(contains(rigid.out, "mass_kg = 10000\n"));
}

TEST_CASE("a link of a robot hangs on one joint, and links of many names stay apart")
{
    const Folder folder;
    const std::string inertia =
        "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
        "ixz=\"0\" iyz=\"0\"/></inertial>";
    // forty links, each hung on the one before twice: a tree would have 2^39 of them
    std::string loops = "<robot name=\"n\">";
    for (int i = 0; i < 40; ++i)
        loops += "<link name=\"l" + std::to_string(i) + "\">" + inertia + "</link>";
    for (int i = 0; i < 39; ++i) {
        for (const char* twin : {"a", "b"})
            loops += "<joint name=\"j" + std::to_string(i) + twin + "\" type=\"fixed\"><parent link=\"l" +
                     std::to_string(i) + "\"/><child link=\"l" + std::to_string(i + 1) + "\"/></joint>";
    }
    const Outcome looped = carom_program({"import", folder.write("r.urdf", loops + "</robot>")});
    CHECK(looped.status == 2);
    CHECK(contains(looped.err, "joint j0b: error: the link `l1` hangs on the joint `j0a` already"));

    // a title in Latin-1, which TOML does not know
    const Outcome latin = carom_program({"import",
                                         folder.write("r.urdf", "<robot name=\"K\xe4"
                                                                "fer \\&quot;\"><link name=\"a\">" +
                                                                    inertia + "</link></robot>"),
                                         "--floating"});
    CHECK(latin.status == 0);
    CHECK(contains(latin.out, "title = \"K?fer __\"\n"));

    // names of one letter each that formulas cannot have
    std::string names = "<robot name=\"n\"><link name=\"base\"/>";
    for (const char* name : {"!", "?", "%", "__2"})
        names += std::string("<link name=\"") + name + "\">" + inertia + "</link><joint name=\"j" + name +
                 "\" type=\"continuous\"><parent link=\"base\"/><child link=\"" + name + "\"/></joint>";
    const Outcome named = carom_program({"import", folder.write("r.urdf", names + "</robot>")});
    CHECK(named.status == 0);
    for (const char* name : {"_", "__2", "__3"})
        CHECK(contains(named.out, std::string("[[body]]\nname = \"") + name + "\"\n"));
}

TEST_CASE("names that other programs use are told as carom writes them")
{
    const Folder folder;
    const auto told = [&](const std::string& scene, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"run", folder.write("s.toml", scene)};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = carom_program(words);
        CHECK(outcome.status == 2);
        return outcome.err;
    };
    CHECK(contains(told(with(ball, "kinetic = \"z'^2/2\"", "kinetic = \"z_dot^2/2\"")),
                   "write z' for the velocity of z"));
    CHECK(contains(told(with(ball, "kinetic = \"z'^2/2\"", "kinetic = \"zdot^2/2\"")),
                   "write z' for the velocity of z"));
    const std::string without_e = with(with(ball, "e = 0.0\n", ""), "restitution = \"e\"", "restitution = 0");
    CHECK(contains(told(with(without_e, "potential = \"g*z\"", "potential = \"e^z\"")), "exp("));
    CHECK(contains(told(with(ball, "[lagrangian]", "[lagrange]")), "did you mean `lagrangian`?"));
    CHECK(contains(told(with(ball, "[[contact]]", "[[contacts]]")), "did you mean `contact`?"));
    CHECK(contains(told(ball, {"--set", "g=5"}), "did you mean parameters.g=5?"));
    CHECK(contains(told(ball, {"--set", "time_step_s=1"}), "did you mean integrator.time_step_s=1?"));
    CHECK(contains(told(ball, {"--set", "restitution=1"}), "did you mean contact.floor.law.restitution=1?"));
    CHECK(contains(told(ball, {"--set", "contact.floor.restitution=1"}),
                   "did you mean contact.floor.law.restitution=1?"));
    CHECK(contains(told(ball, {"--set", "max_sweeps=9"}), "did you mean solver.max_sweeps=9?"));
    CHECK(contains(told(ball, {"--set", "floor=1"}), "did you mean contact.floor"));
}

TEST_CASE("a mistake elsewhere does not make copies of bodies unknown")
{
    const Folder folder;
    const std::string scene = folder.write("s.toml", R"toml(duration_s = 0.1
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
copies = [10]
position_m = ["i", 0, 1]
[[probe]]
name = "last"
value = "ball_9_z"
)toml");
    const Outcome outcome = carom_program({"run", scene, "--set", "solver.kind=foo"});
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "solver.kind"));
    CHECK_FALSE(contains(outcome.err, "ball_9_z"));

    // nor does a mistake in the copies themselves, of which one is looked at
    const Outcome own = carom_program({"run", scene, "--set", "body.ball.radius_m=-1"});
    CHECK(own.status == 2);
    CHECK(contains(own.err, "radius_m"));
    CHECK_FALSE(contains(own.err, "ball_9_z"));
}

TEST_CASE("a mistake is told once, and plurals are understood")
{
    const Folder folder;
    const std::string slides = ball + "[[contact]]\nname = \"w\"\ngap = \"z\"\nsliding = \"z'\"\nlaw = { "
                                      "kind = \"coulomb\", friction = 1 }\n";
    const auto errors = carom_program({"run", folder.write("s.toml", slides), "--json"}).json()["errors"];
    REQUIRE(errors.size() == 1);
    CHECK(contains(errors[0]["message"].get<std::string>(), "sliding is the text"));
    const Outcome plural =
        carom_program({"run", folder.write("s.toml", ball + "[[bodies]]\nname = \"b\"\n")});
    CHECK(contains(plural.err, "did you mean `body`?"));
    for (const char* seed : {"-1", "18446744073709551616", "1e3"})
        CHECK(carom_program({"study", folder.write("s.toml", ball), "--seed", seed, "--quiet"}).status == 2);
}

TEST_CASE("a key of the scene below [parameters] is warned of")
{
    const Folder folder;
    const Outcome lost = carom_program(
        {"run", folder.write("s.toml", with(ball, "e = 0.0\n", "e = 0.0\nstart_s = 3\n")), "--json"});
    CHECK(lost.status == 0);
    CHECK(contains(lost.err, "s.toml:5:1: warning: `start_s` is below [parameters]"));
    CHECK(lost.json()["warnings"].size() == 1);
    const Outcome missing = carom_program(
        {"run", folder.write("s.toml", "[parameters]\nduration_s = 1\n" + ball.substr(ball.find("g = ")))});
    CHECK(missing.status == 2);
    CHECK(contains(missing.err, "write duration_s above [parameters]"));

    // one that formulas use is a parameter
    const std::string used =
        with(with(ball, "e = 0.0\n", "e = 0.0\nlength_m = 2\n"), "gap = \"z\"", "gap = \"z*length_m\"");
    CHECK(carom_program({"run", folder.write("s.toml", used), "--json"}).json()["warnings"].empty());
}

TEST_CASE("durations are numbers or formulas of parameters, and the probes are told where the run ended")
{
    const Folder folder;
    const std::string scene =
        with(ball, "duration_s = 1.0", "duration_s = \"2*e + sqrt(g)/g\"") + "[record]\nevery_s = \"1/g\"\n";
    const std::string file = folder.write("s.toml", scene);
    const auto run = carom_program({"run", file, "--json", "--set", "parameters.g=4", "-o",
                                    folder.path("r.h5"), "--no-svg"})
                         .json();
    CHECK(std::abs(run["time_s"].get<double>() - 0.5) < 1e-12);
    // falling freely for 0.5 s with 4 m/s^2 the ball is at 1/2 m; its energy is still that of 1 m
    CHECK(std::abs(run["values"]["energy"].get<double>() - 4) < 1e-9);
    const auto longer =
        carom_program({"resume", folder.path("r.h5"), "--json", "--no-svg", "--set", "duration_s=0.6"})
            .json();
    CHECK(std::abs(longer["time_s"].get<double>() - 0.6) < 1e-12);
    CHECK(carom_program({"run", file, "--set", "duration_s=-g"}).status == 2);
    CHECK(carom_program({"run", file, "--set", "duration_s=z"}).status == 2);
    CHECK(carom_program({"run", file, "--set", "record.every_s=0*g"}).status == 2);

    // the last step is shortened to the end, but a run without any step is none
    const auto step = [&](const std::string& h) {
        return carom_program(
            {"run", file, "--json", "--set", "parameters.g=4", "--set", "integrator.time_step_s=" + h});
    };
    CHECK(step("1").json()["steps"] == 1);
    CHECK(step("1e300").status == 2);
}

TEST_CASE("keys that an impact map does not read are refused")
{
    const Folder folder;
    const auto status = [&](const std::string& impact) {
        return carom_program({"run", folder.write("s.toml", ball + "[impact]\n" + impact), "--quiet"}).status;
    };
    CHECK(status("kind = \"lzb\"\nexponent = 1.5\nstiffness = { floor = 2 }\n") == 0);
    CHECK(status("kind = \"canonical\"\nexponent = 1.5\n") == 2);
    CHECK(status("kind = \"poisson\"\nstiffness = { floor = 2 }\n") == 2);
    CHECK(status("kind = \"energetic\"\nvelocities = { z = \"-z'\" }\n") == 2);
    CHECK(status("kind = \"formulas\"\nrestitution = 0.5\nvelocities = { z = \"0\" }\n") == 2);
}

TEST_CASE("problems of bodies, joints and constraints are written, and solved by what was written with them")
{
    const Folder folder;
    for (const char* scene : {"stack", "bowling", "pour"}) {
        CAPTURE(scene);
        const std::string run = folder.path(std::string(scene) + ".h5");
        const Outcome outcome =
            carom_program({"run", CAROM_SOURCE_DIR "/scenes/" + std::string(scene) + ".toml", "-o", run,
                           "--no-svg", "--save-problems", "worst:2", "--set", "duration_s=0.3"});
        CAPTURE(outcome.err);
        CHECK(contains(outcome.err, "2 one-step problems in"));
        for (const auto& file :
             std::filesystem::directory_iterator(folder.path(std::string(scene) + "_problems"))) {
            const Outcome solved = carom_program({"solve", file.path().string(), "--tolerance", "1e-6"});
            CAPTURE(solved.out);
            CHECK(solved.status == 0);
        }
    }
}

TEST_CASE("inspect names the papers that it cites")
{
    const Outcome outcome = carom_program({"inspect", CAROM_SOURCE_DIR "/scenes/pendulum_wall.toml"});
    CAPTURE(outcome.out);
    if (contains(outcome.out, "B02"))
        CHECK(contains(outcome.out, "P. Ballard 2002, Dynamics of rigid bodies"));
}

TEST_CASE("thousands of contacts on one coordinate need memory in proportion, and Ctrl-C ends their steps")
{
    const Folder folder;
    const auto scene = [](int contacts, const std::string& gap) {
        std::ostringstream text;
        text << "duration_s = 0.01\n[[coordinate]]\nname = \"x\"\nstart = 0\n[lagrangian]\nkinetic = "
                "\"x'^2/2\"\n"
             << "potential = \"9.81*x\"\n";
        for (int i = 0; i < contacts; ++i)
            text << "[[contact]]\nname = \"c" << i << "\"\ngap = \"" << gap << (i + 1) << "\"\n";
        return text.str();
    };
    // a list of neighbours for each of them would have 4e8 numbers
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
#ifdef __SANITIZE_ADDRESS__
    MESSAGE("SKIPPED: the address sanitizer reserves terabytes, so the address space is not limited here");
#else
    rlimit small = before;
    small.rlim_cur = rlim_t{1} << 30;
    setrlimit(RLIMIT_AS, &small);
#endif
    const Outcome far = carom_program({"run", folder.write("far.toml", scene(20000, "x + ")), "--quiet"});
    setrlimit(RLIMIT_AS, &before);
    CAPTURE(far.err);
    CHECK(far.status == 0);

    // contacts that all act, multiples of each other, by a method that does not see that; the run is stopped
    // as soon as its file is there
    const std::string run = folder.path("run.h5");
    const Outcome stopped = carom_program({"run", folder.write("near.toml", scene(1500, "x*")), "--set",
                                           "solver.kind=interior_point", "-o", run, "--no-svg", "--quiet"},
                                          run);
    CHECK(stopped.status == 130);
}
