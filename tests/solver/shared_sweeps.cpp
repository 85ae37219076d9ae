#include "solver/shared_sweeps.hpp"
#include "solver/swept_contacts.hpp"
#include "support/thread_messages.hpp"

#include "carom/core/threads.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace carom {
namespace {

/// Bodies on a lattice that fall together on a floor, each touching its six neighbours: balls, and every
/// seventh of them something whose contacts are not round. One more body touches very many of them. With
/// `mixed` the numbers of the bodies say nothing of their places.
struct Fall {
    std::vector<SweptBody> bodies;
    std::vector<char> moves;
    std::vector<std::array<int, 2>> pairs;
    std::vector<char> round;
    std::vector<SweptContact> contacts;
    std::vector<int> place;  ///< along the scene

    Fall(int side, int height, bool mixed)
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(-1, 1);
        const int count = side * side * height;
        std::vector<int> number(static_cast<std::size_t>(count));
        for (int k = 0; k < count; ++k) {
            number[static_cast<std::size_t>(k)] = k + 1;
        }
        if (mixed) std::shuffle(number.begin(), number.end(), random);
        place.assign(static_cast<std::size_t>(count) + 2, count + 1);
        place[0] = 0;
        for (int k = 0; k < count; ++k) {
            place[static_cast<std::size_t>(number[static_cast<std::size_t>(k)])] = k + 1;
        }
        bodies.resize(1);  // the floor
        for (int k = 0; k < count; ++k) {
            bodies.push_back({.v = {0.3 * uniform(random), 0.3 * uniform(random), -1 + 0.3 * uniform(random)},
                              .inverse_mass = k % 3 == 0 ? 2.0 : 1.0,
                              .inverse_inertia = 250,
                              .tensor = {250, 250, 250, 0, 0, 0}});
        }
        const int huge = static_cast<int>(bodies.size());
        bodies.push_back({.v = {0, 0, -2},
                          .inverse_mass = 0.01,
                          .inverse_inertia = 0.01,
                          .tensor = {0.01, 0.01, 0.01, 0, 0, 0}});
        moves.assign(bodies.size(), 1);
        moves[0] = 0;
        struct One {
            std::array<int, 2> pair;
            std::array<double, 3> n;
        };
        std::vector<One> found;
        const auto of = [&](int k) { return number[static_cast<std::size_t>(k)]; };
        const auto touch = [&](int a, int b, std::array<double, 3> n) { found.push_back({{a, b}, n}); };
        for (int k = 0; k < count; ++k) {
            const int x = k % side, y = k / side % side, z = k / side / side;
            if (z == 0) touch(of(k), 0, {0, 0, 1});
            if (x + 1 < side) touch(of(k), of(k + 1), {-1, 0, 0});
            if (y + 1 < side) touch(of(k), of(k + side), {0, -1, 0});
            if (z + 1 < height) touch(of(k), of(k + side * side), {0, 0, -1});
            if (z + 1 == height && x % 2 == 0) touch(huge, of(k), {0, 0, 1});
        }
        std::ranges::sort(found, {}, &One::pair);
        for (const auto& [pair, n] : found) {
            const bool is_round = pair[0] % 7 != 0 && pair[1] % 7 != 0;
            SweptContact contact{.normal = n, .shift_m_s = 0.1 * uniform(random), .friction = 0.4};
            if (is_round) {
                contact.arm_a[0] = contact.arm_b[0] = 0.05;
            } else {
                for (std::size_t i = 0; i < 3; ++i) {
                    contact.arm_a[i] = -0.05 * n[i] + 0.01 * uniform(random);
                    contact.arm_b[i] = 0.05 * n[i] + 0.01 * uniform(random);
                }
            }
            pairs.push_back(pair);
            round.push_back(is_round);
            contacts.push_back(contact);
        }
    }

    /// What is wanted of two solves, the second one with other velocities; numbers as they are.
    template <class Number>
    [[nodiscard]] std::vector<double> swept(SweptContacts<Number>& sweeps,
                                            SweptResults wanted = SweptResults::All) const
    {
        std::vector<double> all;
        for (const double part : {1.0, 0.5}) {
            sweeps.begin(pairs, round, moves);
            for (std::size_t k = 0; k < bodies.size(); ++k) {
                SweptBody body = bodies[k];
                body.v[2] *= part;
                sweeps.set_body(k, body);
            }
            for (std::size_t c = 0; c < contacts.size(); ++c) {
                if (!sweeps.is_here(c)) continue;
                SweptContact contact = contacts[c];
                for (std::size_t i = 0; i < 3; ++i) {
                    contact.P[i] = (1 - part) * 0.1 * contact.normal[i];
                }
                sweeps.set_contact(c, contact);
            }
            sweeps.start();
            all.push_back(sweeps.run({.tolerance = 1e-4, .max_iterations = 40}, wanted));
            const auto error = sweeps.error();
            all.push_back(error.unit_free);
            all.push_back(error.velocity);
            for (std::size_t c = 0; wanted != SweptResults::Velocities && c < contacts.size(); ++c) {
                const auto P = sweeps.percussion(c);
                all.insert(all.end(), P.begin(), P.end());
            }
            for (std::size_t k = 0; wanted != SweptResults::Percussions && k < bodies.size(); ++k) {
                const auto v = sweeps.velocity(k), w = sweeps.angular_velocity(k);
                all.insert(all.end(), v.begin(), v.end());
                all.insert(all.end(), w.begin(), w.end());
            }
        }
        return all;
    }
};

/// A rank that sends nothing: it counts what it would send behind the phases of a pass.
class CountedLines final : public Messages {
public:
    CountedLines(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }
    void gather(std::span<std::byte>, std::span<const std::size_t> sizes) override
    {
        told += sizes[static_cast<std::size_t>(rank_)];
    }
    [[nodiscard]] std::unique_ptr<Line> line_to(int, int tag, std::span<const std::byte> from) override
    {
        constexpr int tags_of_phases = 1024;
        lines += tag < tags_of_phases ? 1 : 0;
        bytes += tag < tags_of_phases ? from.size() : 0;
        return nullptr;
    }
    [[nodiscard]] std::unique_ptr<Line> line_from(int, int, std::span<std::byte>) override { return nullptr; }

    int lines = 0;
    std::size_t bytes = 0, told = 0;  ///< over lines in a pass; in gathers

private:
    int rank_, ranks_;
};

/// Two ranks with a block in each phase.
std::vector<SharedSweeps::Block> blocks_of_two(int phases, int bodies)
{
    std::vector<SharedSweeps::Block> blocks;
    for (int phase = 0; phase < phases; ++phase) {
        blocks.push_back({.phase = phase, .cost = 1, .place = 0});
        blocks.push_back({.phase = phase, .cost = 1, .place = bodies - 1});
    }
    return blocks;
}

/// The least number of phases that meet all of some ranges of them, first and last: all sets are tried.
int fewest_phases(int phases, const std::vector<std::array<int, 2>>& ranges)
{
    int fewest = phases;
    for (unsigned set = 0; set < 1U << phases; ++set) {
        const bool meets = std::ranges::all_of(ranges, [&](const std::array<int, 2>& range) {
            const auto [first, last] = range;
            return (set >> first & ((2U << (last - first)) - 1)) != 0;
        });
        if (meets) fewest = std::min(fewest, std::popcount(set));
    }
    return fewest;
}

int different(const std::vector<double>& a, const std::vector<double>& b)
{
    REQUIRE(a.size() == b.size());
    int count = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        count += std::memcmp(&a[k], &b[k], sizeof(double)) != 0 ? 1 : 0;
    }
    return count;
}

}  // namespace

TEST_CASE_TEMPLATE("sweeps shared among ranks give the bits of one process", Number, float, double)
{
    for (const bool mixed : {false, true}) {
        CAPTURE(mixed);
        const Fall fall(20, 4, mixed);
        SweptContacts<Number> alone;
        const std::vector<double> expected = fall.swept(alone);
        CHECK(expected[0] > 1);
        CHECK(std::isfinite(expected[1]));
        for (const int ranks : {2, 3, 5}) {
            CAPTURE(ranks);
            std::vector<std::vector<double>> got(static_cast<std::size_t>(ranks));
            ThreadRanks together(ranks);
            together.run([&](int rank) {
                const Threads threads(rank == 0 ? 2 : 1);
                const SharedWork work;
                SweptContacts<Number> sweeps;
                got[static_cast<std::size_t>(rank)] = fall.swept(sweeps);
            });
            CHECK(together.sent() > 0);
            for (const auto& one : got) {
                CHECK(different(one, expected) == 0);
            }
        }
    }
}

TEST_CASE("between two ranks there are as few messages in a pass as the routes of bodies allow")
{
    constexpr int phases = 9, bodies = 12;
    std::mt19937 random(11);
    int saved = 0;
    for (int trial = 0; trial < 200; ++trial) {
        CountedLines here(0, 2);
        SharedSweeps sweeps;
        sweeps.begin(here, blocks_of_two(phases, bodies), bodies, 1);
        // bodies that are touched now and then, by either rank; what leaves this one, and when
        std::vector<std::array<int, 2>> ranges;
        for (int body = 0; body < bodies; ++body) {
            int home = -1, last = -1, left = 0;
            for (int phase = 0; phase < phases; ++phase) {
                if (random() % 3 != 0) continue;
                const int owner = static_cast<int>(random() % 2);
                sweeps.visit(body, static_cast<std::size_t>(2 * phase + owner));
                if (home < 0) home = owner;
                if (last == 0 && owner == 1) ranges.push_back({left, phase - 1});
                last = owner;
                left = phase;
            }
            if (last == 0 && home == 1) ranges.push_back({left, phases - 1});
        }
        sweeps.plan();
        CHECK(here.lines == fewest_phases(phases, ranges));
        CHECK(here.bytes == ranges.size());
        std::vector<int> phases_left;
        for (const auto& range : ranges)
            phases_left.push_back(range[0]);
        std::ranges::sort(phases_left);
        const auto repeated = std::ranges::unique(phases_left);
        saved += static_cast<int>(repeated.begin() - phases_left.begin()) - here.lines;
    }
    CHECK(saved > 200);  // beside a message behind every phase after which something leaves
}

TEST_CASE("bodies are cut once for all colours, in parts of equal cost")
{
    // blocks that cost more the higher their bodies are, in phases of different lengths
    constexpr int bodies = 1000;
    std::vector<SharedSweeps::Block> blocks;
    for (int phase = 0; phase < 5; ++phase) {
        for (int body = phase; body < bodies; body += 3 + 4 * phase) {
            blocks.push_back({.phase = phase, .cost = 1.0 + body / 500, .place = body});
        }
    }
    double total = 0;
    for (const auto& block : blocks)
        total += block.cost;
    for (const int ranks : {2, 3, 7}) {
        CAPTURE(ranks);
        int before = -1;
        for (int rank = 0; rank < ranks; ++rank) {
            CountedLines here(rank, ranks);
            SharedSweeps sweeps;
            sweeps.begin(here, blocks, bodies, 1);
            double cost = 0;
            int first = bodies, last = -1;
            for (const std::size_t block : sweeps.mine()) {
                cost += blocks[block].cost;
                first = std::min(first, blocks[block].place);
                last = std::max(last, blocks[block].place);
            }
            // those of a body stay together, which leaves a few blocks at each end
            CHECK(std::abs(cost - total / ranks) <= 10);
            CHECK(first > before);
            before = last;
        }
        CHECK(before == bodies - 1);
    }
}

TEST_CASE(
    "sums over blocks are the same bits whoever has them, and a part of one rank is one record on the way")
{
    constexpr int phases = 7, in_phase = 300;
    constexpr std::size_t count = phases * in_phase;
    std::vector<SharedSweeps::Block> blocks;
    for (int phase = 0; phase < phases; ++phase) {
        for (int k = 0; k < in_phase; ++k) {
            blocks.push_back({.phase = phase, .cost = 1.0 + k % 5, .place = 3 * k + phase % 3});
        }
    }
    for (const std::size_t width : {1U, 3U}) {
        CAPTURE(width);
        // numbers of very different sizes: their sum depends on the order
        std::vector<double> records;
        for (std::size_t k = 0; k < count * width; ++k) {
            const auto x = static_cast<double>(k);
            records.push_back(std::abs(std::sin(x)) * std::pow(10.0, static_cast<double>(k % 17)));
        }
        std::vector<double> alone(width);
        SharedSweeps::add_up(records, alone);
        CHECK(alone[0] > 1e16);
        for (const int ranks : {2, 3, 5}) {
            CAPTURE(ranks);
            std::vector<std::vector<double>> got(static_cast<std::size_t>(ranks), alone);
            ThreadRanks together(ranks);
            together.run([&](int rank) {
                SharedSweeps sweeps;
                sweeps.begin(*Ranks::all(), blocks, 3 * in_phase, 1);
                // what others have this one does not know
                std::vector<double> mine(records.size(), std::nan(""));
                for (const std::size_t block : sweeps.mine()) {
                    std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(block * width), width,
                                mine.begin() + static_cast<std::ptrdiff_t>(block * width));
                }
                sweeps.add_up_shared(mine, got[static_cast<std::size_t>(rank)]);
            });
            for (const auto& one : got) {
                CHECK(different(one, alone) == 0);
            }
            CountedLines here(0, ranks);
            SharedSweeps sweeps;
            sweeps.begin(here, blocks, 3 * in_phase, 1);
            std::vector<double> total(width);
            sweeps.add_up_shared(records, total);
            const std::size_t told = here.told / (width * sizeof(double)), mine = sweeps.mine().size();
            CHECK(told >= mine / SharedSweeps::blocks_in_part);
            CHECK(told <= mine / SharedSweeps::blocks_in_part + phases * SharedSweeps::blocks_in_part);
        }
    }
}

TEST_CASE("what two ranks send each other follows from the section of a scene, not from its length")
{
    // bodies that leave the first rank in a pass
    const auto sent = [](int height, bool mixed, bool by_place = false) {
        const Fall fall(8, height, mixed);
        std::vector<int> places;
        for (std::size_t k = 0; by_place && k < fall.bodies.size(); ++k)
            places.push_back(fall.place[k]);
        CountedLines here(0, 2);
        const Ranks ranks(here);
        const SharedWork work;
        SweptContacts<float> sweeps;
        sweeps.begin(fall.pairs, fall.round, fall.moves, places);
        constexpr std::size_t body_bytes = 32;
        return here.bytes / body_bytes;
    };
    const std::size_t in_short = sent(60, false), in_long = sent(120, false);
    CHECK(in_short > 64);  // bodies of the section
    CHECK(in_short < 600);
    CHECK(in_long < 600);
    // numbers that say nothing of places: most contacts have bodies of the other rank
    CHECK(sent(120, true) > 4000);
    CHECK(sent(120, true, true) < 600);
}

TEST_CASE("ranks know what is wanted of shared sweeps, and each contact is swept by one of them")
{
    const Fall fall(20, 4, true);
    for (const SweptResults wanted : {SweptResults::Percussions, SweptResults::Velocities}) {
        SweptContacts<float> alone;
        const std::vector<double> expected = fall.swept(alone, wanted);
        std::vector<std::vector<double>> got(3);
        std::vector<std::vector<char>> here(3);
        ThreadRanks together(3);
        together.run([&](int rank) {
            const SharedWork work;
            SweptContacts<float> sweeps;
            got[static_cast<std::size_t>(rank)] = fall.swept(sweeps, wanted);
            for (std::size_t c = 0; c < fall.contacts.size(); ++c) {
                here[static_cast<std::size_t>(rank)].push_back(sweeps.is_here(c) ? 1 : 0);
            }
        });
        for (const auto& one : got) {
            CHECK(different(one, expected) == 0);
        }
        int elsewhere = 0;
        for (std::size_t c = 0; c < fall.contacts.size(); ++c) {
            elsewhere += here[0][c] + here[1][c] + here[2][c] == 1 ? 0 : 1;
        }
        CHECK(elsewhere == 0);
    }
}

TEST_CASE("contacts that are too few to share are swept by every rank, without a message")
{
    const Fall fall(3, 2, false);
    SweptContacts<float> alone;
    const std::vector<double> expected = fall.swept(alone);
    ThreadRanks together(6);
    std::vector<std::vector<double>> got(6);
    together.run([&](int rank) {
        const SharedWork work;
        SweptContacts<float> sweeps;
        got[static_cast<std::size_t>(rank)] = fall.swept(sweeps);
    });
    CHECK(together.sent() == 0);
    for (const auto& one : got) {
        CHECK(different(one, expected) == 0);
    }
}

TEST_CASE("one memory serves shared sweeps and those of one process in turn")
{
    const Fall fall(20, 4, false);
    SweptContacts<float> alone;
    const std::vector<double> expected = fall.swept(alone);
    ThreadRanks together(2);
    together.run([&](int) {
        SweptContacts<float> sweeps;
        const std::vector<double> before = fall.swept(sweeps);
        std::vector<double> shared;
        {
            const SharedWork work;
            shared = fall.swept(sweeps);
        }
        const std::vector<double> after = fall.swept(sweeps);
        if (different(before, expected) + different(shared, expected) + different(after, expected) > 0)
            throw std::logic_error("they differ");
    });
}

}  // namespace carom
