#include "carom/scene/fields.hpp"
#include "scene/visit_settings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

// One spelling per setting: the list of fields, the structs and their checks are three texts about the same
// settings. They are compared member by member, by the visitor that the reader uses.

namespace carom {
namespace {

/// The field of a path of the visitor; "record.fields[gaps]" is an entry of a list.
const Field* field_of(std::string_view path)
{
    return find_field(path.substr(0, path.find('[')));
}

std::string default_in_list(std::string_view path)
{
    return std::string(field_of(path)->fallback);
}

/// Defaults that are numbers or booleans are written so; others are words.
void check_default(std::string_view path, double value)
{
    const std::string text = default_in_list(path);
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size()) CHECK_MESSAGE(number == value, path);
}
void check_default(std::string_view path, int value)
{
    check_default(path, static_cast<double>(value));
}
void check_default(std::string_view path, bool value)
{
    if (path.find('[') == std::string_view::npos)
        CHECK_MESSAGE(default_in_list(path).starts_with(value ? "true" : "false"), path);
    else
        CHECK_MESSAGE(value, path);  // all of them
}
void check_default(std::string_view path, ConePoint value)
{
    CHECK_MESSAGE(default_in_list(path) == "\"" + std::string(name_of(value)) + "\"", path);
}
void check_default(std::string_view path, SolverKind value)
{
    CHECK_MESSAGE(default_in_list(path) == "\"" + std::string(name_of(value)) + "\"", path);
}
void check_default(std::string_view path, OnUnsolved value)
{
    CHECK_MESSAGE(default_in_list(path) == (value == OnUnsolved::Accept ? "\"accept\"" : "\"stop\""), path);
}

void check_default(std::string_view path, RecordPrecision value)
{
    // the default follows the number of bodies
    CHECK_MESSAGE((value == RecordPrecision::Auto && default_in_list(path).starts_with("double;")), path);
}

/// Every setting is in the list, has help there, and the default of the struct.
template <class Settings>
void compare_with_list()
{
    int seen = 0;
    const Settings settings{};
    detail::visit_settings(settings, [&](std::string_view path, const auto& value) {
        ++seen;
        REQUIRE_MESSAGE(field_of(path) != nullptr, path);
        CHECK_MESSAGE(!field_of(path)->help.empty(), path);
        check_default(path, value);
    });
    CHECK(seen > 0);
}

/// check() refuses a number exactly where the list does. `path`: the setting that is varied.
template <class Settings>
void compare_with_check(std::string_view path)
{
    const Range range = field_of(path)->range;
    const double step = std::max(1.0, std::abs(range.low)) * 1e-6;
    std::vector<double> tried{0, 0.25, 1, 2, 6, 50, -1, 1e-12, std::numeric_limits<double>::quiet_NaN()};
    for (const double limit : {range.low, range.high}) {
        if (!std::isfinite(limit)) continue;
        tried.insert(tried.end(), {limit, limit - 1, limit + 1, limit - step, limit + step});
    }
    for (const double number : tried) {
        Settings settings{};
        bool taken = false;
        detail::visit_settings(settings, [&](std::string_view other, auto& value) {
            using Value = std::remove_reference_t<decltype(value)>;
            if (other != path) return;
            if constexpr (std::is_same_v<Value, double>) {
                value = number;
                taken = true;
            } else if constexpr (std::is_same_v<Value, int>) {
                // the largest counts of the list are those that a computer can reach
                if (std::isfinite(number) && number == std::floor(number) && number < 1e9) {
                    value = static_cast<int>(number);
                    taken = true;
                }
            }
        });
        if (!taken) continue;
        const std::string what = std::string(path) + " = " + std::to_string(number);
        // 0 stands for an interval that was left out
        if (path == "record.every_s" && number == 0) continue;
        CHECK_MESSAGE(check(settings).has_value() == range.contains(number), what);
    }
}

template <class Settings>
void compare_all_with_check()
{
    Settings settings{};
    detail::visit_settings(settings, [&](std::string_view path, auto& value) {
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>)
            compare_with_check<Settings>(path);
    });
}

TEST_CASE("defaults of the list of fields are those of the structs")
{
    compare_with_list<MoreauSettings>();
    compare_with_list<MoreauJeanSettings>();
    compare_with_list<SolverSettings>();
    compare_with_list<RecordSettings>();
    compare_with_list<SweepingSettings>();

    // reporting interval and events have words of their own: the default depends on kind and size
    const SeriesSettings series{};
    detail::visit_settings(series, [](std::string_view path, const auto& value) {
        if (path != "integrator.time_step_s") check_default(path, value);
    });
    CHECK(field_of("integrator.time_step_s")->help.find("default 1e-2") != std::string_view::npos);
    CHECK(series.time_step_s == 1e-2);
    compare_with_list<RunPlan>();
}

TEST_CASE("checks of settings refuse what the list of fields refuses")
{
    compare_all_with_check<MoreauSettings>();
    compare_all_with_check<MoreauJeanSettings>();
    compare_all_with_check<SeriesSettings>();
    compare_all_with_check<SolverSettings>();
    compare_all_with_check<RunPlan>();
    compare_all_with_check<RecordSettings>();
}

TEST_CASE("every key of integrator, solver and record belongs to a struct of settings")
{
    std::vector<std::string> paths{"integrator.kind"};
    const auto gather = [&](const auto& settings) {
        detail::visit_settings(settings, [&](std::string_view path, const auto&) {
            paths.emplace_back(path.substr(0, path.find('[')));
        });
    };
    gather(MoreauSettings{});
    gather(MoreauJeanSettings{});
    gather(SeriesSettings{});
    gather(SolverSettings{});
    gather(RunPlan{});
    gather(RecordSettings{});
    for (const char* group : {"integrator", "solver", "record"}) {
        for (const std::string& key : keys_in(group)) {
            const std::string path = std::string(group) + "." + key;
            CHECK_MESSAGE(std::find(paths.begin(), paths.end(), path) != paths.end(), path);
        }
    }
}

}  // namespace
}  // namespace carom
