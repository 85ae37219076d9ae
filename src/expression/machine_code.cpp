#include "expression/machine_code.hpp"

#include "expression/code_writer.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

#if CAROM_HAS_MACHINE_CODE
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace carom {
namespace {

std::atomic<bool>& wanted()
{
    static std::atomic<bool> value = [] {
        const char* const given = std::getenv("CAROM_MACHINE_CODE");
        return given == nullptr || std::string_view(given) != "0";
    }();
    return value;
}

#if CAROM_HAS_MACHINE_CODE

/// Programs that are machine code at a time: each has pages of its own, of which a process gets some ten
/// thousand. The rest is run by tapes.
constexpr int max_programs = 4096;
std::atomic<int> programs = 0;

/// Longer ones are run by their tapes.
constexpr int max_instructions = 20000;

#endif

}  // namespace

std::unique_ptr<MachineCode> MachineCode::of(const Source& source)
{
#if CAROM_HAS_MACHINE_CODE
    if (!uses_machine_code() || source.tape.size() > max_instructions) return nullptr;
    std::unique_ptr<MachineCode> result(new MachineCode);
    if (!result->load(machine_instructions(source, result->called_))) return nullptr;
    return result;
#else
    static_cast<void>(source);
    return nullptr;
#endif
}

bool MachineCode::load(std::span<const unsigned char> code)
{
#if CAROM_HAS_MACHINE_CODE
    if (programs.fetch_add(1) >= max_programs) {
        programs.fetch_sub(1);
        return false;
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (code.size() + page - 1) / page * page;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        std::memcpy(memory, code.data(), code.size());
        if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0) {
            memory_ = memory;
            bytes_ = bytes;
            return true;
        }
        munmap(memory, bytes);
    }
    programs.fetch_sub(1);
    return false;
#else
    return code.empty();
#endif
}

MachineCode::~MachineCode()
{
#if CAROM_HAS_MACHINE_CODE
    if (memory_ == nullptr) return;
    munmap(memory_, bytes_);
    programs.fetch_sub(1);
#endif
}

MachineCode::Function MachineCode::function() const noexcept
{
    return reinterpret_cast<Function>(memory_);
}

bool uses_machine_code() noexcept
{
    return wanted().load(std::memory_order_relaxed);
}

void use_machine_code(bool want) noexcept
{
    wanted().store(want, std::memory_order_relaxed);
}

}  // namespace carom
