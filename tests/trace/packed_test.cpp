#include "storage/packed_chunk.hpp"
#include "support.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace carom;
using namespace carom::test;
using detail::rounded_float;

namespace {

double as_number(std::uint32_t word)
{
    return std::bit_cast<float>(word);
}

/// Words whose low bytes are noise, whose high ones are alike, or all of one kind.
std::vector<std::vector<std::uint32_t>> kinds_of_words()
{
    std::mt19937 random(7);
    std::normal_distribution<double> velocity(0, 2);
    constexpr std::size_t n = 5000;
    std::vector<std::vector<std::uint32_t>> kinds(5, std::vector<std::uint32_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
        kinds[0][i] = rounded_float(velocity(random), 24);
        kinds[1][i] = rounded_float(velocity(random), 12);
        kinds[2][i] = static_cast<std::uint32_t>(i / 3);
        kinds[3][i] = static_cast<std::uint32_t>(random());
    }
    kinds.push_back({42});
    return kinds;
}

}  // namespace

TEST_CASE("packed words come back, and take less room where their digits were cut")
{
    detail::ChunkPacker packer;
    std::vector<std::size_t> sizes;
    for (const auto& words : kinds_of_words()) {
        const auto packed = packer.pack(words);
        sizes.push_back(packed.size());
        std::vector<std::uint32_t> back(words.size());
        REQUIRE(detail::unpack_chunk(packed, back));
        CHECK(back == words);
        CHECK(packer.pack(words) == packed);  // whatever was packed before
    }
    // 4 B a word in memory. Random bits cannot be packed, and are hardly longer; 12 significant bits with
    // sign and exponent have less than 16 bits of information; numbers that count have one byte that changes
    CHECK(sizes[3] < 4 * 5000 + 100);
    CHECK(sizes[0] < 3.6 * 5000);
    CHECK(sizes[1] < 2.0 * 5000);
    CHECK(sizes[2] < 1.2 * 5000);
    CHECK(sizes[4] < 200);
}

TEST_CASE("bytes that are no chunk of that many words are refused")
{
    detail::ChunkPacker packer;
    const auto words = kinds_of_words()[0];
    const auto packed = packer.pack(words);
    std::vector<std::uint32_t> fewer(words.size() - 1), more(words.size() + 1), same(words.size());
    CHECK_FALSE(detail::unpack_chunk(packed, fewer));
    CHECK_FALSE(detail::unpack_chunk(packed, more));
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, packed.size() / 2, packed.size() - 1})
        CHECK_FALSE(detail::unpack_chunk(std::span(packed).first(length), same));
    auto damaged = packed;
    damaged[packed.size() / 2] ^= 0x10U;  // the stream has a sum of its bytes
    CHECK_FALSE(detail::unpack_chunk(damaged, same));
}

TEST_CASE("a rounded number has the digits that were asked for, and is its own rounding")
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> exponent(-30, 30), sign(-1, 1);
    for (int n = 0; n < 2000; ++n) {
        const double x = std::copysign(std::pow(10, exponent(random)), sign(random));
        for (const int bits : {10, 16, 24}) {
            const double y = as_number(rounded_float(x, bits));
            // half a unit of the last bit, twice where the 32-bit float was rounded before
            CHECK(std::abs(y - x) <= std::ldexp(1.0 + 1e-3, -bits) * std::abs(x));
            CHECK(as_number(rounded_float(y, bits)) == y);
        }
    }
    constexpr double infinite = std::numeric_limits<double>::infinity();
    CHECK(as_number(rounded_float(infinite, 10)) == infinite);
    CHECK(std::isnan(as_number(rounded_float(std::nan(""), 10))));
    CHECK(std::isfinite(as_number(rounded_float(std::numeric_limits<float>::max(), 10))));
    CHECK(as_number(rounded_float(0, 10)) == 0);
}

TEST_CASE("a run in single precision is the run in double, rounded, with the same checkpoint")
{
    // more frames than a chunk of two columns has rows (8192), and several checkpoints in every chunk
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    RecordSettings settings{.every_s = 1e-3};
    constexpr double duration_s = 9;
    const auto recorded = [&](const char* name, RecordPrecision precision) {
        settings.precision = precision;
        static_cast<void>(run_and_record(model, dropped(model), folder / name, duration_s, 1e-3, settings));
        auto recording = read_recording(folder / name);
        REQUIRE(recording.has_value());
        CHECK(recording->settings.precision ==
              (precision == RecordPrecision::Single ? RecordPrecision::Single : RecordPrecision::Double));
        return std::move(*recording);
    };
    const Recording fine = recorded("double.h5", RecordPrecision::Auto);
    const Recording coarse = recorded("single.h5", RecordPrecision::Single);
    REQUIRE(fine.frames() > 8192);
    REQUIRE(coarse.q.rows() == fine.q.rows());
    const auto worst = [](const RowMatrix& a, const RowMatrix& b) {
        return ((a - b).cwiseAbs().array() / (b.cwiseAbs().array() + 1e-30)).maxCoeff();
    };
    CHECK(worst(coarse.q, fine.q) < 6e-8);
    CHECK(worst(coarse.q, fine.q) > 1e-9);  // rounded indeed
    CHECK(worst(coarse.u, fine.u) < 1.6e-5);
    CHECK(worst(coarse.percussion_Ns, fine.percussion_Ns) < 1.6e-5);
    CHECK(same_bits(coarse.time_s, fine.time_s));
    CHECK(same_bits(coarse.energies[0].values, fine.energies[0].values));
    CHECK(same_bits(coarse.checkpoint->state.q, fine.checkpoint->state.q));
}
