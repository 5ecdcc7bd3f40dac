// A library to preload (LD_PRELOAD): it makes a program signal itself at a chosen file operation, so that a test can
// stop a job at the same place on a fast and on a slow machine. Calls on the standard streams do not count.
//
//   SPILLWAY_SIGNAL_AT="NAME N SIGNAL"  at the call number N, from 0, of the function NAME ("any": of all of them)
//                                      rename and renameat2 are both "rename"
//   SPILLWAY_CALLS_TO=FILE              writes the number of all calls to FILE when the program exits
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

class Moment {
 public:
  Moment() {
    const char* const at = std::getenv("SPILLWAY_SIGNAL_AT");
    is_set_ = at != nullptr && std::sscanf(at, "%31s %ld %d", name_, &number_, &signal_) == 3;
  }
  ~Moment() {
    const char* const path = std::getenv("SPILLWAY_CALLS_TO");
    if (path == nullptr) return;
    const long calls = calls_;
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld", calls);
      std::fclose(file);
    }
  }
  void pass(const char* name) {
    ++calls_;
    if (!is_set_ || (std::strcmp(name_, "any") != 0 && std::strcmp(name_, name) != 0)) return;
    if (passed_++ == number_) kill(getpid(), signal_);
  }

 private:
  bool is_set_ = false;
  char name_[32] = {};
  long number_ = 0;
  int signal_ = 0;
  std::atomic<long> calls_{0}, passed_{0};
};

Moment& moment() {
  static Moment instance;
  return instance;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void pass(const char* name, int descriptor) {
  if (descriptor > STDERR_FILENO) moment().pass(name);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = creates ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  moment().pass("open");
  static auto* const call = next<int(const char*, int, ...)>("open");
  return call(path, flags, mode);
}

ssize_t read(int descriptor, void* out, size_t bytes) {
  pass("read", descriptor);
  static auto* const call = next<ssize_t(int, void*, size_t)>("read");
  return call(descriptor, out, bytes);
}

ssize_t pread(int descriptor, void* out, size_t bytes, off_t offset) {
  pass("pread", descriptor);
  static auto* const call = next<ssize_t(int, void*, size_t, off_t)>("pread");
  return call(descriptor, out, bytes, offset);
}

ssize_t write(int descriptor, const void* from, size_t bytes) {
  pass("write", descriptor);
  static auto* const call = next<ssize_t(int, const void*, size_t)>("write");
  return call(descriptor, from, bytes);
}

int fsync(int descriptor) {
  pass("fsync", descriptor);
  static auto* const call = next<int(int)>("fsync");
  return call(descriptor);
}

int mkdir(const char* path, mode_t mode) noexcept {
  moment().pass("mkdir");
  static auto* const call = next<int(const char*, mode_t)>("mkdir");
  return call(path, mode);
}

int remove(const char* path) noexcept {
  moment().pass("remove");
  static auto* const call = next<int(const char*)>("remove");
  return call(path);
}

int rename(const char* from, const char* to) noexcept {
  moment().pass("rename");
  static auto* const call = next<int(const char*, const char*)>("rename");
  return call(from, to);
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  moment().pass("rename");
  static auto* const call = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return call(from_directory, from, to_directory, to, flags);
}

}  // extern "C"
