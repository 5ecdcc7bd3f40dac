// A file that lives in budgeted memory: runs that need not be spilled are written to one and read back from it through
// the interfaces of io/file/file_system.hpp.
#pragma once

#include <utility>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// Appends first, then reads from any number of threads. Grows by pieces of `piece_bytes`, or of what extend() asks for
// at once, so that a view of it is to be had; an append that does not fit the budget throws BudgetError. The budget
// lives longer.
class MemoryFile final : public WritableFile, public ReadableFile {
 public:
  MemoryFile(MemoryBudget& budget, std::string name, std::size_t piece_bytes = std::size_t{1} << 20);

  void append(std::span<const std::uint8_t> bytes) override;
  std::span<std::uint8_t> extend(std::size_t bytes) override;
  void sync() override {}
  void close() override {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  std::span<const std::uint8_t> view(std::uint64_t offset, std::size_t bytes) const override;
  std::uint64_t size() const override { return size_; }
  std::uint64_t memory_bytes() const;  // that it holds
  const std::string& path() const override { return name_; }

 private:
  struct Piece {
    Buffer bytes;
    std::uint64_t begin = 0;  // in the file
    std::size_t used = 0;
    std::size_t room() const { return bytes.size() - used; }
    std::span<std::uint8_t> take(std::size_t count) {
      return bytes.span().subspan(std::exchange(used, used + count), count);
    }
  };
  Piece make_piece(std::size_t bytes, std::uint64_t begin);
  std::size_t last_room() const { return pieces_.empty() ? 0 : pieces_.back().room(); }
  const Piece& piece_at(std::uint64_t offset) const;
  MemoryBudget& budget_;
  std::string name_;
  std::size_t piece_bytes_;
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace spillway
