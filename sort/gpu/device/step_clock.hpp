// Times of the steps of a sort on a stream, for sorters that measure them (sort_in_steps).
#pragma once

#include <cstddef>
#include <vector>

#include "sort/gpu/device/memory.hpp"

namespace spillway {

// The borders between steps, numbered from 0. Each may be passed again, and then counts where it was passed last.
class StepClock {
 public:
  StepClock(std::size_t borders, GpuStreamHandle stream) : events_(borders), stream_(stream) {}

  void pass_border(std::size_t border) { events_[border].record(stream_); }
  // Waits until the stream has reached the border.
  void wait_for(std::size_t border) const { events_[border].synchronize(); }
  // Seconds between two borders. Requires: the stream has reached both.
  double seconds(std::size_t begin, std::size_t end) const { return events_[end].since_ms(events_[begin]) / 1000; }

 private:
  std::vector<GpuEvent> events_;
  GpuStreamHandle stream_;
};

}  // namespace spillway
