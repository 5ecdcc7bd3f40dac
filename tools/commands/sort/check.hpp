// `sort -c` and `-C`: whether an input is sorted.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sort/lines/block/input.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

// Reads an input to its end, or to the first line that is not in order: then calls `report` with the number of that
// line, from 1, and the line, and returns false. Takes options.memory_bytes at most, or warns of growth, for the
// longest two neighbouring lines and their keys; throws BudgetError, with the memory that suffices, for longer ones.
bool is_sorted(LineInput input, const LineOrder& order, const LineSortOptions& options,
               const std::function<void(std::uint64_t, std::string_view)>& report);

}  // namespace spillway
