#include "carom/study/run_study.hpp"
#include "core/text.hpp"
#include "core/write_file.hpp"
#include "study/table_file.hpp"
#include "table_rows.hpp"
#include "trace/write_lock.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include <fmt/format.h>

namespace carom {
namespace {

Error problem_with(ErrorCode code, const std::string& path, std::string message, std::string hint)
{
    return {
        .code = code, .where = path, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

using RowsOfRun = std::vector<std::vector<std::string>>;

/// Collects the runs of tables; the first table says which study it is.
class Merger {
public:
    Expected<void> add(const std::string& path)
    {
        const auto malformed = [&](std::string message) {
            return problem_with(ErrorCode::FileMalformed, path, std::move(message),
                                "merge tables that parts of one study wrote");
        };
        auto text = detail::read_table_text(path);
        if (!text) return text.error();
        const detail::TableRows rows(*text);
        if (!rows.is_study()) return malformed("this is not the table of a study");
        if (names_.empty()) names_ = text->names;
        if (names_ != text->names) return malformed("the table has other columns than the first one");

        long before = -1;
        for (std::size_t i = 0; i < text->rows.size();) {
            if (study_.empty()) study_ = rows.study(i);
            if (rows.study(i) != study_) return malformed("the table is of another study than the first one");
            const long run = rows.run(i);
            if (run < 0) return malformed(fmt::format("{} is not a run", carom::quoted(text->rows[i][0])));
            const auto end = rows.end_of_run(i);
            if (!end) break;
            // runs of one part follow each other at a distance that is the number of parts
            if (before >= 0) parts_ = std::max(parts_, run - before);
            before = run;
            const auto first = text->rows.begin() + static_cast<std::ptrdiff_t>(i);
            RowsOfRun whole(first, text->rows.begin() + static_cast<std::ptrdiff_t>(*end));
            const auto [there, fresh] = runs_.try_emplace(run, std::move(whole));
            if (!fresh && !std::equal(first, text->rows.begin() + static_cast<std::ptrdiff_t>(*end),
                                      there->second.begin(), there->second.end()))
                return malformed(fmt::format("run {} differs from that in another table", run));
            i = *end;
        }
        return {};
    }

    [[nodiscard]] ResultTable table() const
    {
        CsvText text{.names = names_, .rows = {}, .header_end = 0, .ends = {}};
        for (const auto& [run, rows] : runs_)
            text.rows.insert(text.rows.end(), rows.begin(), rows.end());
        return typed(text);
    }

    /// The number of runs stands behind the dash of the study's name.
    [[nodiscard]] MergeReport report() const
    {
        MergeReport report{.runs = static_cast<long>(runs_.size()), .of = 0, .rows = 0, .missing = {}};
        const auto dash = study_.find('-');
        if (dash != std::string::npos)
            std::from_chars(study_.data() + dash + 1, study_.data() + study_.size(), report.of);
        for (long part = 0; part < parts_; ++part) {
            const MissingRuns missing = missing_of({.part = part, .parts = parts_}, report.of);
            if (missing.runs > 0) report.missing.push_back(missing);
        }
        return report;
    }

private:
    [[nodiscard]] MissingRuns missing_of(const Shard& shard, long runs) const
    {
        MissingRuns missing{.shard = shard, .runs = 0, .of = runs_in(shard, runs), .first = 0};
        for (long run = shard.part; run < runs; run += shard.parts) {
            if (runs_.contains(run)) continue;
            if (missing.runs++ == 0) missing.first = run;
        }
        return missing;
    }

    std::vector<std::string> names_;
    std::string study_;
    std::map<long, RowsOfRun> runs_;
    long parts_ = 1;
};

Expected<void> write(const std::string& path, const ResultTable& table)
{
    const auto lock = WriteLock::take(path);
    if (!lock) return lock.error();
    std::error_code missing;
    if (const auto status = std::filesystem::status(path, missing);
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return problem_with(ErrorCode::FileUnwritable, path, "this is not a plain file",
                            "give another name after -o");
    }
    if (std::filesystem::exists(path, missing)) {
        const auto text = detail::read_table_text(path);
        if (!text || !detail::TableRows(*text).is_study())
            return problem_with(ErrorCode::FileUnwritable, path,
                                "the file exists and is not the table of a study: it is not replaced",
                                "give another name after -o, or move the file away");
    }
    if (is_hdf5_path(path)) return write_table_hdf5(path, table);
    std::vector<std::string> lines{csv_header(table)};
    for (std::size_t i = 0; i < table.rows(); ++i)
        lines.push_back(csv_line(table.row(i)));
    return write_file(path, lines);
}

}  // namespace

Expected<MergeReport> merge_tables(const std::vector<std::string>& inputs, const std::string& output)
{
    Merger merger;
    for (const std::string& input : inputs) {
        if (auto added = merger.add(input); !added) return added.error();
    }
    const ResultTable table = merger.table();
    if (auto written = write(output, table); !written) return written.error();
    MergeReport report = merger.report();
    report.rows = table.rows();
    return report;
}

}  // namespace carom
