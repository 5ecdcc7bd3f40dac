#include "io/memory_file.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

// Takes all pages of a piece in one call: writing takes them one by one, which costs more than twice as much. Kernels
// before 5.14 refuse, and nothing is lost.
void take_pages([[maybe_unused]] Buffer& piece) {
#ifdef MADV_POPULATE_WRITE
  madvise(piece.data(), piece.size(), MADV_POPULATE_WRITE);
#endif
}

}  // namespace

MemoryFile::MemoryFile(MemoryBudget& budget, std::string name, std::size_t piece_bytes)
    : budget_(budget), name_(std::move(name)), piece_bytes_(piece_bytes) {}

void MemoryFile::append(std::span<const std::uint8_t> bytes) {
  // All pieces first, so that an append that does not fit changes nothing.
  std::vector<Buffer> added;
  std::uint64_t capacity = std::uint64_t{pieces_.size()} * piece_bytes_;
  for (; capacity - size_ < bytes.size(); capacity += piece_bytes_) {
    take_pages(added.emplace_back(budget_, piece_bytes_, name_));
  }
  pieces_.reserve(pieces_.size() + added.size());
  std::move(added.begin(), added.end(), std::back_inserter(pieces_));
  while (!bytes.empty()) {
    const std::size_t at = size_ % piece_bytes_;
    const std::size_t count = std::min(bytes.size(), piece_bytes_ - at);
    std::memcpy(pieces_[size_ / piece_bytes_].data() + at, bytes.data(), count);
    size_ += count;
    bytes = bytes.subspan(count);
  }
}

std::size_t MemoryFile::read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
  if (offset >= size_) return 0;
  const std::size_t total = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
  for (std::size_t done = 0; done < total;) {
    const std::size_t at = (offset + done) % piece_bytes_;
    const std::size_t count = std::min(total - done, piece_bytes_ - at);
    std::memcpy(out.data() + done, pieces_[(offset + done) / piece_bytes_].data() + at, count);
    done += count;
  }
  return total;
}

}  // namespace spillway
