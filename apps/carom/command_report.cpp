#include "commands.hpp"

#include "carom/trace/page.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "written_file.hpp"

#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

/// Larger tables of a recording are read part by part.
constexpr std::size_t max_table_bytes = 64'000'000;

bool is_table(const std::string& file)
{
    return fs::path(file).extension() == ".csv";
}

/// The page of a table alone, of a study for example.
ExitStatus report_table(const ReportOptions& options)
{
    const std::string& file = options.files.front();
    const auto text = read_csv(file);
    if (!text) return refuse({text.error()});
    const ResultTable table = typed(*text);
    const PageTable shown{.name = fs::path(file).filename().string(), .table = &table};
    return write_made(to_study_page(shown), file, options.output, ".html");
}

Expected<std::string> content_of(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in || !text)
        return mistake(ErrorCode::FileUnreadable, printable(file), "the file cannot be read",
                       "give what carom orbit --json or carom branch --json printed");
    return std::move(text).str();
}

/// The page of an orbit or a branch of orbits.
ExitStatus report_orbits(const ReportOptions& options)
{
    const std::string& file = options.files.front();
    const auto text = content_of(file);
    if (!text) return refuse({text.error()});
    const auto page = to_orbit_page(fs::path(file).filename().string(), *text);
    if (!page) return refuse({page.error()});
    return write_made(*page, file, options.output, ".html");
}

/// The measured data of a CSV file. Errors: those of read_csv, FileMalformed without times.
Expected<ResultTable> read_data(const std::string& file)
{
    const auto text = read_csv(file);
    if (!text) return text.error();
    ResultTable table = typed(*text);
    const TableColumn* time = table.find("time_s");
    if (time == nullptr || time->kind != CellKind::Number)
        return Error{
            .code = ErrorCode::FileMalformed,
            .where = printable(file),
            .message = "there is no column time_s of numbers",
            .hint = "name the columns in the first line: time_s, and quantities of the run, for example x",
            .excerpt = {}};
    return table;
}

std::string short_name(const std::string& file)
{
    return fs::path(file).filename().string();
}

}  // namespace

ExitStatus run_report(const ReportOptions& options)
{
    if (options.files.size() == 1 && is_table(options.files.front())) return report_table(options);
    if (options.files.size() == 1 && fs::path(options.files.front()).extension() == ".json")
        return report_orbits(options);
    std::deque<Recording> recordings;
    std::deque<ResultTable> tables;
    PageOfRuns shown;
    for (const std::string& file : options.files) {
        if (is_table(file) && !recordings.empty()) {
            auto table = read_data(file);
            if (!table) return refuse({table.error()});
            tables.push_back(std::move(*table));
            shown.tables.push_back({.name = short_name(file), .table = &tables.back()});
            continue;
        }
        auto recording = read_recording(file, {.max_table_bytes = max_table_bytes});
        if (!recording) return refuse({recording.error()});
        recordings.push_back(std::move(*recording));
        shown.runs.push_back({.name = short_name(file), .recording = &recordings.back()});
    }
    PageSettings settings;
    if (options.max_size_MB > 0) {
        settings.max_data_bytes = static_cast<std::size_t>(options.max_size_MB * 1e6 / 3);
        settings.max_motion_bytes = static_cast<std::size_t>(options.max_size_MB * 1e6 * 2 / 3);
    }
    const auto pieces = page_pieces(shown, settings);
    if (!pieces) return refuse({pieces.error()});
    return write_made(*pieces, options.files.front(), options.output, ".html");
}

}  // namespace carom::app
