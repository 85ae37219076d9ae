#pragma once

#include <string>

namespace carom::test {

/// The bytes that base64 letters stand for, up to the first that is none.
inline std::string from_base64(const std::string& text)
{
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char letter : text) {
        const auto digit = letters.find(letter);
        if (digit == std::string::npos) break;
        bits = bits << 6 | static_cast<unsigned>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<char>(bits >> count & 0xff));
    }
    return bytes;
}

}  // namespace carom::test
