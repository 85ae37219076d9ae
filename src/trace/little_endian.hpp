#pragma once

#include <cstddef>
#include <string>

namespace carom::detail {

/// Appends the bytes of an unsigned integer, the lowest first.
template <class Word>
void put_little_endian(Word word, std::string& bytes)
{
    for (std::size_t i = 0; i < sizeof word; ++i)
        bytes.push_back(static_cast<char>(word >> (8 * i) & 0xff));
}

}  // namespace carom::detail
