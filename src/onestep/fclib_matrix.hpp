#pragma once

#include "carom/onestep/fclib.hpp"
#include "storage/hdf5_reader.hpp"

namespace carom::detail {

inline constexpr FileKind fclib_file{
    .give = "give the path of a frictional contact problem in FCLIB's format (HDF5)",
    .page = "docs/reference/problem_file.md says what a problem file holds",
};

/// A sparse matrix of a file: `m`, `n`, `nz`, `p`, `i`, `x` below `group`; compressed columns (nz = -1),
/// compressed rows (nz = -2) or triplets (nz >= 0, i rows and p columns). It must have the given size, which
/// comes from vectors that were read before: a claimed size alone takes no memory.
[[nodiscard]] Expected<FclibProblem::Matrix> read_matrix(const Hdf5Reader& file, const std::string& group,
                                                         Eigen::Index rows, Eigen::Index columns);

/// Compressed rows.
[[nodiscard]] Expected<void> write_matrix(Hdf5Writer& file, const std::string& group,
                                          const FclibProblem::Matrix& matrix);

/// A vector of finite numbers.
[[nodiscard]] Expected<Eigen::VectorXd> read_vector(const Hdf5Reader& file, const std::string& path);

/// Matrices and vectors of the global form (FC-2).
struct FclibGlobal {
    FclibProblem::Matrix M, HG;  ///< HG = [H G]
    Eigen::VectorXd f, wb;       ///< wb = (w, b)
};

/// W and q of (FC-1) for contacts and joints, one column of M^-1 [H G] at a time. The error has an empty
/// `where`.
struct Condensed {
    FclibProblem::Matrix W;
    Eigen::VectorXd q;
};
[[nodiscard]] Expected<Condensed> condense(const FclibGlobal& global);

}  // namespace carom::detail
