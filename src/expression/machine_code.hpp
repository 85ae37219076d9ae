#pragma once

#include "expression/tape.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Sines and cosines that machine code has computed last, each with its argument: what one program of a step has
/// computed the next one need not (EX-12). An expression has its place by its structure, the same in all
/// programs. The bits are those of the functions, whatever was asked before.
struct RememberedSines {
    struct Entry {
        double sine_of = 0, sine = 0;
        double cosine_of = 0, cosine = 1;
    };
    static constexpr std::size_t count = 64;
    std::array<Entry, count> entries{};
};

/// A program as instructions of the processor: what `Program` does by its tape, without the tape (EX-11).
/// Bits are those of the tape. Registers of the processor hold what is still needed, the stack the rest.
///
/// Made for x86-64 with the calling convention of System V. On other machines, and where the operating system
/// gives no memory that can be executed, there is none, and the tape is run.
class MachineCode {
public:
    /// Results go to `results` up to a number of them, then to `more`. They must not overlap q and u. `sines`
    /// are of one thread.
    using Function = void (*)(const double* q, const double* u, double t_s, double* results, double* more,
                              RememberedSines* sines);

    struct Source {
        const Tape& tape;  ///< inputs first: q, u, t; a variable as its end
        std::span<const int> q, u;
        bool reads_time;
        std::span<const std::pair<int, int>> computed;     ///< register, result
        std::span<const std::pair<int, double>> constant;  ///< result, number
        std::size_t first_results;                         ///< how many go to `results`
    };

    /// Empty where there is none to be had.
    [[nodiscard]] static std::unique_ptr<MachineCode> of(const Source& source);

    MachineCode(const MachineCode&) = delete;
    MachineCode& operator=(const MachineCode&) = delete;
    ~MachineCode();

    [[nodiscard]] Function function() const noexcept;

private:
    MachineCode() = default;
    [[nodiscard]] bool load(std::span<const unsigned char> code);

    std::vector<std::unique_ptr<Tape>> called_;  ///< one for each operation that is called, not written out
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Whether programs that are run often become machine code: yes, unless the environment has
/// CAROM_MACHINE_CODE=0 or somebody said no.
[[nodiscard]] bool uses_machine_code() noexcept;
void use_machine_code(bool wanted) noexcept;

}  // namespace carom
