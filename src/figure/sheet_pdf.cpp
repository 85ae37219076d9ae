#include "deflate.hpp"
#include "font.hpp"
#include "sheet.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>

namespace carom::detail {
namespace {

/// "#RRGGBB" as the three numbers of PDF.
std::string rgb(const std::string& colour)
{
    const auto part = [&](std::size_t at) {
        return static_cast<double>(std::stoi(colour.substr(at, 2), nullptr, 16)) / 255;
    };
    return fmt::format("{:.4f} {:.4f} {:.4f}", part(1), part(3), part(5));
}

/// The operators that draw a sheet. PDF counts y upwards from the lower edge.
class PageContent {
public:
    explicit PageContent(const Sheet& sheet)
    {
        put("1 0 0 -1 0 {:.3f} cm\n", sheet.height);
        for (const SheetItem& item : sheet.items) {
            std::visit([&](const auto& one) { add(one); }, item);
        }
    }

    [[nodiscard]] const std::string& text() const noexcept { return content_; }

    /// The opacities used, with their names.
    [[nodiscard]] const std::map<int, std::string>& opacities() const noexcept { return opacities_; }

private:
    template <class... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(content_), format, std::forward<Arguments>(arguments)...);
    }

    template <class Item>
    void begin(const Item& item)
    {
        put("q\n");
        if (item.clip)
            put("{:.3f} {:.3f} {:.3f} {:.3f} re W n\n", item.clip->left, item.clip->top, item.clip->width,
                item.clip->height);
        if (item.opacity < 1) {
            const int percent = static_cast<int>(std::lround(100 * item.opacity));
            put("/{} gs\n", opacities_.try_emplace(percent, fmt::format("O{}", percent)).first->second);
        }
        if (!item.fill.empty()) put("{} rg\n", rgb(item.fill));
        if (!item.stroke.empty()) put("{} RG {:.3f} w 1 j 1 J\n", rgb(item.stroke), item.width);
    }

    template <class Item>
    void paint(const Item& item)
    {
        put("{}\nQ\n",
            item.fill.empty() ? (item.stroke.empty() ? "n" : "S") : (item.stroke.empty() ? "f" : "B"));
    }

    void add(const SheetPath& path)
    {
        begin(path);
        if (path.dashed) put("[{:.3f} {:.3f}] 0 d\n", 4 * path.width, 3 * path.width);
        for (const auto& line : path.lines) {
            for (std::size_t k = 0; k < line.size(); ++k) {
                put("{:.3f} {:.3f} {}\n", line[k][0], line[k][1], k == 0 ? "m" : "l");
            }
            // a line of no length shows a point that stands alone
            if (line.size() == 1) put("{:.3f} {:.3f} l\n", line[0][0], line[0][1]);
            if (path.closed) put("h\n");
        }
        paint(path);
    }

    /// Four curves of third degree, right to 3e-4 of the radius.
    void add(const SheetDisc& disc)
    {
        begin(disc);
        const double r = disc.radius, k = 0.5522847498 * r, x = disc.centre[0], y = disc.centre[1];
        put("{:.3f} {:.3f} m\n", x + r, y);
        const auto curve = [&](double x1, double y1, double x2, double y2, double x3, double y3) {
            put("{:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} c\n", x1, y1, x2, y2, x3, y3);
        };
        curve(x + r, y + k, x + k, y + r, x, y + r);
        curve(x - k, y + r, x - r, y + k, x - r, y);
        curve(x - r, y - k, x - k, y - r, x, y - r);
        curve(x + k, y - r, x + r, y - k, x + r, y);
        put("h\n");
        paint(disc);
    }

    void add(const SheetText& text)
    {
        const Font& font = Font::get();
        const double start = text_start(text);
        put("BT\n/F1 {:.3f} Tf {} rg\n", text.size, rgb(text.colour));
        if (text.upwards)
            put("0 -1 -1 0 {:.3f} {:.3f} Tm\n<", text.at[0], text.at[1] - start);
        else
            put("1 0 0 -1 {:.3f} {:.3f} Tm\n<", text.at[0] + start, text.at[1]);
        for (const char32_t code : code_points(text.text)) {
            put("{:04X}", font.glyph_of(code));
        }
        put("> Tj\nET\n");
    }

    std::string content_;
    std::map<int, std::string> opacities_;
};

/// The table by which readers turn glyphs into characters again.
std::string unicode_of_glyphs()
{
    std::map<int, char32_t> code_of;
    for (const auto& [code, glyph] : Font::get().characters()) {
        code_of.try_emplace(glyph, code);
    }
    std::string table = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
                        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
                        "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
    auto it = code_of.begin();
    while (it != code_of.end()) {
        // at most a hundred a block
        std::string block;
        int count = 0;
        for (; it != code_of.end() && count < 100; ++it, ++count) {
            block += fmt::format("<{:04X}> <{:04X}>\n", it->first, static_cast<unsigned>(it->second));
        }
        table += fmt::format("{} beginbfchar\n{}endbfchar\n", count, block);
    }
    return table + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n";
}

/// A text of the document's information, as UTF-16.
std::string information(std::string_view text)
{
    std::string hex = "FEFF";
    for (const char32_t code : code_points(text)) {
        if (code < 0x10000) {
            hex += fmt::format("{:04X}", static_cast<unsigned>(code));
        } else {
            const auto rest = static_cast<unsigned>(code) - 0x10000U;
            hex += fmt::format("{:04X}{:04X}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
        }
    }
    return "<" + hex + ">";
}

/// Objects, numbered as they come, and the table of where they are.
class PdfFile {
public:
    void add(const std::string& object)
    {
        places_.push_back(file_.size());
        file_ += fmt::format("{} 0 obj\n{}\nendobj\n", places_.size(), object);
    }
    void add_stream(const std::string& entries, std::string_view bytes)
    {
        const std::string packed = deflated(bytes);
        add(fmt::format("<< {} /Filter /FlateDecode /Length {} >>\nstream\n{}\nendstream", entries,
                        packed.size(), packed));
    }
    [[nodiscard]] std::string finish(const std::string& title)
    {
        const std::size_t table = file_.size();
        file_ += fmt::format("xref\n0 {}\n0000000000 65535 f \n", places_.size() + 1);
        for (const std::size_t place : places_) {
            file_ += fmt::format("{:010} 00000 n \n", place);
        }
        return file_ +
               fmt::format("trailer\n<< /Size {} /Root 1 0 R /Info << /Title {} /Creator (carom) >> >>\n"
                           "startxref\n{}\n%%EOF\n",
                           places_.size() + 1, information(title), table);
    }

private:
    std::string file_ = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
    std::vector<std::size_t> places_;
};

std::string widths()
{
    const Font& font = Font::get();
    std::string list = "[0 [";
    for (int glyph = 0; glyph < font.glyphs(); ++glyph) {
        list += fmt::format(" {:.0f}", 1000 * font.advance(glyph));
    }
    return list + "]]";
}

}  // namespace

std::string sheet_to_pdf(const Sheet& sheet)
{
    const PageContent content(sheet);
    std::string opacities;
    for (const auto& [percent, name] : content.opacities()) {
        opacities += fmt::format("/{} << /ca {:.2f} /CA {:.2f} >> ", name, percent / 100.0, percent / 100.0);
    }
    const Font& font = Font::get();
    PdfFile file;
    file.add("<< /Type /Catalog /Pages 2 0 R >>");
    file.add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    file.add(fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.3f} {:.3f}] /Contents 4 0 R "
                         "/Resources << /Font << /F1 5 0 R >> /ExtGState << {}>> >> >>",
                         sheet.width, sheet.height, opacities));
    file.add_stream("", content.text());
    file.add("<< /Type /Font /Subtype /Type0 /BaseFont /CAROMF+DejaVuSans /Encoding /Identity-H "
             "/DescendantFonts [6 0 R] /ToUnicode 8 0 R >>");
    file.add(fmt::format(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /CAROMF+DejaVuSans /CIDToGIDMap /Identity "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        "/FontDescriptor 7 0 R /W {} >>",
        widths()));
    file.add(fmt::format("<< /Type /FontDescriptor /FontName /CAROMF+DejaVuSans /Flags 4 "
                         "/FontBBox [-1021 -463 1793 1232] /ItalicAngle 0 /Ascent {:.0f} /Descent {:.0f} "
                         "/CapHeight 729 /StemV 80 /FontFile2 9 0 R >>",
                         1000 * font.ascent(), 1000 * font.descent()));
    file.add_stream("", unicode_of_glyphs());
    file.add_stream(fmt::format("/Length1 {}", font_file().size()), font_file());
    return file.finish(sheet.title);
}

}  // namespace carom::detail
