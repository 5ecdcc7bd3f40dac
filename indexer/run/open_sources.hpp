// The sources of a merge, open for its time, as inputs that notice when the user stops the job.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "indexer/run/merge_source.hpp"

namespace spillway {

class OpenSources {
 public:
  // For `cursors` term cursors of each at a time. Reading documents throws InterruptedError once signal_number is not
  // 0.
  OpenSources(std::span<const std::unique_ptr<MergeSource>> sources, unsigned cursors,
              const std::atomic<int>& signal_number);
  ~OpenSources();
  OpenSources(const OpenSources&) = delete;
  OpenSources& operator=(const OpenSources&) = delete;

  std::span<const MergeInput* const> inputs() const { return views_; }
  // Memory of reading their documents, one source after the other.
  std::size_t documents_bytes() const { return documents_bytes_; }

 private:
  void close();
  std::span<const std::unique_ptr<MergeSource>> sources_;
  std::vector<std::unique_ptr<MergeInput>> inputs_;
  std::vector<const MergeInput*> views_;
  std::size_t documents_bytes_ = 0;
};

}  // namespace spillway
