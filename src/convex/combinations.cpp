#include "carom/convex/operations.hpp"

#include "conic_form.hpp"

#include <algorithm>
#include <limits>

namespace carom {

namespace {

using Sets = std::vector<SetPointer>;

/// The forms of sets that have one dimension and are of the catalogue.
Expected<std::vector<detail::ConicForm>> forms_of(const char* where, const Sets& sets)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = where,
                .message = "there is no set",
                .hint = "give at least one set of the catalogue, all of one dimension",
                .excerpt = {}};
    if (sets.empty()) return error;
    std::vector<detail::ConicForm> forms;
    for (const SetPointer& set : sets) {
        if (!set || !sets.front() || set->dimension() != sets.front()->dimension()) {
            error.message = "the sets differ in dimension";
            return error;
        }
        auto form = detail::conic_form(*set);
        if (!form) {
            error.code = ErrorCode::SettingOutOfRange;
            error.message = "this set provides nearest points only";
            return error;
        }
        forms.push_back(std::move(*form));
    }
    return forms;
}

double sum_of_sizes(const Sets& sets)
{
    double sum = 0;
    for (const SetPointer& set : sets) {
        sum += set->size();
    }
    return sum;
}

}  // namespace

Intersection::Intersection(std::vector<SetPointer> sets, const detail::ConicForm& form)
    : Composite(form, sum_of_sizes(sets)), sets_(std::move(sets))
{
}

Expected<Intersection> Intersection::make(std::vector<SetPointer> sets)
{
    const auto forms = forms_of("Intersection", sets);
    if (!forms) return forms.error();
    Intersection set(std::move(sets), detail::intersection(*forms));

    // some point must be common to all: the one nearest to the origin is looked for
    Eigen::VectorXd x = Eigen::VectorXd::Zero(set.dimension());
    if (set.prox(x, x) != ProxStatus::Converged || !set.contains(x, 1e-8)) {
        return Error{
            .code = ErrorCode::SettingOutOfRange,
            .where = "Intersection",
            .message = "no common point was found",
            .hint = "give sets that overlap; sets that only touch may need one description by inequalities",
            .excerpt = {}};
    }
    return set;
}

double Intersection::distance_to(ConstPoint v) const
{
    // zero exactly where v is in every set; otherwise a lower bound of the distance
    double worst = 0;
    Eigen::VectorXd x(v.size());
    for (const SetPointer& set : sets_) {
        if (set->prox(v, x) != ProxStatus::Converged) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, (v - x).norm());
    }
    return worst;
}

double Intersection::support_at(ConstPoint p) const
{
    return detail::support(form(), p, size());
}

MinkowskiSum::MinkowskiSum(std::vector<SetPointer> sets, const detail::ConicForm& form)
    : Composite(form, sum_of_sizes(sets)), sets_(std::move(sets))
{
}

Expected<MinkowskiSum> MinkowskiSum::make(std::vector<SetPointer> sets)
{
    const auto forms = forms_of("MinkowskiSum", sets);
    if (!forms) return forms.error();
    return MinkowskiSum(std::move(sets), detail::sum(*forms));
}

double MinkowskiSum::support_at(ConstPoint p) const
{
    double sum = 0;
    for (const SetPointer& set : sets_) {
        sum += set->support(Eigen::VectorXd(p));
    }
    return sum;
}

}  // namespace carom
