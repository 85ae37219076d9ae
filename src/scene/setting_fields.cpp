#include "setting_fields.hpp"

#include "run/visit_settings.hpp"
#include "sweeping/visit_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Type = FieldType;

class SettingFields {
public:
    explicit SettingFields(std::string_view group) : group_(group) {}

    template <class Settings>
    void add(const Settings& defaults)
    {
        visit_settings(defaults,
                       [this](const Setting& setting, const auto& value) { this->take(setting, value); });
    }

    std::vector<Field> fields;

private:
    template <class Value>
    void take(const Setting& setting, const Value& value)
    {
        const std::string_view path = setting.path.substr(0, setting.path.find('['));
        const bool is_entry = path != setting.path;
        const auto dot = path.rfind('.');
        if (group_ != (dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot))) return;
        auto field = std::ranges::find(fields, path, &Field::path);
        if (field == fields.end()) {
            fields.push_back({.path = path,
                              .needed = setting.needed,
                              .unit = setting.unit,
                              .range = setting.range,
                              .help = setting.help,
                              .hint = setting.hint});
            field = fields.end() - 1;
            set_type(value, *field);
            if (setting.formula) field->type = Type::Constant;
            if (setting.needed || !setting.fallback.empty()) field->fallback = setting.fallback;
        }
        if (!is_entry) return;
        field->type = Type::ChoiceList;
        field->choices.emplace_back(setting.name());
    }

    static void set_type(double value, Field& field)
    {
        field.type = Type::Number;
        field.fallback = plain_number(value);
    }

    static void set_type(int value, Field& field)
    {
        field.type = Type::Integer;
        field.fallback = fmt::format("{}", value);
    }

    static void set_type(bool value, Field& field)
    {
        field.type = Type::Boolean;
        field.fallback = value ? "true" : "false";
    }

    template <class Value>
        requires std::is_enum_v<Value>
    static void set_type(Value value, Field& field)
    {
        field.type = Type::Choice;
        field.fallback = fmt::format("\"{}\"", word_of(value));
        for (const auto& word : words_of(value))
            field.choices.emplace_back(word.text);
    }

    std::string_view group_;
};

}  // namespace

std::vector<Field> setting_fields(std::string_view group)
{
    SettingFields all(group);
    all.add(RunPlan{});
    visit_integrators([&all](const auto& settings) { all.add(settings); });
    all.add(SolverSettings{});
    all.add(RecordSettings{});
    all.add(SweepingSettings{});
    return std::move(all.fields);
}

}  // namespace carom::detail
