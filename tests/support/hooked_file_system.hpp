// A file system that calls a function before it opens a file: for tests in which something changes in the middle of a
// job.
#pragma once

#include <functional>
#include <utility>

#include "io/file/file_system.hpp"

namespace spillway::testing {

class HookedFileSystem final : public FileSystem {
 public:
  HookedFileSystem(FileSystem& files, std::function<void(const std::string& path)> before_open)
      : files_(files), before_open_(std::move(before_open)) {}

  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    before_open_(path);
    return files_.open(path);
  }
  std::unique_ptr<ByteStream> open_stream(const std::string& path) override { return files_.open_stream(path); }
  std::unique_ptr<WritableFile> create(const std::string& path) override { return files_.create(path); }
  std::unique_ptr<WritableFile> create_private(const std::string& path) override { return files_.create_private(path); }
  std::optional<FileStatus> status(const std::string& path) override { return files_.status(path); }
  std::vector<std::string> list(const std::string& directory) override { return files_.list(directory); }
  bool is_link(const std::string& path) override { return files_.is_link(path); }
  bool is_mount_point(const std::string& path) override { return files_.is_mount_point(path); }
  void make_directory(const std::string& path) override { files_.make_directory(path); }
  void make_private_directory(const std::string& path) override { files_.make_private_directory(path); }
  std::string make_unique_directory(const std::string& prefix) override { return files_.make_unique_directory(prefix); }
  void rename(const std::string& from, const std::string& to) override { files_.rename(from, to); }
  bool rename_to_new(const std::string& from, const std::string& to) override { return files_.rename_to_new(from, to); }
  bool exchange(const std::string& a, const std::string& b) override { return files_.exchange(a, b); }
  void remove(const std::string& path) override { files_.remove(path); }
  void sync_directory(const std::string& path) override { files_.sync_directory(path); }
  std::unique_ptr<FileLock> create_lock(const std::string& path, std::string_view content) override {
    return files_.create_lock(path, content);
  }
  std::unique_ptr<FileLock> try_lock(const std::string& path) override { return files_.try_lock(path); }
  std::uint64_t free_bytes(const std::string& directory) override { return files_.free_bytes(directory); }
  bool is_in_memory(const std::string& directory) override { return files_.is_in_memory(directory); }
  std::string resolve(const std::string& path) override { return files_.resolve(path); }

 private:
  FileSystem& files_;
  std::function<void(const std::string& path)> before_open_;
};

}  // namespace spillway::testing
