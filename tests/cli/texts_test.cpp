#include "support.hpp"

#include "carom/scene/fields.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <regex>
#include <set>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

const std::vector<std::string> commands = {"new",    "import", "run",    "resume", "inspect",    "study",
                                           "report", "view",   "export", "schema", "completion", "manual"};

/// The options that a help text describes, each with the names it goes by: {"-o", "--output"}.
std::set<std::string> options_in(const std::string& help)
{
    std::set<std::string> names;
    std::istringstream lines(help);
    const std::regex name("(^|,)(--?[a-z][a-z-]*)");
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  -")) continue;
        std::istringstream words(line);
        std::string first;
        words >> first;
        for (auto it = std::sregex_iterator(first.begin(), first.end(), name); it != std::sregex_iterator();
             ++it)
            names.insert((*it)[2]);
    }
    return names;
}

/// What a shell prints.
std::string shell(const std::string& command)
{
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;)
        text.push_back(static_cast<char>(letter));
    CHECK(pclose(pipe) == 0);
    return text;
}

/// The words that bash would offer after these.
std::string offered(const Folder& folder, const std::string& words)
{
    const std::string script = folder.write(
        "try.bash", "source '" + folder.path("carom.bash") + "'\ncd '" + folder.path("") + "'\nCOMP_WORDS=(" +
                        words +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_carom\necho \"${COMPREPLY[*]}\"\n");
    std::string text = shell("bash '" + script + "'");
    text.pop_back();
    return text;
}

/// What carom writes when a terminal is in front of it.
std::string on_terminal(const std::vector<std::string>& arguments, const char* no_color)
{
    int master = -1;
    const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
    REQUIRE(child >= 0);
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        no_color != nullptr ? setenv("NO_COLOR", no_color, 1) : unsetenv("NO_COLOR");
        std::vector<char*> argv{const_cast<char*>(CAROM_PROGRAM)};
        for (const std::string& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execv(CAROM_PROGRAM, argv.data());
        _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(master, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(count));
    close(master);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    return text;
}

/// Sequences that set colours, not those that clear a line.
bool has_colours(const std::string& text)
{
    return std::regex_search(text, std::regex("\033\\[[0-9;]+m"));
}

}  // namespace

TEST_CASE("every command helps with examples, and the manual page and the completions know all of it")
{
    const std::string manual = carom_program({"manual"}).out;
    const std::string bash = carom_program({"completion", "bash"}).out;
    const std::string zsh = carom_program({"completion", "zsh"}).out;
    const std::string top = carom_program({"--help"}).out;
    for (const std::string& command : commands) {
        CAPTURE(command);
        const Outcome help = carom_program({command, "--help"});
        CHECK(help.status == 0);
        CHECK(contains(help.out, "Examples:\n  "));
        CHECK(contains(help.out, "carom " + command));
        CHECK(contains(top, "\n  " + command + " "));
        CHECK(contains(manual, ".SS carom " + command + "\n"));
        CHECK(contains(bash, "        " + command + ")\n"));
        CHECK(contains(zsh, "        " + command + ")\n"));
        for (const std::string& option : options_in(help.out)) {
            CAPTURE(option);
            CHECK(contains(manual, std::regex_replace(option, std::regex("-"), "\\-")));
            CHECK(contains(bash, option));
            CHECK(contains(zsh, option + "["));
        }
    }
    CHECK(options_in(carom_program({"run", "--help"}).out) ==
          std::set<std::string>{"-h", "--help", "-o", "--output", "--set", "--at", "--json", "--quiet",
                                "--no-svg", "--save-problems", "--sensitivity", "--of-steps", "--threads"});
    CHECK(manual.starts_with(".TH CAROM 1"));
    CHECK(zsh.starts_with("#compdef carom\n"));
    CHECK(carom_program({"completion", "fish"}).status == 2);
}

TEST_CASE("bash completes commands, options, words and files of the right kind")
{
    const Folder folder;
    folder.write("carom.bash", carom_program({"completion", "bash"}).out);
    folder.write("a scene.toml", "");
    folder.write("run.h5", "");
    folder.write("notes.txt", "");
    CHECK(offered(folder, "carom re") == "resume report");
    CHECK(offered(folder, "carom export run.h5 --to ''") == "csv svg vtk gltf png webm mp4 gif h5");
    CHECK(offered(folder, "carom export run.h5 --to v") == "vtk");
    CHECK(offered(folder, "carom completion ''") == "bash zsh");
    CHECK(offered(folder, "carom run ''") == "a scene.toml");
    CHECK(offered(folder, "carom report ''") == "run.h5");
    CHECK(offered(folder, "carom inspect ''").find("notes.txt") == std::string::npos);
    CHECK(offered(folder, "carom run -o n") == "notes.txt");
    CHECK(offered(folder, "carom view run.h5 --p") == "--port");
    CHECK(offered(folder, "carom view run.h5 --port ''") == "");
    CHECK(offered(folder, "carom nonsense ''") == "");
}

TEST_CASE("carom schema prints the schema of scenes")
{
    const Outcome outcome = carom_program({"schema"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out == scene_schema());
}

/// Containers without devpts have no terminals to give: what needs one is left out, and says so.
bool has_terminals()
{
    int master = -1, other = -1;
    const bool has = openpty(&master, &other, nullptr, nullptr, nullptr) == 0;
    if (has) {
        close(master);
        close(other);
    } else {
        MESSAGE("SKIPPED: there is no pseudo-terminal here (no devpts), nothing was tried on one");
    }
    return has;
}

TEST_CASE("a terminal gets colours unless NO_COLOR says otherwise, and a file never")
{
    if (!has_terminals()) return;
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), wrong = folder.write("wrong.toml", "x = 1\n");
    for (const std::string& file : {scene, wrong}) {
        CAPTURE(file);
        CHECK(has_colours(on_terminal({"run", file}, nullptr)));
        CHECK(has_colours(on_terminal({"run", file}, "")));  // no-color.org: an empty one does not count
        CHECK_FALSE(has_colours(on_terminal({"run", file}, "1")));
        const Outcome outcome = carom_program({"run", file});
        CHECK_FALSE(contains(outcome.out, "\033"));
        CHECK_FALSE(contains(outcome.err, "\033"));
    }
}

TEST_CASE("progress shows the rate and the time that is left, on terminals only")
{
    if (!has_terminals()) return;
    const Folder folder;
    // long enough to be drawn, which happens after 0.2 s
    const std::string scene =
        folder.write("ball.toml", with(with(ball, "duration_s = 1.0", "duration_s = 20"),
                                       "time_step_s = 1e-3", "time_step_s = 1e-5"));
    const std::string text = on_terminal({"run", scene}, nullptr);
    CHECK(
        std::regex_search(text, std::regex("\\[#*\\.+\\] +[0-9]+ %  t = [0-9.]+ s  [0-9.]+( [kM])? steps/s  "
                                           "[0-9]+ (s|min [0-9]+ s) left")));
    CHECK(carom_program({"run", scene, "--set", "duration_s=1"}).err.empty());
}

TEST_CASE("messages say what to do next")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), run = folder.path("ball.h5");
    CHECK(contains(carom_program({"run", scene, "-o", run}).out, "carom report " + run));
    CHECK(contains(carom_program({"run", scene}).out, "-o RUN.h5"));
    CHECK(contains(carom_program({"run", folder.path("none.toml")}).err, "hint"));
    const Outcome unknown = carom_program({"rnu"});
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "--help"));
}
