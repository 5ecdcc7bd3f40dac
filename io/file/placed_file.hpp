// The output file of a sort: several threads write at places, and a file appears, or gets other content, once that is
// whole. So an input may be named as output, and survives whatever ends the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "io/base/error.hpp"
#include "io/file/descriptor.hpp"
#include "io/file/direct_file.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// What failed, "open" for example, and the number of the system's error.
struct PlacedFileError : IoError {
  PlacedFileError(std::string failed_action, int system_error, std::string failed_path);
  std::string action, path;
  int number;
};

class PlacedFile {
 public:
  // Regular files get their content by finish(): until then it has no name, or another one in the same directory.
  // Writes go to the file itself for devices and pipes, for what standard output or error write to, and where another
  // file could not take its name or its owner; a new file is then removed unless it is finished. A shortage (of space,
  // descriptors or memory) and a failing device are errors, and never a reason to write to the file itself. `check` is
  // called where a signal interrupts what waits; it may throw. Throws PlacedFileError for what cannot be written.
  PlacedFile(FileSystem& files, const std::string& path, std::function<void()> check);
  ~PlacedFile();
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;

  // Whether writes change what is read from `path`, "-" for standard input.
  bool overwrites(const std::string& path) const;
  // Whether finish() takes the name of the file that is read from `path`, or may do so, if the system does not tell.
  bool replaces(const std::string& path) const;
  // Whether write_at() can be used; if not, append().
  bool has_places() const { return has_places_; }
  // Says that `bytes` bytes are to be written at their places, if nothing fails. Where the file system takes it, space
  // is allocated at once, so that writes through the page cache need a fifth less time. What was written before may be
  // lost.
  void expect_all(std::uint64_t bytes);
  // Says, while no write is under way, that all writes up to the next call go to this range, and fill it; an empty
  // range ends that. Where the file system takes it, threads then copy into the file's pages side by side, where calls
  // of write() to one file wait for each other. Returns whether they do.
  bool expect(std::uint64_t offset, std::size_t bytes);
  // From now on write_at() goes past the page cache, where the file system can, and expect() maps nothing. Requires:
  // nothing was written yet.
  void write_directly();
  // Thread-safe. Throws PlacedFileError.
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  // For one thread at a time. Throws PlacedFileError.
  void append(std::span<const std::uint8_t> bytes);
  // Brings to the disk what was written, so that finish() only gives it its name. Requires: no write is under way.
  // Throws PlacedFileError.
  void sync_content();
  // Cuts off what was there after `bytes` bytes, and gives new content the name. `syncs`: before the name is taken from
  // other content, so that a power failure loses only one of both. Throws PlacedFileError.
  void finish(std::uint64_t bytes, bool syncs);

 private:
  void open(FileSystem& files);
  void open_itself(int flags);
  void open_new();
  bool open_nameless(mode_t mode);
  bool open_beside();
  void discard_beside();
  bool keep_attributes() const;
  void unmap();
  void allocate(std::uint64_t end);
  void complete();
  void sync() const;
  void take_name(bool syncs);
  void replace();
  void copy_to_target();
  [[noreturn]] void fail(const char* action) const;

  std::string path_, target_, temporary_;  // temporary_: the name of what replaces the target, if it has one
  std::function<void()> check_;
  FileDescriptor file_;
  bool has_places_ = false, is_nameless_ = false, is_created_ = false, is_finished_ = false, is_allocated_ = false;
  bool replaces_ = false;  // the target, by a rename
  // What is expected, and mapped: pages from before `mapped_offset_`.
  std::span<std::uint8_t> pages_;
  std::uint64_t mapped_offset_ = 0;
  std::span<std::uint8_t> mapped_;
  std::optional<DirectWriter> direct_;
  std::mutex allocating_;
  std::atomic<std::uint64_t> allocated_{0};  // the size of the file, if it is written directly
};

// Whether a descriptor writes to the regular file or disk that is read from `path`, "-" for standard input.
bool is_same_file(int descriptor, const std::string& path);

}  // namespace spillway
