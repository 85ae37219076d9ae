#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace carom::app {

/// What carom understands: every command with its options, described once. Help, manual page and completions
/// are made from it.
class CommandLine {
public:
    CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    [[nodiscard]] CLI::App& app() noexcept { return app_; }

    /// Does what was asked for; after app().parse().
    [[nodiscard]] ExitStatus run() const;

private:
    /// A new command, and what it does.
    CLI::App& add(const char* name, const char* what, std::function<ExitStatus()> act);

    void add_new();
    void add_import();
    void add_run();
    void add_resume();
    void add_inspect();
    void add_study();
    void add_orbit();
    void add_branch();
    void add_solve();
    void add_bench();
    void add_export();
    void add_report();
    void add_view();
    void add_figure();
    void add_gallery();
    void add_texts();

    CLI::App app_;
    std::vector<std::pair<CLI::App*, std::function<ExitStatus()>>> acts_;
    NewOptions new_;
    ImportOptions import_;
    RunOptions run_;
    ResumeOptions resume_;
    InspectOptions inspect_;
    StudyOptions study_;
    OrbitCommand orbit_, branch_;
    SolveOptions solve_;
    BenchOptions bench_;
    ExportOptions export_;
    ReportOptions report_;
    ViewOptions view_;
    FigureOptions figure_;
    GalleryOptions gallery_;
    std::string shell_;
};

}  // namespace carom::app
