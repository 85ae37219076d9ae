#include "carom/core/expected.hpp"

#include <iostream>

int main()
{
    const carom::Error error{.code = carom::ErrorCode::SettingOutOfRange,
                             .where = "outside",
                             .message = "the time step is 0 s",
                             .hint = "give a step greater than zero",
                             .excerpt = ""};
    std::cout << carom::to_text(error);
    return carom::name_of(error.code) == "setting_out_of_range" ? 0 : 1;
}
