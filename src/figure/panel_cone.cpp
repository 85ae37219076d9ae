#include "axes.hpp"
#include "core/palette.hpp"
#include "core/text.hpp"
#include "panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// One frame in which the contact pushed.
struct Push {
    double t1 = 0, t2 = 0, normal = 0, coefficient = 0;

    [[nodiscard]] double tangential() const { return std::hypot(t1, t2); }
    /// On the boundary of the cone the contact slips.
    [[nodiscard]] bool slips() const { return tangential() >= (1 - 1e-6) * coefficient * normal; }
};

Errors not_a_cone(const std::string& contact, const char* why, const char* hint)
{
    return {Error{.code = ErrorCode::NotAllowedHere,
                  .where = "[[figure.panel]]",
                  .message = fmt::format("{} has no friction cone to show: {}", carom::quoted(contact), why),
                  .hint = hint,
                  .excerpt = {}}};
}

/// The pushes of a contact, and whether it has two tangents.
std::vector<Push> pushes_of(const Recording& record, const FigurePanel& panel, bool& in_space)
{
    std::vector<Push> pushes;
    const RecordedFriction& friction = record.friction;
    for (std::size_t k = 0; k < friction.cones.size(); ++k) {
        const RecordedCone& cone = friction.cones[k];
        if (record.contacts[static_cast<std::size_t>(cone.contact)] != panel.contact) continue;
        in_space = tangential_dimension(cone.shape) == 2;
        for (Eigen::Index i = 0; i < std::min(record.frames(), friction.percussion_Ns.rows()); ++i) {
            const double normal = record.percussion_Ns(i, cone.contact);
            if (record.time_s[i] < panel.from_s + record.start_s || !(normal > 0)) continue;
            pushes.push_back({friction.percussion_Ns(i, cone.first),
                              in_space ? friction.percussion_Ns(i, cone.first + 1) : 0, normal,
                              friction.coefficient(i, static_cast<Eigen::Index>(k))});
        }
    }
    return pushes;
}

struct ConeLabels {
    const char *x, *y, *unit;
};

Axes cone_axes(const PanelTask& task, Range x, Range y, const ConeLabels& labels, Sheet& sheet)
{
    const SheetBox box = axes_box(task);
    if (task.panel.equal_scales) make_scales_equal(box, x, y);
    if (task.panel.x_range) x = {(*task.panel.x_range)[0], (*task.panel.x_range)[1]};
    if (task.panel.y_range) y = {(*task.panel.y_range)[0], (*task.panel.y_range)[1]};
    Axes axes(box, x, y);
    const std::string &given_x = task.panel.x_label, &given_y = task.panel.y_label;
    axes.draw(given_x.empty() ? labels.x : given_x, given_x.empty() ? labels.unit : "",
              given_y.empty() ? labels.y : given_y, given_y.empty() ? labels.unit : "", sheet);
    return axes;
}

void draw_wedge(const Axes& axes, double slope, const std::string& fill, bool dashed, Sheet& sheet)
{
    const double top = axes.y().high;
    sheet.items.emplace_back(
        SheetPath{.lines = {{axes.at(-slope * top, top), axes.at(0, 0), axes.at(slope * top, top)}},
                  .stroke = std::string(grey.value),
                  .fill = fill,
                  .width = 1,
                  .dashed = dashed,
                  .opacity = 0.8,
                  .clip = axes.box()});
}

void draw_push(const Axes& axes, const Push& push, double x, double y, Sheet& sheet)
{
    sheet.items.emplace_back(SheetDisc{.centre = axes.at(x, y),
                                       .radius = 1.4,
                                       .stroke = {},
                                       .fill = push.slips() ? "#E69F00" : "#0072B2",
                                       .clip = axes.box()});
}

void draw_from_side(const PanelTask& task, const std::vector<Push>& pushes, Sheet& sheet)
{
    double largest = 0, coefficient = 0, widest = 0;
    for (const Push& push : pushes) {
        largest = std::max(largest, push.normal);
        coefficient = std::max(coefficient, push.coefficient);
        widest = std::max(widest, push.tangential());
    }
    const double half = 1.15 * std::max({coefficient * largest, widest, 1e-300});
    const Axes axes = cone_axes(task, {-half, half}, {0, 1.1 * largest},
                                {"tangential impulse", "normal impulse", "N s"}, sheet);
    draw_wedge(axes, coefficient, "#EDEDED", false, sheet);
    for (const Push& push : pushes) {
        draw_push(axes, push, std::copysign(push.tangential(), push.t1), push.normal, sheet);
    }
}

/// Both tangential impulses over coefficient and normal impulse: the cone becomes the unit disc.
void draw_from_top(const PanelTask& task, const std::vector<Push>& pushes, Sheet& sheet)
{
    SheetBox box = axes_box(task);
    Range x{-1.15, 1.15}, y{-1.15, 1.15};
    make_scales_equal(box, x, y);
    const Axes axes = cone_axes(task, x, y, {"P_t1 / (μ P_n)", "P_t2 / (μ P_n)", ""}, sheet);
    sheet.items.emplace_back(SheetDisc{.centre = axes.at(0, 0),
                                       .radius = axes.scale(),
                                       .stroke = std::string(grey.value),
                                       .fill = "#EDEDED",
                                       .width = 1,
                                       .opacity = 0.8,
                                       .clip = axes.box()});
    for (const Push& push : pushes) {
        const double limit = push.coefficient * push.normal;
        draw_push(axes, push, push.t1 / limit, push.t2 / limit, sheet);
    }
}

/// The cone projected onto the plane W through t1 and cos(beta) n + sin(beta) t2: what a system that
/// can only move in W feels. Sliding is on the inner lines, of slope mu / cos beta; sticking fills the outer
/// region, up to mu / (cos beta sqrt(1 - mu^2 tan^2 beta)) [Moreau 1988, section 17].
void draw_projection(const PanelTask& task, const std::vector<Push>& pushes, Sheet& sheet)
{
    const double beta = task.panel.plane_rad;
    double largest = 0, widest = 0, mu = 0;
    for (const Push& push : pushes) {
        largest = std::max(largest, push.normal * std::cos(beta) + std::abs(push.t2) * std::sin(beta));
        widest = std::max(widest, std::abs(push.t1));
        mu = std::max(mu, push.coefficient);
    }
    const double rest = 1 - mu * mu * std::tan(beta) * std::tan(beta);
    const double dynamic = mu / std::cos(beta), fixed = rest > 0 ? dynamic / std::sqrt(rest) : 0;
    const double half = 1.15 * std::max({std::max(dynamic, fixed) * largest, widest, 1e-300});
    const Axes axes = cone_axes(task, {-half, half}, {0, 1.1 * largest},
                                {"impulse along the plane", "impulse across it", "N s"}, sheet);
    if (rest > 0) draw_wedge(axes, fixed, "#EDEDED", false, sheet);  // else the whole plane: wedging
    draw_wedge(axes, dynamic, {}, true, sheet);
    for (const Push& push : pushes) {
        draw_push(axes, push, push.t1, push.normal * std::cos(beta) + push.t2 * std::sin(beta), sheet);
    }
}

}  // namespace

Expected<void, Errors> draw_cone(const PanelTask& task, Sheet& sheet)
{
    std::vector<Push> pushes;
    bool in_space = false;
    for (const FigureRun& run : task.runs) {
        const auto some = pushes_of(run.run.record, task.panel, in_space);
        pushes.insert(pushes.end(), some.begin(), some.end());
    }
    if (pushes.empty())
        return not_a_cone(task.panel.contact, "it has no friction, or never pushed",
                          "take a contact with friction that acts, and record percussions");
    if (!in_space && task.panel.view != ConeView::Side)
        return not_a_cone(task.panel.contact, "it has one tangent", "use view = \"side\"");
    switch (task.panel.view) {
    case ConeView::Side: draw_from_side(task, pushes, sheet); break;
    case ConeView::Top: draw_from_top(task, pushes, sheet); break;
    case ConeView::Projection: draw_projection(task, pushes, sheet); break;
    }
    draw_panel_title(task, sheet);
    return {};
}

}  // namespace carom::detail
