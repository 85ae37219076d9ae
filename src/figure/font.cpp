#include "font.hpp"

#include "carom/core/error.hpp"

#include <algorithm>
#include <string>

namespace carom::detail {
namespace {

/// Numbers of a TrueType file, most significant byte first.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] unsigned u16(std::size_t at) const
    {
        return static_cast<unsigned>(byte(at)) << 8U | byte(at + 1);
    }
    [[nodiscard]] int i16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }
    [[nodiscard]] std::uint32_t u32(std::size_t at) const { return u16(at) << 16U | u16(at + 2); }

    /// Where a table begins.
    [[nodiscard]] std::size_t table(std::string_view tag) const
    {
        for (std::size_t k = 0; k < u16(4); ++k) {
            const std::size_t at = 12 + 16 * k;
            if (bytes_.substr(at, 4) == tag) return u32(at + 8);
        }
        throw InternalError("the font has no table " + std::string(tag));
    }

private:
    [[nodiscard]] std::uint8_t byte(std::size_t at) const
    {
        if (at >= bytes_.size()) throw InternalError("the font ends too early");
        return static_cast<std::uint8_t>(bytes_[at]);
    }

    std::string_view bytes_;
};

/// The part of `cmap` with segments of characters, format 4.
std::size_t segments_of(const Bytes& file)
{
    const std::size_t cmap = file.table("cmap");
    for (std::size_t k = 0; k < file.u16(cmap + 2); ++k) {
        const std::size_t at = cmap + file.u32(cmap + 4 + 8 * k + 4);
        if (file.u16(at) == 4) return at;
    }
    throw InternalError("the font has no table of characters that is understood");
}

std::map<char32_t, int> characters_of(const Bytes& file)
{
    std::map<char32_t, int> glyphs;
    const std::size_t at = segments_of(file);
    const std::size_t segments = file.u16(at + 6) / 2;
    const std::size_t ends = at + 14, starts = ends + 2 * segments + 2, deltas = starts + 2 * segments,
                      offsets = deltas + 2 * segments;
    for (std::size_t k = 0; k < segments; ++k) {
        const unsigned first = file.u16(starts + 2 * k), last = file.u16(ends + 2 * k);
        const unsigned delta = file.u16(deltas + 2 * k), offset = file.u16(offsets + 2 * k);
        for (unsigned code = first; code <= last && code != 0xFFFFU; ++code) {
            unsigned glyph = code;
            if (offset != 0)
                glyph = file.u16(offsets + 2 * k + offset + 2 * static_cast<std::size_t>(code - first));
            if (offset == 0 || glyph != 0) glyph = (glyph + delta) & 0xFFFFU;
            if (glyph != 0) glyphs[code] = static_cast<int>(glyph);
        }
    }
    return glyphs;
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text)
{
    std::vector<char32_t> codes;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80U    ? 1
                                   : lead >= 0xF0U ? 4
                                   : lead >= 0xE0U ? 3
                                   : lead >= 0xC0U ? 2
                                                   : 0;
        char32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
        bool good = length > 0 && i + length <= text.size();
        for (std::size_t k = 1; good && k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            good = (next & 0xC0U) == 0x80U;
            code = code << 6U | (next & 0x3FU);
        }
        codes.push_back(good ? code : U'?');
        i += good ? length : 1;
    }
    return codes;
}

Font::Font()
{
    const Bytes file(font_file());
    glyph_of_ = characters_of(file);
    const std::size_t head = file.table("head"), hhea = file.table("hhea"), hmtx = file.table("hmtx");
    const double em = file.u16(head + 18);
    ascent_ = file.i16(hhea + 4) / em;
    descent_ = file.i16(hhea + 6) / em;
    const std::size_t glyphs = file.u16(file.table("maxp") + 4), wide = file.u16(hhea + 34);
    for (std::size_t k = 0; k < glyphs; ++k) {
        advances_.push_back(file.u16(hmtx + 4 * std::min(k, wide - 1)) / em);
    }
}

const Font& Font::get()
{
    static const Font font;
    return font;
}

int Font::glyph_of(char32_t code) const
{
    const auto found = glyph_of_.find(code);
    return found != glyph_of_.end() ? found->second : glyph_of_.at(U'?');
}

double Font::width(std::string_view text) const
{
    double width = 0;
    for (const char32_t code : code_points(text)) {
        width += advance(glyph_of(code));
    }
    return width;
}

}  // namespace carom::detail
