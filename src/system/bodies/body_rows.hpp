#pragma once

#include "core/block_rows.hpp"
#include "expression/term.hpp"
#include "system/bodies/body_model.hpp"

namespace carom {

/// Rows over rigid bodies, a block each (BO-11).
using BodyRows = BlockRows;

}  // namespace carom
