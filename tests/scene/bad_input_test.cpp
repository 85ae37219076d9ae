#include "expression/workspace.hpp"
#include "support.hpp"

#include <filesystem>
#include <fstream>
#include <random>

using namespace carom;
using namespace carom::test;

TEST_CASE("an empty scene is told apart from a wrong one")
{
    only_error("", ErrorCode::SceneEmpty, "s.toml");
    only_error("  \n# only a comment\n", ErrorCode::SceneEmpty, "s.toml");
}

TEST_CASE("what is not TOML is shown where it stops being TOML")
{
    CHECK(contains(only_error("duration_s = = 5\n", ErrorCode::SceneSyntax, "s.toml:1:14").excerpt, "^"));
    only_error("title = \"open\nduration_s = 1\n", ErrorCode::SceneSyntax, "s.toml:1:14");
    only_error(std::string("title = \"\x80\"\n"), ErrorCode::SceneSyntax, "s.toml:1:9");
}

TEST_CASE("letters outside ASCII are refused outside of strings and comments, with another spelling")
{
    const Error mu = only_error("# μ\nx = \"μ\"\nμ = 0.3\n", ErrorCode::NotAscii, "s.toml:3:1");
    CHECK(contains(mu.hint, "write mu for μ"));
    CHECK(contains(mu.message, "μ"));

    // one mistake per line, all lines
    CHECK(errors_of("μ = 0.3\nok = 1\nθ = 1 # θ\nz = −1\n").size() == 3);
    only_error("a = '''\nμ'''\nb = \"\"\"x\\\"\"\"\"\nÜ = 1", ErrorCode::NotAscii, "s.toml:4:1");
}

TEST_CASE("keys that nest without bound are refused before they are parsed")
{
    std::string deep = "a";
    for (int i = 0; i < 100000; ++i)
        deep += ".a";
    CHECK(contains(only_error(deep + " = 1\n", ErrorCode::SceneSyntax, "s.toml:1:32").message, "parts"));
    std::string lists = "a = " + std::string(100000, '[') + std::string(100000, ']') + "\n";
    CHECK(errors_of(lists).at(0).code == ErrorCode::SceneSyntax);
}

TEST_CASE("unknown keys come with the nearest known one, or with all of them")
{
    CHECK(contains(
        only_error(with(pendulum, "time_step_s", "timestep_s"), ErrorCode::UnknownKey, "s.toml:20:1").hint,
        "did you mean `time_step_s`?"));
    CHECK(contains(
        only_error(pendulum + "[[glue]]\nname = \"c\"\n", ErrorCode::UnknownKey, "s.toml:23:3").message,
        "carom does not know the key `glue`"));
    CHECK(contains(
        only_error(with(pendulum, "kind = \"unilateral\", ", "kind = \"unilateral\", stickiness = 1, "),
                   ErrorCode::UnknownKey, "s.toml:17:30")
            .message,
        "in contact.wall.law"));
    only_error("\"parameters.x\" = 1\n" + pendulum, ErrorCode::UnknownKey, "s.toml:1:1");
}

TEST_CASE("words that are none of the choices come with the choices")
{
    const Error error =
        only_error(with(pendulum, "\"moreau\"", "\"leapfrog\""), ErrorCode::UnknownName, "s.toml:19:8");
    CHECK(contains(error.message, "carom does not know the integrator.kind `leapfrog`"));
    CHECK(contains(error.hint, "moreau"));
    only_error(with(pendulum, "\"unilateral\"", "\"sticky\""), ErrorCode::UnknownName, "s.toml:17:16");
    only_error(pendulum + "fields = [\"gaps\", \"gups\"]\n", ErrorCode::UnknownName, "s.toml:23:19");
}

TEST_CASE("wrong types say what was seen and what is needed")
{
    const Error text = only_error(with(pendulum, "1e-3", "\"1e-3\""), ErrorCode::WrongType, "s.toml:20:15");
    CHECK(contains(text.message, "the text `1e-3`, not a number"));
    CHECK(contains(text.hint, "without quotes"));
    only_error(with(pendulum, "start = 1.0", "start = true"), ErrorCode::WrongType, "s.toml:8:9");
    only_error(with(pendulum, "start = 1.0", "start = 2020-01-01"), ErrorCode::WrongType, "s.toml:8:9");
    only_error(with(pendulum, "\"wall\"", "7"), ErrorCode::WrongType, "s.toml:15:8");
    only_error(with(pendulum, "[[contact]]", "[contact]"), ErrorCode::WrongType, "s.toml:14:1");
    only_error(with(pendulum, "{ theta = \"-0.1*theta'\" }", "5"), ErrorCode::WrongType, "s.toml:13:10");
    only_error(pendulum + "[solver]\nmax_sweeps = 1.5\n", ErrorCode::WrongType, "s.toml:24:14");
}

TEST_CASE("numbers that are not finite or out of range are refused")
{
    for (const char* number : {"nan", "inf", "-inf"}) {
        only_error(with(pendulum, "start = 1.0", std::string("start = ") + number),
                   ErrorCode::SettingOutOfRange, "s.toml:8:9");
        only_error(with(pendulum, "l = 1.0", std::string("l = ") + number), ErrorCode::SettingOutOfRange,
                   "s.toml:4:5");
        only_error(with(pendulum, "1e-3", number), ErrorCode::SettingOutOfRange, "s.toml:20:15");
    }
    const Error end = only_error(with(pendulum, "5.0", "-5.0"), ErrorCode::SettingOutOfRange, "s.toml:2:14");
    CHECK(contains(end.message, "-5 s"));
    CHECK(contains(end.hint, "end before it starts"));
    only_error(with(pendulum, "5.0", "0"), ErrorCode::SettingOutOfRange, "s.toml:2:14");
    only_error(with(pendulum, "1e-3", "1e-300"), ErrorCode::SettingOutOfRange, "s.toml:20:15");
    only_error(pendulum + "[solver]\nrelaxation = 2\n", ErrorCode::SettingOutOfRange, "s.toml:24:14");
    only_error(pendulum + "[solver]\nmax_sweeps = 10000000000\n", ErrorCode::SettingOutOfRange,
               "s.toml:24:14");
}

TEST_CASE("integers of figures out of range are refused, and nothing is made as often as they say")
{
    const std::string figure = R"toml([[figure]]
name = "f"
over = "parameters.e"
between = [0, 1]
runs = 2
seed = 1
columns = 1
[figure.orbit]
period = "2*pi"
returns = 1
settle = 1
[[figure.number]]
label = "n"
event = "impact"
which = 1
reference = 1
[[figure.panel]]
kind = "exposure"
every = 1
)toml";
    REQUIRE(errors_of(pendulum + figure).empty());
    for (const std::string key : {"runs", "seed", "columns", "returns", "settle", "which", "every"}) {
        for (const std::string value : {"-1", "1e17", "1e308", "0.5", "\"1\""}) {
            CAPTURE(key);
            CAPTURE(value);
            const auto line = figure.find("\n" + key + " = ") + 1;
            std::string bad = figure;
            bad.replace(line, figure.find('\n', line) - line, key + " = " + value);
            const Errors errors = errors_of(pendulum + bad);
            REQUIRE(errors.size() == 1);
            CHECK(contains(errors[0].message, key));
        }
    }
}

TEST_CASE("a restitution above one is refused, as a number and as a formula")
{
    CHECK(contains(
        only_error(with(pendulum, "\"e\"", "1.5"), ErrorCode::SettingOutOfRange, "s.toml:17:44").message,
        "1.5"));
    CHECK(contains(
        only_error(with(pendulum, "e = 0.8", "e = 1.5"), ErrorCode::SettingOutOfRange, "s.toml:17:44")
            .message,
        "1.5"));
    const std::string index = with(pendulum, "restitution = \"e\"", "dissipation_index = \"e\"");
    only_error(with(index, "e = 0.8", "e = 1.2"), ErrorCode::SettingOutOfRange, "s.toml:17:50");
    only_error(with(pendulum, "restitution = \"e\"", "restitution = 0, dissipation_index = 1"),
               ErrorCode::NotAllowedHere, "s.toml:17:67");
}

TEST_CASE("what a scene cannot do without is asked for")
{
    CHECK(
        contains(only_error(with(pendulum, "duration_s = 5.0", ""), ErrorCode::MissingKey, "s.toml").message,
                 "duration_s"));
    CHECK(contains(
        only_error("duration_s = 1\n[lagrangian]\nkinetic = \"x'^2\"\n", ErrorCode::MissingKey, "s.toml")
            .hint,
        "[[coordinate]]"));
    CHECK(
        contains(only_error(with(pendulum, "start = 1.0\n", ""), ErrorCode::MissingKey, "s.toml:6:1").message,
                 "coordinate.theta has no start"));
    only_error(with(pendulum, "kinetic = \"l^2/2*theta'^2\"", ""), ErrorCode::MissingKey, "s.toml:10:1");
    only_error(with(pendulum, "gap = \"l*sin(theta)\"", ""), ErrorCode::MissingKey, "s.toml:14:1");
    only_error(with(pendulum, "[lagrangian]", "[lagrangian]\nmass = [[1]]"), ErrorCode::NotAllowedHere,
               "s.toml:11:8");
}

TEST_CASE("mistakes in formulas show the formula and the place in it")
{
    const Error unknown =
        only_error(with(pendulum, "sin(theta)\"", "sin(thetta)\""), ErrorCode::UnknownName, "s.toml:16:7");
    CHECK(contains(unknown.excerpt, "l*sin(thetta)"));
    CHECK(contains(unknown.excerpt, "\n      ^"));
    CHECK(contains(unknown.hint, "theta"));
    only_error(with(pendulum, "l*sin(theta)\"", "l*sin(theta\""), ErrorCode::FormulaSyntax, "s.toml:16:7");
    only_error(with(pendulum, "l*sin(theta)\"", "sin(theta, 1)\""), ErrorCode::WrongArguments, "s.toml:16:7");
    only_error(with(pendulum, "l*sin(theta)\"", "l*theta' + theta\""), ErrorCode::NotAllowedHere,
               "s.toml:16:7");
    only_error(with(pendulum, "l*sin(theta)\"", "l\""), ErrorCode::GradientVanishes, "s.toml:16:7");
    only_error(with(pendulum, "start = 1.0", "start = \"1/0\""), ErrorCode::NotFinite, "s.toml:8:9");
    only_error(with(pendulum, "start = 1.0", "start = \"t\""), ErrorCode::NotAllowedHere, "s.toml:8:9");
    only_error(with(pendulum, "-9.81*l*cos(theta)", "log(theta - 1)"), ErrorCode::NotFinite, "s.toml:12:13");
    only_error(with(pendulum, "{ theta =", "{ thetta ="), ErrorCode::UnknownName, "s.toml:13:12");
}

TEST_CASE("a formula of a million characters is an answer, not a crash")
{
    std::string sum = "0";
    while (sum.size() < 1000000)
        sum += "+theta";
    only_error(with(pendulum, "-9.81*l*cos(theta)", sum), ErrorCode::FormulaTooLarge, "s.toml:12:13");
    only_error(with(pendulum, "-9.81*l*cos(theta)", std::string(1000000, '(')), ErrorCode::FormulaTooLarge,
               "s.toml:12:13");
}

TEST_CASE("the kinetic energy must be a positive quadratic form")
{
    const std::string_view energy = "l^2/2*theta'^2";
    only_error(with(pendulum, energy, "0"), ErrorCode::MetricNotPositive, "s.toml:11:11");
    only_error(with(pendulum, energy, "-theta'^2"), ErrorCode::MetricNotPositive, "s.toml:11:11");
    only_error(with(pendulum, energy, "theta'^3"), ErrorCode::KineticNotQuadratic, "s.toml:11:11");
    only_error(with(pendulum, "kinetic = \"l^2/2*theta'^2\"", "mass = [[-1]]"), ErrorCode::MetricNotPositive,
               "s.toml:11:8");
}

TEST_CASE("a start inside an obstacle is refused with the gap")
{
    const Error error =
        only_error(with(pendulum, "start = 1.0", "start = -0.5"), ErrorCode::GapViolated, "s.toml:16:7");
    CHECK(contains(error.message, "-0.479"));
}

TEST_CASE("names that formulas could not use, and names that occur twice, are refused")
{
    only_error(with(pendulum, "e = 0.8", "e = 0.8\nsin = 1"), ErrorCode::BadName, "s.toml:6:1");
    only_error(with(pendulum, "e = 0.8", "e = 0.8\ntheta = 1"), ErrorCode::DuplicateName, "s.toml:6:1");
    only_error(with(pendulum, "\"wall\"", "\"a wall\""), ErrorCode::BadName, "s.toml:15:8");
    only_error(pendulum + "[[contact]]\nname = \"wall\"\ngap = \"theta\"\n", ErrorCode::DuplicateName,
               "s.toml:24:8");
    only_error(pendulum + "[[coordinate]]\nname = \"theta\"\nstart = 1\n", ErrorCode::DuplicateName,
               "s.toml:24:8");
}

TEST_CASE("parameters that need each other are reported once per circle")
{
    const Error circle = only_error(with(pendulum, "e = 0.8", "e = \"a\"\na = \"b+1\"\nb = \"2*a\""),
                                    ErrorCode::UnknownName, "s.toml:6:5");
    CHECK(contains(circle.message, "a -> b -> a"));
    only_error(with(pendulum, "e = 0.8", "e = \"e\""), ErrorCode::UnknownName, "s.toml:5:5");
    // a mistake in one parameter is not a mistake in those who use it
    only_error(with(pendulum, "e = 0.8", "e = \"k/2\"\nk = \"1/0\""), ErrorCode::NotFinite, "s.toml:6:5");
    CHECK(
        errors_of(with(with(pendulum, "e = 0.8", "e = \"1/0\""), "start = 1.0", "start = \"1/0\"")).size() ==
        2);
    only_error(with(pendulum, "e = 0.8", "e = \"nothing/2\""), ErrorCode::UnknownName, "s.toml:5:5");
}

TEST_CASE("all mistakes come at once, in the order of the text")
{
    std::string text = with(pendulum, "5.0", "-1");        // line 2
    text = with(text, "l = 1.0", "l = nan");               // line 4
    text = with(text, "start = 1.0", "strat = 1.0");       // line 8, and start is missing: line 6
    text = with(text, "-0.1*theta'", "-0.1*thta'");        // line 13
    text = with(text, "l*sin(theta)\"", "l*sin(theta\"");  // line 16
    text = with(text, "\"e\"", "2");                       // line 17
    text = with(text, "\"moreau\"", "\"euler\"");          // line 19
    const Errors errors = errors_of(text);
    std::vector<std::string> places;
    for (const Error& error : errors)
        places.push_back(error.where);
    CHECK(places == std::vector<std::string>{"s.toml:2:14", "s.toml:4:5", "s.toml:6:1", "s.toml:8:1",
                                             "s.toml:13:20", "s.toml:16:7", "s.toml:17:44", "s.toml:19:8"});

    // what only the model sees comes together with what the reader sees
    text = with(with(pendulum, "start = 1.0", "start = -0.5"), "1e-3", "0");
    text = with(text, "theta'^2", "theta'^3");
    CHECK(errors_of(text).size() >= 2);
}

TEST_CASE("tables are read from the scene or from a file below its folder")
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "carom_scene_table_test";
    fs::remove_all(folder);
    fs::create_directories(folder / "scenes");
    std::ofstream(folder / "scenes" / "push.csv") << "time; force\n# comment\n0; 1\n1.5; 2.5\n\n2, 3\n";
    std::ofstream(folder / "scenes" / "bad.csv") << "0 1\n1 two\n";
    std::ofstream(folder / "outside.csv") << "0 1\n";
    fs::create_symlink(folder / "outside.csv", folder / "scenes" / "link.csv");
    const auto read = [&](const std::string& table) {
        const std::string text = with(pendulum, "\"-0.1*theta'\"", "\"table(push, t)\"") + table;
        return read_scene_text(text, "s.toml", {}, folder / "scenes");
    };
    const auto force_at = [](const Scene& scene, double t_s) {
        Workspace work;
        std::vector<double> force(1);
        const Point at{view(scene.start.q), view(scene.start.u), t_s};
        scene.model.given_forces(at, force, work);
        return force[0];
    };
    const auto inside = read("[[table]]\nname = \"push\"\nt_s = [0, 1.5, 2]\nvalue = [1, 2.5, 3]\n");
    const auto file = read("[[table]]\nname = \"push\"\nfile = \"push.csv\"\n");
    REQUIRE(inside.has_value());
    REQUIRE(file.has_value());
    for (const double t_s : {-1.0, 0.75, 1.9, 7.0})
        CHECK(force_at(*inside, t_s) == force_at(*file, t_s));
    CHECK(force_at(*file, 0.75) == 1.75);

    const auto code = [&](const std::string& lines) {
        const auto scene = read("[[table]]\nname = \"push\"\n" + lines);
        REQUIRE_FALSE(scene.has_value());
        REQUIRE(scene.error().size() == 1);
        return name_of(scene.error()[0].code);
    };
    CHECK(code("file = \"../outside.csv\"\n") == "file_unreadable");
    CHECK(code("file = \"link.csv\"\n") == "file_unreadable");
    CHECK(code("file = \"/etc/passwd\"\n") == "file_unreadable");
    CHECK(code("file = \"none.csv\"\n") == "file_unreadable");
    CHECK(code("file = \"push.csv\\u0000\"\n") == "file_unreadable");
    CHECK(code("file = \"bad.csv\"\n") == "file_malformed");
    CHECK(code("t_s = [0, 0]\nvalue = [1, 1]\n") == "setting_out_of_range");
    CHECK(code("t_s = [0, 1]\nvalue = [1]\n") == "wrong_size");
    CHECK(code("t_s = [0, nan]\nvalue = [1, 1]\n") == "setting_out_of_range");
    CHECK(code("t_s = [0, 1]\n") == "missing_key");
    fs::remove_all(folder);
}

TEST_CASE("files that cannot be read are told apart")
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "carom_scene_file_test";
    fs::remove_all(folder);
    fs::create_directories(folder);
    std::ofstream(folder / "ball.toml") << pendulum;
    const auto message = [&](const char* name) {
        const auto scene = read_scene(folder / name);
        REQUIRE_FALSE(scene.has_value());
        CHECK(scene.error()[0].code == ErrorCode::FileUnreadable);
        return to_text(scene.error()[0]);
    };
    CHECK(read_scene(folder / "ball.toml").has_value());
    CHECK(contains(message("."), "folder"));
    CHECK(contains(message("ball"), "did you mean ball.toml?"));
    CHECK(contains(message("bal.toml"), "did you mean ball.toml?"));
    // four letters and an ending in common are no resemblance
    CHECK_FALSE(contains(message("hulk.toml"), "did you mean"));
    std::ofstream(folder / "large.toml").seekp(static_cast<std::streamoff>(max_scene_bytes)) << "\n";
    CHECK(contains(message("large.toml"), "more than 64000000 bytes"));
    fs::remove_all(folder);
}

TEST_CASE("scenes with random damage give scenes or errors")
{
    // a fixed seed; every kind of damage a slip of the hand can do
    std::mt19937 random(20260);
    const std::string letters = "[]{}=\"'.,#\n\\ aeu0123456789-+*/^()_xt\x80\xce\xbc";
    for (int round = 0; round < 3000; ++round) {
        std::string text = pendulum;
        const auto times = 1 + random() % 4;
        for (unsigned i = 0; i < times; ++i) {
            const auto at = random() % text.size();
            switch (random() % 3) {
            case 0: text.erase(at, 1 + random() % 5); break;
            case 1: text.insert(at, 1, letters[random() % letters.size()]); break;
            default: text[at] = letters[random() % letters.size()]; break;
            }
        }
        const auto scene = read_scene_text(text, "s.toml");
        if (scene) continue;
        REQUIRE_FALSE(scene.error().empty());
        for (const Error& error : scene.error()) {
            CAPTURE(text);
            CHECK(error.where.starts_with("s.toml"));
            CHECK_FALSE(error.message.empty());
        }
    }
}
