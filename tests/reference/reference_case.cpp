#include "reference_case.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace carom::reference {
namespace {

constexpr std::uintmax_t largest_file_bytes = 64u << 20;

/// The value of a parameter; DriverFailure unless it is there.
const Json& parameter(const Task& task, std::string_view name)
{
    const auto found = task.parameters.find(std::string(name));
    if (found == task.parameters.end())
        throw DriverFailure(fmt::format("the case has no parameter {}", name));
    return *found;
}

double number_of(const Json& value, std::string_view name)
{
    if (!value.is_number())
        throw DriverFailure(fmt::format("parameter {} is not a number: {}", name, value.dump()));
    return value.get<double>();
}

Eigen::VectorXd vector_of(const Json& value, std::string_view name)
{
    if (!value.is_array() || value.empty()) {
        throw DriverFailure(fmt::format("parameter {} is not a list of numbers: {}", name, value.dump()));
    }
    Eigen::VectorXd result(static_cast<Eigen::Index>(value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
        result[static_cast<Eigen::Index>(i)] = number_of(value[i], name);
    }
    return result;
}

/// Reads cases one by one and collects what is wrong with them.
class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    std::vector<ReferenceCase> read(const Json& cases)
    {
        std::vector<ReferenceCase> result;
        std::set<std::string> ids;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            where_ = fmt::format("{}: case {}", file_, i + 1);
            result.push_back(read_case(cases[i]));
            const std::string& id = result.back().task.id;
            if (!id.empty() && !ids.insert(id).second) {
                report(ErrorCode::DuplicateName, fmt::format("two cases have the id {}", carom::quoted(id)),
                       "give each case its own id");
            }
        }
        return result;
    }

    [[nodiscard]] const Errors& errors() const noexcept { return errors_; }

private:
    void report(ErrorCode code, std::string message, std::string hint)
    {
        errors_.push_back({.code = code,
                           .where = where_,
                           .message = std::move(message),
                           .hint = std::move(hint),
                           .excerpt = {}});
    }

    /// The entry of a table if it has the right type; reports it otherwise.
    template <class Check>
    const Json* entry(const Json& table, const char* key, const char* type, Check is_right)
    {
        const auto found = table.find(key);
        if (found == table.end()) {
            report(ErrorCode::MissingKey, fmt::format("{} is missing", key),
                   fmt::format("give {} as {}", key, type));
            return nullptr;
        }
        if (!is_right(*found)) {
            report(ErrorCode::WrongType,
                   fmt::format("{} is {}", key, carom::quoted(found->dump(-1, ' ', true))),
                   fmt::format("give {} as {}", key, type));
            return nullptr;
        }
        return &*found;
    }

    std::string text(const Json& table, const char* key)
    {
        const Json* found = entry(table, key, "a text", [](const Json& value) { return value.is_string(); });
        return found ? found->get<std::string>() : std::string();
    }

    /// A finite number that is not negative; nothing when it is absent or null.
    std::optional<double> optional_number(const Json& table, const char* key)
    {
        const auto found = table.find(key);
        if (found == table.end() || found->is_null()) return std::nullopt;
        const double value = found->is_number() ? found->get<double>() : -1;
        if (value >= 0 && std::isfinite(value)) return value;
        report(ErrorCode::SettingOutOfRange,
               fmt::format("{} is {}", key, carom::quoted(found->dump(-1, ' ', true))),
               fmt::format("give {} as a number that is not negative", key));
        return std::nullopt;
    }

    std::vector<std::string> outputs(const Json& table)
    {
        std::vector<std::string> result;
        const Json* found = entry(table, "outputs", "a list of texts", [](const Json& value) {
            return value.is_array() &&
                   std::all_of(value.begin(), value.end(), [](const Json& name) { return name.is_string(); });
        });
        if (found) result = found->get<std::vector<std::string>>();
        return result;
    }

    ReferenceValue reference_value(const Json& table)
    {
        ReferenceValue result;
        if (!table.is_object()) {
            report(ErrorCode::WrongType,
                   fmt::format("reference holds {}", carom::quoted(table.dump(-1, ' ', true))),
                   "each reference is an object with name, value and tol");
            return result;
        }
        result.name = text(table, "name");
        if (const Json* value =
                entry(table, "value", "a number, list, boolean or text",
                      [](const Json& seen) { return !seen.is_null() && !seen.is_object(); })) {
            result.value = *value;
        }
        result.tolerance = optional_number(table, "tol").value_or(0);
        result.time_stepping_tolerance = optional_number(table, "tol_ts");
        result.is_range = table.contains("note") && table["note"] == "range";
        return result;
    }

    ReferenceCase read_case(const Json& table)
    {
        ReferenceCase result;
        if (!table.is_object()) {
            report(ErrorCode::WrongType, "it is not an object",
                   "each case is an object with id, family, ...");
            return result;
        }
        result.task.id = text(table, "id");
        where_ = fmt::format("{} ({})", where_, printable(result.task.id));
        result.task.family = text(table, "family");
        result.title = table.contains("title") ? text(table, "title") : "";
        const Json* found =
            entry(table, "parameters", "an object", [](const Json& value) { return value.is_object(); });
        result.task.parameters = found ? *found : Json::object();
        result.task.outputs = outputs(table);
        result.task.h_ts_s = optional_number(table, "h_ts");
        if (result.task.h_ts_s && !(*result.task.h_ts_s > 0)) {
            report(ErrorCode::SettingOutOfRange, "h_ts is zero",
                   "give a step greater than zero, or leave it out");
        }
        if (const Json* references =
                entry(table, "reference", "a list", [](const Json& value) { return value.is_array(); })) {
            for (const Json& value : *references) {
                result.reference.push_back(reference_value(value));
            }
        }
        return result;
    }

    std::string file_, where_;
    Errors errors_;
};

Errors one_error(ErrorCode code, const std::filesystem::path& file, std::string message, std::string hint)
{
    return {{.code = code,
             .where = file.string(),
             .message = std::move(message),
             .hint = std::move(hint),
             .excerpt = {}}};
}

}  // namespace

double Task::number(std::string_view name) const
{
    return number_of(parameter(*this, name), name);
}

double Task::number(std::string_view name, double fallback) const
{
    return parameters.contains(std::string(name)) ? number(name) : fallback;
}

Eigen::VectorXd Task::vector(std::string_view name) const
{
    return vector_of(parameter(*this, name), name);
}

Eigen::MatrixXd Task::matrix(std::string_view name) const
{
    const Json& rows = parameter(*this, name);
    if (!rows.is_array() || rows.empty()) {
        throw DriverFailure(fmt::format("parameter {} is not a list of rows: {}", name, rows.dump()));
    }
    Eigen::MatrixXd result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Eigen::VectorXd row = vector_of(rows[i], name);
        if (i == 0) result.resize(static_cast<Eigen::Index>(rows.size()), row.size());
        if (row.size() != result.cols()) {
            throw DriverFailure(fmt::format("the rows of parameter {} differ in length", name));
        }
        result.row(static_cast<Eigen::Index>(i)) = row;
    }
    return result;
}

std::string Task::text(std::string_view name) const
{
    const Json& value = parameter(*this, name);
    if (!value.is_string())
        throw DriverFailure(fmt::format("parameter {} is not a text: {}", name, value.dump()));
    return value.get<std::string>();
}

Expected<std::vector<ReferenceCase>, Errors> read_cases(const std::filesystem::path& file)
{
    std::error_code failed;
    const bool is_file = std::filesystem::is_regular_file(file, failed);
    if (!is_file || std::filesystem::file_size(file, failed) > largest_file_bytes) {
        return one_error(ErrorCode::FileUnreadable, file, "there is no such file, or it is larger than 64 MB",
                         "give a file of cases, see docs/how-to/reference_cases.md");
    }
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) {
        return one_error(ErrorCode::FileUnreadable, file, "the file cannot be read, or is empty",
                         "give a file of cases, see docs/how-to/reference_cases.md");
    }
    return read_cases_text(text.str(), file);
}

Expected<std::vector<ReferenceCase>, Errors> read_cases_text(std::string_view text,
                                                             const std::filesystem::path& file)
{
    Json content;
    try {
        content = Json::parse(text);
    } catch (const Json::exception& error) {
        return one_error(ErrorCode::FileMalformed, file, printable(error.what()), "a file of cases is JSON");
    }

    // {"cases": [...]}, or the list alone
    const bool has_cases = content.is_object() && content.contains("cases");
    const Json cases = has_cases ? content["cases"] : content;
    if (!cases.is_array()) {
        return one_error(ErrorCode::WrongType, file, "there is no list of cases",
                         "write an object with the entry cases, a list");
    }
    Reader reader(file.string());
    auto result = reader.read(cases);
    if (!reader.errors().empty()) return reader.errors();
    return result;
}

}  // namespace carom::reference
