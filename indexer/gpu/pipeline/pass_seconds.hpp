// How long the steps of a visit took, for benchmarks.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace spillway {

inline constexpr std::size_t kPassSteps = 8;
inline constexpr std::array<std::string_view, kPassSteps> kPassStepNames{"upload", "find", "sum",    "compact",
                                                                         "sort",   "keys", "encode", "download"};
// By the GPU's clock.
using PassSeconds = std::array<double, kPassSteps>;

}  // namespace spillway
