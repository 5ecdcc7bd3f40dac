#include "io/file/placed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/file/unique_name.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;

FileDescriptor open_to_write(const std::string& path, int flags, mode_t mode) {
  return above_standard_streams(FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, mode)));
}

}  // namespace

PlacedFileError::PlacedFileError(std::string failed_action, int system_error, std::string failed_path)
    : IoError("cannot " + failed_action + " " + printable(failed_path, 4096) + ": " + std::strerror(system_error)),
      action(std::move(failed_action)),
      path(std::move(failed_path)),
      number(system_error) {}

int write_all_at(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retry_interrupted([&] {
      return ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kMaxTransferBytes), static_cast<off_t>(offset));
    });
    // A device that takes no bytes and reports no error is full.
    if (put <= 0) return put == 0 ? ENOSPC : errno;
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

PlacedFile::PlacedFile(FileSystem& files, const std::string& path, std::function<void()> check)
    : path_(path), check_(std::move(check)) {
  open(files);
}

void PlacedFile::open(FileSystem& files) {
  struct stat before = {};
  const bool exists = ::stat(path_.c_str(), &before) == 0;
  const bool is_new = !exists && errno == ENOENT && !path_.empty() && !path_.ends_with('/');
  if (!is_new && !(exists && S_ISREG(before.st_mode))) return open_itself(O_CREAT | O_NOCTTY);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail("open");
  target_ = files.resolve(path_);
  if (is_new) return open_new();
  if (before.st_size != 0 && open_beside()) return keep_attributes();
  open_itself(0);
}

PlacedFile::~PlacedFile() {
  if (!temporary_.empty()) static_cast<void>(::unlink(temporary_.c_str()));
  if (is_created_ && !is_finished_) static_cast<void>(::unlink(target_.c_str()));
}

void PlacedFile::fail(const char* action) const { throw PlacedFileError(action, errno, path_); }

void PlacedFile::open_itself(int flags) {
  // A pipe without a reader lets open() wait.
  do {
    check_();
    file_ = open_to_write(path_, flags, kFileMode);
  } while (!file_.valid() && errno == EINTR);
  if (!file_.valid()) fail("open");
  struct stat status = {};
  has_places_ = ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode);
}

void PlacedFile::open_new() {
  is_nameless_ = has_places_ = open_nameless(kFileMode);
  if (is_nameless_) return;
  open_itself(O_CREAT);
  is_created_ = true;
}

bool PlacedFile::open_nameless(mode_t mode) {
  // Without /proc it could not get a name later.
  if (::access("/proc/self/fd", X_OK) == 0) file_ = open_to_write(parent_directory(target_), O_TMPFILE, mode);
  return file_.valid();
}

bool PlacedFile::open_beside() {
  is_nameless_ = open_nameless(kPrivateFileMode);
  if (!is_nameless_) {
    const std::string name = unique_name(target_);
    file_ = open_to_write(name, O_CREAT | O_EXCL, kPrivateFileMode);
    if (file_.valid()) temporary_ = name;
  }
  replaces_ = has_places_ = file_.valid();
  return replaces_;
}

void PlacedFile::keep_attributes() const {
  struct stat status = {};
  if (::stat(target_.c_str(), &status) != 0) return;
  // Only root may give a file away.
  if (::fchown(file_.get(), status.st_uid, status.st_gid) != 0) {
    static_cast<void>(::fchown(file_.get(), static_cast<uid_t>(-1), status.st_gid));
  }
  static_cast<void>(::fchmod(file_.get(), status.st_mode & 07777));
}

void PlacedFile::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  errno = write_all_at(file_.get(), offset, bytes);
  if (errno != 0) fail("write");
}

void PlacedFile::append(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.get(), bytes.data(), std::min(bytes.size(), kMaxTransferBytes));
    if (put < 0 && errno == EINTR) {
      check_();
      continue;
    }
    if (put == 0) errno = ENOSPC;
    if (put <= 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void PlacedFile::finish(std::uint64_t bytes) {
  const bool is_cut = has_places_ && !replaces_ && !is_nameless_;
  if (is_cut && ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail("write");
  if (replaces_ && retry_interrupted([&] { return ::fsync(file_.get()); }) != 0) fail("write");
  if (is_nameless_) take_name();
  if (replaces_) replace();
  is_finished_ = true;
  if (const int error = file_.close(); error != 0) throw PlacedFileError("close", error, path_);
}

void PlacedFile::take_name() {
  const std::string link = "/proc/self/fd/" + std::to_string(file_.get());
  const auto name_it = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (!replaces_ && name_it(target_)) return;
  if (!replaces_ && errno != EEXIST) fail("write");
  replaces_ = true;  // what was there before, or came meanwhile
  const std::string name = unique_name(target_);
  if (!name_it(name)) fail("write");
  temporary_ = name;
}

void PlacedFile::replace() {
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename");
  temporary_.clear();
}

}  // namespace spillway
