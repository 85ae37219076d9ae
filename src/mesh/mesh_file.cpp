#include "mesh/mesh_file.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>

namespace carom {
namespace {

Error malformed(std::string message, std::string hint)
{
    return {.code = ErrorCode::FileMalformed,
            .where = {},
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

Error at_line(long line, std::string_view what)
{
    return malformed(fmt::format("line {} of the mesh {}", line, what), "write the file again");
}

Error too_many()
{
    return malformed(fmt::format("the mesh has more than {} triangles", max_mesh_triangles),
                     "make it coarser");
}

/// Lines and words of a text; words are views into it.
class Lines {
public:
    explicit Lines(std::string_view text) : text_(text) {}

    /// The words of the next line that has some, without what follows #; false at the end.
    bool next(std::vector<std::string_view>& words)
    {
        words.clear();
        while (words.empty() && !text_.empty()) {
            const std::size_t end = std::min(text_.find('\n'), text_.size());
            std::string_view line = text_.substr(0, end);
            text_.remove_prefix(std::min(end + 1, text_.size()));
            ++number_;
            line = line.substr(0, line.find('#'));
            for (std::size_t at = 0; at < line.size();) {
                const std::size_t from = line.find_first_not_of(" \t\r", at);
                if (from == std::string_view::npos) break;
                at = std::min(line.find_first_of(" \t\r", from), line.size());
                words.push_back(line.substr(from, at - from));
            }
        }
        return !words.empty();
    }
    [[nodiscard]] long number() const { return number_; }

private:
    std::string_view text_;
    long number_ = 0;
};

template <class Number>
std::optional<Number> number_in(std::string_view word)
{
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    Number value{};
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::optional<Vec3> vertex_in(std::span<const std::string_view> words)
{
    if (words.size() < 3) return std::nullopt;
    Vec3 x;
    for (int i = 0; i < 3; ++i) {
        const auto value = number_in<double>(words[static_cast<std::size_t>(i)]);
        if (!value || !std::isfinite(*value)) return std::nullopt;
        x[i] = *value;
    }
    return x;
}

/// A polygon as a fan of triangles; false where there are too many.
bool add_polygon(std::span<const int> corners, MeshShape& mesh)
{
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
        if (mesh.triangles.size() == max_mesh_triangles) return false;
        mesh.triangles.push_back({corners[0], corners[i], corners[i + 1]});
    }
    return true;
}

Expected<MeshShape> text_stl(std::string_view text)
{
    // vertices come in threes, whatever stands around them
    MeshShape mesh;
    Lines lines(text);
    for (std::vector<std::string_view> words; lines.next(words);) {
        if (words[0] != "vertex") continue;
        const auto x = vertex_in(std::span(words).subspan(1));
        if (!x) return at_line(lines.number(), "is not a vertex");
        if (mesh.vertices_m.size() == 3 * max_mesh_triangles) return too_many();
        mesh.vertices_m.push_back(*x);
        const int n = static_cast<int>(mesh.vertices_m.size());
        if (n % 3 == 0) mesh.triangles.push_back({n - 3, n - 2, n - 1});
    }
    if (mesh.vertices_m.size() % 3 != 0) return at_line(lines.number(), "ends within a triangle");
    return mesh;
}

float float_at(std::string_view bytes, std::size_t at)
{
    std::uint32_t bits = 0;
    for (std::size_t i = 4; i-- > 0;) {
        bits = bits << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return std::bit_cast<float>(bits);
}

/// 80 bytes of anything, a count, and 50 bytes per triangle: normal, three corners, two bytes more.
Expected<MeshShape> binary_stl(std::string_view bytes, std::size_t count)
{
    if (count > max_mesh_triangles) return too_many();
    MeshShape mesh;
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t at = 84 + 50 * t + 12;
        for (std::size_t k = 0; k < 3; ++k) {
            mesh.vertices_m.emplace_back(float_at(bytes, at + 12 * k), float_at(bytes, at + 12 * k + 4),
                                         float_at(bytes, at + 12 * k + 8));
        }
        const int n = static_cast<int>(3 * t);
        mesh.triangles.push_back({n, n + 1, n + 2});
    }
    return mesh;
}

Expected<MeshShape> read_stl(std::string_view bytes)
{
    // binary ones may begin with the word solid, too: what tells is whether size and count agree
    if (bytes.size() >= 84) {
        std::size_t count = 0;
        for (std::size_t i = 4; i-- > 0;) {
            count = count << 8 | static_cast<unsigned char>(bytes[80 + i]);
        }
        if (bytes.size() == 84 + 50 * count) return binary_stl(bytes, count);
    }
    if (bytes.starts_with("solid")) return text_stl(bytes);
    return malformed("the STL file is neither text nor as long as its count of triangles says",
                     "it may be incomplete: write it again");
}

/// v X Y Z and f A B C ..., where A may be A/B/C and counts from 1, or from the last if negative. The rest is
/// left.
Expected<MeshShape> read_obj(std::string_view text)
{
    MeshShape mesh;
    std::vector<int> corners;
    Lines lines(text);
    for (std::vector<std::string_view> words; lines.next(words);) {
        if (words[0] == "v") {
            const auto x = vertex_in(std::span(words).subspan(1));
            if (!x) return at_line(lines.number(), "is not a vertex");
            if (mesh.vertices_m.size() == 3 * max_mesh_triangles) return too_many();
            mesh.vertices_m.push_back(*x);
        }
        if (words[0] != "f") continue;
        corners.clear();
        const long n = static_cast<long>(mesh.vertices_m.size());
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto index = number_in<long>(words[i].substr(0, words[i].find('/')));
            if (!index || *index == 0 || *index > n || *index < -n)
                return at_line(lines.number(), "names a vertex that is not there");
            corners.push_back(static_cast<int>(*index > 0 ? *index - 1 : n + *index));
        }
        if (!add_polygon(corners, mesh)) return too_many();
    }
    return mesh;
}

/// OFF, then the counts of vertices and faces, then those, each on its line.
Expected<MeshShape> read_off(std::string_view text)
{
    MeshShape mesh;
    std::vector<int> corners;
    Lines lines(text);
    std::vector<std::string_view> words;
    if (!lines.next(words) || words[0] != "OFF")
        return malformed("the file does not begin with OFF", "write it again");
    words.erase(words.begin());
    if (words.empty()) lines.next(words);
    const auto vertices = words.size() >= 2 ? number_in<long>(words[0]) : std::nullopt;
    const auto faces = words.size() >= 2 ? number_in<long>(words[1]) : std::nullopt;
    if (!vertices || !faces || *vertices < 0 || *faces < 0)
        return at_line(lines.number(), "should be the counts of vertices and faces");
    if (*vertices > static_cast<long>(3 * max_mesh_triangles) ||
        *faces > static_cast<long>(max_mesh_triangles))
        return too_many();
    for (long i = 0; i < *vertices; ++i) {
        const auto x = lines.next(words) ? vertex_in(words) : std::nullopt;
        if (!x) return at_line(lines.number(), "is not a vertex");
        mesh.vertices_m.push_back(*x);
    }
    for (long i = 0; i < *faces; ++i) {
        const auto count = lines.next(words) ? number_in<long>(words[0]) : std::nullopt;
        if (!count || *count < 1 || *count >= static_cast<long>(words.size()))
            return at_line(lines.number(), "is not a face");
        corners.clear();
        for (long k = 1; k <= *count; ++k) {
            const auto index = number_in<long>(words[static_cast<std::size_t>(k)]);
            if (!index || *index < 0 || *index >= *vertices)
                return at_line(lines.number(), "names a vertex that is not there");
            corners.push_back(static_cast<int>(*index));
        }
        if (!add_polygon(corners, mesh)) return too_many();
    }
    return mesh;
}

}  // namespace

Expected<MeshShape> read_mesh(std::string_view bytes, std::string_view format)
{
    std::string ending(format);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (ending != "stl" && ending != "obj" && ending != "off") {
        return malformed(fmt::format("{} is not a mesh format that carom reads", carom::quoted(ending)),
                         "give a file that ends in .stl, .obj or .off");
    }
    if (bytes.size() > max_mesh_bytes)
        return malformed("the mesh is too large", fmt::format("a mesh may have {} bytes", max_mesh_bytes));
    auto mesh = ending == "stl" ? read_stl(bytes) : ending == "obj" ? read_obj(bytes) : read_off(bytes);
    if (!mesh) return mesh;
    if (auto fine = check(*mesh, "mesh"); !fine) return malformed(fine.error().message, fine.error().hint);
    return mesh;
}

Expected<MeshShape> read_mesh_file(const std::filesystem::path& file)
{
    std::error_code problem;
    const auto size = std::filesystem::file_size(file, problem);
    std::ifstream in(file, std::ios::binary);
    if (problem || !in || size > max_mesh_bytes) {
        return Error{.code = ErrorCode::FileUnreadable,
                     .where = {},
                     .message = fmt::format("the mesh {} is missing, or has more than {} bytes",
                                            carom::quoted(file.filename().string()), max_mesh_bytes),
                     .hint = "check its name, permissions and size",
                     .excerpt = {}};
    }
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    std::string ending = file.extension().string();
    if (!ending.empty()) ending.erase(0, 1);
    return read_mesh(bytes, ending);
}

}  // namespace carom
