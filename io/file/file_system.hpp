// The seam between Spillway and files: every read, write, sync and rename of data goes through these interfaces, so
// that tests can put an in-memory file system below them that fails on the nth call or stops at any point.
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

// Random-access reads; thread-safe.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `out` from `offset` on; returns fewer bytes only at the end of the file. Throws IoError.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const = 0;
  virtual std::uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
  // Bytes [offset, offset + bytes) where they already stand in memory, one behind the other; else empty. They live as
  // long as this object.
  virtual std::span<const std::uint8_t> view(std::uint64_t, std::size_t) const { return {}; }
  // The whole file as memory that lives as long as this object, where the file system can; else empty.
  // Holds no descriptor from then on. Requires: no other thread reads from this object yet.
  virtual std::span<const std::uint8_t> map() { return {}; }
  // Takes the mapped pages out of this process's memory; what is read again comes from the file again. Thread-safe.
  virtual void release_pages() const {}

  // As read_at, but anything short is an IoError that names path and offset ("the file shrank").
  void read_exactly(std::uint64_t offset, std::span<std::uint8_t> out) const;
};

// Appends; not thread-safe. Destruction without close() discards what was not written out, never throws.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual void append(std::span<const std::uint8_t> bytes) = 0;  // throws IoError (ENOSPC names the remedy)
  // Appends `bytes` (at least 1) that the caller fills, in any thread, before the file is read; empty, and nothing is
  // appended, where the file is not in memory.
  virtual std::span<std::uint8_t> extend(std::size_t) { return {}; }
  virtual void sync() = 0;  // fsync; a failure is final
  virtual void close() = 0;
  virtual std::uint64_t size() const = 0;  // appended so far
  virtual const std::string& path() const = 0;
};

// Forward reads of what has no size: standard input, FIFOs. Also any file from its start.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Up to out.size() bytes; 0 at the end. Throws IoError.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  virtual const std::string& path() const = 0;
  // Called a few times a second while a read waits for bytes; may throw, which ends the read.
  void set_wait_check(std::function<void()> check) { wait_check_ = std::move(check); }

 protected:
  std::function<void()> wait_check_;
};

// An advisory lock, held until destroyed.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class FileType { kRegular, kDirectory, kFifo, kOther };

struct FileStatus {
  FileType type = FileType::kOther;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<ReadableFile> open(const std::string& path) = 0;
  virtual std::unique_ptr<ByteStream> open_stream(const std::string& path) = 0;  // "-" is standard input
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;     // O_EXCL
  virtual std::optional<FileStatus> status(const std::string& path) = 0;         // follows links; nullopt: not there
  virtual std::vector<std::string> list(const std::string& directory) = 0;       // names, in byte order, no . and ..
  virtual bool is_link(const std::string& path) = 0;
  virtual void make_directory(const std::string& path) = 0;  // must not exist
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Makes each of two paths name what the other one did, in one step: at any moment both are there. False, and nothing
  // is done, where the file system cannot. Links are not followed.
  virtual bool exchange(const std::string& a, const std::string& b) = 0;
  virtual void remove(const std::string& path) = 0;       // a file or an empty directory
  virtual void remove_tree(const std::string& path) = 0;  // nothing there is no error; links are not followed
  virtual void sync_directory(const std::string& path) = 0;
  // nullptr where another process holds it. Creates the file.
  virtual std::unique_ptr<FileLock> try_lock(const std::string& path) = 0;
  virtual std::uint64_t free_bytes(const std::string& directory) = 0;
  // The absolute, link-free form of `path`; what does not exist yet is kept as written below its existing parent.
  virtual std::string resolve(const std::string& path) = 0;
};

// Whole small files. read_file throws IoError above `max_bytes`.
std::string read_file(FileSystem& files, const std::string& path, std::size_t max_bytes = std::size_t{1} << 26);
// Syncs and closes all of them, at the same time: a file system that commits by journal then needs few commits. Throws
// what the first of them in order that failed has thrown, once all are through.
void sync_and_close(std::span<WritableFile* const> files);

// Writes `path`.tmp, syncs, renames to `path`, syncs the directory.
void write_file_durably(FileSystem& files, const std::string& path, std::string_view bytes);

}  // namespace spillway
