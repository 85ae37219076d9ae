#include "carom/onestep/fclib.hpp"

#include "fclib_matrix.hpp"
#include "law_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

using detail::Hdf5Reader;
using detail::Hdf5Writer;
using Matrix = FclibProblem::Matrix;

/// Groups of the forms; that of carom is none of FCLIB's, so that nobody solves it as another problem.
constexpr std::string_view local_group = "/fclib_local", global_group = "/fclib_global",
                           carom_group = "/carom_problem";

std::string group_of(FclibForm form)
{
    return std::string(form == FclibForm::Local    ? local_group
                       : form == FclibForm::Global ? global_group
                                                   : carom_group);
}

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
        problem.W.swap(*W);
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
    global.M.swap(*M);
    global.HG.swap(*H);
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
    problem.W.swap(condensed->W);
    problem.q = std::move(condensed->q);
    return {};
}

/// Laws as integers and numbers, one after the other; their components are the rows of W.
Expected<void> read_carom(const Hdf5Reader& file, FclibProblem& problem)
{
    const std::string group(carom_group), laws = group + "/laws";
    auto q = detail::read_vector(file, group + "/U_free");
    if (!q) return q.error();
    auto U_minus = detail::read_vector(file, group + "/U_minus");
    if (!U_minus) return U_minus.error();
    const auto kinds = file.integers(laws + "/kind"), begins = file.integers(laws + "/begin");
    if (!kinds) return kinds.error();
    if (!begins) return begins.error();
    const auto numbers = detail::read_vector(file, laws + "/numbers");
    if (!numbers) return numbers.error();
    if (begins->size() != kinds->size() + 1 || U_minus->size() != q->size())
        return wrong_size(file, laws + " and the velocities do not have the same interactions");
    Eigen::Index rows = 0;
    for (std::size_t c = 0; c < kinds->size(); ++c) {
        const std::int64_t begin = (*begins)[c], end = (*begins)[c + 1];
        const bool inside = begin >= 0 && begin <= end && end <= numbers->size();
        std::optional<Law> law;
        if (inside && (*kinds)[c] >= 0 && (*kinds)[c] < static_cast<std::int64_t>(std::variant_size_v<Law>)) {
            law = detail::law_of_numbers(static_cast<int>((*kinds)[c]),
                                         std::span(numbers->data() + begin, numbers->data() + end));
        }
        if (!law) return file.malformed(fmt::format("{}: that of interaction {} is none", laws, c));
        rows += dimension(*law);
        if (std::holds_alternative<Bilateral>(*law)) ++problem.joints;
        if (is_unilateral(*law)) problem.space_dimension = std::max(problem.space_dimension, dimension(*law));
        problem.laws.push_back(std::move(*law));
    }
    problem.space_dimension = std::min(problem.space_dimension, 3);
    if (rows != q->size())
        return wrong_size(
            file, fmt::format("{} have {} components, there are {} velocities", laws, rows, q->size()));
    auto W = detail::read_matrix(file, group + "/W", rows, rows);
    if (!W) return W.error();
    problem.W.swap(*W);
    problem.q = std::move(*q);
    problem.U_minus = std::move(*U_minus);
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
    if (problem.joints == 0 || problem.form == FclibForm::Carom)
        return r->size() == problem.q.size() ? std::optional(*r) : std::nullopt;
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

Expected<void> write_info(Hdf5Writer& file, std::string group, const FclibInfo& info)
{
    group += "/info";
    auto written = file.add_group(group);
    if (written) written = file.add_text(group + "/title", info.title);
    if (written) written = file.add_text(group + "/description", info.description);
    if (written) written = file.add_text(group + "/math_info", info.math_info);
    return written;
}

std::span<const double> span_of(const Eigen::VectorXd& v)
{
    return {v.data(), static_cast<std::size_t>(v.size())};
}

Expected<void> write_carom(Hdf5Writer& file, const FclibProblem& problem)
{
    const std::string group(carom_group), laws = group + "/laws";
    std::vector<double> kinds, begins{0}, numbers;
    for (const Law& law : problem.laws) {
        const auto one = detail::numbers_of(law);
        if (!one)
            return Error{.code = ErrorCode::NotAllowedHere,
                         .where = "write_fclib",
                         .message = "a reaction is limited by a set that files do not hold",
                         .hint = "files hold intervals, boxes, balls and ellipsoids",
                         .excerpt = {}};
        kinds.push_back(one->kind);
        numbers.insert(numbers.end(), one->numbers.begin(), one->numbers.end());
        begins.push_back(static_cast<double>(numbers.size()));
    }
    auto written = file.add_group(group);
    if (written) written = detail::write_matrix(file, group + "/W", problem.W);
    if (written) written = file.put(group + "/U_free", span_of(problem.q));
    if (written) written = file.put(group + "/U_minus", span_of(problem.U_minus));
    if (written) written = file.add_group(laws);
    if (written) written = file.put(laws + "/kind", kinds, detail::Entry::Integer);
    if (written) written = file.put(laws + "/begin", begins, detail::Entry::Integer);
    if (written) written = file.put(laws + "/numbers", numbers);
    return written;
}

Expected<void> write_local(Hdf5Writer& file, const FclibProblem& problem)
{
    const double dimension = problem.space_dimension;
    auto written = file.add_group("/fclib_local");
    if (written)
        written = file.put("/fclib_local/spacedim", std::span(&dimension, 1), detail::Entry::Integer);
    if (written) written = write_matrices(file, problem);
    if (written) written = write_vectors(file, problem);
    return written;
}

Expected<void> write_solution(Hdf5Writer& file, const FclibProblem& problem, const FclibSolution& solution)
{
    const int joints = problem.form == FclibForm::Carom ? 0 : problem.joints;
    const auto m = static_cast<std::size_t>(problem.rows() - joints);
    const auto r = span_of(solution.r), u = span_of(solution.u);
    auto written = file.add_group("/solution");
    if (written) written = file.put("/solution/r", r.first(m));
    if (written) written = file.put("/solution/u", u.first(m));
    if (written && joints > 0) written = file.put("/solution/l", r.subspan(m));
    return written;
}

}  // namespace

Expected<FclibProblem> read_fclib(const std::string& path)
{
    const detail::Hdf5Session session;
    const auto file = Hdf5Reader::open(path, detail::fclib_file);
    if (!file) return file.error();
    FclibProblem problem;
    constexpr std::array forms{FclibForm::Local, FclibForm::Global, FclibForm::Carom};
    const auto form = std::ranges::find_if(forms, [&](FclibForm one) { return file->has(group_of(one)); });
    if (form == forms.end())
        return file->malformed("the file holds neither /fclib_local nor /fclib_global nor /carom_problem");
    problem.form = *form;
    if (problem.form == FclibForm::Carom) {
        problem.space_dimension = 2;
        if (auto read = read_carom(*file, problem); !read) return read.error();
    } else {
        if (auto read = read_laws(*file, group_of(problem.form), problem); !read) return read.error();
        const auto read =
            problem.form == FclibForm::Local ? read_local(*file, problem) : read_global(*file, problem);
        if (!read) return read.error();
    }
    problem.info = read_info(*file, group_of(problem.form));
    problem.stored = read_stored(*file, problem);
    return problem;
}

Expected<void> write_fclib(const std::string& path, const FclibProblem& problem,
                           const FclibSolution* solution)
{
    const bool is_fclib = problem.form != FclibForm::Carom;
    const Eigen::Index rows =
        is_fclib ? problem.contacts() * problem.space_dimension + problem.joints : problem.U_minus.size();
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
    auto written = is_fclib ? write_local(*file, problem) : write_carom(*file, problem);
    // what was read in the global form is written in the local one
    if (written)
        written = write_info(*file, group_of(is_fclib ? FclibForm::Local : FclibForm::Carom), problem.info);
    if (written && solution != nullptr) written = write_solution(*file, problem, *solution);
    if (written) written = file->close();
    return written;
}

}  // namespace carom
