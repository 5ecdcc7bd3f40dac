#include "io/scratch/unlinked_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"
#include "io/file/unique_name.hpp"

namespace spillway {

namespace {

FileDescriptor open_nameless(const std::string& directory) {
  const auto open = [](const std::string& path, int flags) {
    return above_standard_streams(FileDescriptor(retry_interrupted(
        [&] { return ::open(path.c_str(), flags | O_RDWR | O_EXCL | O_CLOEXEC, kPrivateFileMode); })));
  };
  FileDescriptor nameless = open(directory, O_TMPFILE);
  if (nameless.valid() || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return nameless;
  const std::string path = unique_name(directory + "/spillway");
  FileDescriptor named = open(path, O_CREAT);
  if (named.valid()) ::unlink(path.c_str());
  return named;
}

}  // namespace

UnlinkedFile::UnlinkedFile(const std::string& directory) : directory_(directory), file_(open_nameless(directory)) {
  if (file_.valid()) return;
  throw IoError("cannot create temporary file in '" + printable(directory, 4096) + "': " + std::strerror(errno));
}

std::uint64_t UnlinkedFile::append(std::span<const std::uint8_t> bytes) {
  const std::uint64_t offset = size_;
  while (!bytes.empty()) {
    const ssize_t put = retry_interrupted([&] {
      return ::pwrite(file_.get(), bytes.data(), std::min(bytes.size(), kMaxTransferBytes), static_cast<off_t>(size_));
    });
    if (put <= 0) throw_system_error(put == 0 ? ENOSPC : errno, "write a temporary file in", directory_);
    size_ += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return offset;
}

void UnlinkedFile::read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got = retry_interrupted([&] {
      return ::pread(file_.get(), out.data(), std::min(out.size(), kMaxTransferBytes), static_cast<off_t>(offset));
    });
    if (got <= 0) throw_system_error(got == 0 ? EIO : errno, "read a temporary file in", directory_);
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void UnlinkedFile::release(std::uint64_t offset, std::uint64_t bytes) {
  static_cast<void>(::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                                static_cast<off_t>(bytes)));
}

}  // namespace spillway
