#include "deflate.hpp"
#include "font.hpp"
#include "raster.hpp"
#include "sheet.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Ink = std::array<float, 3>;  ///< red, green, blue, 0 to 1

Ink ink_of(const std::string& colour)
{
    const auto part = [&](std::size_t at) {
        return static_cast<float>(std::stoi(colour.substr(at, 2), nullptr, 16)) / 255;
    };
    return {part(1), part(3), part(5)};
}

/// A picture of dots that items of a sheet are drawn into, one over the other.
class Canvas {
public:
    Canvas(const Sheet& sheet, double scale)
        : scale_(scale),
          width_(std::max(1, static_cast<int>(std::lround(sheet.width * scale)))),
          height_(std::max(1, static_cast<int>(std::lround(sheet.height * scale)))),
          dots_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), Ink{1, 1, 1})
    {
        for (const SheetItem& item : sheet.items) {
            std::visit([&](const auto& one) { add(one); }, item);
        }
    }

    [[nodiscard]] int width() const noexcept { return width_; }
    [[nodiscard]] int height() const noexcept { return height_; }

    /// Rows of red, green, blue, each after a byte that says: not filtered.
    [[nodiscard]] std::string rows() const
    {
        std::string bytes;
        bytes.reserve(3 * dots_.size() + static_cast<std::size_t>(height_));
        for (std::size_t k = 0; k < dots_.size(); ++k) {
            if (k % static_cast<std::size_t>(width_) == 0) bytes += '\0';
            for (const float part : dots_[k]) {
                bytes += static_cast<char>(std::lround(255 * std::clamp(part, 0.0F, 1.0F)));
            }
        }
        return bytes;
    }

private:
    [[nodiscard]] std::vector<DotPoint> scaled(const std::vector<SheetPoint>& points) const
    {
        std::vector<DotPoint> dots;
        for (const SheetPoint& p : points) {
            dots.push_back({p[0] * scale_, p[1] * scale_});
        }
        return dots;
    }

    /// The dots that lines of some width can touch, within what clips them.
    [[nodiscard]] Coverage around(const std::vector<std::vector<DotPoint>>& lines, double margin,
                                  const std::optional<SheetBox>& clip) const
    {
        double left = HUGE_VAL, top = HUGE_VAL, right = -HUGE_VAL, bottom = -HUGE_VAL;
        for (const auto& line : lines) {
            for (const DotPoint& p : line) {
                left = std::min(left, p[0] - margin);
                right = std::max(right, p[0] + margin);
                top = std::min(top, p[1] - margin);
                bottom = std::max(bottom, p[1] + margin);
            }
        }
        if (clip) {
            left = std::max(left, clip->left * scale_);
            right = std::min(right, clip->right() * scale_);
            top = std::max(top, clip->top * scale_);
            bottom = std::min(bottom, clip->bottom() * scale_);
        }
        left = std::max(std::floor(left), 0.0);
        top = std::max(std::floor(top), 0.0);
        right = std::min(std::ceil(right), static_cast<double>(width_));
        bottom = std::min(std::ceil(bottom), static_cast<double>(height_));
        if (!(left < right && top < bottom)) return {0, 0, 0, 0};
        return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right),
                static_cast<int>(bottom)};
    }

    /// A line and the area inside it become one picture, which then is laid over what is there: so that an
    /// opacity does not show the line twice.
    void paint(const Coverage& area, const std::string& fill, const Coverage& line, const std::string& stroke,
               double opacity)
    {
        const Ink inside = fill.empty() ? Ink{} : ink_of(fill),
                  edge = stroke.empty() ? Ink{} : ink_of(stroke);
        for (int y = line.top(); y < line.bottom(); ++y) {
            for (int x = line.left(); x < line.right(); ++x) {
                const float s = stroke.empty() ? 0 : line.at(x, y);
                const float f = fill.empty() ? 0 : area.at(x, y) * (1 - s);
                if (s + f <= 0) continue;
                Ink& dot = dots_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                 static_cast<std::size_t>(x)];
                const auto weight = static_cast<float>(opacity);
                for (std::size_t c = 0; c < 3; ++c) {
                    dot[c] = dot[c] * (1 - weight * (s + f)) + weight * (s * edge[c] + f * inside[c]);
                }
            }
        }
    }

    void add(const SheetPath& path)
    {
        std::vector<std::vector<DotPoint>> lines;
        for (const auto& line : path.lines) {
            lines.push_back(scaled(line));
        }
        const double width = path.width * scale_;
        Coverage line = around(lines, width / 2 + 1, path.clip), area = line;
        for (const auto& one : lines) {
            if (!path.fill.empty()) area.add(one);
            if (path.stroke.empty()) continue;
            if (!path.dashed) {
                add_stroke(one, path.closed, width, line);
                continue;
            }
            for (const auto& dash : dashes_of(one, path.closed, 4 * width, 3 * width)) {
                add_stroke(dash, false, width, line);
            }
        }
        area.finish();
        line.finish();
        paint(area, path.fill, line, path.stroke, path.opacity);
    }

    void add(const SheetDisc& disc)
    {
        const DotPoint centre{disc.centre[0] * scale_, disc.centre[1] * scale_};
        const double width = disc.width * scale_;
        const auto circle = circle_polygon(centre, disc.radius * scale_);
        Coverage line = around({circle}, width / 2 + 1, disc.clip), area = line;
        if (!disc.fill.empty()) area.add(circle);
        if (!disc.stroke.empty()) add_stroke(circle, true, width, line);
        area.finish();
        line.finish();
        paint(area, disc.fill, line, disc.stroke, disc.opacity);
    }

    void add(const SheetText& text)
    {
        const Font& font = Font::get();
        double along = text_start(text);
        std::vector<std::vector<DotPoint>> outlines;
        for (const char32_t code : code_points(text.text)) {
            const int glyph = font.glyph_of(code);
            for (const auto& contour : font.outline(glyph)) {
                std::vector<DotPoint>& line = outlines.emplace_back();
                for (const auto& [x, y] : contour) {
                    const double u = along + x * text.size, v = y * text.size;
                    const SheetPoint p = text.upwards ? SheetPoint{text.at[0] - v, text.at[1] - u}
                                                      : SheetPoint{text.at[0] + u, text.at[1] - v};
                    line.push_back({p[0] * scale_, p[1] * scale_});
                }
            }
            along += font.advance(glyph) * text.size;
        }
        Coverage area = around(outlines, 1, std::nullopt);
        for (const auto& outline : outlines) {
            area.add(outline);
        }
        area.finish();
        paint(area, text.colour, area, {}, 1);
    }

    double scale_;
    int width_, height_;
    std::vector<Ink> dots_;
};

std::string big_endian(std::uint32_t number)
{
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        bytes += static_cast<char>(number >> shift & 255U);
    }
    return bytes;
}

std::string chunk(const std::string& kind, const std::string& data)
{
    const std::string checked = kind + data;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
           big_endian(static_cast<std::uint32_t>(sum));
}

}  // namespace

std::string sheet_to_png(const Sheet& sheet, double dots_per_inch)
{
    const Canvas canvas(sheet, dots_per_inch / 72);
    const auto per_metre = static_cast<std::uint32_t>(std::lround(dots_per_inch / 0.0254));
    // eight bits of red, green and blue, no interlace
    const std::string header = big_endian(static_cast<std::uint32_t>(canvas.width())) +
                               big_endian(static_cast<std::uint32_t>(canvas.height())) +
                               std::string({8, 2, 0, 0, 0});
    return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) +
           chunk("pHYs", big_endian(per_metre) + big_endian(per_metre) + '\x01') +
           chunk("iTXt", std::string("Title\0\0\0\0\0", 10) + sheet.title) +
           chunk("IDAT", deflated(canvas.rows())) + chunk("IEND", "");
}

}  // namespace carom::detail
