// The owner of an open POSIX descriptor, for the POSIX file system.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace spillway {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  // Returns 0 or the errno. Linux frees the descriptor whatever close() returns, even EINTR.
  int close() {
    const int result = ::close(std::exchange(number_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int number_;
};

// Repeats `call` while a signal interrupts it.
template <typename Call>
auto retry_interrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

// Linux transfers at most 0x7ffff000 bytes per call; smaller transfers stay clear of that limit.
inline constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;

inline constexpr mode_t kFileMode = 0666, kPrivateFileMode = 0600;  // minus the umask

// Gives the descriptor a number above those of the standard streams: a program may run without them, and what is
// written to a standard stream must not get into a file. One that is not valid stays so; errno then tells why.
FileDescriptor above_standard_streams(FileDescriptor file);

// Opens `path` with O_CLOEXEC, above the standard streams; a new file gets `mode`. Throws IoError, "cannot <action>
// <path>".
FileDescriptor open_descriptor(const std::string& path, int flags, std::string_view action, mode_t mode = kFileMode);

// Writes all bytes at an offset of a descriptor. Thread-safe. Returns 0 or the number of the system's error.
int write_all_at(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> bytes);

}  // namespace spillway
