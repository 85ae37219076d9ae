#include "support.hpp"

#include "carom/trace/export.hpp"

#include <zlib.h>

#include <string_view>
#include <vector>

using namespace carom;
using namespace carom::test;

namespace {

/// The bytes of base64 text.
std::string decoded(std::string_view text)
{
    static constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned held = 0;
    int bits = 0;
    for (const char letter : text) {
        if (letter == '=') break;
        held = held << 6 | static_cast<unsigned>(letters.find(letter));
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<char>(held >> bits & 0xff));
    }
    return bytes;
}

std::uint32_t word_at(const std::string& bytes, std::size_t at)
{
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k)
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    return word;
}

/// The numbers of the array of that name, read as VTK reads them: a head of sizes, then blocks.
std::vector<double> array_in(const std::string& text, const std::string& name)
{
    const auto at = text.find("Name=\"" + name + "\"");
    REQUIRE(at != std::string::npos);
    const bool whole = text.rfind("Int32", at) > text.rfind("<DataArray", at);
    const auto begin = text.find('>', at) + 1;
    const std::string packed = text.substr(begin, text.find('<', begin) - begin);
    const std::string start = decoded(packed.substr(0, 16));
    const std::uint32_t blocks = word_at(start, 0), block = word_at(start, 4), last = word_at(start, 8);
    const std::size_t head = (4 * (3 + blocks) + 2) / 3 * 4;
    const std::string sizes = decoded(packed.substr(0, head)), data = decoded(packed.substr(head));
    std::vector<double> values;
    std::size_t from = 0;
    for (std::uint32_t b = 0; b < blocks; ++b) {
        const std::uint32_t size = word_at(sizes, 12 + 4 * b);
        std::string bytes(b + 1 == blocks && last > 0 ? last : block, '\0');
        uLongf length = bytes.size();
        REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                           reinterpret_cast<const Bytef*>(data.data() + from), size) == Z_OK);
        REQUIRE(length == bytes.size());
        from += size;
        for (std::size_t k = 0; k < bytes.size(); k += 4) {
            const std::uint32_t word = word_at(bytes, k);
            values.push_back(whole ? static_cast<double>(static_cast<std::int32_t>(word))
                                   : static_cast<double>(std::bit_cast<float>(word)));
        }
    }
    return values;
}

/// A closed triangle in the plane, a ball in space, and the point of a trace, at two frames.
Recording drawn()
{
    Recording run;
    run.time_s = Eigen::Vector2d(0, 0.5);
    run.drawings = {
        {.kind = DrawingKind::Polyline,
         .label = {},
         .colour = {},
         .closed = true,
         .dimension = 2,
         .points = 3,
         .first = 0},
        {.kind = DrawingKind::Circle,
         .label = {},
         .colour = {},
         .contact = 4,
         .dimension = 3,
         .points = 1,
         .first = 6,
         .radius = 9},
        {.kind = DrawingKind::Trace, .label = {}, .colour = {}, .dimension = 2, .points = 1, .first = 10}};
    run.draw.resize(2, 12);
    run.draw.row(0) << 0, 0, 1, 0, 0, 1, 7, 8, 9, 0.25, -1, -2;
    run.draw.row(1) << 0, 0, 2, 0, 0, 2, 0.1, 8, 9, 0.5, -3, -4;
    return run;
}

}  // namespace

TEST_CASE("poly data hold what is drawn: vertices first, then lines")
{
    const std::string text = to_vtp(drawn(), 1);
    CHECK(text.find("NumberOfPoints=\"5\" NumberOfVerts=\"2\" NumberOfLines=\"1\"") != std::string::npos);
    using Values = std::vector<double>;
    // ball, trace, triangle; places of the plane have z = 0
    CHECK(array_in(text, "Points") == Values{0.1F, 8, 9, -3, -4, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0});
    CHECK(array_in(text, "radius_m") == Values{0.5, 0, 0, 0, 0});
    CHECK(array_in(text, "drawing") == Values{1, 2, 0});
    CHECK(array_in(text, "contact") == Values{4, -1, -1});

    // vertices 0 and 1, and a line through 2, 3, 4 back to 2
    CHECK(array_in(text, "connectivity") == Values{0, 1});
    CHECK(array_in(text, "offsets") == Values{1, 2});
    const std::string lines = text.substr(text.find("<Lines>"));
    CHECK(array_in(lines, "connectivity") == Values{2, 3, 4, 2});
    CHECK(array_in(lines, "offsets") == Values{4});
}

TEST_CASE("a collection gives every frame its time, and names cannot break it")
{
    const std::string text = to_pvd(drawn(), "a\"<&b");
    CHECK(text.find("timestep=\"0\" part=\"0\" file=\"a&quot;&lt;&amp;b/frame_000000.vtp\"") !=
          std::string::npos);
    CHECK(text.find("timestep=\"0.5\" part=\"0\" file=\"a&quot;&lt;&amp;b/frame_000001.vtp\"") !=
          std::string::npos);
}

TEST_CASE("a place that is not finite does not keep readers from the rest")
{
    Recording run = drawn();
    run.draw(0, 6) = std::numeric_limits<double>::quiet_NaN();
    CHECK(array_in(to_vtp(run, 0), "Points").size() == 15);
}
