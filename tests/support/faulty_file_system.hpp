// An in-memory FileSystem for tests of faults. It fails the nth operation, once or permanently, or stops at it (a
// crash, after which every operation throws). It also knows what would survive: file contents as of their last sync,
// names as of the last sync of their directory. It counts operations and fired faults, so that a sweep can try each
// one:
//
//   for (std::uint64_t n = 0;; ++n) {
//     FaultyFileSystem files;
//     files.inject({.kind = FaultKind::kIoError, .at = n});
//     ... run the code ...
//     if (files.faults_fired() == 0) break;
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway::testing {

enum class FaultKind {
  kNone,
  kIoError,       // EIO, from any operation
  kNoSpace,       // ENOSPC, from operations that write: create, make_directory, rename, exchange, append, sync
  kTooManyFiles,  // EMFILE, from operations that open: open, open_stream, create, list, sync_directory, locks
  kOutOfMemory,   // std::bad_alloc, from any operation
  kShortWrite,    // an append that writes half of its bytes and fails with ENOSPC
  kShortRead,     // a read_at that returns half of the bytes, as if the file had shrunk
  kCrash,         // CrashError from this operation and all later ones
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::uint64_t at = 0;  // the nth operation that can fail this way, from 0
  bool sticky = false;   // later operations fail too
};

// Not derived from Error: error handling must not catch the end of its process.
struct CrashError : std::runtime_error {
  CrashError() : std::runtime_error("crash") {}
};

enum class Crash {
  kProcess,  // the process ends and the machine continues: everything written stays
  kPower,    // only synced data stays
};

// Thread-safe. Open files must not outlive it; after a restart they throw.
class FaultyFileSystem final : public FileSystem {
 public:
  // Starts with the directory "/" and the working directory "/job".
  FaultyFileSystem();
  ~FaultyFileSystem() override;

  void inject(const Fault& fault);  // counts operations from this call on and resets faults_fired() to 0
  std::uint64_t operations() const;
  std::uint64_t faults_fired() const;
  bool crashed() const;
  // The state that a new process finds: no open files or locks and, with kPower, no unsynced data. Removes the injected
  // fault.
  void restart(Crash crash);
  void set_free_bytes(std::uint64_t bytes);
  void set_in_memory(bool is_in_memory);
  void set_can_exchange(bool can);  // true at first
  // Access whole files without counting or faults, to set up a test and to inspect its result.
  void put(const std::string& path, std::string_view bytes);  // syncs the file and its name
  std::string get(const std::string& path) const;             // throws std::out_of_range if there is none
  void remove_tree(const std::string& path);                  // no error if nothing is there
  std::vector<std::string> all_paths() const;                 // files and directories, in byte order

  std::unique_ptr<ReadableFile> open(const std::string& path) override;
  std::unique_ptr<ByteStream> open_stream(const std::string& path) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override;
  std::unique_ptr<WritableFile> create_private(const std::string& path) override { return create(path); }
  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& directory) override;
  bool is_link(const std::string& path) override;         // there are none
  bool is_mount_point(const std::string& path) override;  // none is
  void make_directory(const std::string& path) override;
  void make_private_directory(const std::string& path) override { make_directory(path); }
  std::string make_unique_directory(const std::string& prefix) override;  // numbers take the place of random letters
  void rename(const std::string& from, const std::string& to) override;
  bool rename_to_new(const std::string& from, const std::string& to) override;
  bool exchange(const std::string& a, const std::string& b) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path) override;
  std::unique_ptr<FileLock> create_lock(const std::string& path, std::string_view content) override;
  std::unique_ptr<FileLock> try_lock(const std::string& path) override;
  std::uint64_t free_bytes(const std::string& directory) override;
  bool is_in_memory(const std::string& directory) override;
  std::string resolve(const std::string& path) override;

  struct State;  // shared with the open files

 private:
  std::shared_ptr<State> state_;
};

}  // namespace spillway::testing
