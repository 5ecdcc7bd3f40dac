#include "tools/report/time_left.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace spillway {

namespace {

// Time after reading, as a share of the time of reading: 0.2 to 0.5 on the corpora measured.
constexpr double kMergeShare = 0.35;
// No estimate before these: rates are not yet stable.
constexpr double kLeastSeconds = 1;
constexpr double kLeastShare = 0.01;
constexpr double kFollowSeconds = 10;  // time constant with which the shown figure follows a new estimate

}  // namespace

std::optional<double> TimeLeft::measure(const IndexProgress& progress, double seconds) {
  const std::uint64_t postings = progress.postings_total.load(), merged = progress.postings_done.load();
  if (merged > 0) {
    if (lists_since_ < 0) lists_since_ = seconds;
    const double done = static_cast<double>(merged) / static_cast<double>(postings);
    const double spent = seconds - lists_since_;
    if (spent < kLeastSeconds || done < kLeastShare) return std::nullopt;
    return spent * (1 - std::min(done, 1.0)) / done;
  }
  const std::uint64_t total = progress.bytes_total.load(), read = progress.bytes_done.load();
  if (total == 0) return std::nullopt;
  if (progress.stage.load() == std::string_view(kRevisitStage)) {
    reading_since_ = seconds;
    return std::nullopt;
  }
  const double done = std::min(1.0, static_cast<double>(read) / static_cast<double>(total));
  const double spent = seconds - reading_since_;
  if (done < 1) read_for_ = spent;
  if (spent < kLeastSeconds || done < kLeastShare) return std::nullopt;
  const double reading = read_for_ / done;
  return std::max(0.0, reading * (1 + kMergeShare) - spent);
}

std::optional<double> TimeLeft::update(const IndexProgress& progress, double seconds) {
  const std::optional<double> measured = measure(progress, seconds);
  if (!measured) {
    if (shown_) shown_ = std::max(0.0, *shown_ - (seconds - shown_at_));
    shown_at_ = seconds;
    return shown_;
  }
  const double passed = seconds - shown_at_;
  if (!shown_) {
    shown_ = measured;
  } else {
    const double counted_down = std::max(0.0, *shown_ - passed);
    const double follow = 1 - std::exp(-passed / kFollowSeconds);
    shown_ = counted_down + follow * (*measured - counted_down);
  }
  shown_at_ = seconds;
  return shown_;
}

}  // namespace spillway
