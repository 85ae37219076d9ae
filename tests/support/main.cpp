#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

/// Properties run on the same random data every time; set RC_PARAMS to look elsewhere.
int main(int argc, char** argv)
{
    setenv("RC_PARAMS", "seed=20260101", /*overwrite=*/0);
    return doctest::Context(argc, argv).run();
}
