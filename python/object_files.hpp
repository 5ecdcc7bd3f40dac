// Objects of object stores as files: a path that is a URL is read through Python (spillway/objects/source.py), which
// fetches ranges ahead. Every other path, and all writing, is for the file system below.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway::python {

// Whether a path names an object: s3://, gs:// or hdfs://.
bool is_url(const std::string& path);

// Its functions may be called in any thread, without the interpreter's lock.
class ObjectFileSystem final : public FileSystem {
 public:
  // `local` and `signal_number`, which is not 0 once the job is to end, must outlive this object.
  ObjectFileSystem(FileSystem& local, const std::atomic<int>& signal_number);
  ~ObjectFileSystem() override;

  // Tells Python the inputs, so that it asks for several at once. Returns the bytes that reading ahead takes of a
  // budget (0: the default one): none if no input is a URL, or a list of URLs.
  std::size_t expect(const std::vector<std::string>& inputs, std::uint64_t memory_bytes);

  std::unique_ptr<ReadableFile> open(const std::string& path) override;
  std::unique_ptr<ByteStream> open_stream(const std::string& path) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override { return local_.create(path); }
  std::unique_ptr<WritableFile> create_private(const std::string& path) override { return local_.create_private(path); }
  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& directory) override;
  void visit_entries(const std::string& directory, const std::function<void(const DirectoryEntry&)>& visit) override;
  bool is_link(const std::string& path) override { return !is_url(path) && local_.is_link(path); }
  bool is_mount_point(const std::string& path) override { return !is_url(path) && local_.is_mount_point(path); }
  void make_directory(const std::string& path) override { local_.make_directory(path); }
  void make_private_directory(const std::string& path) override { local_.make_private_directory(path); }
  std::string make_unique_directory(const std::string& prefix) override { return local_.make_unique_directory(prefix); }
  void rename(const std::string& from, const std::string& to) override { local_.rename(from, to); }
  bool rename_to_new(const std::string& from, const std::string& to) override { return local_.rename_to_new(from, to); }
  bool exchange(const std::string& a, const std::string& b) override { return local_.exchange(a, b); }
  void remove(const std::string& path) override { local_.remove(path); }
  void sync_directory(const std::string& path) override { local_.sync_directory(path); }
  std::unique_ptr<FileLock> create_lock(const std::string& path, std::string_view content) override {
    return local_.create_lock(path, content);
  }
  std::unique_ptr<FileLock> try_lock(const std::string& path) override { return local_.try_lock(path); }
  std::uint64_t free_bytes(const std::string& directory) override { return local_.free_bytes(directory); }
  std::string resolve(const std::string& path) override { return is_url(path) ? path : local_.resolve(path); }

 private:
  // Makes the source at its first use. Requires: the lock.
  const nanobind::object& source();

  FileSystem& local_;
  // nullptr once this object is gone: threads of Python may ask even then.
  std::shared_ptr<const std::atomic<int>*> signal_number_;
  nanobind::object source_;
};

}  // namespace spillway::python
