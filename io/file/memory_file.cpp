#include "io/file/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

// Buffers of this size use huge pages, which are mapped and freed in a fraction of the time.
constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

// An append larger than segment_bytes / kFewPerSegment gets a buffer of its own. No room is left after it, so the
// system can join the mappings of such buffers: a process may have 65530 of them.
constexpr std::size_t kFewPerSegment = 4;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Faults in all pages of a buffer in one call; faulting them one by one while writing takes more than twice as long.
// Kernels before 5.14 refuse the call, which does no harm.
void take_pages([[maybe_unused]] Buffer& segment) {
#ifdef MADV_POPULATE_WRITE
  madvise(segment.data(), segment.size(), MADV_POPULATE_WRITE);
#endif
}

}  // namespace

MemoryFile::MemoryFile(MemoryBudget& budget, std::string name, std::size_t segment_bytes)
    : budget_(budget), name_(std::move(name)), segment_bytes_(segment_bytes) {}

MemoryFile::Segment MemoryFile::make_segment(std::size_t bytes, std::uint64_t begin) {
  Segment segment{Buffer(budget_, bytes, name_), begin, 0};
  if (bytes >= kLargePageBytes) segment.bytes.use_large_pages();
  return segment;
}

void MemoryFile::append(std::span<const std::uint8_t> bytes) {
  // Allocates all buffers first, so that an append that does not fit changes nothing.
  std::vector<Segment> added;
  std::size_t room = last_room();
  for (; room < bytes.size(); room += segment_bytes_) {
    take_pages(added.emplace_back(make_segment(segment_bytes_, size_ + room)).bytes);
  }
  segments_.reserve(segments_.size() + added.size());
  std::size_t last = segments_.empty() ? 0 : segments_.size() - 1;
  std::move(added.begin(), added.end(), std::back_inserter(segments_));
  for (; !bytes.empty(); ++last) {
    const std::size_t count = std::min(bytes.size(), segments_[last].room());
    if (count != 0) std::memcpy(segments_[last].take(count).data(), bytes.data(), count);
    size_ += count;
    bytes = bytes.subspan(count);
  }
}

std::span<std::uint8_t> MemoryFile::extend(std::size_t bytes) {
  if (last_room() < bytes) {
    Segment added = make_segment(bytes * kFewPerSegment > segment_bytes_ ? whole_pages(bytes) : segment_bytes_, size_);
    segments_.push_back(std::move(added));
    if (segments_.size() > 1) {
      Segment& last = segments_[segments_.size() - 2];
      last.bytes.shrink(last.used);
    }
  }
  size_ += bytes;
  return segments_.back().take(bytes);
}

// Requires: offset < size().
const MemoryFile::Segment& MemoryFile::segment_at(std::uint64_t offset) const {
  const auto behind = std::partition_point(segments_.begin(), segments_.end(),
                                           [&](const Segment& segment) { return segment.begin <= offset; });
  return *(behind - 1);
}

std::span<const std::uint8_t> MemoryFile::view(std::uint64_t offset, std::size_t bytes) const {
  if (offset >= size_ || bytes == 0) return {};
  const Segment& segment = segment_at(offset);
  const std::uint64_t at = offset - segment.begin;
  if (bytes > segment.used - at) return {};
  return segment.bytes.span().subspan(at, bytes);
}

std::size_t MemoryFile::read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
  if (offset >= size_) return 0;
  const std::size_t total = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
  const Segment* segment = &segment_at(offset);
  for (std::size_t done = 0; done < total; ++segment) {
    const std::size_t at = offset + done - segment->begin;
    const std::size_t count = std::min(total - done, segment->used - at);
    if (count != 0) std::memcpy(out.data() + done, segment->bytes.data() + at, count);
    done += count;
  }
  return total;
}

std::uint64_t MemoryFile::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Segment& segment : segments_) bytes += segment.bytes.size();
  return bytes;
}

}  // namespace spillway
