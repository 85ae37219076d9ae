#include "carom/figure/gallery.hpp"

#include "core/text.hpp"
#include "trace/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

namespace carom {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scene_files(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem)) {
        // a pipe would let the gallery wait for somebody who writes into it
        if (entry.path().extension() == ".toml" && !entry.is_fifo(problem)) files.push_back(entry.path());
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
@media (max-width: 40rem) { table { font-size: 13px; } th, td { padding-right: .5rem; } td.number:not(:last-child) { white-space: normal; } }
.source, .status { color: var(--quiet); }
pre { overflow-x: auto; font-size: 13px; white-space: pre-wrap; }
</style>
</head>
<body>
<h1>Gallery</h1>
<p>Each figure was computed from the scene below it. Its numbers are compared with a reference: a closed form, or an
independent computation. Errors are relative, and absolute where the reference is zero.</p>
)html";

/// The paper of an entry: its source up to the first comma.
std::string paper_of(const GalleryEntry& entry)
{
    return entry.plan.source.substr(0, entry.plan.source.find(','));
}

/// The first year of a text; after all papers where there is none.
int year_of(const std::string& text)
{
    static const std::regex year("(1[0-9]|20)[0-9][0-9]");
    std::smatch found;
    return std::regex_search(text, found, year) ? std::stoi(found[0]) : 9999;
}

/// Texts with numbers in their order: figure 1.2 before figure 1.10.
std::vector<std::pair<std::string, long>> natural_key(const std::string& text)
{
    std::vector<std::pair<std::string, long>> key;
    static const std::regex part("([^0-9]*)([0-9]{0,9})");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), part); it != std::sregex_iterator(); ++it) {
        key.emplace_back((*it)[1], (*it)[2].length() > 0 ? std::stol((*it)[2]) : -1);
    }
    return key;
}

bool comes_before(const GalleryEntry& a, const GalleryEntry& b)
{
    const std::string first = paper_of(a), second = paper_of(b);
    if (first != second) return std::pair(year_of(first), first) < std::pair(year_of(second), second);
    return natural_key(a.plan.source) < natural_key(b.plan.source);
}

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

/// Whether all runs behind the figure are certified; of the first that is not, why.
std::string status_of(const GalleryEntry& entry)
{
    std::string worst = "certified", why;
    for (const FigureRun& one : entry.figure.runs) {
        if (one.run.status == RunStatus::Certified || !why.empty()) continue;
        worst = std::string(name_of(one.run.status));
        why = one.run.findings.empty() ? " " : ": " + one.run.findings.back().message;
    }
    const std::size_t runs = entry.figure.runs.size();
    return fmt::format("{} run{}, {}{}", runs, runs == 1 ? "" : "s", worst, detail::escaped(why));
}

std::string title_of(const GalleryEntry& entry)
{
    return detail::escaped(entry.plan.title.empty() ? entry.plan.name : entry.plan.title);
}

std::string contents_of(const std::vector<GalleryEntry>& entries)
{
    std::string list = "<nav>\n", paper;
    for (const GalleryEntry& entry : entries) {
        if (paper_of(entry) != paper) {
            list += paper.empty() ? "" : "</ul>\n";
            paper = paper_of(entry);
            list += fmt::format("<h2>{}</h2>\n<ul>\n", detail::escaped(paper));
        }
        list += fmt::format("<li><a href=\"#{0}_{1}\">{2}</a> <span class=\"source\">{3}</span></li>\n",
                            detail::escaped(entry.scene), detail::escaped(entry.plan.name), title_of(entry),
                            detail::escaped(entry.plan.source));
    }
    return list + (paper.empty() ? "" : "</ul>\n") + "</nav>\n";
}

/// What stands behind `# key:` in the first lines of a scene.
std::string remark_of(const std::string& text, const std::string& key)
{
    const std::string mark = "# " + key + ": ";
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) return {};
    return text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
}

/// A scene that carom must not accept, with its reasons.
Expected<GalleryEntry, Errors> refused_scene(const fs::path& file)
{
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    GalleryEntry entry{.scene = file.stem().string(), .text = text, .plan = {}, .figure = {}, .refusal = {}};
    entry.plan.name = "refused";
    entry.plan.title = remark_of(text, "title");
    entry.plan.source = remark_of(text, "source");
    entry.plan.statement = remark_of(text, "statement");
    const auto scene = read_scene_text(text, entry.scene + ".toml");
    if (scene) {
        return Errors{{.code = ErrorCode::NotAllowedHere,
                       .where = printable(file.string()),
                       .message = "the scene is accepted, although no motion exists",
                       .hint = "scenes that can be run belong one folder higher",
                       .excerpt = {}}};
    }
    for (const Error& error : scene.error()) {
        entry.refusal += to_text(error) + "\n";
    }
    return entry;
}

std::string section_of(const GalleryEntry& entry)
{
    const std::string shown =
        entry.refusal.empty()
            ? fmt::format("<img src=\"{}\" alt=\"{}\">\n{}<p class=\"status\">{}</p>\n",
                          detail::escaped(picture_name(entry)), title_of(entry), numbers_table(entry),
                          status_of(entry))
            : fmt::format("<pre>{}</pre>\n<p class=\"status\">refused</p>\n", detail::escaped(entry.refusal));
    return fmt::format(
        "<section id=\"{0}_{1}\">\n<h2>{2}</h2>\n<p class=\"source\">{3}</p>\n<p>{4}</p>\n{5}"
        "<details><summary>scenes/{6}{0}.toml</summary>\n<pre>{7}</pre>\n</details>\n</section>\n",
        detail::escaped(entry.scene), detail::escaped(entry.plan.name), title_of(entry),
        detail::escaped(entry.plan.source), detail::escaped(entry.plan.statement), shown,
        entry.refusal.empty() ? "" : "refused/", detail::escaped(entry.text));
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
            auto figure = make_figure(*scene, plan, {.format = FigureFormat::Svg}, stop);
            if (!figure)
                errors.insert(errors.end(), figure.error().begin(), figure.error().end());
            else if (!figure->file.empty())
                entries.push_back({file.stem().string(), scene->text, plan, std::move(*figure), {}});
        }
    }
    for (const fs::path& file : scene_files(scenes / "refused")) {
        auto refused = refused_scene(file);
        if (refused)
            entries.push_back(std::move(*refused));
        else
            errors.insert(errors.end(), refused.error().begin(), refused.error().end());
    }
    if (!errors.empty()) return errors;
    std::ranges::stable_sort(entries, comes_before);
    if (entries.empty() && (stop == nullptr || !*stop)) {
        std::error_code ignored;
        return Errors{{.code = ErrorCode::FileUnreadable,
                       .where = printable(scenes.string()),
                       .message = fs::is_directory(scenes, ignored)
                                      ? "no scene of this folder has a [[figure]] with a source"
                                      : "there is no such folder",
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
    page += contents_of(entries);
    for (const GalleryEntry& entry : entries) {
        page += section_of(entry);
    }
    return page + "</body>\n</html>\n";
}

}  // namespace carom
