#include "machines/job.hpp"
#include "support/thread_messages.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace carom {
namespace {

/// Variables of the environment, as they were before.
class Environment {
public:
    explicit Environment(std::vector<std::pair<const char*, const char*>> wanted) : wanted_(std::move(wanted))
    {
        for (const auto& [name, value] : wanted_) {
            setenv(name, value, 1);
        }
    }
    ~Environment()
    {
        for (const auto& [name, value] : wanted_) {
            unsetenv(name);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    std::vector<std::pair<const char*, const char*>> wanted_;
};

}  // namespace

TEST_CASE("launchers tell a process which rank it is")
{
    CHECK(launched().ranks == 1);
    {
        const Environment mpirun({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
        CHECK(launched().ranks == 4);
        CHECK(launched().rank == 2);
    }
    {
        const Environment mpich({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}});
        CHECK(launched().ranks == 3);
    }
    for (const char* nonsense : {"", "x", "-1", "4x", "99999999999999"}) {
        CAPTURE(nonsense);
        const Environment damaged({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", nonsense}});
        CHECK(launched().ranks == 1);
    }
}

TEST_CASE("ranks that have something else than the first are refused by name, on all ranks")
{
    const auto refused = [](int odd, auto change, bool odd_is_ready) {
        std::vector<std::string> said(3);
        ThreadRanks together(3);
        together.run([&](int rank) {
            Identity mine{.program = 1, .processor = 2, .libraries = 3, .input = 4};
            if (rank == odd) change(mine);
            const auto met = meet(*Ranks::all(), rank != odd || odd_is_ready, mine);
            said[static_cast<std::size_t>(rank)] = met ? "" : met.error().message;
        });
        CHECK(said[0] == said[1]);
        CHECK(said[0] == said[2]);
        return said[0];
    };
    CHECK(refused(1, [](Identity&) {}, true).empty());
    CHECK(refused(
              1, [](Identity& one) { one.program = 9; }, true) ==
          "rank 1 has another build of carom than rank 0");
    CHECK(refused(
              2, [](Identity& one) { one.processor = 9; }, true) ==
          "rank 2 has another kind of processor than rank 0");
    CHECK(refused(
              2, [](Identity& one) { one.libraries = 9; }, true) ==
          "rank 2 has another C library than rank 0");
    CHECK(refused(1, [](Identity& one) { one.input = 9; }, true) == "rank 1 has another scene than rank 0");
    CHECK(refused(0, [](Identity&) {}, false) == "rank 0 cannot begin");
    CHECK(refused(2, [](Identity& one) { one.input = 0; }, false) == "rank 2 cannot begin");
}

TEST_CASE("this process has an identity")
{
    const Identity here = identity_here(), again = identity_here();
    CHECK(here.program != 0);
    CHECK(here.libraries != 0);
    CHECK(here.program == again.program);
    CHECK(here.processor == again.processor);
}

}  // namespace carom
