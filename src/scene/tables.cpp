#include "core/text.hpp"
#include "files.hpp"
#include "names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

namespace carom::detail {
namespace {

struct Points {
    std::vector<double> t_s, value;
};

Error refused(ErrorCode code, std::string message, std::string hint)
{
    return {.code = code, .where = {}, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

bool separates(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/// The numbers of a line; nothing if something else stands there, or nothing where a number should.
std::optional<std::vector<double>> numbers_of(std::string_view line)
{
    std::vector<double> numbers;
    bool filled = false, left_out = false;  // the column so far; one before it
    for (;;) {
        while (!line.empty() && separates(line.front())) {
            if (line.front() == ',' || line.front() == ';') {
                left_out = left_out || !filled;
                filled = false;
            }
            line.remove_prefix(1);
        }
        if (line.empty()) return numbers;
        if (line.size() > 1 && line.front() == '+' && line[1] != '-') line.remove_prefix(1);
        double number = 0;
        const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (problem != std::errc() || !std::isfinite(number) || left_out) return std::nullopt;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
        if (!line.empty() && !separates(line.front())) return std::nullopt;
        numbers.push_back(number);
        filled = true;
    }
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A word that is or begins like a number: `nan`, `-.5N`, `0x1`.
bool is_like_number(std::string_view word)
{
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    double number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc::invalid_argument && end == word.data() + word.size()) return true;
    for (const char c : word) {
        if (is_letter(c)) return false;
        if (c >= '0' && c <= '9') return true;
    }
    return false;
}

/// Names of columns, with units in brackets if need be: words, and no number among them. A line that has one
/// is a point with a slip of the pen.
bool is_heading(std::string_view line)
{
    std::string word;
    bool named = false;
    int depth = 0;
    const auto end_word = [&] {
        const bool good = !is_like_number(word);
        named = named || std::ranges::any_of(word, is_letter);
        word.clear();
        return good;
    };
    for (const char c : line) {
        if (c == '(' || c == '[') {
            ++depth;
        } else if (c == ')' || c == ']') {
            depth = std::max(0, depth - 1);
        } else if (depth == 0 && separates(c)) {
            if (!end_word()) return false;
        } else if (depth == 0) {
            word += c;
        }
    }
    return end_word() && named && depth == 0;
}

Expected<Points> read_csv(const std::filesystem::path& file, const std::string& name)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return refused(ErrorCode::FileUnreadable, fmt::format("{} cannot be opened", carom::quoted(name)),
                       "check its permissions");
    Points points;
    std::string line;
    bool first = true;
    for (long number = 1; std::getline(in, line); ++number) {
        std::string_view content = std::string_view(line).substr(0, line.find('#'));
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (number == 1 && content.starts_with(byte_order_mark))
            content.remove_prefix(byte_order_mark.size());
        const auto numbers = numbers_of(content);
        if (numbers && numbers->empty()) continue;  // blank, or a comment
        const bool heading = first && !numbers && is_heading(content);
        first = false;
        if (heading) continue;
        if (!numbers || numbers->size() != 2) {
            return refused(ErrorCode::FileMalformed,
                           fmt::format("line {} of {} is not two finite numbers: {}", number,
                                       carom::quoted(name), carom::quoted(line)),
                           "each line has a time in s and a value; a first line without numbers is a "
                           "heading, # begins a comment");
        }
        points.t_s.push_back((*numbers)[0]);
        points.value.push_back((*numbers)[1]);
    }
    return points;
}

Expected<Points> points_of_file(const std::filesystem::path& folder, const std::string& name)
{
    const auto file = file_below(folder, name, max_scene_bytes, "table");
    if (!file) return file.error();
    return read_csv(*file, name);
}

/// All numbers, or nothing where one is none, which has been reported.
std::optional<std::vector<double>> list_of(const Node& node)
{
    if (node.kind != Node::Kind::Array) return std::nullopt;
    std::vector<double> numbers;
    for (const Node& item : node.items) {
        if (item.kind != Node::Kind::Number || !std::isfinite(item.number)) return std::nullopt;
        numbers.push_back(item.number);
    }
    return numbers;
}

/// A list of numbers that stands where another value stood.
Node list_at(const Place& place, const std::vector<double>& numbers)
{
    Node list;
    list.kind = Node::Kind::Array;
    list.place = list.key_place = place;
    for (const double number : numbers) {
        Node item;
        item.kind = Node::Kind::Number;
        item.number = number;
        item.place = place;
        list.items.push_back(std::move(item));
    }
    return list;
}

}  // namespace

bool has_files(const Node& root)
{
    const Node* tables = find(root, "table");
    const bool in_tables =
        tables != nullptr && std::any_of(tables->items.begin(), tables->items.end(),
                                         [](const Node& table) { return find(table, "file") != nullptr; });
    return in_tables || has_mesh_files(root);
}

Node with_points(Node root, const std::filesystem::path& folder)
{
    put_meshes_in(root, folder);
    Node* tables = find(root, "table");
    if (tables == nullptr) return root;
    for (Node& table : tables->items) {
        const Node* file = find(table, "file");
        if (file == nullptr) continue;
        const auto points = points_of_file(folder, file->text);
        if (!points) continue;
        const Place place = file->place;
        std::erase_if(table.entries, [](const Entry& entry) { return entry.key == "file"; });
        put(table, "t_s", list_at(place, points->t_s));
        put(table, "value", list_at(place, points->value));
    }
    return root;
}

std::optional<Table> table_of(const Node& node, const std::filesystem::path& folder, Mistakes& mistakes)
{
    const Node* file = find(node, "file");
    const Node* t_s = find(node, "t_s");
    const Node* value = find(node, "value");
    Points points;
    if (file != nullptr && t_s == nullptr && value == nullptr) {
        if (file->kind != Node::Kind::Text) return std::nullopt;
        auto read = points_of_file(folder, file->text);
        if (!read) {
            mistakes.add(file->place, read.error());
            return std::nullopt;
        }
        points = std::move(*read);
    } else if (file == nullptr && t_s != nullptr && value != nullptr) {
        auto abscissae = list_of(*t_s);
        auto ordinates = list_of(*value);
        if (!abscissae || !ordinates) return std::nullopt;
        points = {std::move(*abscissae), std::move(*ordinates)};
    } else {
        mistakes.add(node.place, ErrorCode::MissingKey, "a table needs its points once",
                     "give t_s and value, or file");
        return std::nullopt;
    }
    auto table = Table::from_points(std::move(points.t_s), std::move(points.value));
    if (table) return *table;
    mistakes.add(file != nullptr ? file->place : t_s->place, table.error());
    return std::nullopt;
}

}  // namespace carom::detail
