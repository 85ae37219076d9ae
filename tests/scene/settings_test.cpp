#include "carom/scene/fields.hpp"
#include "run/visit_settings.hpp"
#include "sweeping/visit_settings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

// One spelling per setting: the list of fields, the reader and check() are made from the visitor of a struct and its
// defaults. What they make of it is compared with what the structs are documented to have.

namespace carom {
namespace {

/// "record.fields[gaps]" is an entry of a list.
std::string_view key_of(const Setting& setting)
{
    return setting.path.substr(0, setting.path.find('['));
}

/// check() refuses a number exactly where the range says so, whatever the other settings are.
template <class Settings, class Check>
void compare_with_ranges(std::string_view struct_name, const Check& refusal)
{
    const Settings defaults{};
    int seen = 0;
    visit_settings(defaults, [&](const Setting& setting, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>) {
            ++seen;
            const Range& range = setting.range;
            const double step = std::max(1.0, std::abs(range.low)) * 1e-6;
            std::vector<double> tried{
                0, 0.25, 1, 2, 6, 50, -1, 1e-12, std::nan(""), std::numeric_limits<double>::infinity()};
            for (const double limit : {range.low, range.high}) {
                if (std::isfinite(limit))
                    tried.insert(tried.end(), {limit, limit - 1, limit + 1, limit - step, limit + step});
            }
            for (const double number : tried) {
                // counts are those that an int can hold
                if (std::is_same_v<Value, int> &&
                    !(std::abs(number) < 2147483648.0 && number == std::floor(number)))
                    continue;
                if (setting.absent == number) continue;
                Settings settings{};
                visit_settings(settings, [&](const Setting& other, auto& place) {
                    if constexpr (std::is_same_v<std::remove_reference_t<decltype(place)>, Value>) {
                        if (other.path == setting.path) place = static_cast<Value>(number);
                    }
                });
                CAPTURE(setting.path);
                CAPTURE(number);
                const std::string where = refusal(settings);
                CHECK(where == (range.contains(number)
                                    ? ""
                                    : std::string(struct_name) + "::" + std::string(setting.name())));
            }
        }
    });
    CHECK(seen > 0);
}

template <class Settings>
std::string refused_by_check(const Settings& settings)
{
    const auto checked = check(settings);
    return checked ? "" : checked.error().where;
}

TEST_CASE("a setting is in the list of fields with the type, default and words of its struct")
{
    struct Expected {
        std::string_view path;
        FieldType type;
        std::string_view fallback;
    };
    for (const Expected& expected : {
             Expected{"integrator.time_step_s", FieldType::Number, "1e-3"},
             Expected{"integrator.theta", FieldType::Number, "0.5"},
             Expected{"integrator.force_passes", FieldType::Integer, "2"},
             Expected{"integrator.correction", FieldType::Boolean, "true"},
             Expected{"integrator.cone_point", FieldType::Choice, "\"midpoint\""},
             Expected{"integrator.on_unsolved", FieldType::Choice, "\"accept\""},
             Expected{"integrator.tolerance", FieldType::Number, "1e-16"},
             Expected{"integrator.max_events", FieldType::Integer, "1000000"},
             Expected{"solver.kind", FieldType::Choice, "\"auto\""},
             Expected{"solver.tolerance", FieldType::Number, "1e-8"},
             Expected{"solver.relaxation", FieldType::Number, "1"},
             Expected{"record.every_s", FieldType::Constant, "a thousandth of duration_s, at least one step"},
             Expected{"record.parts", FieldType::Integer, "0"},
             Expected{"duration_s", FieldType::Constant, ""},
             Expected{"sweeping.smallest_step_s", FieldType::Number, "1e-9"},
         }) {
        CAPTURE(expected.path);
        const Field* field = find_field(expected.path);
        REQUIRE(field != nullptr);
        CHECK(field->type == expected.type);
        CHECK(field->fallback == expected.fallback);
        CHECK_FALSE(field->help.empty());
    }
    CHECK(find_field("duration_s")->needed);
    CHECK(find_field("record.fields")->choices ==
          std::vector<std::string>{"velocities", "gaps", "percussions", "energies", "probes"});
    CHECK(find_field("solver.kind")->choices.size() == all_solver_kinds().size());
    CHECK(find_field("integrator.cone_point")->choices == std::vector<std::string>{"midpoint", "end"});
}

TEST_CASE("checks of settings refuse what their ranges exclude, by name")
{
    compare_with_ranges<MoreauSettings>("MoreauSettings", refused_by_check<MoreauSettings>);
    compare_with_ranges<MoreauJeanSettings>("MoreauJeanSettings", refused_by_check<MoreauJeanSettings>);
    compare_with_ranges<SeriesSettings>("SeriesSettings", refused_by_check<SeriesSettings>);
    compare_with_ranges<SolverSettings>("SolverSettings", refused_by_check<SolverSettings>);
    compare_with_ranges<RunPlan>("RunPlan", refused_by_check<RunPlan>);
    compare_with_ranges<RecordSettings>("RecordSettings", refused_by_check<RecordSettings>);
    compare_with_ranges<SweepingSettings>("SweepingSettings", [](const SweepingSettings& settings) {
        const auto checked = check_settings("SweepingSettings", settings);
        return checked ? std::string() : checked.error().where;
    });
}

TEST_CASE("every key of integrator, solver and record belongs to a struct of settings")
{
    std::set<std::string_view> paths{"integrator.kind"};
    const auto gather = [&](const auto& settings) {
        visit_settings(settings, [&](const Setting& setting, const auto&) { paths.insert(key_of(setting)); });
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
            CHECK_MESSAGE(paths.contains(path), path);
        }
    }
}

}  // namespace
}  // namespace carom
