// The sort of lines (sort/lines/sorter.hpp) on a thread of its own: text goes in piece by piece, and sorted text comes
// out piece by piece.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "sort/library/text_handover.hpp"
#include "sort/library/text_pipe.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

class BackgroundSort {
 public:
  // Starts the work in a TBB arena of `threads` threads. Throws std::system_error.
  BackgroundSort(LineOrder order, LineSortOptions options, std::size_t threads);
  BackgroundSort(const BackgroundSort&) = delete;
  BackgroundSort& operator=(const BackgroundSort&) = delete;
  // Stops the work, and waits for it.
  ~BackgroundSort();

  TextPipe& input() { return input_; }
  TextHandover& output() { return output_; }
  // Throws what the work threw, if it did. Waits for the end of the work. Requires: the input was stopped, or the
  // output has ended.
  void check();
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  void run();
  const LineOrder order_;
  LineSortOptions options_;
  const std::size_t threads_;
  TextPipe input_;
  TextHandover output_;
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::uint64_t> spilled_bytes_{0};
  std::exception_ptr error_;  // for other threads once the work has been joined
  std::thread thread_;
};

}  // namespace spillway
