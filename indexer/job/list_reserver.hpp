// Takes space for the lists of an index while its input is parsed. In a file system in memory a write to a new file
// takes twice the time of one to pages that are there, and few threads write the lists at the end of a job, when they
// may be what the job waits for; while the input is parsed, a thread more makes no difference.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/estimate.hpp"
#include "io/index/writer.hpp"

namespace spillway {

// Whether a job of this size, with this many threads and this budget for memory, takes space for its lists ahead where
// its index is in memory: there must be much to write, threads to spare, and memory for all of it beside the budget.
bool may_reserve_lists(const SpaceAheadOptions& options, const JobEstimate& estimate, unsigned threads,
                       std::uint64_t memory_bytes);

struct ListReserverSetup {
  IndexWriter& writer;
  FileSystem& files;
  std::string directory;          // on the disk of the index
  const IndexProgress& progress;  // of the runs: their postings and occurrences
  Positions positions = Positions::kNone;
  std::uint64_t step_bytes = 0;      // that are taken at a time
  std::uint64_t probable_bytes = 0;  // of the index and of scratch files: twice what is missing of them stays free
};

// A thread that follows the progress until destruction, which waits for the end of a step. Takes what the postings of
// the runs made so far need at least. Does nothing where space cannot be taken, if the disk gets full, or if there are
// no more threads. Requires: no list is appended meanwhile.
class ListReserver {
 public:
  explicit ListReserver(const ListReserverSetup& setup);

 private:
  void work(const std::stop_token& stopped);
  enum class Step { kTaken, kNotDue, kRefused };
  Step take_step();
  bool has_room() const;

  const ListReserverSetup setup_;
  std::uint64_t posting_bytes_ = 0, position_bytes_ = 0;  // taken
  std::jthread thread_;                                   // last member: it uses the others
};

}  // namespace spillway
