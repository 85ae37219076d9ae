#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace carom::detail {

/// The font of figures: a part of DejaVu Sans that the library carries along, so that a figure looks the same
/// on every machine and can be printed anywhere.

/// The TrueType file (font/DejaVuSans-subset.ttf).
[[nodiscard]] std::string_view font_file() noexcept;

/// Code points of a text in UTF-8; what is no UTF-8 becomes a question mark.
[[nodiscard]] std::vector<char32_t> code_points(std::string_view text);

/// Glyphs and their widths, in units of the em.
class Font {
public:
    static const Font& get();

    [[nodiscard]] int glyph_of(char32_t code) const;  ///< of a question mark, where the font has none
    [[nodiscard]] int glyphs() const noexcept { return static_cast<int>(advances_.size()); }
    [[nodiscard]] double advance(int glyph) const { return advances_[static_cast<std::size_t>(glyph)]; }
    [[nodiscard]] double ascent() const noexcept { return ascent_; }
    [[nodiscard]] double descent() const noexcept { return descent_; }  ///< below zero
    [[nodiscard]] const std::map<char32_t, int>& characters() const noexcept { return glyph_of_; }

    [[nodiscard]] double width(std::string_view text) const;

    /// The outline of a glyph: closed polygons, in em, y upwards; its curves are cut into `pieces` lines.
    [[nodiscard]] std::vector<std::vector<std::array<double, 2>>> outline(int glyph, int pieces = 6) const;

private:
    Font();

    std::map<char32_t, int> glyph_of_;
    std::vector<double> advances_;
    double ascent_ = 0, descent_ = 0;
};

}  // namespace carom::detail
