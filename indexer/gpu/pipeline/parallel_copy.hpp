// Copies on all threads of the calling thread's TBB arena.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spillway {

inline void copy_in_parallel(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  constexpr std::size_t kStepBytes = std::size_t{64} << 10;  // that a thread copies at once, at least
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bytes, kStepBytes),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      std::memcpy(to + range.begin(), from + range.begin(), range.size());
                    });
}

}  // namespace spillway
