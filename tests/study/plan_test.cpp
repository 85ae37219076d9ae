#include "core/random.hpp"
#include "support.hpp"

#include <cmath>
#include <set>

using namespace carom;
using namespace carom::test;

namespace {

ErrorCode refused(const std::string& text)
{
    const auto axis = parse_axis(text);
    CAPTURE(text);
    REQUIRE_FALSE(axis);
    return axis.error().code;
}

}  // namespace

TEST_CASE("a range holds both ends and neat values")
{
    const Axis e = axis("parameters.e=0:1:0.1");
    CHECK(e.path == "parameters.e");
    CHECK(e.numbers);
    // 3 * 0.1 is 0.30000000000000004 in binary: users want 0.3
    CHECK(e.values ==
          std::vector<std::string>{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
    CHECK(axis("a=-0.3:0.3:0.1").values ==
          std::vector<std::string>{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"});
    CHECK(axis("a=1:0:-0.5").values == std::vector<std::string>{"1", "0.5", "0"});
    CHECK(axis("a=0:1:0.4").values == std::vector<std::string>{"0", "0.4", "0.8"});
    CHECK(axis("a=2:2:1").values == std::vector<std::string>{"2"});
}

TEST_CASE("lists hold numbers, words and formulas with commas of their own")
{
    CHECK(axis("a=3,1,2").values == std::vector<std::string>{"3", "1", "2"});
    const Axis words = axis("impact.kind=canonical, sequential");
    CHECK_FALSE(words.numbers);
    CHECK(words.values == std::vector<std::string>{"canonical", "sequential"});
    CHECK(axis("p=min(a,b),\"x,y\"").values == std::vector<std::string>{"min(a,b)", "\"x,y\""});
}

TEST_CASE("axes that make no sense are refused")
{
    CHECK(refused("parameters.e") == ErrorCode::SceneSyntax);
    CHECK(refused("=1,2") == ErrorCode::SceneSyntax);
    CHECK(refused("a=") == ErrorCode::SceneSyntax);
    CHECK(refused("a=1,,2") == ErrorCode::SceneSyntax);
    CHECK(refused("a=0:1:x") == ErrorCode::WrongType);
    CHECK(refused("a=0:1:0") == ErrorCode::SettingOutOfRange);
    CHECK(refused("a=0:0:0") == ErrorCode::SettingOutOfRange);
    CHECK(refused("a=0:1:-0.1") == ErrorCode::SettingOutOfRange);
    CHECK(refused("a=0:1:nan") == ErrorCode::WrongType);
    // counted before memory is taken
    CHECK(refused("a=0:1:1e-300") == ErrorCode::SettingOutOfRange);
    CHECK(refused("a=0:1e8:1") == ErrorCode::SettingOutOfRange);
}

TEST_CASE("shards are counted from one")
{
    CHECK(parse_shard("1/3")->part == 0);
    CHECK(parse_shard("3/3")->part == 2);
    CHECK(parse_shard("0/3").error().code == ErrorCode::SettingOutOfRange);
    CHECK(parse_shard("4/3").error().code == ErrorCode::SettingOutOfRange);
    CHECK(parse_shard("1/0").error().code == ErrorCode::SettingOutOfRange);
    CHECK(parse_shard("half").error().code == ErrorCode::SceneSyntax);
    CHECK(parse_shard("1/2x").error().code == ErrorCode::SceneSyntax);

    // every run belongs to exactly one part
    for (const long runs : {0L, 1L, 5L, 7L, 100L}) {
        long sum = 0;
        for (long part = 0; part < 7; ++part)
            sum += runs_in({.part = part, .parts = 7}, runs);
        CHECK(sum == runs);
    }
}

TEST_CASE("random numbers are uniform, and neither runs, streams nor seeds repeat each other")
{
    // mean and variance of n uniform numbers lie within 5 standard deviations: 0.2887 / sqrt(n) of the mean,
    // about 0.0745 / sqrt(n) of the variance
    constexpr int n = 100'000;
    std::set<double> seen;
    for (const auto& [seed, stream] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 1U}}) {
        double mean = 0, squares = 0;
        for (unsigned run = 0; run < n; ++run) {
            const double x = uniform_of(seed, run, stream);
            REQUIRE(x >= 0);
            REQUIRE(x < 1);
            mean += x / n;
            squares += (x - 0.5) * (x - 0.5) / n;
            seen.insert(x);
        }
        CHECK(mean == near(0.5, 5 * 0.2887 / std::sqrt(n)));
        CHECK(squares == near(1.0 / 12, 5 * 0.0745 / std::sqrt(n)));
    }
    // 3e5 numbers of 53 bits: two are equal with probability 5e-6
    CHECK(seen.size() == 3 * n);
}

TEST_CASE("runs go through all combinations, repetitions fastest")
{
    const Folder folder;
    StudyPlan plan{.axes = {axis("parameters.e=0.1,0.2"), axis("parameters.g=1,2,3")}, .repeat = 2};
    const Study study = study_of(folder, ball, plan);
    REQUIRE(study.runs() == 12);
    CHECK(study.run(0).values == std::vector<std::string>{"0.1", "1"});
    CHECK(study.run(1).repetition == 1);
    CHECK(study.run(1).values == std::vector<std::string>{"0.1", "1"});
    CHECK(study.run(2).values == std::vector<std::string>{"0.1", "2"});
    CHECK(study.run(6).values == std::vector<std::string>{"0.2", "1"});
    CHECK(study.run(11).values == std::vector<std::string>{"0.2", "3"});
}

TEST_CASE("perturbed steps fill the interval below h as Moreau's do")
{
    const Folder folder;
    // M88 15.3: h = 0.00046 - 0.0001 RND
    auto scene = ball;
    scene.replace(scene.find("1e-3"), 4, "0.00046");
    const Study study = study_of(folder, scene, {.repeat = 1000, .perturb_step_s = 0.0001});
    double low = 1, high = 0;
    for (long i = 0; i < study.runs(); ++i) {
        const double h = study.run(i).time_step_s;
        REQUIRE(h <= 0.00046);
        REQUIRE(h > 0.00036);
        low = std::min(low, h);
        high = std::max(high, h);
    }
    // of 1000 uniform numbers the extremes miss the ends by more than 1 % once in 20000
    CHECK(low < 0.000361);
    CHECK(high > 0.000459);

    // another seed, other steps; the default width is a fifth of the step
    const Study other = study_of(folder, scene, {.repeat = 1000, .seed = 1, .perturb_step_s = 0});
    CHECK(other.run(5).time_step_s != study.run(5).time_step_s);
    for (long i = 0; i < other.runs(); ++i)
        REQUIRE(other.run(i).time_step_s > 0.8 * 0.00046);
}

TEST_CASE("plans that do not fit the scene are refused, all mistakes at once")
{
    const Folder folder;
    const auto codes = [&](StudyPlan plan) {
        const auto study = Study::prepare(folder.write("scene.toml", ball), {}, std::move(plan));
        REQUIRE_FALSE(study);
        std::vector<ErrorCode> found;
        for (const Error& error : study.error())
            found.push_back(error.code);
        return found;
    };
    using Codes = std::vector<ErrorCode>;
    CHECK(codes({.axes = {axis("parameters.ee=1,2"), axis("parameters.e=0,2")}}) ==
          Codes{ErrorCode::UnknownKey, ErrorCode::SettingOutOfRange});
    CHECK(codes({.axes = {axis("parameters.e=0,1"), axis("parameters.e=0,1")}}) ==
          Codes{ErrorCode::DuplicateName});
    CHECK(codes({.repeat = 0}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.axes = {axis("parameters.g=1:10000:1"), axis("parameters.e=0:1:1e-4")}}) ==
          Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.perturb_step_s = 1e-3}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.perturbations = {{"x", 1e-3}}}) == Codes{ErrorCode::UnknownName});
    CHECK(codes({.at_s = {0.5, 1.5}}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.strobe = Strobe{.period = "0"}}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.strobe = Strobe{.period = "period"}}) == Codes{ErrorCode::UnknownName});
    CHECK(codes({.strobe = Strobe{.period = "0.1", .skip = 11}}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.strobe = Strobe{.section = "q"}}) == Codes{ErrorCode::UnknownName});
    CHECK(codes({.strobe = Strobe{.section = "1/0"}}) == Codes{ErrorCode::NotFinite});
    CHECK(codes({.strobe = Strobe{.section = "log(-1)"}}) == Codes{ErrorCode::NotFinite});
    CHECK(codes({.strobe = Strobe{.period = "0.1", .section = "z"}}) == Codes{ErrorCode::NotAllowedHere});
    CHECK(codes({.strobe = Strobe{.skip = -1, .section = "z"}}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.strobe = Strobe{.period = "1e-12"}}) == Codes{ErrorCode::SettingOutOfRange});
    CHECK(codes({.repeat = 2, .levels = 4}) == Codes{ErrorCode::NotAllowedHere});
    CHECK(codes({.levels = 2}) == Codes{ErrorCode::SettingOutOfRange});
}
