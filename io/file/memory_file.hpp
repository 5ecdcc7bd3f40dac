// A file in budgeted memory: runs that need not be spilled are written to one and read back through the interfaces of
// io/file/file_system.hpp.
#pragma once

#include <utility>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// Takes appends first, then reads from any number of threads. Grows by buffers of `segment_bytes`, or of the size that
// extend() asks for, so that a span of it is contiguous. Throws BudgetError if an append does not fit the budget. The
// budget outlives the file.
class MemoryFile final : public WritableFile, public ReadableFile {
 public:
  MemoryFile(MemoryBudget& budget, std::string name, std::size_t segment_bytes = std::size_t{1} << 20);

  void append(std::span<const std::uint8_t> bytes) override;
  std::span<std::uint8_t> extend(std::size_t bytes) override;
  void sync() override {}
  void close() override {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  std::span<const std::uint8_t> view(std::uint64_t offset, std::size_t bytes) const override;
  std::uint64_t size() const override { return size_; }
  std::uint64_t memory_bytes() const;  // bytes reserved from the budget
  const std::string& path() const override { return name_; }

 private:
  struct Segment {
    Buffer bytes;
    std::uint64_t begin = 0;  // offset in the file
    std::size_t used = 0;
    std::size_t room() const { return bytes.size() - used; }
    std::span<std::uint8_t> take(std::size_t count) {
      return bytes.span().subspan(std::exchange(used, used + count), count);
    }
  };
  Segment make_segment(std::size_t bytes, std::uint64_t begin);
  std::size_t last_room() const { return segments_.empty() ? 0 : segments_.back().room(); }
  const Segment& segment_at(std::uint64_t offset) const;
  MemoryBudget& budget_;
  std::string name_;
  std::size_t segment_bytes_;
  std::vector<Segment> segments_;
  std::uint64_t size_ = 0;
};

}  // namespace spillway
