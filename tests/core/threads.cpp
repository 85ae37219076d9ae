#include "carom/core/threads.hpp"

#include "core/cpu_quota.hpp"
#include "core/parallel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>

namespace carom {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const char* text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

struct Folder {
    fs::path path = fs::temp_directory_path() / "carom_test_control_groups";
    Folder() { fs::remove_all(path); }
    ~Folder() { fs::remove_all(path); }
};

/// Numbers of very different sizes: their sum depends on the order.
double term(std::size_t k)
{
    return std::sin(static_cast<double>(k)) * std::pow(10.0, static_cast<double>(k % 17));
}

double sum_on(int threads)
{
    const Threads scope(threads);
    return sum_of_blocks<double>(100000, 100, [](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) {
            sum += term(k);
        }
        return sum;
    });
}

}  // namespace

TEST_CASE("numbers of threads that make no sense are refused by name")
{
    CHECK(usable_cores() >= 1);
    CHECK(*checked_threads(1, "--threads") == 1);
    CHECK(*checked_threads(max_threads, "--threads") == max_threads);
    for (const long count : {0L, -1L, 1000000L}) {
        const auto refused = checked_threads(count, "--threads");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::SettingOutOfRange);
        CHECK(refused.error().where == "--threads");
        CHECK(refused.error().message.find(std::to_string(count)) != std::string::npos);
    }
}

TEST_CASE("a control group limits the cores, and so do those above it")
{
    const Folder folder;
    const fs::path membership = folder.path / "membership", root = folder.path / "groups";
    write(membership, "0::/service/job\n");
    CHECK_FALSE(detail::cpu_quota(membership, root));
    write(root / "service/job/cpu.max", "max 100000\n");
    CHECK_FALSE(detail::cpu_quota(membership, root));
    write(root / "service/job/cpu.max", "400000 100000\n");
    CHECK(detail::cpu_quota(membership, root) == 4.0);
    write(root / "service/cpu.max", "150000 100000\n");
    CHECK(detail::cpu_quota(membership, root) == 1.5);

    // the first version: a folder per controller, -1 for no limit
    write(membership, "5:memory:/job\n3:cpu,cpuacct:/job\n");
    CHECK_FALSE(detail::cpu_quota(membership, root));
    write(root / "cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    write(root / "cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    CHECK_FALSE(detail::cpu_quota(membership, root));
    write(root / "cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
    CHECK(detail::cpu_quota(membership, root) == 0.5);
}

TEST_CASE("blocks are taken once each, on any number of threads")
{
    for (const int threads : {1, 2, 3, 8}) {
        const Threads scope(threads);
        CHECK(Threads::now() == threads);
        std::vector<int> seen(10007, 0);
        for_blocks(seen.size(), 64, [&](std::size_t begin, std::size_t end, std::size_t block) {
            CHECK_MESSAGE(begin == block * 64, "blocks have fixed places");
            for (std::size_t k = begin; k < end; ++k) {
                ++seen[k];
            }
        });
        CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 10007);
        CHECK(*std::min_element(seen.begin(), seen.end()) == 1);
    }
    CHECK(Threads::now() == 1);
    for_blocks(0, 64, [](std::size_t, std::size_t, std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("sums and lists do not depend on the number of threads")
{
    const double alone = sum_on(1);
    double in_a_row = 0;
    for (std::size_t k = 0; k < 100000; ++k) {
        in_a_row += term(k);
    }
    CHECK_MESSAGE(alone != in_a_row, "the order of these terms shows");
    for (const int threads : {2, 3, 8}) {
        CHECK(sum_on(threads) == alone);
        const Threads scope(threads);
        std::vector<std::size_t> list{77};
        append_blocks(5000, 7, list, [](std::size_t begin, std::size_t end, std::vector<std::size_t>& out) {
            for (std::size_t k = begin; k < end; ++k) {
                if (k % 3 != 0) out.push_back(k);
            }
        });
        REQUIRE(list.size() == 1 + 5000 - 1667);
        CHECK(list.front() == 77);
        CHECK(std::is_sorted(list.begin() + 1, list.end()));
    }
}

TEST_CASE("loops within blocks stay on their thread, and errors come out")
{
    const Threads scope(4);
    for_blocks(100, 1, [](std::size_t, std::size_t, std::size_t) {
        if (Threads::now() != 1) throw std::runtime_error("nested");
    });
    CHECK(Threads::now() == 4);
    CHECK_THROWS_AS(for_blocks(100, 1,
                               [](std::size_t begin, std::size_t, std::size_t) {
                                   if (begin == 50) throw std::runtime_error("fifty");
                               }),
                    std::runtime_error);
    CHECK(Threads::now() == 4);
    {
        const Threads one(1);
        CHECK(Threads::now() == 1);
    }
    CHECK(Threads::now() == 4);
}

}  // namespace carom
