#include "marks.hpp"

#include "font.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace carom::detail {
namespace {

constexpr double radius = 2.4, text_size = 7;

bool overlap(const SheetBox& one, const SheetBox& other)
{
    return one.left < other.right() && other.left < one.right() && one.top < other.bottom() &&
           other.top < one.bottom();
}

bool holds(const SheetBox& box, const SheetPoint& at)
{
    return at[0] >= box.left && at[0] <= box.right() && at[1] >= box.top && at[1] <= box.bottom();
}

SheetBox box_of(const NamedMark& mark)
{
    return {
        .left = mark.at[0] - radius, .top = mark.at[1] - radius, .width = 2 * radius, .height = 2 * radius};
}

/// Where a name stands, and whether it ends at its mark.
struct NamePlace {
    SheetBox box;
    bool right;
};

/// Of the places around a mark, nearest first, the one that covers the fewest marks and names, and of these the
/// one that covers least of the curves.
NamePlace place_beside(const NamedMark& mark, const std::vector<SheetPoint>& curves,
                       const std::vector<SheetBox>& taken, const SheetBox& frame)
{
    const double width = text_size * Font::get().width(mark.name);
    const auto [x, y] = mark.at;
    std::optional<NamePlace> best;
    std::pair<std::ptrdiff_t, std::ptrdiff_t> least;
    for (double distance = 4; distance < frame.height / 2; distance += 8) {
        for (const bool above : {true, false}) {
            for (const bool right : {true, false}) {
                const SheetBox box{.left = right ? x + 5 : x - 5 - width,
                                   .top = above ? y - distance - text_size : y + distance,
                                   .width = width,
                                   .height = text_size};
                const bool inside =
                    holds(frame, {box.left, box.top}) && holds(frame, {box.right(), box.bottom()});
                if (!inside) {
                    continue;
                }
                const std::pair covers{
                    std::ranges::count_if(taken, [&](const SheetBox& other) { return overlap(box, other); }),
                    std::ranges::count_if(curves, [&](const SheetPoint& at) { return holds(box, at); })};
                if (best && covers >= least) continue;
                least = covers;
                best = NamePlace{box, right};
            }
        }
    }
    const SheetBox beside{.left = x + 5, .top = y - 4 - text_size, .width = width, .height = text_size};
    return best.value_or(NamePlace{beside, true});
}

}  // namespace

void draw_marks(const std::vector<NamedMark>& marks, const std::vector<SheetPoint>& curves,
                const SheetBox& frame, Sheet& sheet)
{
    std::vector<SheetBox> taken;
    for (const NamedMark& mark : marks) {
        sheet.items.emplace_back(SheetDisc{.centre = mark.at,
                                           .radius = radius,
                                           .stroke = "#222222",
                                           .fill = mark.fill,
                                           .width = 0.8,
                                           .clip = {}});
        taken.push_back(box_of(mark));
    }
    for (NamedMark mark : marks) {
        if (mark.name.empty()) continue;
        std::ranges::replace(mark.name, '_', ' ');
        const NamePlace place = place_beside(mark, curves, taken, frame);
        sheet.items.emplace_back(
            SheetText{.at = {place.right ? place.box.left : place.box.right(), place.box.bottom()},
                      .text = std::move(mark.name),
                      .size = text_size,
                      .anchor = place.right ? Anchor::Start : Anchor::End});
        taken.push_back(place.box);
    }
}

}  // namespace carom::detail
