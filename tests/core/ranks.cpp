#include "core/parallel.hpp"
#include "support/thread_messages.hpp"

#include "carom/core/expected.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

namespace carom {
namespace {

/// Numbers of very different sizes: their sum depends on the order.
double number_at(std::size_t k)
{
    return std::sin(static_cast<double>(k)) * std::pow(10.0, static_cast<double>(k % 17));
}

double sum_between(std::size_t begin, std::size_t end)
{
    double total = 0;
    for (std::size_t k = begin; k < end; ++k) {
        total += number_at(k);
    }
    return total;
}

void append_between(std::size_t begin, std::size_t end, std::vector<double>& list)
{
    for (std::size_t k = begin; k < end; ++k) {
        if (k % 3 != 0) list.push_back(number_at(k));
    }
}

}  // namespace

TEST_CASE("loops shared among ranks give the bits of one process, and each block is computed once")
{
    for (const std::size_t count : {0U, 1U, 799U, 10'000U, 10'001U}) {
        CAPTURE(count);
        const double alone = sum_of_blocks<double>(count, 100, sum_between);
        std::vector<double> list{1};
        append_blocks(count, 100, list, append_between);
        for (const int ranks : {1, 2, 3, 7}) {
            CAPTURE(ranks);
            std::atomic<int> computed = 0;
            ThreadRanks together(ranks);
            together.run([&](int) {
                const SharedWork work;
                const double shared =
                    sum_of_shared_blocks<double>(count, 100, [&](std::size_t begin, std::size_t end) {
                        computed += static_cast<int>(end - begin);
                        return sum_between(begin, end);
                    });
                std::vector<double> got{1};
                append_shared_blocks(count, 100, got, append_between);
                if (shared != alone || got != list) throw std::logic_error("they differ");
            });
            const bool is_shared = ranks > 1 && (count + 99) / 100 >= 2 * static_cast<std::size_t>(ranks);
            CHECK(computed == static_cast<int>(count) * (is_shared ? 1 : ranks));
        }
    }
}

TEST_CASE("records that ranks write each for their own part of a shared loop are known to all")
{
    for (const std::size_t count : {0U, 799U, 10'001U}) {
        CAPTURE(count);
        for (const int ranks : {1, 2, 3, 7}) {
            CAPTURE(ranks);
            std::atomic<std::size_t> written = 0;
            ThreadRanks together(ranks);
            together.run([&](int) {
                const SharedWork work;
                std::vector<double> records(count + 1, -1.0);
                const auto [begin, end] = own_part(count, 100);
                for (std::size_t k = begin; k < end; ++k) {
                    records[k] = number_at(k);
                }
                written += end - begin;
                gather_records(count, 100, std::span(records));
                for (std::size_t k = 0; k < count; ++k) {
                    if (records[k] != number_at(k)) throw std::logic_error("one is missing");
                }
                if (records[count] != -1) throw std::logic_error("one too many");
            });
            const bool is_shared = ranks > 1 && (count + 99) / 100 >= 2 * static_cast<std::size_t>(ranks);
            CHECK(written == (is_shared ? count : count * static_cast<std::size_t>(ranks)));
        }
    }
}

TEST_CASE("work is shared only where all ranks are, and never within blocks")
{
    CHECK(Ranks::all() == nullptr);
    ThreadRanks together(2);
    together.run([&](int) {
        if (Ranks::all() == nullptr || Ranks::shared() != nullptr) throw std::logic_error("between steps");
        const SharedWork work;
        if (Ranks::shared() == nullptr) throw std::logic_error("in a step");
        for_each_index(10, 1, [](std::size_t) {
            if (Ranks::shared() != nullptr) throw std::logic_error("in a block");
        });
        const OwnWork own;
        if (Ranks::shared() != nullptr) throw std::logic_error("on its own");
    });
    ThreadRanks one(1);
    one.run([](int) {
        const SharedWork work;
        if (Ranks::shared() != nullptr) throw std::logic_error("alone");
    });
}

TEST_CASE("ranks stop together, and notice that they have gone different ways")
{
    ThreadRanks together(3);
    together.run([](int rank) {
        if (!all_continue(true, 5, 1)) throw std::logic_error("all want to go on");
        if (all_continue(rank != 2, 5, 2)) throw std::logic_error("one does not");
        bool noticed = false;
        try {
            static_cast<void>(all_continue(true, rank == 1 ? 6 : 5, 3));
        } catch (const InternalError&) {
            noticed = true;
        }
        if (!noticed) throw std::logic_error("one differs");
    });
    CHECK(all_continue(true, 1, 1));
    CHECK_FALSE(all_continue(false, 1, 1));
}

TEST_CASE("a digest sees every bit and the order")
{
    const std::array<double, 3> numbers{1, -0.0, 3}, others{1, 0.0, 3}, swapped{3, -0.0, 1};
    const auto of = [](const auto& list) { return digest_of(std::as_bytes(std::span(list))); };
    CHECK(of(numbers) == of(numbers));
    CHECK(of(numbers) != of(others));
    CHECK(of(numbers) != of(swapped));
    CHECK(digest_of({}, 1) != digest_of({}, 2));
}

}  // namespace carom
