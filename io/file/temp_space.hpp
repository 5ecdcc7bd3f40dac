// Where scratch bytes go: one or more directories used in turn, under one limit (--temp-dir, --temp-limit).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

// A named scratch file that is written, then read, then removed by its destruction. Its bytes are charged to the
// TempSpace as they are appended.
class TempFile {
 public:
  virtual ~TempFile() = default;
  virtual WritableFile& writer() = 0;
  // Ends writing; the file is read through the result, which lives as long as this object.
  virtual ReadableFile& finish() = 0;
  // After finish(): gives the descriptor back until the next reader(). What was read through the old one is closed.
  virtual void close_reader() = 0;
  virtual ReadableFile& reader() = 0;
};

// Thread-safe. Lives longer than its files.
class TempSpace {
 public:
  // Makes one directory `work_name` below each of `directories` (removing what a killed run left there); removes them
  // on destruction. limit_bytes 0 = no limit.
  TempSpace(FileSystem& files, const std::vector<std::string>& directories, const std::string& work_name,
            std::uint64_t limit_bytes);
  ~TempSpace();
  TempSpace(const TempSpace&) = delete;
  TempSpace& operator=(const TempSpace&) = delete;

  // Called by every append to a scratch file; throws to stop. To be set before the first create().
  void set_check(std::function<void()> check) { check_ = std::move(check); }

  // In the next directory in turn. `stem` becomes part of the name. Appends beyond the limit throw BudgetError naming
  // --temp-limit; a full disk throws IoError naming --temp-dir.
  std::unique_ptr<TempFile> create(const std::string& stem);

  std::uint64_t used_bytes() const { return used_bytes_.load(); }
  std::uint64_t peak_bytes() const { return peak_bytes_.load(); }
  std::uint64_t written_bytes() const { return written_bytes_.load(); }  // ever
  void charge(std::uint64_t bytes);                                      // throws BudgetError
  void refund(std::uint64_t bytes);

 private:
  FileSystem& files_;
  std::vector<std::string> directories_;  // the ones made here
  std::uint64_t limit_bytes_;
  std::function<void()> check_;
  std::atomic<std::uint64_t> used_bytes_{0}, peak_bytes_{0}, written_bytes_{0}, next_{0};
};

}  // namespace spillway
