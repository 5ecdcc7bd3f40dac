#include "io/file/posix_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/guarded_mapping.hpp"
#include "io/file/space_ahead.hpp"
#include "io/file/system_error.hpp"

namespace spillway {

namespace {

struct stat status_of(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_system_error(errno, "examine", path);
  return status;
}

[[noreturn]] void throw_wrong_kind(const std::string& path, std::string_view expected, mode_t found) {
  throw IoError("cannot read " + printable(path, 4096) + ": expected " + std::string(expected) + ", found " +
                std::string(name_of(type_of(found))) + "; name a file");
}

// O_NONBLOCK: opening a FIFO without a writer must not wait. It has no effect on regular files.
FileDescriptor open_for_reading(const std::string& path, std::string_view expected) {
  try {
    return open_descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, "open");
  } catch (const IoError&) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) throw_wrong_kind(path, expected, found.st_mode);
    throw;
  }
}

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(FileDescriptor file, std::string path, const struct stat& status)
      : file_(std::move(file)),
        path_(std::move(path)),
        size_(static_cast<std::uint64_t>(status.st_size)),
        device_(status.st_dev),
        inode_(status.st_ino),
        changed_(status.st_mtim) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    constexpr auto kMaxOffset = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    std::size_t done = 0;
    if (mapping_) return copy_mapped(offset, out);
    while (done < out.size() && offset + done >= offset && offset + done < kMaxOffset) {
      const std::size_t wanted = std::min(out.size() - done, kMaxTransferBytes);
      const ssize_t got = retry_interrupted(
          [&] { return ::pread(file_.get(), out.data() + done, wanted, static_cast<off_t>(offset + done)); });
      if (got < 0) throw_system_error(errno, "read at offset " + std::to_string(offset + done) + " of", path_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

  std::span<const std::uint8_t> map() override {
    std::call_once(map_once_, [&] {
      if (size_ == 0) return;
      mapping_.emplace(file_.get(), size_);
      if (mapping_->bytes().empty()) {
        mapping_.reset();
      } else {
        file_.close();
      }
    });
    return mapping_ ? mapping_->bytes() : std::span<const std::uint8_t>();
  }
  bool map_in_place(std::uint64_t offset, std::span<std::uint8_t> where) override {
    auto mapping = std::make_unique<GuardedMapping>(file_.get(), offset, where);
    if (mapping->bytes().empty()) return false;
    in_place_.push_back(std::move(mapping));
    return true;
  }
  void release_pages() const override {
    if (mapping_) mapping_->release_pages();
  }
  void check_mapping() const override {
    if (mapping_) {
      struct stat now {};
      const bool is_there = ::stat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
      check_mapping(*mapping_, is_there ? &now : nullptr);
    }
    if (in_place_.empty()) return;
    const struct stat now = status_of(file_, path_);
    for (const auto& mapping : in_place_) check_mapping(*mapping, &now);
    check_unchanged(now);
  }
  void check_unchanged() const override {
    const struct stat now = status_of(file_, path_);
    check_size(now);
    check_unchanged(now);
  }

 private:
  // A file that grows meanwhile, as logs do, keeps the bytes that were read.
  void check_unchanged(const struct stat& now) const {
    const bool is_same = now.st_mtim.tv_sec == changed_.tv_sec && now.st_mtim.tv_nsec == changed_.tv_nsec;
    if (!is_same && static_cast<std::uint64_t>(now.st_size) == size_) {
      throw IoError("cannot read " + printable(path_, 4096) +
                    ": expected the bytes that it had when it was opened, found that it was written to meanwhile; " +
                    "start again when nothing writes to it");
    }
  }
  void check_size(const struct stat& now) const {
    if (static_cast<std::uint64_t>(now.st_size) >= size_) return;
    throw FormatError(printable(path_, 4096) + " at byte " + std::to_string(now.st_size) + ": expected " +
                      std::to_string(size_) +
                      " bytes as when it was opened, found the end; it was truncated while it was read: restore it " +
                      "from a copy or make it again");
  }
  void check_mapping(const GuardedMapping& mapping, const struct stat* now) const {
    if (now != nullptr) check_size(*now);
    if (const auto lost = mapping.lost_from()) {
      throw IoError("cannot read at offset " + std::to_string(*lost) + " of " + printable(path_, 4096) +
                    ": the device failed, or the file was truncated meanwhile; see the kernel log");
    }
  }
  std::size_t copy_mapped(std::uint64_t offset, std::span<std::uint8_t> out) const {
    if (offset >= size_) return 0;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
    std::copy_n(mapping_->bytes().data() + offset, count, out.data());
    check_mapping();
    return count;
  }
  FileDescriptor file_;
  std::string path_;
  std::uint64_t size_;
  dev_t device_;
  ino_t inode_;
  timespec changed_;
  std::once_flag map_once_;
  std::optional<GuardedMapping> mapping_;
  std::vector<std::unique_ptr<GuardedMapping>> in_place_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  void append(std::span<const std::uint8_t> bytes) override {
    require_usable();
    while (!bytes.empty()) {
      const std::size_t wanted = std::min(bytes.size(), kMaxTransferBytes);
      const ssize_t put = retry_interrupted([&] { return ::write(file_.get(), bytes.data(), wanted); });
      // Without this check, a device that accepts no bytes and reports no error would loop forever.
      if (put <= 0) fail(put == 0 ? ENOSPC : errno, "write at offset " + std::to_string(size_) + " of");
      size_ += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }
  bool reserve(std::uint64_t bytes) override {
    return !failed_ && file_.valid() && space_.reserve(file_.get(), size_, bytes);
  }
  void sync() override {
    require_usable();
    give_back_space();
    if (retry_interrupted([&] { return ::fsync(file_.get()); }) != 0) fail(errno, "bring to disk");
  }
  void close() override {
    require_usable();
    give_back_space();
    const int error = file_.close();
    if (error != 0) fail(error, "close");
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  [[noreturn]] void fail(int error, const std::string& action) {
    failed_ = true;
    throw_system_error(error, action, path_);
  }
  // After a failed write or sync the contents of the disk are unknown, so no later operation may succeed.
  void require_usable() const {
    if (failed_) throw IoError(printable(path_, 4096) + ": an earlier write to it failed; start again");
    if (!file_.valid()) throw std::logic_error("write to a closed file: " + path_);
  }
  void give_back_space() {
    const int error = space_.give_back(file_.get(), size_);
    if (error != 0) fail(error, "give back unused space of");
  }
  FileDescriptor file_;
  std::string path_;
  FileSpace space_;
  std::uint64_t size_ = 0;
  bool failed_ = false;
};

class PosixByteStream final : public ByteStream {
 public:
  PosixByteStream(FileDescriptor owned, int number, std::string path)
      : owned_(std::move(owned)), number_(number), path_(std::move(path)) {}

  std::size_t read(std::span<std::uint8_t> out) override {
    const std::size_t wanted = std::min(out.size(), kMaxTransferBytes);
    for (;;) {
      wait_until_readable();
      const ssize_t got = ::read(number_, out.data(), wanted);
      if (got >= 0) {
        offset_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        throw_system_error(errno, "read at offset " + std::to_string(offset_) + " of", path_);
      }
    }
  }
  const std::string& path() const override { return path_; }

 private:
  // Returns once read() would not block: bytes have come, the input has ended, or read() will report an error.
  void wait_until_readable() const {
    constexpr int kCheckMs = 200;
    for (;;) {
      pollfd waiting{number_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, kCheckMs);
      if (ready > 0) return;
      if (ready < 0 && errno != EINTR) throw_system_error(errno, "wait for", path_);
      if (wait_check_) wait_check_();
    }
  }
  FileDescriptor owned_;
  int number_;
  std::string path_;
  std::uint64_t offset_ = 0;
};

bool is_at(const FileDescriptor& file, const std::string& path) {
  struct stat held {
  }, named{};
  return ::fstat(file.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 && named.st_ino == held.st_ino &&
         named.st_dev == held.st_dev;
}

class PosixFileLock final : public FileLock {
 public:
  PosixFileLock(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  bool is_in_place() const noexcept override { return is_at(file_, path_); }

 private:
  FileDescriptor file_;  // closing it ends the lock
  std::string path_;
};

// Returns false if another descriptor holds the lock.
bool lock_descriptor(const FileDescriptor& file, const std::string& path) {
  if (retry_interrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  if (errno != ENOLCK && errno != ENOSYS && errno != EOPNOTSUPP && errno != EINVAL) {
    throw_system_error(errno, "lock", path);
  }
  throw IoError("cannot lock " + printable(path, 4096) + ": " + std::generic_category().message(errno) +
                "; this file system has no locks, which keep jobs out of each other's files: mount it with locks, or "
                "name a directory on another one");
}

// Returns false if another descriptor holds the lock.
bool lock_and_fill(const FileDescriptor& file, const std::string& path, std::string_view content) {
  if (!lock_descriptor(file, path)) return false;
  while (!content.empty()) {
    const ssize_t put = retry_interrupted([&] { return ::write(file.get(), content.data(), content.size()); });
    if (put <= 0) throw_system_error(put < 0 ? errno : ENOSPC, "write", path);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  if (retry_interrupted([&] { return ::fsync(file.get()); }) != 0) throw_system_error(errno, "bring to disk", path);
  return true;
}

// Makes the lock without a name first, so that no process ever sees an unfinished one. Returns an invalid descriptor if
// something is at `path` or the file system (such as NFS) has no files without names.
FileDescriptor create_lock_at_once(const std::string& path, std::string_view content) {
  FileDescriptor file;
  try {
    file = open_descriptor(parent_directory(path), O_TMPFILE | O_RDWR, "create a lock in", kPrivateFileMode);
  } catch (const IoError&) {
    return file;
  }
  lock_and_fill(file, path, content);
  const std::string nameless = "/proc/self/fd/" + std::to_string(file.get());
  if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return file;
  return FileDescriptor();
}

}  // namespace

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISDIR(mode)) return FileType::kDirectory;
  if (S_ISFIFO(mode)) return FileType::kFifo;
  return S_ISSOCK(mode) ? FileType::kSocket : FileType::kDevice;
}

std::unique_ptr<ReadableFile> open_posix_file(const std::string& path) {
  constexpr std::string_view kExpected = "a regular file";
  FileDescriptor file = open_for_reading(path, kExpected);
  const struct stat status = status_of(file, path);
  if (!S_ISREG(status.st_mode)) throw_wrong_kind(path, kExpected, status.st_mode);
  return std::make_unique<PosixReadableFile>(std::move(file), path, status);
}

std::unique_ptr<ByteStream> open_posix_stream(const std::string& path) {
  if (path == "-") return std::make_unique<PosixByteStream>(FileDescriptor(), STDIN_FILENO, "standard input");
  constexpr std::string_view kExpected = "a file, FIFO or device";
  FileDescriptor file = open_for_reading(path, kExpected);
  const struct stat status = status_of(file, path);
  if (S_ISDIR(status.st_mode)) throw_wrong_kind(path, kExpected, status.st_mode);
  const int number = file.get();
  return std::make_unique<PosixByteStream>(std::move(file), number, path);
}

std::unique_ptr<WritableFile> create_posix_file(const std::string& path, mode_t mode) {
  return std::make_unique<PosixWritableFile>(open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL, "create", mode), path);
}

std::unique_ptr<FileLock> create_posix_lock(const std::string& path, std::string_view content) {
  FileDescriptor file = create_lock_at_once(path, content);
  if (file.valid()) return std::make_unique<PosixFileLock>(std::move(file), path);
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return nullptr;
  file = open_descriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "create the lock", kPrivateFileMode);
  try {
    if (!lock_and_fill(file, path, content)) return nullptr;
  } catch (const IoError&) {
    ::unlink(path.c_str());
    throw;
  }
  return std::make_unique<PosixFileLock>(std::move(file), path);
}

std::unique_ptr<FileLock> try_posix_lock(const std::string& path) {
  for (;;) {
    // O_NONBLOCK: should a FIFO or a device be there, opening it must not wait. O_RDWR: NFS locks no others.
    FileDescriptor file = open_descriptor(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, "open the lock");
    const struct stat held = status_of(file, path);
    if (!S_ISREG(held.st_mode)) throw_wrong_kind(path, "a regular file", held.st_mode);
    if (!lock_descriptor(file, path)) return nullptr;
    // The previous holder may have removed the file between our open and our lock; such a lock protects nothing.
    if (is_at(file, path)) return std::make_unique<PosixFileLock>(std::move(file), path);
  }
}

}  // namespace spillway
