// The lists of inputs as a GPU would hold them (indexer/gpu/pipeline/device_lists.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "indexer/gpu/pipeline/device_lists.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway::testing {

// Copies bytes to the memory that holds the lists.
using HoldBytes = std::function<std::shared_ptr<std::uint8_t>(std::span<const std::uint8_t>)>;

// Every entry of an input becomes a fragment.
DeviceLists hold_lists(const MergeInput& input, const HoldBytes& hold);
// Those of all inputs, in the memory of the host.
std::vector<DeviceLists> hold_on_host(std::span<const MergeInput* const> inputs);

}  // namespace spillway::testing
