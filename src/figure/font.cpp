#include "font.hpp"

#include "carom/core/expected.hpp"

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
    [[nodiscard]] unsigned u8(std::size_t at) const { return byte(at); }
    [[nodiscard]] int i8(std::size_t at) const { return static_cast<std::int8_t>(byte(at)); }
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

using Contours = std::vector<std::vector<std::array<double, 2>>>;

struct OutlinePoint {
    double x = 0, y = 0;
    bool on_curve = true;
};

/// The points of a contour as a polygon: between two of them that are off the curve lies one on it.
std::vector<std::array<double, 2>> polygon_of(const std::vector<OutlinePoint>& points, int pieces)
{
    std::vector<OutlinePoint> full;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const OutlinePoint &here = points[k], &next = points[(k + 1) % points.size()];
        full.push_back(here);
        if (!here.on_curve && !next.on_curve)
            full.push_back({(here.x + next.x) / 2, (here.y + next.y) / 2, true});
    }
    std::ranges::rotate(full, std::ranges::find(full, true, &OutlinePoint::on_curve));
    std::vector<std::array<double, 2>> polygon;
    for (std::size_t k = 0; k < full.size(); ++k) {
        const OutlinePoint& here = full[k];
        if (here.on_curve) {
            polygon.push_back({here.x, here.y});
            continue;
        }
        const OutlinePoint &before = full[k - 1], &after = full[(k + 1) % full.size()];
        for (int i = 1; i < pieces; ++i) {
            const double s = static_cast<double>(i) / pieces, a = (1 - s) * (1 - s), b = 2 * s * (1 - s);
            polygon.push_back(
                {a * before.x + b * here.x + s * s * after.x, a * before.y + b * here.y + s * s * after.y});
        }
    }
    return polygon;
}

/// The outlines of the `glyf` table, in units of the file.
class Outlines {
public:
    explicit Outlines(const Bytes& file)
        : file_(file),
          glyf_(file.table("glyf")),
          loca_(file.table("loca")),
          wide_(file.u16(file.table("head") + 50) != 0)
    {
    }

    [[nodiscard]] Contours of(int glyph, int pieces) const
    {
        const std::size_t at = glyf_ + place(glyph);
        if (place(glyph + 1) == place(glyph)) return {};  // a space
        const int contours = file_.i16(at);
        return contours >= 0 ? simple(at, static_cast<std::size_t>(contours), pieces) : composed(at, pieces);
    }

private:
    [[nodiscard]] std::size_t place(int glyph) const
    {
        const auto k = static_cast<std::size_t>(glyph);
        return wide_ ? file_.u32(loca_ + 4 * k) : 2U * file_.u16(loca_ + 2 * k);
    }

    [[nodiscard]] Contours simple(std::size_t at, std::size_t contours, int pieces) const
    {
        constexpr unsigned on_curve = 1, short_x = 2, short_y = 4, repeat = 8, same_x = 16, same_y = 32;
        if (contours == 0) return {};
        const std::size_t ends = at + 10, count = file_.u16(ends + 2 * (contours - 1)) + 1U;
        std::size_t read = ends + 2 * contours;
        read += 2 + file_.u16(read);  // instructions are not needed
        std::vector<unsigned> flags;
        while (flags.size() < count) {
            const unsigned flag = file_.u8(read++);
            const std::size_t times = (flag & repeat) != 0 ? 1U + file_.u8(read++) : 1U;
            flags.insert(flags.end(), times, flag);
        }
        std::vector<OutlinePoint> points(count);
        const auto coordinates = [&](unsigned is_short, unsigned same, double OutlinePoint::* part) {
            int value = 0;
            for (std::size_t k = 0; k < count; ++k) {
                if ((flags[k] & is_short) != 0) {
                    const int step = static_cast<int>(file_.u8(read++));
                    value += (flags[k] & same) != 0 ? step : -step;
                } else if ((flags[k] & same) == 0) {
                    value += file_.i16(read);
                    read += 2;
                }
                points[k].*part = value;
            }
        };
        coordinates(short_x, same_x, &OutlinePoint::x);
        coordinates(short_y, same_y, &OutlinePoint::y);
        Contours polygons;
        std::size_t first = 0;
        for (std::size_t c = 0; c < contours; ++c) {
            const std::size_t last = file_.u16(ends + 2 * c);
            std::vector<OutlinePoint> contour;
            for (std::size_t k = first; k <= last; ++k) {
                points[k].on_curve = (flags[k] & on_curve) != 0;
                contour.push_back(points[k]);
            }
            if (contour.size() > 1) polygons.push_back(polygon_of(contour, pieces));
            first = last + 1;
        }
        return polygons;
    }

    /// A glyph made of others, each moved and perhaps scaled: letters with accents.
    [[nodiscard]] Contours composed(std::size_t at, int pieces) const
    {
        constexpr unsigned words = 1, scale = 8, more = 32, two_scales = 64, matrix = 128;
        Contours polygons;
        std::size_t read = at + 10;
        unsigned flags = more;
        while ((flags & more) != 0) {
            flags = file_.u16(read);
            const int part = static_cast<int>(file_.u16(read + 2));
            read += 4;
            const bool wide = (flags & words) != 0;
            const double dx = wide ? file_.i16(read) : file_.i8(read);
            const double dy = wide ? file_.i16(read + 2) : file_.i8(read + 1);
            read += wide ? 4 : 2;
            const auto number = [&] {
                read += 2;
                return file_.i16(read - 2) / 16384.0;
            };
            double xx = 1, xy = 0, yx = 0, yy = 1;
            if ((flags & scale) != 0) {
                xx = yy = number();
            } else if ((flags & two_scales) != 0) {
                xx = number();
                yy = number();
            } else if ((flags & matrix) != 0) {
                xx = number();
                xy = number();
                yx = number();
                yy = number();
            }
            for (auto polygon : of(part, pieces)) {
                for (auto& [x, y] : polygon) {
                    const double old = x;
                    x = xx * old + yx * y + dx;
                    y = xy * old + yy * y + dy;
                }
                polygons.push_back(std::move(polygon));
            }
        }
        return polygons;
    }

    const Bytes& file_;
    std::size_t glyf_, loca_;
    bool wide_;
};

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

std::vector<std::vector<std::array<double, 2>>> Font::outline(int glyph, int pieces) const
{
    const Bytes file(font_file());
    const double em = file.u16(file.table("head") + 18);
    auto polygons = Outlines(file).of(glyph, pieces);
    for (auto& polygon : polygons) {
        for (auto& [x, y] : polygon) {
            x /= em;
            y /= em;
        }
    }
    return polygons;
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
