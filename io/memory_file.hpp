// A file that lives in budgeted memory: runs that need not be spilled are written to one and read back from it through
// the interfaces of io/file_system.hpp.
#pragma once

#include <vector>

#include "io/file_system.hpp"
#include "io/memory_budget.hpp"

namespace spillway {

// Appends first, then reads from any number of threads. Grows by pieces of `piece_bytes`; an append that does not fit
// the budget throws BudgetError. The budget lives longer.
class MemoryFile final : public WritableFile, public ReadableFile {
 public:
  MemoryFile(MemoryBudget& budget, std::string name, std::size_t piece_bytes = std::size_t{1} << 20);

  void append(std::span<const std::uint8_t> bytes) override;
  void sync() override {}
  void close() override {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return name_; }

 private:
  MemoryBudget& budget_;
  std::string name_;
  std::size_t piece_bytes_;
  std::vector<Buffer> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace spillway
