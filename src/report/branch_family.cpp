#include "report/branch_family.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

/// Both ways from the start, one behind the other.
Expected<Branch, Errors> both_ways(const Scene& scene, BranchOptions options)
{
    options.upwards = false;
    auto down = follow_branch(scene, options);
    if (!down || down->points.empty()) return down;
    options.upwards = true;
    auto up = follow_branch(scene, options, down->points.front().orbit);
    if (!up) return up;
    Branch all;
    for (auto it = down->points.rbegin(); it != down->points.rend(); ++it) {
        all.points.push_back(std::move(*it));
    }
    all.points.insert(all.points.end(), up->points.begin() + (up->points.empty() ? 0 : 1), up->points.end());
    all.special = down->special;
    all.special.insert(all.special.end(), up->special.begin(), up->special.end());
    all.end = fmt::format("below: {}; above: {}", down->end, up->end);
    return all;
}

/// Branches that leave others: at doublings down to some level, and at grazing.
class Switches {
public:
    Switches(const Scene& scene, const FamilyOptions& options) : scene_(scene), options_(options) {}

    /// Those that leave one branch; `doublings` is how often it has been doubled.
    [[nodiscard]] Errors add_from(const FollowedBranch& parent, int doublings, bool past,
                                  std::vector<FollowedBranch>& all) const
    {
        for (const SpecialPoint& point : parent.branch.special) {
            const bool doubles = point.kind == "period_doubling" && doublings < options_.doublings;
            const bool grazes = point.kind == "grazing" && options_.past_grazing && !past;
            if (!doubles && !grazes) continue;
            auto other = doubles ? switch_at_doubling(scene_, parent.options, point)
                                 : switch_at_grazing(scene_, parent.options, point);
            if (!other) return other.error();
            const FollowedBranch child{
                .name = doubles ? fmt::format("{} at {:.6g}", 2 << doublings, point.value)
                                : fmt::format("past grazing at {:.6g}", point.value),
                .options = doubles ? with_doubled_period(parent.options) : parent.options,
                .branch = std::move(*other)};
            all.push_back(child);
            // one impact more at a time: grazing on the way of those would come back to this branch
            if (Errors errors = add_from(child, doublings + (doubles ? 1 : 0), past || grazes, all);
                !errors.empty())
                return errors;
        }
        return {};
    }

private:
    const Scene& scene_;
    const FamilyOptions& options_;
};

}  // namespace

Expected<std::vector<FollowedBranch>, Errors> follow_family(const Scene& scene, const BranchOptions& options,
                                                            const FamilyOptions& family)
{
    auto first = both_ways(scene, options);
    if (!first) return first.error();
    std::vector<FollowedBranch> all{{.name = "1", .options = options, .branch = std::move(*first)}};
    const FollowedBranch root = all.front();
    if (Errors errors = Switches(scene, family).add_from(root, 0, false, all); !errors.empty()) return errors;
    return all;
}

CurveOptions curve_over(const BranchOptions& second)
{
    return {.over = second.over, .low = second.low, .high = second.high, .steps = 20};
}

Errors add_curves_over(const BranchOptions& second, const Scene& scene, std::vector<FollowedBranch>& branches)
{
    for (FollowedBranch& one : branches) {
        one.curves_over = second.over;
        for (const SpecialPoint& point : one.branch.special) {
            auto curve = follow_special_point(scene, one.options, point, curve_over(second));
            if (!curve) return curve.error();
            one.curves.push_back(std::move(*curve));
        }
    }
    return {};
}

}  // namespace carom
