#pragma once

#include "carom/onestep/problem.hpp"

#include <Eigen/SparseCore>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Frictional contact problems in files, in the HDF5 layout of the Frictional Contact Library (FCLIB).
///
///     local     u = W r + V l + q,      V^T r + R l + s = 0                                   (FC-1)
///     global    M v = H r + G l + f,    u = H^T v + w,      G^T v + b = 0                     (FC-2)
///
/// with Coulomb's law between u and r in every contact. Both become one matrix here, contacts first, then
/// joints; the global form is condensed:  [W V; V^T R] = [H G]^T M^-1 [H G].
///
/// Symbols    r   percussions P, N s;  u  velocities U, m/s;  per contact (N, T) or (N, T1, T2)
///            l   percussions of the joints, whose velocity is zero;  mu  friction, one per contact, >= 0
/// Theory     docs/theory/stored_problems.md, (FC-1), (FC-2), (FC-3) what a law becomes in a file

enum class FclibForm {
    Local,
    Global,
    Carom,  ///< laws that FCLIB does not know: /carom_problem instead of its groups
};

[[nodiscard]] std::string_view name_of(FclibForm form) noexcept;  ///< "local", "global", "carom"

/// Free text beside the numbers.
struct FclibInfo {
    std::string title, description, math_info;
};

struct FclibProblem {
    using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

    int space_dimension = 3;  ///< rows per contact: 2 or 3
    int joints = 0;           ///< rows after those of the contacts
    Matrix W;                 ///< of contacts and joints, 1/kg
    Eigen::VectorXd q;        ///< q, then s; m/s
    Eigen::VectorXd mu;       ///< per contact
    std::vector<Law> laws;    ///< of the form Carom: of all interactions, in the order of their rows,
    Eigen::VectorXd U_minus;  ///< and velocities before the step; else both empty
    FclibForm form = FclibForm::Local;  ///< of the file it came from
    FclibInfo info;
    std::optional<Eigen::VectorXd> stored;  ///< r, then l of /solution: a claim, not verified

    [[nodiscard]] int contacts() const noexcept;
    [[nodiscard]] int rows() const noexcept { return static_cast<int>(q.size()); }
};

/// Reads an untrusted file: sizes are checked before memory is allocated, links and data
/// in other files are refused. Errors: FileUnreadable; FileMalformed, WrongSize, NotFinite,
/// SettingOutOfRange (mu < 0) and MetricNotPositive (M has no inverse), all with the name of the dataset.
[[nodiscard]] Expected<FclibProblem> read_fclib(const std::string& path);

/// Percussions and velocities of a problem, rows as in FclibProblem.
struct FclibSolution {
    Eigen::VectorXd r, u;
};

/// Writes the local form, with /solution where one is given. Errors: FileUnwritable; WrongSize.
[[nodiscard]] Expected<void> write_fclib(const std::string& path, const FclibProblem& problem,
                                         const FclibSolution* solution = nullptr);

/// A one-step problem beside the rows of the file that it stands for.
struct LoadedProblem {
    OneStepProblem problem;
    std::vector<int> rows;  ///< row of FclibProblem of each row of `problem`
};

/// Contacts with mu > 0 get Coulomb's law, those with mu = 0 the frictionless one (only their normal row is
/// kept: no friction acts along the others), joints the bilateral one. The form Carom has laws of its own.
[[nodiscard]] Expected<LoadedProblem> one_step_problem(const FclibProblem& stored);

/// The same problem in FCLIB's terms (FC-3). Shifts of restitution go into q; a frictionless contact gets
/// tangential rows that nothing couples to. Where FCLIB does not know a law, the form is Carom, which other
/// programs do not read. Errors: NotAllowedHere for a limited reaction whose set is neither interval, box,
/// ball nor ellipsoid.
struct StoredProblem {
    FclibProblem stored;
    std::vector<int> rows;  ///< row of `stored` of each row of the problem
};
[[nodiscard]] Expected<StoredProblem> fclib_problem(const OneStepProblem& problem);

/// All rows of the file for percussions P of the problem: r_T = 0 where there is no friction, u = W r + q.
[[nodiscard]] FclibSolution fclib_solution(const FclibProblem& stored, std::span<const int> rows,
                                           std::span<const double> P);

}  // namespace carom
