#include "axes.hpp"
#include "core/palette.hpp"
#include "font.hpp"
#include "panels.hpp"
#include "trace/solid_pieces.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// The parts of one exposure, in metres of the picture.
struct Shape {
    std::vector<Point2> points;
    double radius = -1;  ///< of circles; below zero: a line
    bool closed = false, filled = false, trace = false;
    std::string stroke, fill;
};

struct Exposure {
    Eigen::Index frame = 0;  ///< of the recording: with every step recorded, the step
    std::vector<Shape> shapes;
    Point2 label{NAN, NAN};  ///< where its number stands
};

std::string value_of(const std::string& colour)
{
    return shaded(colour, 1);
}

Point2 drawn_point(const Recording& record, const RecordedDrawing& drawing, Eigen::Index frame, int point)
{
    const Eigen::Index at = drawing.first + static_cast<Eigen::Index>(point) * drawing.dimension;
    if (drawing.dimension == 2) return {record.draw(frame, at), record.draw(frame, at + 1)};
    return seen_in_space({record.draw(frame, at), record.draw(frame, at + 1), record.draw(frame, at + 2)});
}

Shape shape_of(const Recording& record, const RecordedDrawing& drawing, Eigen::Index frame)
{
    Shape shape{.points = {}, .stroke = value_of(drawing.colour), .fill = {}};
    shape.closed = drawing.closed;
    shape.trace = drawing.kind == DrawingKind::Trace;
    for (int k = 0; k < drawing.points; ++k) {
        shape.points.push_back(drawn_point(record, drawing, frame, k));
    }
    if (drawing.kind == DrawingKind::Circle) shape.radius = record.draw(frame, drawing.radius);
    if (drawing.kind == DrawingKind::Point) shape.radius = 0;
    return shape;
}

Exposure exposure_at(const Recording& record, Eigen::Index frame)
{
    Exposure exposure{.frame = frame, .shapes = {}};
    for (const Piece& piece : pieces_at(record, frame)) {
        if (piece.glass) continue;
        Shape shape{.points = piece.corners,
                    .stroke = shaded(piece.colour, 0.2),
                    .fill = shaded(piece.colour, piece.light)};
        shape.closed = shape.filled = true;
        if (piece.corners.size() == 1) shape.radius = piece.radius;
        exposure.shapes.push_back(std::move(shape));
    }
    for (const RecordedDrawing& drawing : record.drawings) {
        Shape shape = shape_of(record, drawing, frame);
        const bool finite = std::ranges::all_of(shape.points, [](const Point2& p) { return p.allFinite(); });
        if (finite) exposure.shapes.push_back(std::move(shape));
    }
    return exposure;
}

/// Numbers stand where the thing is that moves most: the middle of all points that differ from exposure to
/// exposure.
void place_labels(std::vector<Exposure>& exposures)
{
    for (std::size_t e = 0; e < exposures.size(); ++e) {
        const Exposure& other = exposures[e > 0 ? e - 1 : std::min<std::size_t>(1, exposures.size() - 1)];
        Point2 sum = Point2::Zero();
        int count = 0;
        for (std::size_t s = 0; s < std::min(exposures[e].shapes.size(), other.shapes.size()); ++s) {
            const Shape &now = exposures[e].shapes[s], &then = other.shapes[s];
            if (now.trace || now.points.size() != then.points.size()) continue;
            for (std::size_t k = 0; k < now.points.size(); ++k) {
                if ((now.points[k] - then.points[k]).norm() <= 0) continue;
                sum += now.points[k];
                ++count;
            }
        }
        if (count > 0) exposures[e].label = sum / count;
    }
}

void ranges_of(const std::vector<Exposure>& exposures, Range& x, Range& y)
{
    x = y = {.low = HUGE_VAL, .high = -HUGE_VAL};
    for (const Exposure& exposure : exposures) {
        for (const Shape& shape : exposure.shapes) {
            const double r = std::max(shape.radius, 0.0);
            for (const Point2& p : shape.points) {
                x = {std::min(x.low, p.x() - r), std::max(x.high, p.x() + r)};
                y = {std::min(y.low, p.y() - r), std::max(y.high, p.y() + r)};
            }
        }
    }
    x = with_margin(x);
    y = with_margin(y);
}

void draw_shape(const Shape& shape, const Axes& axes, double opacity, Sheet& sheet)
{
    if (shape.radius >= 0) {
        const SheetPoint centre = axes.at(shape.points[0].x(), shape.points[0].y());
        const double radius = shape.radius > 0 ? shape.radius * axes.scale() : 1.5;
        sheet.items.emplace_back(SheetDisc{.centre = centre,
                                           .radius = radius,
                                           .stroke = shape.stroke,
                                           .fill = shape.radius > 0 ? shape.fill : shape.stroke,
                                           .width = 0.7,
                                           .opacity = opacity,
                                           .clip = axes.box()});
        return;
    }
    SheetPath path{.lines = {{}},
                   .closed = shape.closed,
                   .stroke = shape.stroke,
                   .fill = shape.fill,
                   .width = shape.filled ? 0.4 : 1.0,
                   .opacity = opacity,
                   .clip = axes.box()};
    for (const Point2& p : shape.points) {
        path.lines[0].push_back(axes.at(p.x(), p.y()));
    }
    sheet.items.emplace_back(std::move(path));
}

/// Traces follow every frame, not only those of the exposures.
void draw_traces(const PanelTask& task, const Axes& axes, Sheet& sheet)
{
    for (const FigureRun& run : task.runs) {
        const Recording& record = run.run.record;
        for (const RecordedDrawing& drawing : record.drawings) {
            if (drawing.kind != DrawingKind::Trace) continue;
            SheetPath path{.lines = {{}},
                           .stroke = value_of(drawing.colour),
                           .fill = {},
                           .width = 0.7,
                           .clip = axes.box()};
            for (Eigen::Index i = 0; i < record.frames(); ++i) {
                const Point2 p = drawn_point(record, drawing, i, 0);
                if (p.allFinite() && record.time_s[i] >= task.panel.from_s + record.start_s)
                    path.lines[0].push_back(axes.at(p.x(), p.y()));
            }
            sheet.items.emplace_back(std::move(path));
        }
    }
}

/// Writes the numbers of exposures. Where exposures are close together, numbers that would cover an earlier
/// one stand higher, and those that find no place in the frame are left out.
void draw_numbers(const std::vector<Exposure>& exposures, const Axes& axes, Sheet& sheet)
{
    constexpr double size = 6.5;
    std::vector<SheetBox> taken;
    for (const Exposure& exposure : exposures) {
        if (!exposure.label.allFinite()) continue;
        const SheetPoint middle = axes.at(exposure.label.x(), exposure.label.y());
        const std::string text = std::to_string(exposure.frame);
        const double width = size * Font::get().width(text) + 1;
        SheetBox box{middle[0] - width / 2, middle[1] - 3 - size, width, size};
        const auto covers = [&](const SheetBox& other) {
            return box.left < other.right() && other.left < box.right() && box.top < other.bottom() &&
                   other.top < box.bottom();
        };
        for (auto other = std::ranges::find_if(taken, covers); other != taken.end();
             other = std::ranges::find_if(taken, covers)) {
            box.top = other->top - size - 0.5;
        }
        if (box.top < axes.box().top) continue;
        taken.push_back(box);
        sheet.items.emplace_back(
            SheetText{.at = {middle[0], box.bottom()}, .text = text, .size = size, .anchor = Anchor::Middle});
    }
}

std::vector<Exposure> exposures_of(const PanelTask& task)
{
    std::vector<Exposure> exposures;
    for (const FigureRun& run : task.runs) {
        const Recording& record = run.run.record;
        std::vector<Exposure> of_run;
        Eigen::Index first = 0;
        while (first < record.frames() && record.time_s[first] < task.panel.from_s + record.start_s) {
            ++first;
        }
        for (Eigen::Index i = first; i < record.frames(); i += task.panel.every) {
            of_run.push_back(exposure_at(record, i));
        }
        if (!of_run.empty()) place_labels(of_run);
        std::move(of_run.begin(), of_run.end(), std::back_inserter(exposures));
    }
    return exposures;
}

}  // namespace

Expected<void, Errors> draw_exposures(const PanelTask& task, Sheet& sheet)
{
    const Recording& record = task.runs.front().run.record;
    if (record.drawings.empty() && record.solids.solids.empty()) {
        return Errors{Error{.code = ErrorCode::NotAllowedHere,
                            .where = "[[figure.panel]]",
                            .message = "the scene draws nothing, so there is nothing to expose",
                            .hint = "add [[draw]], or use kind = \"curves\"",
                            .excerpt = {}}};
    }
    const std::vector<Exposure> exposures = exposures_of(task);
    const SheetBox box = axes_box(task);
    Range x, y;
    ranges_of(exposures, x, y);
    if (task.panel.x_range) x = {(*task.panel.x_range)[0], (*task.panel.x_range)[1]};
    if (task.panel.y_range) y = {(*task.panel.y_range)[0], (*task.panel.y_range)[1]};
    if (task.panel.equal_scales) make_scales_equal(box, x, y);
    const Axes axes(box, x, y);
    const auto label = [](const std::string& given, const char* fallback) {
        return given.empty() ? std::string(fallback) : given;
    };
    const bool labelled = !task.panel.x_label.empty() || !task.panel.y_label.empty();
    axes.draw(label(task.panel.x_label, "x"), labelled ? "" : "m", label(task.panel.y_label, "y"),
              labelled ? "" : "m", sheet);
    draw_traces(task, axes, sheet);

    // the later, the darker
    for (std::size_t e = 0; e < exposures.size(); ++e) {
        const double part =
            exposures.size() > 1 ? static_cast<double>(e) / static_cast<double>(exposures.size() - 1) : 1;
        for (const Shape& shape : exposures[e].shapes) {
            if (!shape.trace) draw_shape(shape, axes, 0.35 + 0.65 * part, sheet);
        }
    }
    if (task.panel.numbers) draw_numbers(exposures, axes, sheet);
    draw_panel_title(task, sheet);
    return {};
}

}  // namespace carom::detail
