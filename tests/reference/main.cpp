// carom-reference: runs reference cases and compares; docs/how-to/reference_cases.md.

#include "answers.hpp"
#include "body_drivers.hpp"
#include "drivers.hpp"
#include "embedded_cases.hpp"
#include "judge.hpp"
#include "reference_case.hpp"
#include "series_drivers.hpp"
#include "series_motion.hpp"

#include "core/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

namespace carom::reference {
namespace {

constexpr int exit_bad_input = 2;

struct Options {
    std::string cases;  ///< file; empty: those that the program carries
    std::string integrator = "moreau";
    std::string as = "coordinates";
    int order = 24;
    bool json = false;
    bool list = false;
    bool with_driver = false;
    bool slow = false;
    std::vector<std::string> ids;
};

/// The driver of a family, and what it computes with where that is not what was asked for.
struct Choice {
    Driver driver = nullptr;
    std::string_view by = {};
};

/// The driver that the options ask for; where they ask for nothing and a family is computed with bodies or by
/// power series only, that one.
Choice chosen_driver(const Options& options, std::string_view family)
{
    if (options.integrator == "series") return {series_driver_of(family)};
    if (options.as == "bodies") return {body_driver_of(family)};
    if (const Driver driver = driver_of(family)) return {driver};
    if (const Driver driver = body_driver_of(family)) return {driver, "bodies"};
    if (const Driver driver = series_driver_of(family)) return {driver, "series"};
    return {};
}

struct Tally {
    int passed = 0;
    int failed = 0;
    int without_driver = 0;
};

void print(const Verdict& verdict, bool json)
{
    fmt::print("{}\n", json ? to_json_line(verdict) : to_text_line(verdict));
    std::fflush(stdout);
}

/// Runs the driver; what escapes it fails every output.
std::string drive(const Task& task, Driver driver, Answers& answers)
{
    try {
        driver(task, answers);
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

/// One verdict per reference value, and one per output that has no reference.
std::vector<Verdict> verdicts_of(const ReferenceCase& reference_case, const Options& options)
{
    const Task& task = reference_case.task;
    const auto [driver, by] = chosen_driver(options, task.family);
    Answers answers(task.outputs);
    std::string reason = fmt::format("the driver of family {} does not know this output", task.family);
    if (driver == nullptr) {
        reason = fmt::format("there is no driver for family {}", task.family);
    } else if (const std::string escaped = drive(task, driver, answers); !escaped.empty()) {
        reason = escaped;
    }

    std::vector<Verdict> result;
    for (const ReferenceValue& reference : reference_case.reference) {
        const Answer* answer = answers.find(reference.name);
        result.push_back(answer ? judge(task.id, reference, *answer)
                                : failure(task.id, reference.name, reference.value, reason));
    }
    for (const std::string& output : task.outputs) {
        const bool has_reference =
            std::any_of(reference_case.reference.begin(), reference_case.reference.end(),
                        [&](const ReferenceValue& reference) { return reference.name == output; });
        if (!has_reference)
            result.push_back(failure(task.id, output, nullptr, "the case gives no reference for it"));
    }
    if (result.empty()) result.push_back(failure(task.id, "", nullptr, "the case asks for nothing"));
    for (Verdict& verdict : result) {
        verdict.by = by;
    }
    return result;
}

Tally run(const std::vector<const ReferenceCase*>& selected, const Options& options, bool json)
{
    Tally tally;
    for (const ReferenceCase* reference_case : selected) {
        const auto verdicts = verdicts_of(*reference_case, options);
        for (const Verdict& verdict : verdicts) {
            print(verdict, json);
        }
        const bool passed = std::all_of(verdicts.begin(), verdicts.end(),
                                        [](const Verdict& verdict) { return verdict.pass; });
        const bool has_driver = chosen_driver(options, reference_case->task.family).driver != nullptr;
        ++(passed ? tally.passed : has_driver ? tally.failed : tally.without_driver);
    }
    return tally;
}

/// The cases that the options name, in the order of the file. An unknown id is an error.
Expected<std::vector<const ReferenceCase*>, Errors> select(const std::vector<ReferenceCase>& cases,
                                                           const Options& options)
{
    Errors errors;
    std::vector<std::string> known;
    for (const ReferenceCase& reference_case : cases) {
        known.push_back(reference_case.task.id);
    }
    for (const std::string& id : options.ids) {
        if (std::find(known.begin(), known.end(), id) != known.end()) continue;
        const std::string near = nearest_name(id, known);
        errors.push_back({.code = ErrorCode::UnknownName,
                          .where = options.cases.empty() ? "cases.json" : options.cases,
                          .message = fmt::format("there is no case {}", carom::quoted(id)),
                          .hint = near.empty() ? "--list shows all cases" : fmt::format("perhaps {}", near),
                          .excerpt = {}});
    }
    if (!errors.empty()) return errors;

    std::vector<const ReferenceCase*> result;
    for (const ReferenceCase& reference_case : cases) {
        const Task& task = reference_case.task;
        const bool named = std::find(options.ids.begin(), options.ids.end(), task.id) != options.ids.end();
        const bool all = options.ids.empty() && !options.with_driver;
        const bool quick = options.slow || !is_slow(task.family);
        const bool driven = chosen_driver(options, task.family).driver != nullptr;
        if (named || (quick && (all || (options.with_driver && driven)))) result.push_back(&reference_case);
    }
    return result;
}

/// What a family is computed with: "driver", then "bodies" and "series" where there are such drivers too.
std::string drivers_text(std::string_view family)
{
    std::string text;
    const auto add = [&](Driver driver, const char* word) {
        if (driver != nullptr) text += (text.empty() ? "" : " ") + std::string(word);
    };
    add(driver_of(family), "driver");
    add(body_driver_of(family), is_slow(family) ? "bodies (slow)" : "bodies");
    add(series_driver_of(family), "series");
    return text.empty() ? "no driver" : text;
}

void list(const std::vector<ReferenceCase>& cases)
{
    for (const ReferenceCase& reference_case : cases) {
        const Task& task = reference_case.task;
        fmt::print("{:<15} {:<14} {:<14} {}\n", printable(task.id), printable(task.family),
                   drivers_text(task.family), printable(reference_case.title));
    }
}

int refuse(const Errors& errors)
{
    for (const Error& error : errors) {
        fmt::print(stderr, "{}", to_text(error));
    }
    return exit_bad_input;
}

Errors mistakes_of(const Options& options)
{
    Errors errors;
    const auto report = [&](std::string where, std::string message, std::string hint) {
        errors.push_back({.code = ErrorCode::UnknownName,
                          .where = std::move(where),
                          .message = std::move(message),
                          .hint = std::move(hint),
                          .excerpt = {}});
    };
    if (options.integrator != "moreau" && options.integrator != "series") {
        report("--integrator",
               fmt::format("carom does not know the integrator {}", carom::quoted(options.integrator)),
               "it knows moreau and series");
    }
    if (options.as != "coordinates" && options.as != "bodies") {
        report("--as", fmt::format("systems are not written as {}", carom::quoted(options.as)),
               "they are written as coordinates or as bodies");
    }
    if (options.as == "bodies" && options.integrator == "series") {
        report("--as", "bodies are not integrated by power series", "leave out one of the two options");
    }
    return errors;
}

int run_with(const Options& options)
{
    if (const Errors errors = mistakes_of(options); !errors.empty()) return refuse(errors);
    const auto cases = options.cases.empty() ? read_cases_text(detail::embedded_cases(), "cases.json")
                                             : read_cases(options.cases);
    if (!cases) return refuse(cases.error());
    if (options.list) {
        list(*cases);
        return 0;
    }
    const auto selected = select(*cases, options);
    if (!selected) return refuse(selected.error());

    const bool json = options.json || isatty(STDOUT_FILENO) == 0;
    set_series_order(options.order);
    const Tally tally = run(*selected, options, json);
    const auto left_out = std::count_if(cases->begin(), cases->end(), [&](const ReferenceCase& one) {
        return options.ids.empty() && !options.slow && is_slow(one.task.family);
    });
    fmt::print(stderr, "{} passed, {} failed, {} without a driver{}\n", tally.passed, tally.failed,
               tally.without_driver, left_out > 0 ? fmt::format(", {} left out (--slow)", left_out) : "");
    return tally.failed == 0 && tally.without_driver == 0 ? 0 : 1;
}

int main_of(int argc, char** argv)
{
    Options options;
    CLI::App app{"Runs reference cases and compares what carom computes with the reference.\n"
                 "Example: carom-reference --json M83-CORNER-1 C-PEND-1",
                 "carom-reference"};
    app.add_option("--cases", options.cases, "file of cases; left out: those that the program carries")
        ->type_name("FILE");
    app.add_option("--integrator", options.integrator, "integrator of the runs: moreau, series")
        ->type_name("KIND");
    app.add_option("--as", options.as, "what systems are written as: coordinates, bodies")->type_name("KIND");
    app.add_option("--order", options.order, "order of the series")->type_name("N")->capture_default_str();
    app.add_flag("--json", options.json, "one JSON object a line; also when standard output is no terminal");
    app.add_flag("--list", options.list, "say what cases there are and which have a driver, and run none");
    app.add_flag("--with-driver", options.with_driver, "all cases that have a driver, beside the ones named");
    app.add_flag("--slow", options.slow,
                 "also cases that take a minute or more; one that is named runs anyway");
    app.add_option("ID", options.ids, "cases to run; all when none is named");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_bad_input;
    }
    return run_with(options);
}

}  // namespace
}  // namespace carom::reference

int main(int argc, char** argv)
{
    try {
        return carom::reference::main_of(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 3;
    }
}
