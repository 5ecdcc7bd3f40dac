// The host as an executor of steps (indexer/gpu/pipeline/cuda_steps.cuh), in ordinary memory. Every call that a GPU
// could fail counts as a GPU call (sort/gpu/device/faults.hpp).
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "indexer/gpu/steps/lanes.hpp"
#include "sort/gpu/device/faults.hpp"

namespace spillway::testing {

class HostSteps {
 public:
  void clear(std::uint8_t* at, std::size_t bytes) { std::memset(at, 0, bytes); }
  template <typename T>
  T fetch(const T* from) {
    count_gpu_call();
    return *from;
  }

  template <typename Step>
  void for_each(std::size_t count, const Step& step) {
    count_gpu_call();
    tbb::parallel_for(std::size_t{0}, count, step);
  }
  template <typename Step>
  void for_each_in_lanes(std::size_t count, const Step& step) {
    for_each(count, [&](std::size_t i) { step(i, OneLane()); });
  }
  template <typename From, typename To, typename Sum>
  void exclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t>) {
    To total{};
    for (std::size_t i = 0; i < count; ++i) {
      const To next = sum(total, static_cast<To>(from[i]));
      to[i] = total;
      total = next;
    }
  }
  template <typename From, typename To, typename Sum>
  void inclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t>) {
    To total{};
    for (std::size_t i = 0; i < count; ++i) to[i] = total = sum(total, static_cast<To>(from[i]));
  }

  template <typename Value, typename Step, typename Sum>
  void reduce(std::size_t count, const Step& step, Sum sum, Value* to, std::span<std::uint8_t>) {
    count_gpu_call();
    *to = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, count), Value{},
        [&](const tbb::blocked_range<std::size_t>& range, Value total) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) total = sum(total, step(i));
          return total;
        },
        sum);
  }
};

}  // namespace spillway::testing
