#include "variational_piece.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace carom::detail {
namespace {

/// sum_k c_k s^k of rows.
void value_of(const std::vector<Rows>& c, int order, double s, Rows& out)
{
    out = c[static_cast<std::size_t>(order)];
    for (int k = order - 1; k >= 0; --k) {
        out = out * s + c[static_cast<std::size_t>(k)];
    }
}

double rate_of(const double* c, int order, double s)
{
    double sum = 0;
    for (int k = order; k >= 1; --k) {
        sum = sum * s + k * c[k];
    }
    return sum;
}

bool begins_in_space(const SeriesStatus& status)
{
    return status.dimension == 3 && status.slides && status.begins;
}

const SeriesPiece::Reaction* reaction_of(const SeriesPiece& piece, int contact)
{
    const auto found = std::ranges::find(piece.reactions, contact, &SeriesPiece::Reaction::contact);
    return found == piece.reactions.end() ? nullptr : &*found;
}

}  // namespace

bool VariationalPiece::propagate(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X)
{
    h_s_ = piece.h_s;
    read(piece, statuses);
    if (!assemble(piece, statuses)) return false;
    factor(0);
    if (!solve_orders(piece.order, X)) return false;
    finish(piece, statuses, X);
    return true;
}

/// The series of coordinates, accelerations, reactions, velocities and time in the order of the programs.
void VariationalPiece::read(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    const int n = system_.coordinates(), N = system_.extended(), K = piece.order;
    stride_ = static_cast<std::size_t>(K) + 1;
    inputs_.assign((2 * static_cast<std::size_t>(N) + 1) * stride_, 0.0);
    const auto series = [&](int i) { return inputs_.data() + static_cast<std::size_t>(i) * stride_; };
    for (int i = 0; i < n; ++i) {
        const double* u_i = piece.u.data() + static_cast<std::size_t>(i) * stride_;
        std::copy_n(piece.q.data() + static_cast<std::size_t>(i) * stride_, stride_, series(i));
        std::copy_n(u_i, stride_, series(N + i));
        for (int k = 0; k < K; ++k) {
            series(system_.acceleration_at(i))[k] = (k + 1) * u_i[k + 1];
        }
    }
    for (int k = 0; k < system_.parameters(); ++k) {
        series(system_.acceleration_at(0) - system_.parameters() + k)[0] =
            system_.values()[static_cast<std::size_t>(k)];
    }
    for (const SeriesStatus& status : statuses) {
        const auto* reaction = reaction_of(piece, status.contact);
        const int at = system_.contacts[static_cast<std::size_t>(status.contact)].offset;
        for (int row = 0; reaction != nullptr && row < status.dimension; ++row) {
            std::copy_n(reaction->r.data() + static_cast<std::size_t>(row) * stride_, stride_,
                        series(system_.reaction_at(at + row)));
        }
    }
    series(2 * N)[0] = piece.t_s;
    if (K > 0) series(2 * N)[1] = 1;
}

/// Which pieces of formulas hold is said by the middle of the piece: at its ends a switch may be zero.
void VariationalPiece::hold_sides(SeriesProgram& program, const SeriesPiece& piece)
{
    const auto switches = program.tape.switches();
    if (switches.empty()) return;
    middle_.clear();
    for (std::size_t i = 0; i * stride_ < inputs_.size(); ++i) {
        middle_.push_back(series_value(inputs_.data() + i * stride_, piece.order, piece.h_s / 2));
    }
    for (SeriesSwitch& it : switches) {
        it.held = 0;
    }
    program.tape.start_with_sides(middle_.data(), 1);
    double size = 0;
    for (const double x : middle_) {
        size = std::max(size, std::abs(x));
    }
    for (SeriesSwitch& it : switches) {
        const bool stays =
            std::abs(program.tape.coefficients(it.reg)[0]) <= VariationalSystem::switch_rounding * size;
        it.held = stays && side_of_zero != 0 ? side_of_zero : it.side;
    }
}

void VariationalPiece::run(SeriesProgram& program, const SeriesPiece& piece)
{
    hold_sides(program, piece);
    program.tape.start_with_sides(inputs_.data(), stride_);
    const auto outputs = std::views::iota(std::size_t{0}, program.registers.size());
    if (std::ranges::all_of(outputs, [&](std::size_t i) { return program.is_constant(i); })) return;
    for (int k = 1; k < piece.order; ++k) {
        program.tape.advance(k, inputs_.data(), stride_);
    }
}

SeriesProgram& VariationalPiece::program_of(int contact, int frame, Part part, int order)
{
    auto& known = programs_[order].contacts;
    const std::array<int, 3> key{contact, frame, static_cast<int>(part)};
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    const auto& functions = system_.contacts[static_cast<std::size_t>(contact)];
    const auto& blocks = part == Part::Frame     ? functions.frames
                         : part == Part::Sliding ? functions.sliding
                                                 : functions.onset;
    const Block& block = blocks[static_cast<std::size_t>(frame)];
    return known.emplace(key, SeriesProgram(system_.graph(), block.nodes, system_.extended(), order))
        .first->second;
}

void VariationalPiece::add(std::vector<Term>& terms, const SeriesProgram& program, const Entry& entry,
                           int row, int column, double factor)
{
    const auto out = static_cast<std::size_t>(entry.out);
    terms.push_back({row, column, program.output(out), program.is_constant(out), factor});
}

bool VariationalPiece::assemble(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    M_.clear();
    J_.clear();
    onsets_.clear();
    own_.clear();
    SeriesProgram& program = programs_[piece.order].dynamics;
    if (program.registers.empty()) {
        program = SeriesProgram(system_.graph(), system_.dynamics.nodes, system_.extended(), piece.order);
    }
    run(program, piece);
    for (const Entry& entry : system_.dynamics.A) {
        add(M_, program, entry, entry.row, entry.column, 1);
    }
    for (const Entry& entry : system_.dynamics.x) {
        add(J_, program, entry, entry.row, entry.column, 1);
    }
    unknowns_ = system_.coordinates();
    for (const SeriesStatus& status : statuses) {
        assemble_contact(piece, status, unknowns_);
        unknowns_ += status.dimension;
    }
    int first = system_.coordinates();
    for (const SeriesStatus& status : statuses) {
        if (begins_in_space(status) && !assemble_onset(piece, status, first, unknowns_++)) return false;
        first += status.dimension;
    }
    return true;
}

void VariationalPiece::assemble_contact(const SeriesPiece& piece, const SeriesStatus& status, int first)
{
    static constexpr double one = 1;
    const auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
    const auto frame = static_cast<std::size_t>(status.frame);
    const Block& block = contact.frames[frame];
    SeriesProgram& program = program_of(status.contact, status.frame, Part::Frame, piece.order);
    run(program, piece);
    // rows that hold: their local acceleration stays zero
    const auto holds = [&](int row) { return row == 0 || !status.slides; };
    for (const Entry& entry : block.H) {
        add(M_, program, entry, entry.column, first + entry.row, -1);
        if (holds(entry.row)) add(M_, program, entry, first + entry.row, entry.column, 1);
    }
    for (const Entry& entry : block.HT_x) {
        add(J_, program, entry, entry.row, entry.column, 1);
    }
    for (const Entry& entry : block.c_x) {
        if (holds(entry.row)) add(J_, program, entry, first + entry.row, entry.column, -1);
    }
    if (!status.slides) return;
    for (int row = 1; row < status.dimension; ++row) {
        M_.push_back({first + row, first + row, &one, true, 1});
    }
    if (status.dimension == 2) {
        // r_T = -side f mu r_N
        const double f = status.side > 0 ? -contact.low : -contact.high;
        for (const Entry& entry : block.mu) {
            add(M_, program, entry, first + 1, first, f);
        }
        for (const Entry& entry : block.bound_x) {
            add(J_, program, entry, first + 1, entry.column, -f);
        }
        return;
    }
    if (status.begins) return;
    const Block& sliding = contact.sliding[frame];
    SeriesProgram& slip = program_of(status.contact, status.frame, Part::Sliding, piece.order);
    run(slip, piece);
    for (const Entry& entry : sliding.slip_r) {
        add(M_, slip, entry, first + 1 + entry.row, first, 1);
    }
    for (const Entry& entry : sliding.slip_x) {
        add(J_, slip, entry, first + 1 + entry.row, entry.column, -1);
    }
}

/// The matrix of order p. Contacts that hold each other leave reactions open: then those of the shortest
/// change.
void VariationalPiece::factor(int p)
{
    M_0_.setZero(unknowns_, unknowns_);
    for (const Term& term : M_) {
        M_0_(term.row, term.column) += term.factor * term.series[0];
    }
    const int n = system_.coordinates();
    for (const Onset& onset : onsets_) {
        for (const auto& [column, slope] : onset.slopes) {
            if (column >= n && column < 2 * n) M_0_(onset.row, column - n) += slope[0];
        }
        M_0_(onset.row, onset.row) = -(p + 1) * onset.S[1];
    }
    lu_.compute(M_0_);
    is_dependent_ = unknowns_ > system_.coordinates() && !(lu_.reciprocal_condition() > 1e-14);
    if (is_dependent_) dependent_.compute(M_0_);
}

/// Coefficients of slip that is slow beside its force may leave the numbers: orders below them are enough
/// where the last of them counts for nothing.
bool VariationalPiece::solve_orders(int order, Rows& X)
{
    constexpr double nothing = 1e-13;
    const int n = system_.coordinates();
    const Eigen::Index width = X.cols();
    if (x_.size() <= static_cast<std::size_t>(order)) {
        x_.resize(static_cast<std::size_t>(order) + 1);
        y_.resize(static_cast<std::size_t>(order) + 1);
    }
    x_[0] = X.topRows(2 * n);
    Rows& right = right_;
    right.resize(unknowns_, width);
    const auto add_row = [&](int row, double share, const Rows& from, int column) {
        double* out = right.data() + row * width;
        const double* in = from.data() + column * width;
        for (Eigen::Index k = 0; k < width; ++k) {
            out[k] += share * in[k];
        }
    };
    const Rows dp = X.bottomRows(system_.parameters());
    double power = 1, last = 0, largest = X.topRows(2 * n).cwiseAbs().maxCoeff();
    for (int p = 0; p < order; ++p) {
        right.setZero();
        for (const Term& term : J_) {
            if (term.column >= 2 * n) {
                if (p == 0 || !term.constant)
                    add_row(term.row, term.factor * term.series[p], dp, term.column - 2 * n);
                continue;
            }
            for (int i = 0; i <= (term.constant ? 0 : p); ++i) {
                add_row(term.row, term.factor * term.series[i], x_[static_cast<std::size_t>(p - i)],
                        term.column);
            }
        }
        for (const Term& term : M_) {
            for (int i = 1; i <= (term.constant ? 0 : p); ++i) {
                add_row(term.row, -term.factor * term.series[i], y_[static_cast<std::size_t>(p - i)],
                        term.column);
            }
        }
        add_onset_rows(p, dp);
        if (p > 0 && turns_with_order()) factor(p);
        Rows& y = y_[static_cast<std::size_t>(p)];
        if (is_dependent_)
            y = dependent_.solve(right);
        else if (unknowns_ == 1)
            y = right / M_0_(0, 0);
        else
            y.noalias() = lu_.solve(right);
        Rows& next = x_[static_cast<std::size_t>(p) + 1];
        next.resize(2 * n, width);
        next.topRows(n) = x_[static_cast<std::size_t>(p)].bottomRows(n) / (p + 1);
        next.bottomRows(n) = y.topRows(n) / (p + 1);
        if (next.allFinite() && y.allFinite()) {
            power *= h_s_;
            last = next.cwiseAbs().maxCoeff() * power;
            largest = std::max(largest, last);
            continue;
        }
        if (p == 0 || !(last <= nothing * largest)) return false;
        for (int k = p; k <= order; ++k) {
            x_[static_cast<std::size_t>(k) + (k < order ? 1 : 0)].setZero(2 * n, width);
            y_[static_cast<std::size_t>(k)].setZero(unknowns_, width);
        }
        break;
    }
    return true;
}

/// The motion at s: its state, accelerations and reactions.
void VariationalPiece::read_motion(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses,
                                   double s)
{
    const int n = system_.coordinates(), K = piece.order;
    const auto stride = static_cast<std::size_t>(K) + 1;
    piece.at(s, q, u);
    a.resize(n);
    for (int i = 0; i < n; ++i) {
        a[i] = rate_of(piece.u.data() + static_cast<std::size_t>(i) * stride, K, s);
    }
    reactions.resize(statuses.size());
    for (std::size_t k = 0; k < statuses.size(); ++k) {
        const SeriesStatus& status = statuses[k];
        Reaction& now = reactions[k];
        now.contact = status.contact;
        now.frame = status.frame;
        now.dimension = status.dimension;
        now.slides = status.slides;
        now.r.setZero(status.dimension);
        now.rate.setZero(status.dimension);
        const auto* reaction = reaction_of(piece, status.contact);
        for (int row = 0; reaction != nullptr && row < status.dimension; ++row) {
            const double* r = reaction->r.data() + static_cast<std::size_t>(row) * stride;
            now.r[row] = series_value(r, K - 1, s);
            now.rate[row] = rate_of(r, K - 1, s);
        }
    }
}

void VariationalPiece::finish(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X)
{
    const int n = system_.coordinates(), K = piece.order;
    read_motion(piece, statuses, piece.h_s);
    Rows end;
    value_of(x_, K, piece.h_s, end);
    X.topRows(2 * n) = end;
    value_of(y_, K - 1, piece.h_s, end);
    da = end.topRows(n);
    int first = n;
    for (Reaction& one : reactions) {
        one.dr = end.middleRows(first, one.dimension);
        first += one.dimension;
    }
}

void VariationalPiece::hold(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, Rows& X)
{
    const int n = system_.coordinates();
    h_s_ = piece.h_s;
    read_motion(piece, statuses, 0);
    X.topRows(n) += piece.h_s * X.middleRows(n, n);
    da.setZero(n, X.cols());
    for (Reaction& one : reactions) {
        one.dr.setZero(one.dimension, X.cols());
    }
}

void VariationalPiece::at(double s, Rows& out) const
{
    value_of(x_, static_cast<int>(stride_) - 1, s, out);
}

Rows VariationalPiece::reaction_at(int contact, double s) const
{
    Rows all;
    value_of(y_, static_cast<int>(stride_) - 2, s, all);
    int row = system_.coordinates();
    for (const Reaction& one : reactions) {
        if (one.contact == contact) return all.middleRows(row, one.dimension);
        row += one.dimension;
    }
    return {};
}

int VariationalPiece::order_of_touch(int contact, double s) const
{
    const std::array nodes{system_.contacts[static_cast<std::size_t>(contact)].gap_node};
    const int K = static_cast<int>(stride_) - 1;
    SeriesProgram program(system_.graph(), nodes, system_.extended(), K);
    program.tape.start_with_sides(inputs_.data(), stride_);
    double size = 0, power = 1;
    std::vector<double> g(stride_);
    for (int k = 0; k <= K; ++k, power *= h_s_) {
        if (k > 0) program.tape.advance(k, inputs_.data(), stride_);
        g[static_cast<std::size_t>(k)] = program.output(0)[k] * power;  // on [0, 1]
        size += std::abs(g[static_cast<std::size_t>(k)]);
    }
    // the same polynomial about s
    const double part = h_s_ > 0 ? s / h_s_ : 0;
    for (int k = 0; k <= K; ++k) {
        for (int j = K - 1; j >= k; --j) {
            g[static_cast<std::size_t>(j)] += part * g[static_cast<std::size_t>(j) + 1];
        }
    }
    int order = 2;
    while (order + 2 <= K && std::abs(g[static_cast<std::size_t>(order)]) <= 1e-7 * size) {
        order += 2;
    }
    return order;
}

void VariationalPiece::change_columns(const Eigen::MatrixXd& T)
{
    if (da.cols() != T.rows()) return;  // there is none yet
    da = da * T;
    for (Reaction& one : reactions) {
        one.dr = one.dr * T;
    }
}

}  // namespace carom::detail
