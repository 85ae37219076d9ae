#include "axes.hpp"
#include "core/palette.hpp"
#include "core/text.hpp"
#include "panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// One frame in which the contact pushed: its friction, with the sign of t1, and its normal impulse.
struct Push {
    double tangential = 0, normal = 0, coefficient = 0;
};

Error not_a_cone(const std::string& contact, const char* why)
{
    return {.code = ErrorCode::NotAllowedHere,
            .where = "[[figure.panel]]",
            .message = fmt::format("{} has no friction cone to show: {}", carom::quoted(contact), why),
            .hint = "take a contact with friction that acts, and record percussions",
            .excerpt = {}};
}

std::vector<Push> pushes_of(const Recording& record, const std::string& contact, double from_s)
{
    std::vector<Push> pushes;
    const RecordedFriction& friction = record.friction;
    for (std::size_t k = 0; k < friction.cones.size(); ++k) {
        const RecordedCone& cone = friction.cones[k];
        if (record.contacts[static_cast<std::size_t>(cone.contact)] != contact) continue;
        const bool in_space = tangential_dimension(cone.shape) == 2;
        for (Eigen::Index i = 0; i < std::min(record.frames(), friction.percussion_Ns.rows()); ++i) {
            if (record.time_s[i] < from_s || !(record.percussion_Ns(i, cone.contact) > 0)) continue;
            const double t1 = friction.percussion_Ns(i, cone.first);
            const double t2 = in_space ? friction.percussion_Ns(i, cone.first + 1) : 0;
            pushes.push_back({in_space ? std::copysign(std::hypot(t1, t2), t1) : t1,
                              record.percussion_Ns(i, cone.contact),
                              friction.coefficient(i, static_cast<Eigen::Index>(k))});
        }
    }
    return pushes;
}

}  // namespace

Expected<void, Errors> draw_cone(const PanelTask& task, Sheet& sheet)
{
    std::vector<Push> pushes;
    for (const FigureRun& run : task.runs) {
        const auto some =
            pushes_of(run.run.record, task.panel.contact, task.panel.from_s + task.scene.start.t_s);
        pushes.insert(pushes.end(), some.begin(), some.end());
    }
    if (pushes.empty()) return Errors{not_a_cone(task.panel.contact, "it has no friction, or never pushed")};
    double most = 0, coefficient = 0, widest = 0;
    for (const Push& push : pushes) {
        most = std::max(most, push.normal);
        coefficient = std::max(coefficient, push.coefficient);
        widest = std::max(widest, std::abs(push.tangential));
    }
    const SheetBox box = axes_box(task);
    const double half = 1.15 * std::max({coefficient * most, widest, 1e-300});
    Range x{-half, half}, y{0, 1.1 * most};
    if (task.panel.equal_scales) make_scales_equal(box, x, y);
    if (task.panel.x_range) x = {(*task.panel.x_range)[0], (*task.panel.x_range)[1]};
    if (task.panel.y_range) y = {(*task.panel.y_range)[0], (*task.panel.y_range)[1]};
    const Axes axes(box, x, y);
    axes.draw(task.panel.x_label.empty() ? "tangential impulse" : task.panel.x_label,
              task.panel.x_label.empty() ? "N s" : "",
              task.panel.y_label.empty() ? "normal impulse" : task.panel.y_label,
              task.panel.y_label.empty() ? "N s" : "", sheet);
    const double top = y.high;
    sheet.items.emplace_back(SheetPath{
        .lines = {{axes.at(-coefficient * top, top), axes.at(0, 0), axes.at(coefficient * top, top)}},
        .stroke = std::string(grey.value),
        .fill = "#EDEDED",
        .width = 1,
        .opacity = 0.8,
        .clip = box});
    for (const Push& push : pushes) {
        // on the boundary of the cone the contact slips
        const bool slips = std::abs(push.tangential) >= (1 - 1e-6) * push.coefficient * push.normal;
        sheet.items.emplace_back(SheetDisc{.centre = axes.at(push.tangential, push.normal),
                                           .radius = 1.4,
                                           .stroke = {},
                                           .fill = slips ? "#E69F00" : "#0072B2",
                                           .clip = box});
    }
    draw_panel_title(task, sheet);
    return {};
}

}  // namespace carom::detail
