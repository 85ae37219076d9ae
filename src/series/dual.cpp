#include "series/dual.hpp"

namespace carom {

// every member of the common widths compiles here, whether or not a tape uses it
template class DualRegisters<0>;
template class DualRegisters<1>;
template class DualRegisters<2>;
template class DualRegisters<2, 1>;
template class DualRegisters<2, 4>;

}  // namespace carom
