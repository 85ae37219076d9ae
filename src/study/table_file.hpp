#pragma once

#include "carom/study/study.hpp"

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carom {

class WriteLock;

/// The growing table of a study, in memory and in a file that survives a kill at any moment.
///
/// CSV: every run is appended when it and all before it are done. HDF5: rows are collected in FILE.part.csv
/// and put in place by finish(). The same study, opened again, resumes where it stopped: whole runs are kept,
/// a torn last line or a run with missing rows is dropped.
class TableFile {
public:
    /// `path` ends in .csv, .h5 or .hdf5; empty: rows are kept in memory only. Errors: FileUnwritable when
    /// the file cannot be written, is being written by another study, or holds something else, another study
    /// or another part of it; FileUnreadable, FileMalformed.
    [[nodiscard]] static Expected<TableFile> open(const std::string& path, const Study& study,
                                                  const Shard& shard);

    /// Runs already in the table.
    [[nodiscard]] long done() const noexcept { return done_; }
    [[nodiscard]] const ResultTable& table() const noexcept { return table_; }

    /// False when the file could not be written.
    bool add(std::span<const Row> rows);

    /// Afterwards the file is complete. Errors: FileUnwritable.
    [[nodiscard]] Expected<void> finish();

private:
    TableFile(std::string path, ResultTable columns);
    [[nodiscard]] Expected<void> begin(std::optional<std::uint64_t> keep_bytes);

    std::string path_;     ///< of the result
    std::string journal_;  ///< of the rows as they come; the same for CSV
    ResultTable table_;
    long done_ = 0;
    std::shared_ptr<WriteLock> lock_;
    std::ofstream out_;
    int reason_ = 0;  ///< errno of the first row that could not be written
};

/// The ending says HDF5.
[[nodiscard]] bool is_hdf5_path(const std::string& path);

}  // namespace carom
