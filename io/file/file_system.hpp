// The seam between Spillway and files: every read, write, sync and rename of data goes through these interfaces, so
// that tests can substitute an in-memory file system that fails on the nth call or stops at any point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

// Random-access reads. Thread-safe.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `out` from `offset` on and returns the bytes read: fewer only at the end of the file. Throws IoError.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const = 0;
  virtual std::uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
  // Returns bytes [offset, offset + bytes) if they are contiguous in memory, otherwise an empty span. They live as long
  // as this object.
  virtual std::span<const std::uint8_t> view(std::uint64_t, std::size_t) const { return {}; }
  // Maps the whole file for the lifetime of this object, if the file system can; otherwise returns an empty span.
  // Closes the descriptor. Requires: no other thread reads from this object yet. If the file is truncated or its disk
  // fails later, mapped bytes become zeros (io/file/guarded_mapping.hpp), the last byte first.
  virtual std::span<const std::uint8_t> map() { return {}; }
  // Maps bytes of the file in place of pages of the caller's memory, as GuardedMapping does, if the file system can;
  // returns whether. check_mapping() tells afterwards whether they stayed what they were. Not thread-safe.
  virtual bool map_in_place(std::uint64_t, std::span<std::uint8_t>) { return false; }
  // Unloads the mapped pages from this process's memory; later reads load them again. Thread-safe.
  virtual void release_pages() const {}
  // Throws if mapped bytes became zeros: FormatError if the file is shorter than it was, otherwise IoError. A system
  // call, for readers that found a mapping different from what it was. Thread-safe.
  virtual void check_mapping() const {}
  // Throws if something has written to the file since it was opened, unless it grew: FormatError if it is shorter than
  // it was, otherwise IoError. Thread-safe.
  virtual void check_unchanged() const {}

  // As read_at, but throws IoError naming path and offset if fewer bytes come ("the file shrank").
  void read_exactly(std::uint64_t offset, std::span<std::uint8_t> out) const;
};

// Appends. Not thread-safe. Destruction without close() discards unwritten bytes and never throws.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual void append(std::span<const std::uint8_t> bytes) = 0;  // throws IoError; for ENOSPC it names a remedy
  // Appends `bytes` (at least 1) bytes that the caller fills later, in any thread, before the file is read. Returns an
  // empty span and appends nothing if the file is not in memory.
  virtual std::span<std::uint8_t> extend(std::size_t) { return {}; }
  // Says that the file probably gets `bytes` bytes: takes space for them, so that appending them takes less time.
  // sync() and close() give back what was not used. Returns whether the space is there; never fails.
  virtual bool reserve(std::uint64_t) { return false; }
  virtual void sync() = 0;  // fsync; a failure is final
  virtual void close() = 0;
  virtual std::uint64_t size() const = 0;  // appended so far
  virtual const std::string& path() const = 0;
};

// Sequential reads of inputs without a size (standard input, FIFOs), or of any file from its start.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads up to out.size() bytes and returns their number; 0 at the end. Throws IoError.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  virtual const std::string& path() const = 0;
  // Sets a function that is called a few times a second while a read waits for bytes. It may throw, which ends the
  // read.
  void set_wait_check(std::function<void()> check) { wait_check_ = std::move(check); }

 protected:
  std::function<void()> wait_check_;
};

// An advisory lock, held until its destruction.
class FileLock {
 public:
  virtual ~FileLock() = default;
  // Whether the locked file is still at the path by which it was locked: not if its directory was moved.
  virtual bool is_in_place() const noexcept = 0;
};

enum class FileType { kRegular, kDirectory, kFifo, kSocket, kDevice };
// "a regular file", "a directory", ...
std::string_view name_of(FileType type);

struct FileStatus {
  FileType type = FileType::kRegular;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

struct DirectoryEntry {
  std::string_view name;
  std::optional<FileType> type;  // nullopt: a link
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<ReadableFile> open(const std::string& path) = 0;
  virtual std::unique_ptr<ByteStream> open_stream(const std::string& path) = 0;       // "-" is standard input
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;          // O_EXCL
  virtual std::unique_ptr<WritableFile> create_private(const std::string& path) = 0;  // as create, for its owner alone
  virtual std::optional<FileStatus> status(const std::string& path) = 0;  // follows links; nullopt if nothing is there
  virtual std::vector<std::string> list(const std::string& directory) = 0;  // names without . and .., in byte order
  // Calls visit(entry) for each entry but . and .., in any order, and keeps none. The name lives as long as the call.
  virtual void visit_entries(const std::string& directory, const std::function<void(const DirectoryEntry&)>& visit);
  virtual bool is_link(const std::string& path) = 0;
  virtual bool is_mount_point(const std::string& path) = 0;          // false if nothing is there
  virtual void make_directory(const std::string& path) = 0;          // must not exist
  virtual void make_private_directory(const std::string& path) = 0;  // as make_directory, for its owner alone
  // Makes a directory for its owner alone, named `prefix` and six letters or digits that nobody can guess. Returns its
  // path.
  virtual std::string make_unique_directory(const std::string& prefix) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Renames a file, atomically, unless `to` exists (also as a link to nothing): then returns false and does nothing.
  virtual bool rename_to_new(const std::string& from, const std::string& to) = 0;
  // Exchanges two paths atomically: both exist at any moment. Returns false, and does nothing, if the file system
  // cannot. Does not follow links.
  virtual bool exchange(const std::string& a, const std::string& b) = 0;
  virtual void remove(const std::string& path) = 0;  // a file, a link or an empty directory. Thread-safe
  virtual void sync_directory(const std::string& path) = 0;
  // Creates a file for its owner alone, which appears at `path` with its content synced and its lock held. Returns
  // nullptr if something is there already. Throws IoError, also if the file system has no locks.
  virtual std::unique_ptr<FileLock> create_lock(const std::string& path, std::string_view content) = 0;
  // Locks the regular file at `path`; does not follow links. Returns nullptr if another process holds the lock. Throws
  // IoError, also if the file system has no locks.
  virtual std::unique_ptr<FileLock> try_lock(const std::string& path) = 0;
  virtual std::uint64_t free_bytes(const std::string& directory) = 0;
  // Whether files there are pages of memory (tmpfs), which take half of the time of a write to make.
  virtual bool is_in_memory(const std::string&) { return false; }
  // Returns the absolute path without links, of a link to nothing the path that it names. Components that do not exist
  // yet are appended as written to the resolved parent.
  virtual std::string resolve(const std::string& path) = 0;
};

// Returns the directory that holds the last component of `path`, by its letters alone.
std::string parent_directory(const std::string& path);
// Reads a small regular file to its end, whatever size it claims to have. Throws IoError above `max_bytes`.
std::string read_file(FileSystem& files, const std::string& path, std::size_t max_bytes = std::size_t{1} << 26);
// Reads anything that open_stream() opens to its end. `wait_check` as in ByteStream. Throws IoError above `max_bytes`.
std::string read_stream(FileSystem& files, const std::string& path, std::size_t max_bytes,
                        std::function<void()> wait_check);
// Syncs and closes all files concurrently, so that a journaling file system needs few commits. After all are closed,
// rethrows the error of the first file, in the order given, that failed.
void sync_and_close(std::span<WritableFile* const> files);

}  // namespace spillway
