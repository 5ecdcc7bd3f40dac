// What the merge of a job takes: a run or an index, held open only while it is merged.
#pragma once

#include <cstddef>
#include <cstdint>

#include "indexer/run/share.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

class MergeSource {
 public:
  MergeSource() = default;
  virtual ~MergeSource() = default;
  MergeSource(const MergeSource&) = delete;
  MergeSource& operator=(const MergeSource&) = delete;

  // For at most `cursors` term cursors at a time. The input lives until close().
  virtual const MergeInput& open(unsigned cursors) = 0;
  virtual void close() = 0;
  virtual std::size_t cursor_bytes() const = 0;  // memory of one term cursor, at most
  virtual std::size_t open_bytes() const = 0;    // what it holds while it is open, beside its cursors
  // Memory of reading its documents, and their texts, while it is open for `cursors` term cursors.
  virtual std::size_t documents_bytes(unsigned cursors) const = 0;
  virtual bool is_spilled() const { return false; }

  std::uint64_t bytes = 0;
  RunSummary summary;             // its documents are numbered as in its source
  bool may_have_dropped = false;  // documents may be holes, which a merge must drop again
  RunShare share;                 // of the memory for runs; none where it holds nothing of it
};

}  // namespace spillway
