#pragma once

#include "expression/graph.hpp"
#include "expression/machine_code.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Several results of one straight-line program on doubles: common subexpressions are computed once (EX-10).
/// One that is run often becomes machine code (EX-11).
class Program {
public:
    Program() = default;  ///< no results
    Program(const Graph& graph, std::span<const int> results);

    /// Writes the results in order, first to `results`, the rest to `more`, which must not overlap the point.
    void run(const Point& at, Workspace& work, std::span<double> results, std::span<double> more = {}) const;

    /// For programs with one result.
    [[nodiscard]] double value(const Point& at, Workspace& work) const
    {
        double result = 0;
        run(at, work, {&result, 1});
        return result;
    }

    [[nodiscard]] int results() const noexcept { return count_; }
    [[nodiscard]] int instructions() const noexcept { return tape_ ? tape_->size() : 0; }

    /// Makes machine code of it now, for so many results in the first place. False where there is none.
    bool make_machine_code(std::size_t first_results) const;

private:
    /// What a program becomes that is run often; copies share it.
    struct Compiled {
        std::atomic<int> runs = 0;
        std::atomic<MachineCode::Function> function = nullptr;
        std::size_t first_results = 0;
        std::unique_ptr<MachineCode> code;
        std::once_flag once;
    };

    void demand(const Point& at) const;
    void read(const Point& at, double* inputs) const;
    void interpret(const Point& at, Workspace& work, std::span<double> results, std::span<double> more) const;
    void count_run(std::size_t first_results) const;

    std::optional<Tape> tape_;  ///< empty when every result is a number
    std::vector<int> q_, u_;    ///< coordinates and velocities that it reads: its first inputs
    bool reads_time_ = false;   ///< and its last one
    std::size_t inputs_ = 0;
    int coordinates_ = 0, velocities_ = 0;          ///< that a point must have
    std::vector<std::pair<int, int>> computed_;     ///< register, result
    std::vector<std::pair<int, double>> constant_;  ///< result, number
    int count_ = 0;
    std::shared_ptr<Compiled> compiled_;  ///< with a tape
};

}  // namespace carom
