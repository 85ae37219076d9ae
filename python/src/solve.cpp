#include "binding.hpp"
#include "interrupt.hpp"

#include <Eigen/SparseCore>

namespace carom::python {
namespace {

using Problem = std::shared_ptr<ProblemFile>;

Problem problem_from(std::string name, FclibProblem stored)
{
    auto loaded = take(one_step_problem(stored));
    return std::make_shared<ProblemFile>(ProblemFile{std::move(name), std::move(stored), std::move(loaded)});
}

/// W by rows: where each begins, columns and values.
Problem problem_of(const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>& starts,
                   const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>& columns,
                   const py::object& values, const py::object& q, const py::object& mu, int dimension,
                   int joints)
{
    const Eigen::VectorXd entries = vector_of(values, "W");
    FclibProblem stored{.space_dimension = dimension,
                        .joints = joints,
                        .W = {},
                        .q = vector_of(q, "q"),
                        .mu = vector_of(mu, "mu"),
                        .info = {},
                        .stored = {}};
    const auto rows = stored.q.size();
    if (starts.size() != rows + 1) throw py::value_error("W and q do not have the same number of rows");
    std::vector<Eigen::Triplet<double>> triplets;
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (std::int64_t k = starts.at(i); k < starts.at(i + 1); ++k) {
            if (k < 0 || k >= columns.size() || k >= entries.size() || columns.at(k) < 0 ||
                columns.at(k) >= rows)
                throw py::value_error("W is not square, or its indices are out of range");
            triplets.emplace_back(static_cast<int>(i), static_cast<int>(columns.at(k)), entries[k]);
        }
    }
    stored.W.resize(rows, rows);
    stored.W.setFromTriplets(triplets.begin(), triplets.end());
    return problem_from("arrays", std::move(stored));
}

SolveTask task_of(const std::string& solver, double tolerance, int max_sweeps, double relaxation,
                  double time_limit_s, int repetitions)
{
    SolveTask task;
    task.settings.kind = take(solver_named(solver));
    task.settings.tolerance = tolerance;
    task.settings.max_sweeps = max_sweeps;
    task.settings.relaxation = relaxation;
    task.settings.time_limit_s = time_limit_s;
    task.repetitions = repetitions;
    if (repetitions < 1)
        throw py::value_error("repeat is " + std::to_string(repetitions) + ": at least one solve is needed");
    if (auto good = check(task.settings); !good) raise(good.error());
    return task;
}

/// The task that Ctrl-C ends, carried out without the interpreter; KeyboardInterrupt then.
template <class Work>
auto carried_out(SolveTask task, Work work)
{
    const InterruptWatch watch;
    task.settings.stop = &watch.flag();
    auto result = [&] {
        const Unlocked unlocked;
        return work(task);
    }();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return result;
}

py::dict check_of(const SolutionCheck& check)
{
    py::dict result;
    result["unit_free"] = check.unit_free;
    result["velocity"] = check.velocity;
    result["siconos"] = check.siconos;
    result["cone_violation_Ns"] = check.cone_violation_Ns;
    result["penetration_m_s"] = check.penetration_m_s;
    result["joint_speed_m_s"] = check.joint_speed_m_s;
    result["gap_J"] = check.gap_J;
    return result;
}

/// Percussions and velocities in the rows of the file, or arrays, that were given.
py::dict solve(const ProblemFile& file, const SolveTask& task)
{
    const SolvedProblem solved = carried_out(
        task, [&](const SolveTask& stoppable) { return solve_problem(file.loaded.problem, stoppable); });
    const FclibSolution all = fclib_solution(file.stored, file.loaded.rows, solved.P);
    py::dict result;
    result["P"] = array_of(all.r);
    result["U"] = array_of(all.u);
    result["status"] = solved.status;
    result["solver"] = std::string(name_of(solved.report.solver));
    result["iterations"] = solved.report.iterations;
    result["time_s"] = solved.time_s;
    result["check"] = check_of(solved.check);
    result["asymmetry"] = solved.W.asymmetry;
    result["negative_eigenvalues"] = solved.W.negative;
    result["hidden_velocity_error"] = solved.hidden_velocity_error;
    result["warnings"] = solved.warnings;
    return result;
}

py::dict compare(const std::vector<Problem>& problems, const SolveTask& task)
{
    std::vector<ProblemFile> files;
    for (const Problem& problem : problems)
        files.push_back(*problem);
    const Comparison compared =
        carried_out(task, [&](const SolveTask& stoppable) { return compare_solvers(files, stoppable); });
    py::list runs;
    for (const ComparedRun& run : compared.runs)
        runs.append(py::make_tuple(compared.problems[run.problem], compared.solvers[run.solver],
                                   compared.contacts[run.problem], run.status, run.time_s, run.unit_free,
                                   run.siconos, run.iterations, ratio_of(compared, run.problem, run.solver)));
    const Profile profile = profile_of(compared);
    py::dict lines;
    for (const ProfileLine& line : profile.lines)
        lines[py::str(line.solver)] = array_of(line.part);
    py::dict result;
    result["runs"] = runs;
    result["factors"] = array_of(profile.factors);
    result["profile"] = lines;
    return result;
}

std::vector<std::string> solver_names()
{
    std::vector<std::string> names;
    for (const SolverKind kind : all_solver_kinds())
        names.emplace_back(name_of(kind));
    return names;
}

}  // namespace

void bind_solve(py::module_& module)
{
    py::class_<SolveTask>(module, "SolveTask")
        .def(py::init(&task_of), py::arg("solver"), py::arg("tolerance"), py::arg("max_sweeps"),
             py::arg("relaxation"), py::arg("time_limit_s"), py::arg("repetitions"));
    py::class_<ProblemFile, Problem>(module, "Problem")
        .def_property_readonly("name", [](const ProblemFile& file) { return file.path; })
        .def_property_readonly("contacts", [](const ProblemFile& file) { return file.stored.contacts(); })
        .def_property_readonly("rows", [](const ProblemFile& file) { return file.stored.rows(); })
        .def_property_readonly("title", [](const ProblemFile& file) { return file.stored.info.title; })
        .def_property_readonly("dimension",
                               [](const ProblemFile& file) { return file.stored.space_dimension; })
        .def_property_readonly(
            "q", [](const py::object& self) { return view(self.cast<ProblemFile&>().stored.q, self); })
        .def_property_readonly(
            "mu", [](const py::object& self) { return view(self.cast<ProblemFile&>().stored.mu, self); })
        .def_property_readonly(
            "W",
            [](const ProblemFile& file) {
                py::array_t<std::int64_t> rows(file.stored.W.nonZeros()), columns(file.stored.W.nonZeros());
                py::array_t<double> values(file.stored.W.nonZeros());
                py::ssize_t n = 0;
                for (int i = 0; i < file.stored.W.outerSize(); ++i) {
                    for (FclibProblem::Matrix::InnerIterator it(file.stored.W, i); it; ++it, ++n) {
                        rows.mutable_at(n) = it.row();
                        columns.mutable_at(n) = it.col();
                        values.mutable_at(n) = it.value();
                    }
                }
                return py::make_tuple(rows, columns, values);
            })
        .def("write", [](const ProblemFile& file, const std::string& path) {
            if (auto written = write_fclib(path, file.stored); !written) raise(written.error());
        });
    module.def("read_problem", [](const std::string& path) {
        return std::make_shared<ProblemFile>(take(read_problem(path)));
    });
    module.def("make_problem", &problem_of);
    module.def("solve", &solve);
    module.def("compare", &compare);
    module.attr("solvers") = solver_names();
    module.attr("patient_sweeps") = patient_sweeps;
}

}  // namespace carom::python
