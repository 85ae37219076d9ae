#include "carom/figure/gallery.hpp"

#include "core/text.hpp"
#include "trace/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scene_files(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

constexpr std::string_view head = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>carom: gallery</title>
<style>
:root { color-scheme: light dark; --text: #222; --ground: #fff; --quiet: #5a5a5a; --line: #ddd; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --ground: #16181c; --quiet: #a8a8a8; --line: #3a3d44; } }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; font: 16px/1.5 "DejaVu Sans", Helvetica, Arial, sans-serif;
       color: var(--text); background: var(--ground); }
section { border-top: 1px solid var(--line); padding: 1.2rem 0; }
img { max-width: 100%; background: #fff; border-radius: 4px; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.source, .status { color: var(--quiet); }
pre { overflow-x: auto; font-size: 13px; }
</style>
</head>
<body>
<h1>Gallery</h1>
<p>Every picture was computed now, from the scene that stands below it.</p>
)html";

std::string numbers_table(const GalleryEntry& entry)
{
    if (entry.figure.results.empty()) return {};
    std::string rows = "<table>\n<tr><th>number</th><th>carom</th><th>reference</th><th>error</th></tr>\n";
    for (const FigureResult& result : entry.figure.results) {
        const std::string unit = result.unit.empty() ? "" : " " + detail::escaped(result.unit);
        rows += fmt::format(
            "<tr><td>{}</td><td class=\"number\">{:.9g}{}</td><td class=\"number\">{:.9g}{}</td>"
            "<td class=\"number\">{:.1e}</td></tr>\n",
            detail::escaped(result.label), result.value, unit, result.reference, unit, result.error());
    }
    return rows + "</table>\n";
}

/// Whether all runs behind the figure are certified.
std::string status_of(const GalleryEntry& entry)
{
    std::string worst = "certified";
    for (const FigureRun& one : entry.figure.runs) {
        if (one.run.status != RunStatus::Certified) worst = std::string(name_of(one.run.status));
    }
    const std::size_t runs = entry.figure.runs.size();
    return fmt::format("{} run{}, {}", runs, runs == 1 ? "" : "s", worst);
}

}  // namespace

Expected<std::vector<GalleryEntry>, Errors> draw_gallery(const fs::path& scenes,
                                                         const std::atomic<bool>* stop)
{
    std::vector<GalleryEntry> entries;
    Errors errors;
    for (const fs::path& file : scene_files(scenes)) {
        const auto scene = read_scene(file);
        if (!scene) {
            errors.insert(errors.end(), scene.error().begin(), scene.error().end());
            continue;
        }
        for (const FigurePlan& plan : scene->figures) {
            if (plan.source.empty()) continue;
            if (stop != nullptr && *stop) return entries;
            auto figure = make_figure(*scene, plan, FigureFormat::Svg, stop);
            if (!figure)
                errors.insert(errors.end(), figure.error().begin(), figure.error().end());
            else if (!figure->file.empty())
                entries.push_back({file.stem().string(), scene->text, plan, std::move(*figure)});
        }
    }
    if (!errors.empty()) return errors;
    if (entries.empty() && (stop == nullptr || !*stop)) {
        return Errors{{.code = ErrorCode::FileUnreadable,
                       .where = printable(scenes.string()),
                       .message = "no scene of this folder has a [[figure]] with a source",
                       .hint = "give the folder of carom's scenes: carom gallery scenes",
                       .excerpt = {}}};
    }
    return entries;
}

std::string picture_name(const GalleryEntry& entry)
{
    return fmt::format("{}_{}.svg", entry.scene, entry.plan.name);
}

std::string gallery_page(const std::vector<GalleryEntry>& entries)
{
    std::string page(head);
    page += "<nav><ul>\n";
    for (const GalleryEntry& entry : entries) {
        page += fmt::format("<li><a href=\"#{0}_{1}\">{2}</a> <span class=\"source\">{3}</span></li>\n",
                            detail::escaped(entry.scene), detail::escaped(entry.plan.name),
                            detail::escaped(entry.plan.title.empty() ? entry.plan.name : entry.plan.title),
                            detail::escaped(entry.plan.source));
    }
    page += "</ul></nav>\n";
    for (const GalleryEntry& entry : entries) {
        const std::string title = entry.plan.title.empty() ? entry.plan.name : entry.plan.title;
        page += fmt::format(
            "<section id=\"{0}_{1}\">\n<h2>{2}</h2>\n<p class=\"source\">{3}</p>\n<p>{4}</p>\n"
            "<img src=\"{5}\" alt=\"{2}\">\n{6}<p class=\"status\">{7}</p>\n"
            "<details><summary>scenes/{0}.toml</summary>\n<pre>{8}</pre>\n</details>\n</section>\n",
            detail::escaped(entry.scene), detail::escaped(entry.plan.name), detail::escaped(title),
            detail::escaped(entry.plan.source), detail::escaped(entry.plan.statement),
            detail::escaped(picture_name(entry)), numbers_table(entry), status_of(entry),
            detail::escaped(entry.text));
    }
    return page + "</body>\n</html>\n";
}

}  // namespace carom
