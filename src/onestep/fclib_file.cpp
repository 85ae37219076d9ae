#include "carom/onestep/fclib.hpp"

#include "fclib_matrix.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {
namespace {

using detail::Hdf5Reader;
using detail::Hdf5Writer;
using Matrix = FclibProblem::Matrix;

Error wrong_size(const Hdf5Reader& file, const std::string& what)
{
    Error error = file.malformed(what);
    error.code = ErrorCode::WrongSize;
    return error;
}

/// The blocks [A B; C D], each given with the row and column where it begins.
struct Piece {
    const Matrix* block;
    int row, column;
};

Matrix assembled(Eigen::Index rows, Eigen::Index columns, std::initializer_list<Piece> pieces)
{
    std::vector<Eigen::Triplet<double>> entries;
    for (const Piece& piece : pieces) {
        for (int outer = 0; outer < piece.block->outerSize(); ++outer) {
            for (Matrix::InnerIterator entry(*piece.block, outer); entry; ++entry) {
                entries.emplace_back(piece.row + static_cast<int>(entry.row()),
                                     piece.column + static_cast<int>(entry.col()), entry.value());
            }
        }
    }
    Matrix result(rows, columns);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

Eigen::VectorXd joined(const Eigen::VectorXd& a, const Eigen::VectorXd& b)
{
    Eigen::VectorXd result(a.size() + b.size());
    result << a, b;
    return result;
}

/// A vector that may be absent.
Expected<Eigen::VectorXd> read_optional(const Hdf5Reader& file, const std::string& path, bool wanted)
{
    if (!wanted) return Eigen::VectorXd();
    return detail::read_vector(file, path);
}

/// Dimension and friction, which both forms have.
Expected<void> read_laws(const Hdf5Reader& file, const std::string& group, FclibProblem& problem)
{
    const auto dimension = file.integers(group + "/spacedim");
    if (!dimension) return dimension.error();
    if (dimension->size() != 1 || (dimension->front() != 2 && dimension->front() != 3)) {
        return file.malformed(group + "/spacedim is neither 2 nor 3");
    }
    problem.space_dimension = static_cast<int>(dimension->front());

    auto mu = detail::read_vector(file, group + "/vectors/mu");
    if (!mu) return mu.error();
    for (Eigen::Index k = 0; k < mu->size(); ++k) {
        if ((*mu)[k] >= 0) continue;
        Error error = file.malformed(fmt::format("{}/vectors/mu[{}] = {} is negative", group, k, (*mu)[k]));
        error.code = ErrorCode::SettingOutOfRange;
        return error;
    }
    problem.mu = std::move(*mu);
    return {};
}

Expected<void> check_contacts(const Hdf5Reader& file, const std::string& vector, Eigen::Index rows,
                              const FclibProblem& problem)
{
    if (rows == problem.mu.size() * problem.space_dimension) return {};
    return wrong_size(file, fmt::format("{} has {} entries, {} contacts with {} rows each need {}", vector,
                                        rows, problem.mu.size(), problem.space_dimension,
                                        problem.mu.size() * problem.space_dimension));
}

Expected<void> read_local(const Hdf5Reader& file, FclibProblem& problem)
{
    const std::string group = "/fclib_local";
    const bool has_joints = file.has(group + "/R");
    auto q = detail::read_vector(file, group + "/vectors/q");
    if (!q) return q.error();
    if (auto fits = check_contacts(file, group + "/vectors/q", q->size(), problem); !fits) return fits;
    auto s = read_optional(file, group + "/vectors/s", has_joints);
    if (!s) return s.error();

    const auto m = q->size(), p = s->size();
    auto W = detail::read_matrix(file, group + "/W", m, m);
    if (!W) return W.error();
    problem.joints = static_cast<int>(p);
    problem.q = joined(*q, *s);
    if (!has_joints) {
        problem.W = std::move(*W);
        return {};
    }
    const auto V = detail::read_matrix(file, group + "/V", m, p);
    if (!V) return V.error();
    const auto R = detail::read_matrix(file, group + "/R", p, p);
    if (!R) return R.error();
    const Matrix V_transposed = V->transpose();
    const int first = static_cast<int>(m);
    problem.W = assembled(m + p, m + p,
                          {{&*W, 0, 0}, {&*V, 0, first}, {&V_transposed, first, 0}, {&*R, first, first}});
    return {};
}

Expected<void> read_global(const Hdf5Reader& file, FclibProblem& problem)
{
    const std::string group = "/fclib_global";
    const bool has_joints = file.has(group + "/G");
    auto f = detail::read_vector(file, group + "/vectors/f");
    if (!f) return f.error();
    auto w = detail::read_vector(file, group + "/vectors/w");
    if (!w) return w.error();
    if (auto fits = check_contacts(file, group + "/vectors/w", w->size(), problem); !fits) return fits;
    auto b = read_optional(file, group + "/vectors/b", has_joints);
    if (!b) return b.error();

    const auto n = f->size(), m = w->size(), p = b->size();
    detail::FclibGlobal global;
    auto M = detail::read_matrix(file, group + "/M", n, n);
    if (!M) return M.error();
    auto H = detail::read_matrix(file, group + "/H", n, m);
    if (!H) return H.error();
    global.M = std::move(*M);
    global.HG = std::move(*H);
    if (has_joints) {
        const auto G = detail::read_matrix(file, group + "/G", n, p);
        if (!G) return G.error();
        global.HG = assembled(n, m + p, {{&global.HG, 0, 0}, {&*G, 0, static_cast<int>(m)}});
    }
    global.f = std::move(*f);
    global.wb = joined(*w, *b);

    auto condensed = detail::condense(global);
    if (!condensed) {
        Error error = condensed.error();
        error.where = file.malformed("").where;
        return error;
    }
    problem.joints = static_cast<int>(p);
    problem.W = std::move(condensed->W);
    problem.q = std::move(condensed->q);
    return {};
}

/// Texts are for people: what cannot be read is left out.
FclibInfo read_info(const Hdf5Reader& file, const std::string& group)
{
    FclibInfo info;
    for (auto [name, text] : {std::pair{"/title", &info.title},
                              {"/description", &info.description},
                              {"/math_info", &info.math_info}}) {
        const std::string path = group + "/info" + name;
        if (!file.has(path)) continue;
        if (auto read = file.text(path)) *text = std::move(*read);
    }
    return info;
}

/// A stored solution of the right size, or nothing.
std::optional<Eigen::VectorXd> read_stored(const Hdf5Reader& file, const FclibProblem& problem)
{
    if (!file.has("/solution/r")) return {};
    const auto r = detail::read_vector(file, "/solution/r");
    if (!r) return {};
    if (problem.joints == 0) return r->size() == problem.q.size() ? std::optional(*r) : std::nullopt;
    const auto l = read_optional(file, "/solution/l", file.has("/solution/l"));
    if (!l || r->size() + l->size() != problem.q.size()) return {};
    return joined(*r, *l);
}

Expected<void> write_vectors(Hdf5Writer& file, const FclibProblem& problem)
{
    const std::span<const double> q(problem.q.data(), static_cast<std::size_t>(problem.q.size()));
    const auto m = q.size() - static_cast<std::size_t>(problem.joints);
    auto written = file.add_group("/fclib_local/vectors");
    if (written) written = file.put("/fclib_local/vectors/q", q.first(m));
    if (written && problem.joints > 0) written = file.put("/fclib_local/vectors/s", q.subspan(m));
    if (written) {
        written = file.put("/fclib_local/vectors/mu",
                           {problem.mu.data(), static_cast<std::size_t>(problem.mu.size())});
    }
    return written;
}

Expected<void> write_matrices(Hdf5Writer& file, const FclibProblem& problem)
{
    const Eigen::Index m = problem.rows() - problem.joints, p = problem.joints;
    if (p == 0) return detail::write_matrix(file, "/fclib_local/W", problem.W);
    // blocks of columns can be taken from a matrix by columns only
    const Eigen::SparseMatrix<double> upper = problem.W.topRows(m), lower = problem.W.bottomRows(p);
    auto written = detail::write_matrix(file, "/fclib_local/W", upper.leftCols(m));
    if (written) written = detail::write_matrix(file, "/fclib_local/V", upper.rightCols(p));
    if (written) written = detail::write_matrix(file, "/fclib_local/R", lower.rightCols(p));
    return written;
}

Expected<void> write_info(Hdf5Writer& file, const FclibInfo& info)
{
    auto written = file.add_group("/fclib_local/info");
    if (written) written = file.add_text("/fclib_local/info/title", info.title);
    if (written) written = file.add_text("/fclib_local/info/description", info.description);
    if (written) written = file.add_text("/fclib_local/info/math_info", info.math_info);
    return written;
}

Expected<void> write_solution(Hdf5Writer& file, const FclibProblem& problem, const FclibSolution& solution)
{
    const auto m = static_cast<std::size_t>(problem.rows() - problem.joints);
    const std::span<const double> r(solution.r.data(), static_cast<std::size_t>(solution.r.size()));
    const std::span<const double> u(solution.u.data(), static_cast<std::size_t>(solution.u.size()));
    auto written = file.add_group("/solution");
    if (written) written = file.put("/solution/r", r.first(m));
    if (written) written = file.put("/solution/u", u.first(m));
    if (written && problem.joints > 0) written = file.put("/solution/l", r.subspan(m));
    return written;
}

}  // namespace

Expected<FclibProblem> read_fclib(const std::string& path)
{
    const detail::Hdf5Session session;
    const auto file = Hdf5Reader::open(path, detail::fclib_file);
    if (!file) return file.error();
    FclibProblem problem;
    const bool is_local = file->has("/fclib_local");
    if (!is_local && !file->has("/fclib_global")) {
        return file->malformed("the file holds neither /fclib_local nor /fclib_global");
    }
    problem.form = is_local ? FclibForm::Local : FclibForm::Global;
    const std::string group = is_local ? "/fclib_local" : "/fclib_global";
    if (auto read = read_laws(*file, group, problem); !read) return read.error();
    const auto read = is_local ? read_local(*file, problem) : read_global(*file, problem);
    if (!read) return read.error();
    problem.info = read_info(*file, group);
    problem.stored = read_stored(*file, problem);
    return problem;
}

Expected<void> write_fclib(const std::string& path, const FclibProblem& problem,
                           const FclibSolution* solution)
{
    const auto rows = problem.contacts() * problem.space_dimension + problem.joints;
    if (problem.W.rows() != rows || problem.W.cols() != rows || problem.q.size() != rows ||
        (solution != nullptr && (solution->r.size() != rows || solution->u.size() != rows))) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "write_fclib",
                     .message =
                         fmt::format("W, q, r or u do not have the {} rows of contacts and joints", rows),
                     .hint = "every contact has space_dimension rows, every joint one",
                     .excerpt = {}};
    }
    const detail::Hdf5Session session;
    auto file = Hdf5Writer::create(path);
    if (!file) return file.error();
    const double dimension = problem.space_dimension;
    auto written = file->add_group("/fclib_local");
    if (written)
        written = file->put("/fclib_local/spacedim", std::span(&dimension, 1), detail::Entry::Integer);
    if (written) written = write_matrices(*file, problem);
    if (written) written = write_vectors(*file, problem);
    if (written) written = write_info(*file, problem.info);
    if (written && solution != nullptr) written = write_solution(*file, problem, *solution);
    if (written) written = file->close();
    return written;
}

}  // namespace carom
