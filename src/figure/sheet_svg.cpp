#include "font.hpp"
#include "sheet.hpp"
#include "trace/plot.hpp"

#include <fmt/format.h>

#include <iterator>

namespace carom::detail {
namespace {

std::string base64(std::string_view bytes)
{
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve(bytes.size() * 4 / 3 + 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

/// Writes the items of a sheet; areas that clip are told once each.
class SvgWriter {
public:
    explicit SvgWriter(const Sheet& sheet) : sheet_(sheet) {}

    std::string write()
    {
        fmt::format_to(out(),
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.2f}pt\" height=\"{1:.2f}pt\" "
                       "viewBox=\"0 0 {0:.2f} {1:.2f}\" role=\"img\">\n<title>{2}</title>\n",
                       sheet_.width, sheet_.height, escaped(sheet_.title));
        fmt::format_to(out(),
                       "<style>@font-face{{font-family:\"carom figures\";src:url(data:font/ttf;base64,{})}}"
                       "text{{font-family:\"carom figures\",\"DejaVu Sans\",sans-serif;white-space:pre}}"
                       "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n",
                       base64(font_file()));
        for (const SheetItem& item : sheet_.items) {
            std::visit([&](const auto& one) { add(one); }, item);
        }
        return std::move(svg_) + "</svg>\n";
    }

private:
    std::back_insert_iterator<std::string> out() { return std::back_inserter(svg_); }

    void clip(const std::optional<SheetBox>& box)
    {
        if (!box) return;
        for (std::size_t k = 0; k < clips_.size(); ++k) {
            if (same(clips_[k], *box)) {
                fmt::format_to(out(), " clip-path=\"url(#c{})\"", k);
                return;
            }
        }
        // the definition must stand before what it clips: it is put before the element that is being written
        const std::size_t element = svg_.rfind('<');
        const std::string definition =
            fmt::format("<clipPath id=\"c{}\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
                        "height=\"{:.2f}\"/></clipPath>\n",
                        clips_.size(), box->left, box->top, box->width, box->height);
        svg_.insert(element, definition);
        fmt::format_to(out(), " clip-path=\"url(#c{})\"", clips_.size());
        clips_.push_back(*box);
    }

    static bool same(const SheetBox& a, const SheetBox& b)
    {
        return a.left == b.left && a.top == b.top && a.width == b.width && a.height == b.height;
    }

    template <class Item>
    void style(const Item& item)
    {
        fmt::format_to(out(), " fill=\"{}\"", item.fill.empty() ? "none" : item.fill);
        if (!item.stroke.empty())
            fmt::format_to(out(), " stroke=\"{}\" stroke-width=\"{:.2f}\"", item.stroke, item.width);
        if (item.opacity < 1) fmt::format_to(out(), " opacity=\"{:.2f}\"", item.opacity);
    }

    void add(const SheetPath& path)
    {
        svg_ += "<path";
        clip(path.clip);
        svg_ += " d=\"";
        for (const auto& line : path.lines) {
            for (std::size_t k = 0; k < line.size(); ++k) {
                fmt::format_to(out(), "{}{:.2f} {:.2f}", k == 0 ? "M" : "L", line[k][0], line[k][1]);
            }
            if (path.closed) svg_ += "Z";
        }
        svg_ += "\"";
        style(path);
        if (path.dashed)
            fmt::format_to(out(), " stroke-dasharray=\"{:.2f} {:.2f}\"", 4 * path.width, 3 * path.width);
        svg_ += " stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
    }

    void add(const SheetDisc& disc)
    {
        svg_ += "<circle";
        clip(disc.clip);
        fmt::format_to(out(), " cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"", disc.centre[0], disc.centre[1],
                       disc.radius);
        style(disc);
        svg_ += "/>\n";
    }

    void add(const SheetText& text)
    {
        static constexpr const char* anchors[] = {"start", "middle", "end"};
        const char* anchor = anchors[static_cast<int>(text.anchor)];
        fmt::format_to(out(),
                       "<text transform=\"translate({:.2f} {:.2f}){}\" text-anchor=\"{}\" "
                       "font-size=\"{:.2f}\" fill=\"{}\">{}</text>\n",
                       text.at[0], text.at[1], text.upwards ? " rotate(-90)" : "", anchor, text.size,
                       text.colour, escaped(text.text));
    }

    const Sheet& sheet_;
    std::string svg_;
    std::vector<SheetBox> clips_;
};

}  // namespace

std::string sheet_to_svg(const Sheet& sheet)
{
    return SvgWriter(sheet).write();
}

double text_start(const SheetText& text)
{
    const double width = text.size * Font::get().width(text.text);
    return text.anchor == Anchor::Start ? 0 : text.anchor == Anchor::Middle ? -width / 2 : -width;
}

}  // namespace carom::detail
