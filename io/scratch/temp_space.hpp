// Scratch files in one or more directories, used in turn, under one limit (--temp-dir, --temp-limit). Only the owner of
// the process can read them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/scratch/owned_directory.hpp"

namespace spillway {

// A named scratch file that is written, then read, then removed on destruction. Its bytes are charged to the TempSpace
// as they are appended.
class TempFile {
 public:
  virtual ~TempFile() = default;
  virtual WritableFile& writer() = 0;
  // Ends writing and returns the file for reading; the reference lives as long as this object.
  virtual ReadableFile& finish() = 0;
  // Closes the descriptor until the next reader(). References to the old reader become invalid. Requires: finish() was
  // called.
  virtual void close_reader() = 0;
  virtual ReadableFile& reader() = 0;
  // The name in the work directory of a file that outlives this object; empty for others.
  virtual std::string kept_name() const { return {}; }
  // Of a kept file after finish(): what is to be synced and closed, by any thread. nullptr for others.
  virtual std::shared_ptr<WritableFile> take_unsynced() { return nullptr; }
};

// Thread-safe. Outlives its files.
class TempSpace {
 public:
  // Makes a scratch directory in each of `shared`, which other processes may use too, after removing those there that
  // killed jobs left; removes them on destruction. If none is given, uses the directory `own`, which the caller owns
  // and cleans up. limit_bytes 0: no limit. Throws UsageError, naming --temp-dir, if one of `shared` is not there.
  TempSpace(FileSystem& files, const std::vector<std::string>& shared, const std::string& own,
            std::uint64_t limit_bytes);
  ~TempSpace();
  TempSpace(const TempSpace&) = delete;
  TempSpace& operator=(const TempSpace&) = delete;

  // Sets a function that every append to a scratch file calls; it throws to stop the job. Requires: no file was created
  // yet.
  void set_check(std::function<void()> check) { check_ = std::move(check); }

  // Creates a file in the next directory. `stem` becomes part of its name. Appends beyond the limit throw BudgetError
  // naming --temp-limit; a full disk throws IoError naming --temp-dir.
  std::unique_ptr<TempFile> create(const std::string& stem);
  // The same for a file in the directory `own` that stays there, whatever happens.
  std::unique_ptr<TempFile> create_kept(const std::string& stem);
  // A kept file of an earlier job, ready for reading. Charges its bytes.
  std::unique_ptr<TempFile> adopt(const std::string& name);

  std::uint64_t used_bytes() const { return used_bytes_.load(); }
  std::uint64_t peak_bytes() const { return peak_bytes_.load(); }
  std::uint64_t written_bytes() const { return written_bytes_.load(); }  // over the lifetime
  void charge(std::uint64_t bytes);                                      // throws BudgetError
  void refund(std::uint64_t bytes);

 private:
  void remove_made();
  FileSystem& files_;
  std::vector<std::unique_ptr<OwnedDirectory>> made_;
  std::string own_;
  std::vector<std::string> directories_;  // those of made_, or `own`
  std::uint64_t limit_bytes_;
  std::function<void()> check_;
  std::atomic<std::uint64_t> used_bytes_{0}, peak_bytes_{0}, written_bytes_{0}, next_{0};
};

}  // namespace spillway
