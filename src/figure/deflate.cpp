#include "deflate.hpp"

#include "carom/core/expected.hpp"

#include <zlib.h>

namespace carom::detail {

std::string deflated(std::string_view bytes)
{
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    const int done =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
    if (done != Z_OK) throw InternalError("zlib could not compress a figure");
    packed.resize(size);
    return packed;
}

}  // namespace carom::detail
