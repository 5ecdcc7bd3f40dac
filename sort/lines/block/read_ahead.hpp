// Reads an input ahead of the block that takes its lines: while a block is sorted and becomes a run, the disk goes on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "io/memory/budget.hpp"
#include "sort/lines/block/input.hpp"

namespace spillway {

// For one reader, who works inside a TBB arena. The input, which outlives it, is for its thread alone until it is
// destroyed; that waits for a read that is under way.
class ReadAhead final : public LineSource {
 public:
  static constexpr std::size_t kLeastBytes = std::size_t{128} << 10;

  // Keeps up to `bytes` of text, at least kLeastBytes. BudgetError.
  ReadAhead(LineInput& input, MemoryBudget& budget, std::size_t bytes);
  ~ReadAhead() override;
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits for text. Throws what the input threw, after the text that came before.
  std::size_t read(std::span<std::uint8_t> out) override;
  bool is_at_end() const override;
  // As LineInput::bytes_read(), up to what is kept.
  std::uint64_t bytes_read() const;

 private:
  void run() noexcept;
  void read_all();
  // The text that is kept.
  std::size_t kept() const { return static_cast<std::size_t>(put_ - taken_); }

  LineInput& input_;
  Buffer ring_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t put_ = 0, taken_ = 0, bytes_read_ = 0;
  bool has_ended_ = false, is_stopped_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace spillway
