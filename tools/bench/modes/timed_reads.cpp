#include "tools/bench/modes/timed_reads.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace spillway {

namespace {

template <typename Read>
std::size_t timed(ReadTimes& times, Read read) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t bytes = read();
  times.nanoseconds += static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start).count());
  times.bytes += bytes;
  return bytes;
}

class TimedFile final : public ReadableFile {
 public:
  TimedFile(std::unique_ptr<ReadableFile> file, ReadTimes& times) : file_(std::move(file)), times_(times) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    return timed(times_, [&] { return file_->read_at(offset, out); });
  }
  std::uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }
  std::span<const std::uint8_t> map() override { return file_->map(); }
  void release_pages() const override { file_->release_pages(); }
  void check_mapping() const override { file_->check_mapping(); }

 private:
  std::unique_ptr<ReadableFile> file_;
  ReadTimes& times_;
};

class TimedStream final : public ByteStream {
 public:
  TimedStream(std::unique_ptr<ByteStream> stream, ReadTimes& times) : stream_(std::move(stream)), times_(times) {}
  std::size_t read(std::span<std::uint8_t> out) override {
    stream_->set_wait_check(wait_check_);
    return timed(times_, [&] { return stream_->read(out); });
  }
  const std::string& path() const override { return stream_->path(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  ReadTimes& times_;
};

class TimedReads final : public FileSystem {
 public:
  TimedReads(FileSystem& files, std::vector<std::string> left_out, ReadTimes& times)
      : files_(files), left_out_(std::move(left_out)), times_(times) {}
  std::unique_ptr<ReadableFile> open(const std::string& path) override {
    auto file = files_.open(path);
    if (is_left_out(path)) return file;
    return std::make_unique<TimedFile>(std::move(file), times_);
  }
  std::unique_ptr<ByteStream> open_stream(const std::string& path) override {
    auto stream = files_.open_stream(path);
    if (is_left_out(path)) return stream;
    return std::make_unique<TimedStream>(std::move(stream), times_);
  }
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
  std::string resolve(const std::string& path) override { return files_.resolve(path); }

 private:
  bool is_left_out(const std::string& path) const {
    return std::any_of(left_out_.begin(), left_out_.end(),
                       [&](const std::string& directory) { return path.starts_with(directory + "/"); });
  }
  FileSystem& files_;
  std::vector<std::string> left_out_;
  ReadTimes& times_;
};

}  // namespace

std::unique_ptr<FileSystem> make_timed_reads(FileSystem& files, std::vector<std::string> left_out_directories,
                                             ReadTimes& times) {
  return std::make_unique<TimedReads>(files, std::move(left_out_directories), times);
}

}  // namespace spillway
