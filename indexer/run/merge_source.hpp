// A run or an index on its way to the merges of a job. It is open, and holds descriptors and buffers, only while it is
// merged.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/file/file_system.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// A share of the memory that runs may be kept in (RunStore::take_share): held for a run while it is made, then by the
// run. Given back when destroyed. Movable; must not outlive its store.
class RunShare {
 public:
  RunShare() = default;  // no memory: the run goes to a scratch file
  RunShare(RunShare&& other) noexcept { *this = std::move(other); }
  RunShare& operator=(RunShare&& other) noexcept {
    std::swap(left_, other.left_);
    std::swap(bytes_, other.bytes_);
    std::swap(growth_bytes_, other.growth_bytes_);
    return *this;
  }
  RunShare(const RunShare&) = delete;
  RunShare& operator=(const RunShare&) = delete;
  ~RunShare() { keep(0); }

  bool is_memory() const { return left_ != nullptr; }
  std::size_t bytes() const { return bytes_; }
  // Changes the share to the bytes that the run took. Gives the rest back; if the run took more, the store hands out
  // nothing until the excess is free again.
  void keep(std::size_t bytes) {
    if (left_ == nullptr) return;
    const std::size_t before = std::exchange(bytes_, bytes);
    left_->fetch_add(static_cast<std::int64_t>(before) - static_cast<std::int64_t>(bytes));
  }

 private:
  friend class RunStore;
  RunShare(std::atomic<std::int64_t>& left, std::size_t bytes, std::size_t growth_bytes)
      : left_(&left), bytes_(bytes), growth_bytes_(growth_bytes) {}
  std::atomic<std::int64_t>* left_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t growth_bytes_ = 0;  // the run's file grows in steps of this
};

class MergeSource {
 public:
  MergeSource() = default;
  virtual ~MergeSource() = default;
  MergeSource(const MergeSource&) = delete;
  MergeSource& operator=(const MergeSource&) = delete;

  // Opens the run for at most `cursors` term cursors at a time. The input lives until close().
  virtual const MergeInput& open(unsigned cursors) = 0;
  virtual void close() = 0;
  virtual std::size_t cursor_bytes() const = 0;  // memory of one term cursor, at most
  virtual std::size_t open_bytes() const = 0;    // memory while it is open, without cursors
  // Memory of reading its documents, and their texts, while it is open for `cursors` term cursors.
  virtual std::size_t documents_bytes(unsigned cursors) const = 0;
  virtual bool is_spilled() const { return false; }
  // Whether it should go to the last merge as it is: its lists are not on the host.
  virtual bool is_elsewhere() const { return false; }

  std::uint64_t bytes = 0;
  std::string kept_name;  // of its file, if that outlives the job (TempFile::kept_name); of inputs "input-N"
  std::shared_ptr<WritableFile> unsynced;  // of a new kept file, until it is synced and closed
  RunSummary summary;                      // documents numbered as in the source
  bool may_have_dropped = false;           // documents may be holes, which a merge must drop again
  RunShare share;                          // none if it takes no memory of the store
};

using MergeSources = std::vector<std::unique_ptr<MergeSource>>;

// Sources that are open for the time of a merge. The sources live longer.
class OpenSources {
 public:
  // Opens each source for `cursors` term cursors at a time.
  OpenSources(std::span<const std::unique_ptr<MergeSource>> sources, unsigned cursors) : sources_(sources) {
    try {
      for (const auto& source : sources_) {
        inputs_.push_back(&source->open(cursors));
        documents_bytes_ = std::max(documents_bytes_, source->documents_bytes(cursors));
      }
    } catch (...) {
      close();
      throw;
    }
  }
  ~OpenSources() { close(); }
  OpenSources(const OpenSources&) = delete;
  OpenSources& operator=(const OpenSources&) = delete;

  std::span<const MergeInput* const> inputs() const { return inputs_; }
  // Memory of reading their documents, one source after the other.
  std::size_t documents_bytes() const { return documents_bytes_; }

 private:
  void close() {
    for (const auto& source : sources_) source->close();
  }
  std::span<const std::unique_ptr<MergeSource>> sources_;
  std::vector<const MergeInput*> inputs_;
  std::size_t documents_bytes_ = 0;
};

}  // namespace spillway
