#include "tools/doctor/disk_probe.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "io/base/stopwatch.hpp"
#include "io/file/descriptor.hpp"
#include "io/file/system_error.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// Random bytes, which no disk or file system can compress.
std::vector<std::uint8_t> random_buffer() {
  std::vector<std::uint8_t> buffer(kBufferBytes);
  std::uint64_t state = 0x9E3779B97F4A7C15;
  for (std::uint8_t& byte : buffer) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::uint8_t>(state >> 56);
  }
  return buffer;
}

std::size_t next_bytes(std::uint64_t bytes, std::uint64_t done) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(kBufferBytes, bytes - done));
}

// The bytes that a call wrote or read, which may be fewer than requested; a full disk fails at the next call.
template <typename Call>
std::uint64_t transferred(Call call, const char* action, const std::string& directory) {
  const ssize_t result = retry_interrupted(call);
  if (result <= 0) throw_system_error(result < 0 ? errno : EIO, action, directory);
  return static_cast<std::uint64_t>(result);
}

}  // namespace

DiskSpeed measure_disk(const std::string& directory, std::uint64_t bytes, const std::atomic<int>& signal_number) {
  std::string path = directory + "/.spillway-doctor-XXXXXX";
  FileDescriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid()) throw_system_error(errno, "create a file in", directory);
  unlink(path.c_str());  // so that it never stays
  std::vector<std::uint8_t> buffer = random_buffer();
  DiskSpeed speed;
  Stopwatch write_watch;
  for (std::uint64_t done = 0, put = 0; done < bytes; done += put) {
    throw_if_interrupted(signal_number);
    put =
        transferred([&] { return ::write(file.get(), buffer.data(), next_bytes(bytes, done)); }, "write in", directory);
  }
  if (retry_interrupted([&] { return ::fsync(file.get()); }) != 0) throw_system_error(errno, "sync in", directory);
  speed.write_bytes_per_second = static_cast<double>(bytes) / std::max(write_watch.seconds(), 1e-9);
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  Stopwatch read_watch;
  for (std::uint64_t done = 0, got = 0; done < bytes; done += got) {
    throw_if_interrupted(signal_number);
    const auto offset = static_cast<off_t>(done);
    got = transferred([&] { return ::pread(file.get(), buffer.data(), next_bytes(bytes, done), offset); }, "read in",
                      directory);
  }
  speed.read_bytes_per_second = static_cast<double>(bytes) / std::max(read_watch.seconds(), 1e-9);
  return speed;
}

}  // namespace spillway
