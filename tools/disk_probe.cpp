#include "tools/disk_probe.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "indexer/stopwatch.hpp"
#include "io/file_descriptor.hpp"
#include "io/system_error.hpp"
#include "tools/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Bytes that no disk or file system can pack.
std::vector<std::uint8_t> random_piece() {
  std::vector<std::uint8_t> piece(kPieceBytes);
  std::uint64_t state = 0x9E3779B97F4A7C15;
  for (std::uint8_t& byte : piece) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::uint8_t>(state >> 56);
  }
  return piece;
}

}  // namespace

DiskSpeed measure_disk(const std::string& directory, std::uint64_t bytes, const std::atomic<int>& signal_number) {
  std::string path = directory + "/.spillway-doctor-XXXXXX";
  FileDescriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid()) throw_system_error(errno, "create a file in", directory);
  unlink(path.c_str());  // it is gone whatever happens
  std::vector<std::uint8_t> piece = random_piece();
  DiskSpeed speed;
  Stopwatch write_watch;
  for (std::uint64_t done = 0; done < bytes; done += kPieceBytes) {
    throw_if_interrupted(signal_number);
    const ssize_t put = retry_interrupted([&] { return ::write(file.get(), piece.data(), kPieceBytes); });
    if (put != static_cast<ssize_t>(kPieceBytes)) throw_system_error(put < 0 ? errno : ENOSPC, "write in", directory);
  }
  if (retry_interrupted([&] { return ::fsync(file.get()); }) != 0) throw_system_error(errno, "sync in", directory);
  speed.write_bytes_per_second = static_cast<double>(bytes) / std::max(write_watch.seconds(), 1e-9);
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  Stopwatch read_watch;
  for (std::uint64_t done = 0; done < bytes; done += kPieceBytes) {
    throw_if_interrupted(signal_number);
    const auto offset = static_cast<off_t>(done);
    const ssize_t got = retry_interrupted([&] { return ::pread(file.get(), piece.data(), kPieceBytes, offset); });
    if (got != static_cast<ssize_t>(kPieceBytes)) throw_system_error(got < 0 ? errno : EIO, "read in", directory);
  }
  speed.read_bytes_per_second = static_cast<double>(bytes) / std::max(read_watch.seconds(), 1e-9);
  return speed;
}

}  // namespace spillway
