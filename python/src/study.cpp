#include "binding.hpp"

#include "carom/study/run_study.hpp"

#include <chrono>
#include <future>

namespace carom::python {
namespace {

/// Looks after Python while the threads of a study work: Ctrl-C stops it, and its file keeps what is done.
bool wait_for(std::future<Expected<StudyResult, Errors>>& future, std::atomic<bool>& stop,
              const std::atomic<long>& done, long total, const py::object& progress)
{
    bool interrupted = false;
    std::exception_ptr error;
    const auto ready = [&] {
        const Unlocked unlocked;
        return future.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
    };
    while (!ready()) {
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (!progress.is_none()) progress(done.load(), total);
        } catch (py::error_already_set& raised) {
            interrupted = raised.matches(PyExc_KeyboardInterrupt);
            if (!interrupted) error = std::current_exception();
            stop = true;
        }
    }
    if (error) std::rethrow_exception(error);
    return interrupted;
}

py::dict columns_of(const ResultTable& table)
{
    py::dict columns;
    for (const TableColumn& column : table.columns) {
        if (column.kind == CellKind::Number)
            columns[py::str(column.name)] = array_of(column.numbers);
        else
            columns[py::str(column.name)] = column.texts;
    }
    return columns;
}

py::list orders_list(const Study& study, const ResultTable& table, const std::map<std::string, double>& exact)
{
    py::list list;
    if (study.plan().levels == 0) return list;
    for (const OrdersAt& at : orders_of(study, table, exact)) {
        for (const OrderTable& one : at.tables) {
            py::dict order;
            order["values"] = at.values;
            order["quantity"] = one.quantity;
            order["h_s"] = array_of(one.h_s);
            order["value"] = array_of(one.value);
            order["error"] = array_of(one.error);
            order["ratio"] = array_of(one.ratio);
            order["fitted"] = one.fitted;
            order["limit"] = one.limit;
            order["verdict"] = std::string(name_of(one.verdict));
            list.append(order);
        }
    }
    return list;
}

/// The attractors and which start leads to which; None where they were not asked for.
py::object basins_object(const Study& study, const ResultTable& table, std::optional<double> tolerance)
{
    if (!tolerance) return py::none();
    const Basins basins = take(basins_of(study, table, *tolerance));
    py::list attractors;
    for (const Attractor& one : basins.attractors)
        attractors.append(py::make_tuple(one.period, py::cast(one.points), one.runs));
    return py::make_tuple(attractors, py::cast(basins.of));
}

struct StudyWishes {
    StudyPlan plan;
    std::map<std::string, double> exact;
    StudyOptions options;
    std::optional<double> basin;  ///< tolerance
};

StudyWishes wishes_of(const py::dict& given)
{
    Errors errors;
    const auto keep = [&](auto&& read, auto& into) {
        if (read)
            into.push_back(std::move(*read));
        else
            errors.push_back(read.error());
    };
    StudyWishes wishes;
    StudyPlan& plan = wishes.plan;
    for (const auto& text : given["vary"].cast<std::vector<std::string>>())
        keep(parse_axis(text), plan.axes);
    for (const auto& text : given["perturb"].cast<std::vector<std::string>>())
        keep(parse_perturbation(text), plan.perturbations);
    if (const auto text = given["shard"].cast<std::string>(); !text.empty()) {
        std::vector<Shard> shards;
        keep(parse_shard(text), shards);
        if (!shards.empty()) wishes.options.shard = shards.front();
    }
    if (!errors.empty()) raise(errors);
    plan.repeat = given["repeat"].cast<long>();
    plan.seed = given["seed"].cast<std::uint64_t>();
    plan.perturb_step_s = given["perturb_step_s"].cast<std::optional<double>>();
    plan.levels = given["levels"].cast<int>();
    plan.at_s = given["at_s"].cast<std::vector<double>>();
    plan.impacts = given["impacts"].cast<int>();
    const auto period = given["strobe"].cast<std::string>(), section = given["section"].cast<std::string>();
    if (!period.empty() || !section.empty())
        plan.strobe = Strobe{.period = period, .skip = given["skip"].cast<long>(), .section = section};
    wishes.exact = given["exact"].cast<std::map<std::string, double>>();
    wishes.options.output = given["output"].cast<std::string>();
    wishes.options.threads = given["threads"].cast<int>();
    wishes.basin = given["basin"].cast<std::optional<double>>();
    return wishes;
}

py::dict run_study_of(const std::string& path, const OverridePairs& overrides, const py::dict& given,
                      const py::object& progress)
{
    StudyWishes wishes = wishes_of(given);
    auto prepared = [&] {
        const Unlocked unlocked;
        return Study::prepare(path, overrides_of(overrides), wishes.plan);
    }();
    const Study study = take(std::move(prepared));
    std::atomic<bool> stop = false;
    std::atomic<long> done = 0;
    wishes.options.stop = &stop;
    wishes.options.before_runs = [&](long before) { done = before; };
    wishes.options.after_run = [&] { ++done; };
    auto future = std::async(std::launch::async, [&] { return run_study(study, wishes.options); });
    const bool interrupted = wait_for(future, stop, done, study.runs(), progress);
    const StudyResult result = take(future.get());
    if (!result.not_written.empty()) raise(result.not_written);

    py::dict answer;
    answer["interrupted"] = interrupted;
    answer["columns"] = columns_of(result.table);
    answer["orders"] = orders_list(study, result.table, wishes.exact);
    answer["basins"] =
        interrupted ? py::object(py::none()) : basins_object(study, result.table, wishes.basin);
    answer["quantities"] = study.quantities();
    answer["runs"] = study.runs();
    answer["resumed"] = result.resumed;
    answer["threads"] = result.threads;
    answer["wall_s"] = result.wall_s;
    answer["statuses"] = statuses_of(result.table);
    return answer;
}

}  // namespace

void bind_study(py::module_& module)
{
    module.def("study", &run_study_of, py::arg("path"), py::arg("overrides"), py::arg("wishes"),
               py::arg("progress"));
}

}  // namespace carom::python
