#include "indexer/job/list_reserver.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>

#include "io/memory/limits.hpp"

namespace spillway {

namespace {

constexpr std::chrono::milliseconds kPeriod(10);

// Bytes of an index for a posting, and for an occurrence with its position, that are hardly ever too many. Measured:
// 1.36 and 1.31 (RFCs), 1.42 and 1.36 (generated text), 1.61 and 1.13 (source code), 1.61 and 0.56 (lines of RFCs).
// A surplus of a gigabyte costs 0.2 s of this thread, and 0.12 s at the end of the job to give it back (two cores). If
// space is missing, the rest of the lists is written to new pages.
constexpr double kPostingBytes = 1.25, kPositionBytes = 0.5;

std::uint64_t share_of(std::uint64_t count, double bytes) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * bytes);
}

}  // namespace

bool may_reserve_lists(const SpaceAheadOptions& options, const JobEstimate& estimate, unsigned threads,
                       std::uint64_t memory_bytes) {
  return estimate.is_known && estimate.index_bytes >= options.least_index_bytes && threads >= options.least_threads &&
         memory_bytes + 2 * estimate.index_bytes <= memory_limits().least_bytes();
}

ListReserver::ListReserver(const ListReserverSetup& setup) : setup_(setup) {
  try {
    thread_ = std::jthread([this](const std::stop_token& stopped) { work(stopped); });
  } catch (const std::system_error&) {  // the lists are written to new pages
  }
}

void ListReserver::work(const std::stop_token& stopped) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  try {
    while (!stopped.stop_requested()) {
      const Step step = take_step();
      if (step == Step::kRefused) return;
      if (step == Step::kNotDue) changed.wait_for(lock, stopped, kPeriod, [] { return false; });
    }
  } catch (const std::exception&) {  // how much is free is not known
  }
}

ListReserver::Step ListReserver::take_step() {
  const std::uint64_t postings = share_of(setup_.progress.run_postings.load(), kPostingBytes);
  const std::uint64_t positions = share_of(setup_.progress.run_occurrences.load(), kPositionBytes);
  const bool takes_postings = posting_bytes_ + setup_.step_bytes <= postings;
  const bool takes_positions =
      setup_.positions == Positions::kStored && position_bytes_ + setup_.step_bytes <= positions;
  if (!takes_postings && !takes_positions) return Step::kNotDue;
  (takes_postings ? posting_bytes_ : position_bytes_) += setup_.step_bytes;
  const bool is_taken = has_room() && setup_.writer.reserve_lists(posting_bytes_, position_bytes_);
  return is_taken ? Step::kTaken : Step::kRefused;
}

bool ListReserver::has_room() const {
  const std::uint64_t taken = posting_bytes_ + position_bytes_;
  const std::uint64_t missing = setup_.probable_bytes - std::min(setup_.probable_bytes, taken);
  return setup_.files.free_bytes(setup_.directory) >= setup_.step_bytes + 2 * missing;
}

}  // namespace spillway
