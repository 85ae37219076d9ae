#pragma once

#include "carom/core/expected.hpp"
#include "report/text.hpp"

#include <cstdio>
#include <string>
#include <string_view>

namespace carom::app {

/// What the program tells the shell.
enum class ExitStatus {
    Certified = 0,  ///< or: did what was asked
    Uncertified = 1,
    BadInput = 2,
    Failed = 3,
    Interrupted = 130,
};

/// A person is looking at this stream.
[[nodiscard]] bool is_terminal(std::FILE* stream);

/// The text in colour where `stream` is a terminal that can and NO_COLOR is not set; else as it is.
[[nodiscard]] std::string coloured(std::string_view text, Tone tone, std::FILE* stream);

/// The same for standard output: a Paint of pages of text.
[[nodiscard]] std::string painted(std::string_view text, Tone tone);

/// Errors as a compiler shows them, to standard error, the first hundred of them.
void print_errors(const Errors& errors);

/// Warnings in the same way.
void print_warnings(const Errors& warnings);

/// Writes to standard output; false when it cannot be written, which is then said on standard error.
[[nodiscard]] bool print_result(std::string_view text);

}  // namespace carom::app
