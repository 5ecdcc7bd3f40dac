#include "io/file/placed_file.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/xattr.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/unique_name.hpp"

namespace spillway {

namespace {

constexpr std::size_t kCopyBytes = std::size_t{256} << 10;
constexpr std::size_t kLeastMapped = std::size_t{1} << 20;
constexpr std::uint64_t kPageBytes = 4096;
// For direct writes at once: as much as is allocated already, within these bounds, so that a small output takes no more
// of a small disk than others can spare.
constexpr std::uint64_t kLeastAllocated = std::uint64_t{16} << 20, kMostAllocated = std::uint64_t{1} << 30;

FileDescriptor open_to_write(const std::string& path, int flags, mode_t mode) {
  return above_standard_streams(FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, mode)));
}

FileDescriptor open_uninterrupted(const std::string& path, int flags, mode_t mode) {
  return above_standard_streams(
      FileDescriptor(retry_interrupted([&] { return ::open(path.c_str(), O_CLOEXEC | flags, mode); })));
}

// Whether the call failed for want of something or by a broken device, and not because it is not allowed or not known
// here: writing over the old content instead would put that at risk.
bool is_shortage(int error) {
  constexpr std::array kShortages{EIO, ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM};
  return std::ranges::find(kShortages, error) != kShortages.end();
}

// Whether fallocate() promises space without filling it, and a mapping then takes bytes come what may.
bool allocates_at_once(int descriptor) {
  struct statfs status = {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC;
}

// Whether the file is what a standard stream writes to, whose later writers must find it under its name.
bool is_standard_stream(const struct stat& file) {
  return std::ranges::any_of(std::initializer_list<int>{STDOUT_FILENO, STDERR_FILENO}, [&](int descriptor) {
    struct stat stream = {};
    return ::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino;
  });
}

// In a sticky directory only owners, of a file or of the directory, and root may give a name to another file.
bool is_kept_by_sticky_directory(const std::string& path, const struct stat& file) {
  struct stat directory = {};
  if (::stat(parent_directory(path).c_str(), &directory) != 0 || (directory.st_mode & S_ISVTX) == 0) return false;
  const uid_t user = ::geteuid();
  return user != 0 && user != file.st_uid && user != directory.st_uid;
}

// Whether the path names a descriptor of a process, as /dev/fd/3 does: who writes to that must find its file.
bool names_descriptor(std::string path) {
  constexpr int kMostLinks = 40;  // as in the kernel
  for (int links = 0; links != kMostLinks; ++links) {
    struct statfs status = {};
    if (::statfs(parent_directory(path).c_str(), &status) != 0) return false;
    if (static_cast<std::uint32_t>(status.f_type) == PROC_SUPER_MAGIC) return true;
    std::array<char, PATH_MAX> target;
    const ssize_t bytes = ::readlink(path.c_str(), target.data(), target.size());
    if (bytes < 0) return false;
    const std::string_view link(target.data(), static_cast<std::size_t>(bytes));
    path = link.starts_with('/') ? std::string(link) : parent_directory(path) + "/" + std::string(link);
  }
  return false;
}

// The names or the value of extended attributes: calls get(buffer, bytes), first without a buffer for the size. Returns
// nothing if that fails.
template <typename Get>
std::optional<std::string> read_attribute(const Get& get) {
  std::string bytes;
  ssize_t got = get(nullptr, 0);
  while (got > 0) {
    bytes.resize(static_cast<std::size_t>(got));
    got = get(bytes.data(), bytes.size());
    if (got >= 0) break;
    if (errno == ERANGE) got = get(nullptr, 0);  // it grew meanwhile
  }
  if (got < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

// A path, or a descriptor for a file without one.
struct AttributedFile {
  const char* path;
  int descriptor;
};

std::optional<std::string> attribute_names(AttributedFile file) {
  std::optional<std::string> names = read_attribute([&](char* to, std::size_t bytes) {
    return file.path != nullptr ? ::listxattr(file.path, to, bytes) : ::flistxattr(file.descriptor, to, bytes);
  });
  if (!names && errno == ENOTSUP) names.emplace();
  return names;
}

std::optional<std::string> attribute(AttributedFile file, const char* name) {
  return read_attribute([&](char* to, std::size_t bytes) {
    return file.path != nullptr ? ::getxattr(file.path, name, to, bytes)
                                : ::fgetxattr(file.descriptor, name, to, bytes);
  });
}

// Calls take(name) for each of some names, which end with 0, until it returns false; then returns false.
template <typename Take>
bool for_each_name(const std::string& names, const Take& take) {
  for (std::size_t at = 0; at < names.size(); at += std::strlen(names.c_str() + at) + 1) {
    if (!take(names.c_str() + at)) return false;
  }
  return true;
}

// Gives the extended attributes of a file, access control lists among them, to another one, and takes from that those
// that it has of its directory. Writing takes capabilities from any file. Returns false, and sets errno, if that fails.
bool copy_attributes(const std::string& path, int to) {
  const AttributedFile from{path.c_str(), -1}, copy{nullptr, to};
  const std::optional<std::string> wanted = attribute_names(from), present = attribute_names(copy);
  if (!wanted || !present) return false;
  const bool are_dropped = for_each_name(*present, [&](const char* name) {
    return attribute(from, name).has_value() || ::fremovexattr(to, name) == 0 || errno == ENODATA;
  });
  return are_dropped && for_each_name(*wanted, [&](const char* name) {
           if (std::strcmp(name, XATTR_NAME_CAPS) == 0) return true;
           const std::optional<std::string> value = attribute(from, name);
           return value &&
                  (attribute(copy, name) == value || ::fsetxattr(to, name, value->data(), value->size(), 0) == 0);
         });
}

bool is_mount_point(const std::string& path) {
  struct statx status = {};
  return ::statx(AT_FDCWD, path.c_str(), AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool can_be_replaced(const std::string& path, const struct stat& file) {
  return !is_standard_stream(file) && !is_kept_by_sticky_directory(path, file) && !is_mount_point(path);
}

// A file system may tell only when a descriptor is closed that it did not take what was written.
int close_copy(int descriptor) {
  FileDescriptor copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return copy.valid() ? copy.close() : errno;
}

}  // namespace

PlacedFileError::PlacedFileError(std::string failed_action, int system_error, std::string failed_path)
    : IoError("cannot " + failed_action + " " + printable(failed_path, 4096) + ": " + std::strerror(system_error)),
      action(std::move(failed_action)),
      path(std::move(failed_path)),
      number(system_error) {}

bool is_same_file(int descriptor, const std::string& path) {
  struct stat written = {}, read = {};
  if (::fstat(descriptor, &written) != 0 || (!S_ISREG(written.st_mode) && !S_ISBLK(written.st_mode))) return false;
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &read) : ::stat(path.c_str(), &read);
  return failed == 0 && written.st_dev == read.st_dev && written.st_ino == read.st_ino;
}

PlacedFile::PlacedFile(FileSystem& files, const std::string& path, std::function<void()> check)
    : path_(path), check_(std::move(check)) {
  open(files);
}

void PlacedFile::open(FileSystem& files) {
  struct stat before = {};
  const bool exists = ::stat(path_.c_str(), &before) == 0;
  if (!exists && errno != ENOENT) fail("open");
  const bool is_new = !exists && errno == ENOENT && !path_.empty() && !path_.ends_with('/');
  if (!is_new && !(exists && S_ISREG(before.st_mode))) return open_itself(O_CREAT | O_NOCTTY);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail("open");
  if (exists && names_descriptor(path_)) return open_itself(0);
  target_ = files.resolve(path_);
  if (is_new) return open_new();
  if (can_be_replaced(target_, before) && open_beside()) return;
  open_itself(0);
}

PlacedFile::~PlacedFile() {
  unmap();
  if (!temporary_.empty()) static_cast<void>(::unlink(temporary_.c_str()));
  if (is_created_ && !is_finished_) static_cast<void>(::unlink(target_.c_str()));
}

bool PlacedFile::overwrites(const std::string& path) const { return is_same_file(file_.get(), path); }

bool PlacedFile::replaces(const std::string& path) const {
  struct stat old = {}, read = {};
  if (!replaces_ && !is_nameless_) return false;
  if (::stat(target_.c_str(), &old) != 0) return errno != ENOENT;
  if ((path == "-" ? ::fstat(STDIN_FILENO, &read) : ::stat(path.c_str(), &read)) != 0) return errno != ENOENT;
  return old.st_dev == read.st_dev && old.st_ino == read.st_ino;
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
  file_ = open_uninterrupted(target_, O_WRONLY | O_CREAT | O_EXCL, kFileMode);
  is_created_ = has_places_ = file_.valid();
  if (!is_created_) open_itself(O_CREAT);  // another program made it just now
}

bool PlacedFile::open_nameless(mode_t mode) {
  // Without /proc it could not get a name later.
  if (::access("/proc/self/fd", X_OK) != 0) return false;
  file_ = open_uninterrupted(parent_directory(target_), O_RDWR | O_TMPFILE, mode);
  if (!file_.valid() && is_shortage(errno)) fail("open");
  return file_.valid();
}

bool PlacedFile::open_beside() {
  is_nameless_ = open_nameless(kPrivateFileMode);
  if (!is_nameless_) {
    const std::string name = unique_name(target_);
    file_ = open_uninterrupted(name, O_WRONLY | O_CREAT | O_EXCL, kPrivateFileMode);
    if (!file_.valid() && is_shortage(errno)) fail("open");
    if (file_.valid()) temporary_ = name;
  }
  replaces_ = has_places_ = file_.valid();
  if (!replaces_ || keep_attributes()) return replaces_;
  const int error = errno;
  discard_beside();
  errno = error;
  if (is_shortage(error)) fail("open");
  return false;
}

void PlacedFile::discard_beside() {
  file_ = FileDescriptor();
  if (!temporary_.empty()) static_cast<void>(::unlink(temporary_.c_str()));
  temporary_.clear();
  replaces_ = has_places_ = is_nameless_ = false;
}

// Only root may give a file away, for example: then the file itself is written to. Nobody but the owner may open what
// is beside it before it has the mode and the access control list of the target.
bool PlacedFile::keep_attributes() const {
  struct stat status = {};
  return ::stat(target_.c_str(), &status) == 0 && ::fchown(file_.get(), status.st_uid, status.st_gid) == 0 &&
         copy_attributes(target_, file_.get()) && ::fchmod(file_.get(), status.st_mode & 07777) == 0;
}

// A failed allocation is no error here: the write that finds no space reports it.
void PlacedFile::expect_all(std::uint64_t bytes) {
  if (direct_ || !is_nameless_ || bytes < kLeastMapped || !allocates_at_once(file_.get())) return;
  is_allocated_ = true;
  if (::fallocate(file_.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return;
  static_cast<void>(::ftruncate(file_.get(), 0));  // a system that stops in the middle keeps what it has allocated
}

// Only a file without a name is mapped: nobody else can cut it. What cannot be allocated is an error of the write that
// finds no space.
bool PlacedFile::expect(std::uint64_t offset, std::size_t bytes) {
  unmap();
  if (direct_ || !is_nameless_ || bytes < kLeastMapped || !allocates_at_once(file_.get())) return false;
  const std::uint64_t in_page = offset % kPageBytes;
  if (::fallocate(file_.get(), 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) return false;
  void* const pages = ::mmap(nullptr, in_page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(),
                             static_cast<off_t>(offset - in_page));
  if (pages == MAP_FAILED) return false;
  pages_ = {static_cast<std::uint8_t*>(pages), in_page + bytes};
  mapped_ = pages_.subspan(in_page);
  mapped_offset_ = offset;
  return true;
}

void PlacedFile::unmap() {
  if (!pages_.empty()) ::munmap(pages_.data(), pages_.size());
  pages_ = mapped_ = {};
}

void PlacedFile::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (offset >= mapped_offset_ && offset - mapped_offset_ + bytes.size() <= mapped_.size()) {
    if (!bytes.empty()) std::memcpy(mapped_.data() + (offset - mapped_offset_), bytes.data(), bytes.size());
    return;
  }
  if (direct_) allocate(offset + bytes.size());
  errno = direct_ ? direct_->write_at(offset, bytes) : write_all_at(file_.get(), offset, bytes);
  if (errno != 0) fail("write");
}

void PlacedFile::write_directly() {
  if (!has_places_) return;
  direct_.emplace(file_.get());
  if (!direct_->is_open()) direct_.reset();
}

// Direct writes within the size of a file run side by side; those that make it longer wait for each other. finish()
// cuts it. Where the disk has too little room, the file keeps its size, and writes make it longer.
void PlacedFile::allocate(std::uint64_t end) {
  if (end <= allocated_) return;
  const std::lock_guard lock(allocating_);
  if (end <= allocated_) return;
  const std::uint64_t bytes =
      std::max(end - allocated_, std::clamp<std::uint64_t>(allocated_, kLeastAllocated, kMostAllocated));
  struct stat before = {};
  const bool is_known = ::fstat(file_.get(), &before) == 0;
  if (::fallocate(file_.get(), 0, static_cast<off_t>(allocated_), static_cast<off_t>(bytes)) == 0) {
    allocated_ += bytes;
    return;
  }
  // A system that stops in the middle keeps what it has allocated.
  if (is_known) static_cast<void>(::ftruncate(file_.get(), before.st_size));
  allocated_ = std::numeric_limits<std::uint64_t>::max();
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

// Leaves nothing that was written outside of the file.
void PlacedFile::complete() {
  unmap();
  errno = direct_ ? direct_->flush() : 0;
  if (errno != 0) fail("write");
}

void PlacedFile::sync_content() {
  complete();
  sync();
}

void PlacedFile::finish(std::uint64_t bytes, bool syncs) {
  complete();
  const bool is_cut = direct_ || is_allocated_ || (has_places_ && !replaces_ && !is_nameless_);
  if (is_cut && ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail("write");
  if (replaces_ && syncs) sync();
  if (const int error = close_copy(file_.get()); error != 0) throw PlacedFileError("close", error, path_);
  if (is_nameless_) take_name(syncs);
  if (replaces_) replace();
  is_finished_ = true;
  if (const int error = file_.close(); error != 0) throw PlacedFileError("close", error, path_);
}

void PlacedFile::sync() const {
  if (retry_interrupted([&] { return ::fsync(file_.get()); }) != 0) fail("write");
}

void PlacedFile::take_name(bool syncs) {
  const std::string link = "/proc/self/fd/" + std::to_string(file_.get());
  const auto name_it = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (!replaces_ && name_it(target_)) return;
  if (!replaces_ && errno != EEXIST) fail("write");
  if (!replaces_ && syncs) sync();
  replaces_ = true;  // what was there before, or came meanwhile
  const std::string name = unique_name(target_);
  if (!name_it(name)) fail("write");
  temporary_ = name;
}

void PlacedFile::replace() {
  if (::rename(temporary_.c_str(), target_.c_str()) == 0) return temporary_.clear();
  if (errno != EPERM && errno != EBUSY && errno != EXDEV) fail("rename");
  copy_to_target();
}

// Where the name must stay with its file.
void PlacedFile::copy_to_target() {
  const FileDescriptor from(::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC));
  FileDescriptor to = open_to_write(target_, O_TRUNC, 0);
  if (!from.valid() || !to.valid()) fail("open");
  std::vector<std::uint8_t> part(kCopyBytes);
  for (std::uint64_t offset = 0;;) {
    const ssize_t got = retry_interrupted([&] { return ::read(from.get(), part.data(), part.size()); });
    if (got < 0) fail("read");
    if (got == 0) break;
    errno = write_all_at(to.get(), offset, std::span(part).first(static_cast<std::size_t>(got)));
    if (errno != 0) fail("write");
    offset += static_cast<std::uint64_t>(got);
  }
  if (const int error = to.close(); error != 0) throw PlacedFileError("close", error, path_);
}

}  // namespace spillway
