#include "carom/core/expected.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace carom;

TEST_CASE("an expected value is there, or the error that took its place")
{
    const Expected<int> value = 3;
    CHECK(value.has_value());
    CHECK(*value == 3);
    CHECK_THROWS_AS((void)value.error(), InternalError);

    const Expected<int> missing = Error{ErrorCode::MissingKey, "here", "no number", "give one", ""};
    CHECK_FALSE(missing.has_value());
    CHECK(missing.error().code == ErrorCode::MissingKey);
    CHECK_THROWS_AS((void)*missing, InternalError);

    const Expected<void> done;
    CHECK(done.has_value());
    CHECK_THROWS_AS((void)done.error(), InternalError);
}

TEST_CASE("an error reads like a compiler's: place, message, excerpt, hint")
{
    const Error error{ErrorCode::UnknownName, "ball.toml:3:9", "unknown name thetta", "did you mean theta?",
                      "  sin(thetta)\n      ^"};
    CHECK(to_text(error) == "ball.toml:3:9: error: unknown name thetta\n  sin(thetta)\n      ^\n"
                            "  hint: did you mean theta?\n");
    CHECK(name_of(error.code) == "unknown_name");
}
