// The program's system calls, as the linker finds them before those of the C library: they tell the observer, fail
// where it says so, and call the C library otherwise. Only calls on files below the observer's directory are told.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "tests/sweep/observer.hpp"
#include "tests/sweep/requests.hpp"

namespace spillway::sweep {

namespace {

std::atomic<Observer*> the_observer{nullptr};

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// A call under the observer's mutex. Changes errno only where the call fails.
class Watch {
 public:
  Watch() : observer_(the_observer.load(std::memory_order_acquire)), errno_(errno) {
    if (observer_ != nullptr) lock_ = std::unique_lock(observer_->mutex());
  }
  ~Watch() { errno = errno_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Observer* observer() { return observer_; }
  void unlock() { lock_.unlock(); }
  bool find(const char* path, std::string& relative) const {
    return observer_ != nullptr && path != nullptr && observer_->find(path, relative);
  }
  bool find(int directory, const char* path, std::string& relative) const {
    if (observer_ == nullptr || path == nullptr) return false;
    if (path[0] == '/' || directory == AT_FDCWD) return observer_->find(path, relative);
    const Observer::OpenFile* const parent = observer_->find(directory);
    if (parent == nullptr) return false;
    relative = parent->path.empty() ? std::string(path) : parent->path + "/" + path;
    return true;
  }
  Observer::OpenFile* find(int descriptor) const {
    return observer_ == nullptr ? nullptr : observer_->find(descriptor);
  }

  // How the call ends; an error is already in errno.
  Observer::Verdict begin(Event event) {
    const Observer::Verdict verdict = observer_->begin(std::move(event));
    if (const int error = error_of(verdict.kind); error != 0) errno_ = error;
    return verdict;
  }
  // Keeps the errno of a call that was really made.
  template <typename Result>
  Result made(Result result, bool succeeded) {
    if (!succeeded) errno_ = errno;
    if (succeeded && observer_ != nullptr) observer_->last().done = true;
    return result;
  }

 private:
  OwnRequests own_;
  Observer* observer_;
  std::unique_lock<std::mutex> lock_;
  int errno_;
};

bool is_error(const Observer::Verdict& verdict) { return error_of(verdict.kind) != 0; }

Event event_of(Call call, std::string path) {
  Event event;
  event.call = call;
  event.path = std::move(path);
  return event;
}

// A call that names one path and returns 0 or -1.
template <typename Real>
int observed(Call call, int directory, const char* path, const Real& really) {
  {
    Watch watch;
    std::string relative;
    if (watch.find(directory, path, relative)) {
      if (is_error(watch.begin(event_of(call, relative)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

template <typename Real>
int observed_move(Call call, const char* from, const char* to, const Real& really) {
  {
    Watch watch;
    std::string relative, target;
    if (watch.find(from, relative) && watch.find(to, target)) {
      Event event = event_of(call, relative);
      event.to = target;
      if (is_error(watch.begin(std::move(event)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

// The descriptor that a path below /proc stands for, or -1.
int descriptor_of(const char* path) {
  constexpr std::string_view kPrefix = "/proc/self/fd/";
  const std::string_view whole = path;
  return whole.starts_with(kPrefix) ? std::atoi(path + kPrefix.size()) : -1;
}

template <typename Real>
int observed_open(int directory, const char* path, int flags, const Real& really) {
  {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor_of(path))) {  // opened a second time
      const int opened = descriptor_of(path);
      if (is_error(watch.begin(event_of(Call::kOpen, file->path)))) return -1;
      const int descriptor = really();
      if (descriptor >= 0) watch.observer()->opened_again(opened, descriptor);
      return watch.made(descriptor, descriptor >= 0);
    }
    std::string relative;
    if (watch.find(directory, path, relative)) {
      const bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
      const Call call = (flags & O_CREAT) != 0 || is_nameless ? Call::kCreate : Call::kOpen;
      Event event = event_of(call, relative);
      event.is_nameless = is_nameless;
      event.empties = (flags & O_TRUNC) != 0;
      if (is_error(watch.begin(std::move(event)))) return -1;
      const int descriptor = really();
      struct stat status {};
      static const auto examine = next<decltype(::fstat)>("fstat");
      const bool is_directory = descriptor >= 0 && examine(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
      if (descriptor >= 0) {
        watch.observer()->opened(descriptor, relative, (flags & O_ACCMODE) != O_RDONLY, is_directory);
      }
      return watch.made(descriptor, descriptor >= 0);
    }
  }
  return really();
}

template <typename Real>
int observed_list(const char* path, const Real& really) {
  {
    Watch watch;
    std::string relative;
    if (watch.find(path, relative)) {
      if (is_error(watch.begin(event_of(Call::kList, relative)))) return -1;
      const int descriptor = really();
      if (descriptor >= 0) watch.observer()->opened(descriptor, relative, false, true);
      return watch.made(descriptor, descriptor >= 0);
    }
  }
  return really();
}

void flip_bit(void* bytes, std::uint64_t count, std::uint64_t where) {
  if (count == 0) return;
  auto* const byte = static_cast<unsigned char*>(bytes) + where / 8 % count;
  *byte = static_cast<unsigned char>(*byte ^ (1U << where % 8));
}

// Reads go to the C library without the lock, since they may wait.
template <typename Real>
ssize_t observed_read(int descriptor, void* bytes, std::size_t count, const Real& really) {
  Observer::Verdict verdict;
  {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor)) {
      Event event = event_of(Call::kRead, file->path);
      event.bytes = count;
      verdict = watch.begin(std::move(event));
      if (is_error(verdict)) return -1;
    }
  }
  if (verdict.kind == FaultKind::kEnd) return 0;
  if (verdict.kind == FaultKind::kShort) count = std::max<std::size_t>(std::min<std::size_t>(count, 1), count / 2);
  const ssize_t got = really(count);
  if (verdict.kind == FaultKind::kFlip && got > 0) flip_bit(bytes, static_cast<std::uint64_t>(got), verdict.where);
  return got;
}

template <typename Real>
ssize_t observed_write(int descriptor, const void* bytes, std::size_t count, const std::uint64_t* offset,
                       const Real& really) {
  {
    Watch watch;
    if (Observer::OpenFile* const file = watch.find(descriptor)) {
      Event event = event_of(Call::kWrite, file->path);
      event.bytes = count;
      event.file = file->number;
      event.offset = offset != nullptr ? *offset : file->offset;
      const Observer::Verdict verdict = watch.begin(std::move(event));
      if (is_error(verdict)) return -1;
      if (verdict.kind == FaultKind::kShort) count = std::max<std::size_t>(std::min<std::size_t>(count, 1), count / 2);
      std::string data(static_cast<const char*>(bytes), count);
      if (verdict.kind == FaultKind::kFlip) flip_bit(data.data(), data.size(), verdict.where);
      const ssize_t put = really(data.data(), data.size());
      if (put > 0) {
        data.resize(static_cast<std::size_t>(put));
        if (offset == nullptr) file->offset += data.size();
        watch.observer()->last().data = std::move(data);
      }
      return watch.made(put, put >= 0);
    }
  }
  return really(bytes, count);
}

template <typename Real>
int observed_sync(int descriptor, const Real& really) {
  {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor)) {
      Event event = event_of(file->is_directory ? Call::kSyncDirectory : Call::kSync, file->path);
      event.file = file->number;
      if (is_error(watch.begin(std::move(event)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

template <typename Real>
int observed_cut(int descriptor, std::uint64_t bytes, const Real& really) {
  {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor)) {
      Event event = event_of(Call::kTruncate, file->path);
      event.file = file->number;
      event.offset = bytes;
      if (is_error(watch.begin(std::move(event)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

// The file system may report a late error here; the descriptor is free all the same.
template <typename Real>
int observed_close(int descriptor, const Real& really) {
  {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor)) {
      const Call call = file->is_written ? Call::kCloseWritten : Call::kClose;
      const Observer::Verdict verdict = watch.begin(event_of(call, file->path));
      watch.observer()->closed(descriptor);
      const int result = really();
      if (is_error(verdict)) return -1;
      return watch.made(result, result == 0);
    }
  }
  return really();
}

// Of a stream, only writes are told.
template <typename Real>
int observed_descriptor(Call call, int descriptor, const Real& really) {
  {
    Watch watch;
    const Observer::OpenFile* const file = watch.find(descriptor);
    if (file != nullptr && file->number != 0) {
      if (is_error(watch.begin(event_of(call, file->path)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

template <typename Real>
int observed_link(const char* from, const char* to, const Real& really) {
  {
    Watch watch;
    std::string relative;
    const Observer::OpenFile* const file = watch.find(descriptor_of(from));
    if (watch.find(to, relative)) {
      Event event = event_of(Call::kLink, relative);
      event.file = file == nullptr ? 0 : file->number;
      if (is_error(watch.begin(std::move(event)))) return -1;
      const int result = really();
      return watch.made(result, result == 0);
    }
  }
  return really();
}

// The directory's name is known when it is made.
template <typename Real>
char* observed_unique_directory(char* pattern, const Real& really) {
  {
    Watch watch;
    std::string relative;
    if (watch.find(pattern, relative)) {
      if (is_error(watch.begin(event_of(Call::kMakeDirectory, relative)))) return nullptr;
      char* const made = really();
      watch.find(pattern, relative);
      watch.observer()->last().path = relative;
      watch.observer()->add_random_part(relative.substr(relative.size() - 6));
      return watch.made(made, made != nullptr);
    }
  }
  return really();
}

int observed_copy(int descriptor, int copy) {
  Watch watch;
  if (copy >= 0 && watch.find(descriptor) != nullptr) watch.observer()->copied(descriptor, copy);
  return copy;
}

using MapCall = void*(void*, std::size_t, int, int, int, off_t);

// Replaces the second half of the pages by those of an empty file.
void lose_pages(void* mapped, std::size_t bytes, MapCall* really) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t kept = bytes / 2 / page * page;
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  really(static_cast<char*>(mapped) + kept, bytes - kept, PROT_READ, MAP_SHARED | MAP_FIXED, empty, 0);
  next<decltype(::close)>("close")(empty);
}

void* map_with_fault(const Observer::Verdict& verdict, std::size_t bytes, int descriptor, off_t offset,
                     MapCall* really) {
  void* const mapped = really(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, offset);
  if (mapped == MAP_FAILED) return mapped;
  if (verdict.kind == FaultKind::kFlip) flip_bit(mapped, bytes, verdict.where);
  mprotect(mapped, bytes, PROT_READ);
  if (verdict.kind == FaultKind::kPageLost) lose_pages(mapped, bytes, really);
  return mapped;
}

}  // namespace

void observe_calls(Observer* observer) { the_observer.store(observer, std::memory_order_release); }

}  // namespace spillway::sweep

using spillway::sweep::Call;
using spillway::sweep::FaultKind;
using spillway::sweep::next;
using spillway::sweep::observed;
using spillway::sweep::observed_close;
using spillway::sweep::observed_copy;
using spillway::sweep::observed_cut;
using spillway::sweep::observed_descriptor;
using spillway::sweep::observed_link;
using spillway::sweep::observed_list;
using spillway::sweep::observed_move;
using spillway::sweep::observed_open;
using spillway::sweep::observed_read;
using spillway::sweep::observed_sync;
using spillway::sweep::observed_unique_directory;
using spillway::sweep::observed_write;
using spillway::sweep::Observer;
using spillway::sweep::Watch;

namespace {

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto really = next<decltype(::open)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return observed_open(AT_FDCWD, path, flags, [&] { return really(path, flags, mode); });
}

int openat(int directory, const char* path, int flags, ...) {
  static const auto really = next<decltype(::openat)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return observed_open(directory, path, flags, [&] { return really(directory, path, flags, mode); });
}

int close(int descriptor) {
  static const auto really = next<decltype(::close)>("close");
  return observed_close(descriptor, [&] { return really(descriptor); });
}

ssize_t read(int descriptor, void* bytes, std::size_t count) {
  static const auto really = next<decltype(::read)>("read");
  return observed_read(descriptor, bytes, count, [&](std::size_t wanted) { return really(descriptor, bytes, wanted); });
}

ssize_t pread(int descriptor, void* bytes, std::size_t count, off_t offset) {
  static const auto really = next<decltype(::pread)>("pread");
  return observed_read(descriptor, bytes, count,
                       [&](std::size_t wanted) { return really(descriptor, bytes, wanted, offset); });
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static const auto really = next<decltype(::write)>("write");
  return observed_write(descriptor, bytes, count, nullptr,
                        [&](const void* data, std::size_t size) { return really(descriptor, data, size); });
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  static const auto really = next<decltype(::pwrite)>("pwrite");
  const auto at = static_cast<std::uint64_t>(offset);
  return observed_write(descriptor, bytes, count, &at,
                        [&](const void* data, std::size_t size) { return really(descriptor, data, size, offset); });
}

int fsync(int descriptor) {
  static const auto really = next<decltype(::fsync)>("fsync");
  return observed_sync(descriptor, [&] { return really(descriptor); });
}

int fdatasync(int descriptor) {
  static const auto really = next<decltype(::fdatasync)>("fdatasync");
  return observed_sync(descriptor, [&] { return really(descriptor); });
}

int ftruncate(int descriptor, off_t bytes) noexcept {
  static const auto really = next<decltype(::ftruncate)>("ftruncate");
  return observed_cut(descriptor, static_cast<std::uint64_t>(bytes), [&] { return really(descriptor, bytes); });
}

int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  static const auto really = next<decltype(::fallocate)>("fallocate");
  return observed_descriptor(Call::kSpaceOfFile, descriptor, [&] { return really(descriptor, mode, offset, bytes); });
}

int fchown(int descriptor, uid_t user, gid_t group) noexcept {
  static const auto really = next<decltype(::fchown)>("fchown");
  return observed_descriptor(Call::kAttributes, descriptor, [&] { return really(descriptor, user, group); });
}

int fchmod(int descriptor, mode_t mode) noexcept {
  static const auto really = next<decltype(::fchmod)>("fchmod");
  return observed_descriptor(Call::kAttributes, descriptor, [&] { return really(descriptor, mode); });
}

int access(const char* path, int mode) noexcept {
  static const auto really = next<decltype(::access)>("access");
  return observed(Call::kStatus, AT_FDCWD, path, [&] { return really(path, mode); });
}

int euidaccess(const char* path, int mode) noexcept {
  static const auto really = next<decltype(::euidaccess)>("euidaccess");
  return observed(Call::kStatus, AT_FDCWD, path, [&] { return really(path, mode); });
}

int flock(int descriptor, int operation) noexcept {
  static const auto really = next<decltype(::flock)>("flock");
  return observed_descriptor(Call::kLock, descriptor, [&] { return really(descriptor, operation); });
}

int fstat(int descriptor, struct stat* status) noexcept {
  static const auto really = next<decltype(::fstat)>("fstat");
  return observed_descriptor(Call::kStatus, descriptor, [&] { return really(descriptor, status); });
}

int stat(const char* path, struct stat* status) noexcept {
  static const auto really = next<decltype(::stat)>("stat");
  return observed(Call::kStatus, AT_FDCWD, path, [&] { return really(path, status); });
}

int lstat(const char* path, struct stat* status) noexcept {
  static const auto really = next<decltype(::lstat)>("lstat");
  return observed(Call::kStatus, AT_FDCWD, path, [&] { return really(path, status); });
}

int statvfs(const char* path, struct statvfs* space) noexcept {
  static const auto really = next<decltype(::statvfs)>("statvfs");
  return observed(Call::kSpace, AT_FDCWD, path, [&] { return really(path, space); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto really = next<decltype(::mkdir)>("mkdir");
  return observed(Call::kMakeDirectory, AT_FDCWD, path, [&] { return really(path, mode); });
}

int unlink(const char* path) noexcept {
  static const auto really = next<decltype(::unlink)>("unlink");
  return observed(Call::kRemove, AT_FDCWD, path, [&] { return really(path); });
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static const auto really = next<decltype(::unlinkat)>("unlinkat");
  return observed(Call::kRemove, directory, path, [&] { return really(directory, path, flags); });
}

int rmdir(const char* path) noexcept {
  static const auto really = next<decltype(::rmdir)>("rmdir");
  return observed(Call::kRemove, AT_FDCWD, path, [&] { return really(path); });
}

int remove(const char* path) noexcept {
  static const auto really = next<decltype(::remove)>("remove");
  return observed(Call::kRemove, AT_FDCWD, path, [&] { return really(path); });
}

int rename(const char* from, const char* to) noexcept {
  static const auto really = next<decltype(::rename)>("rename");
  return observed_move(Call::kRename, from, to, [&] { return really(from, to); });
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  static const auto really = next<decltype(::renameat2)>("renameat2");
  const Call call = (flags & RENAME_EXCHANGE) != 0 ? Call::kExchange : Call::kRename;
  return observed_move(call, from, to, [&] { return really(from_directory, from, to_directory, to, flags); });
}

int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) noexcept {
  static const auto really = next<decltype(::linkat)>("linkat");
  return observed_link(from, to, [&] { return really(from_directory, from, to_directory, to, flags); });
}

char* mkdtemp(char* pattern) noexcept {
  static const auto really = next<decltype(::mkdtemp)>("mkdtemp");
  return observed_unique_directory(pattern, [&] { return really(pattern); });
}

int statx(int directory, const char* path, int flags, unsigned mask, struct statx* status) noexcept {
  static const auto really = next<decltype(::statx)>("statx");
  return observed(Call::kStatus, directory, path, [&] { return really(directory, path, flags, mask, status); });
}

ssize_t readlink(const char* path, char* target, std::size_t bytes) noexcept {
  static const auto really = next<decltype(::readlink)>("readlink");
  ssize_t result = -1;
  const auto read_it = [&] {
    result = really(path, target, bytes);
    return result < 0 ? -1 : 0;
  };
  return observed(Call::kResolve, AT_FDCWD, path, read_it) == 0 ? result : -1;
}

int fcntl(int descriptor, int command, ...) {
  static const auto really = next<decltype(::fcntl)>("fcntl");
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const int result = really(descriptor, command, argument);
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? observed_copy(descriptor, result) : result;
}

int dup(int descriptor) noexcept {
  static const auto really = next<decltype(::dup)>("dup");
  return observed_copy(descriptor, really(descriptor));
}

char* realpath(const char* path, char* resolved) noexcept {
  static const auto really = next<decltype(::realpath)>("realpath");
  char* result = nullptr;
  const auto resolve = [&] {
    result = really(path, resolved);
    return result == nullptr ? -1 : 0;
  };
  return observed(Call::kResolve, AT_FDCWD, path, resolve) == 0 ? result : nullptr;
}

DIR* opendir(const char* path) {
  static const auto really = next<decltype(::opendir)>("opendir");
  DIR* result = nullptr;
  const auto open_it = [&] {
    result = really(path);
    return result == nullptr ? -1 : dirfd(result);
  };
  return observed_list(path, open_it) < 0 ? nullptr : result;
}

dirent* readdir(DIR* directory) {
  static const auto really = next<decltype(::readdir)>("readdir");
  dirent* result = nullptr;
  const auto read_it = [&] {
    result = really(directory);
    return 0;
  };
  return observed_descriptor(Call::kList, dirfd(directory), read_it) < 0 ? nullptr : result;
}

// What fdopendir() takes is a descriptor that openat() gave; closedir() closes it past close().
int closedir(DIR* directory) {
  static const auto really = next<decltype(::closedir)>("closedir");
  {
    Watch watch;
    if (watch.find(dirfd(directory)) != nullptr) watch.observer()->closed(dirfd(directory));
  }
  return really(directory);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
  static const auto really = next<spillway::sweep::MapCall>("mmap");
  Observer::Verdict verdict;
  if (descriptor < 0 && spillway::sweep::refuses(spillway::sweep::Resource::kPages)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  if (descriptor >= 0) {
    Watch watch;
    if (const Observer::OpenFile* const file = watch.find(descriptor)) {
      verdict = watch.begin(spillway::sweep::event_of(Call::kMap, file->path));
      if (spillway::sweep::is_error(verdict)) return MAP_FAILED;
    }
  }
  if (verdict.kind == FaultKind::kNone) return really(address, bytes, protection, flags, descriptor, offset);
  return spillway::sweep::map_with_fault(verdict, bytes, descriptor, offset, really);
}

}  // extern "C"
