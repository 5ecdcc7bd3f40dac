#include "tools/commands/sort/output/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "tools/cli/signals.hpp"

namespace spillway {

SortOutput::SortOutput(Session& session, const std::optional<std::string>& path) : session_(session) {
  if (path) {
    file_.emplace(session.files, *path, interruption_check(session.signal_number));
  } else {
    find_places();
  }
}

void SortOutput::find_places() {
  struct stat status = {};
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (fstat(STDOUT_FILENO, &status) != 0 || flags == -1 || !S_ISREG(status.st_mode)) return;
  if ((flags & O_APPEND) != 0 || (flags & O_ACCMODE) == O_RDONLY) return;
  const off_t at = lseek(STDOUT_FILENO, 0, SEEK_CUR);
  has_places_ = at >= 0;
  base_ = static_cast<std::uint64_t>(at);
}

bool SortOutput::overwrites(const std::string& path) const {
  return file_ ? file_->overwrites(path) : is_same_file(STDOUT_FILENO, path);
}

void SortOutput::expect_all(std::uint64_t bytes) {
  if (file_) file_->expect_all(bytes);
}

bool SortOutput::expect(std::uint64_t offset, std::size_t bytes) { return file_ && file_->expect(offset, bytes); }

void SortOutput::write(std::span<const std::uint8_t> bytes) {
  if (has_places()) return write_at(bytes_, bytes);
  throw_if_interrupted(session_.signal_number);
  bytes_ += bytes.size();
  if (file_) {
    append(bytes);
  } else {
    session_.out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

void SortOutput::append(std::span<const std::uint8_t> bytes) {
  try {
    file_->append(bytes);
  } catch (const PlacedFileError& error) {
    if (error.number == EPIPE && ends_by_closed_pipe()) throw InterruptedError(SIGPIPE, error.what());
    throw;
  }
}

// A place may be written again (sort/lines/gpu/sorter.hpp).
void SortOutput::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  throw_if_interrupted(session_.signal_number);
  const std::uint64_t end = offset + bytes.size();
  for (std::uint64_t most = bytes_; most < end && !bytes_.compare_exchange_weak(most, end);) {
  }
  if (file_) return file_->write_at(offset, bytes);
  const int error = write_all_at(STDOUT_FILENO, base_ + offset, bytes);
  if (error != 0) throw PlacedFileError("write", error, "standard output");
}

void SortOutput::finish(const std::vector<std::string>& inputs) {
  throw_if_interrupted(session_.signal_number);
  if (file_) {
    const bool is_input = std::ranges::any_of(inputs, [&](const std::string& path) { return file_->replaces(path); });
    return file_->finish(bytes_, is_input);
  }
  session_.out.flush();
  if (has_places_) lseek(STDOUT_FILENO, static_cast<off_t>(base_ + bytes_), SEEK_SET);
}

}  // namespace spillway
