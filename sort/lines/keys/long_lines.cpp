#include "sort/lines/keys/long_lines.hpp"

#include <malloc.h>

namespace spillway {

namespace {

constexpr int kMappedBytes = 1 << 20;
constexpr std::size_t kReadAhead = 8;  // a long line is read by steps of this part of it, which may hold other lines
constexpr std::size_t kMergedRuns = 2, kSlack = 16;
constexpr std::size_t kOtherBytes = std::size_t{1} << 20;  // usual lines before and after a long one

// No packed text takes more (ZSTD_compressBound()).
std::size_t packed(std::size_t bytes) { return bytes + bytes / 256 + (std::size_t{64} << 10); }

}  // namespace

LongestLine measure_long(std::string_view line, const KeyEncoder& encoder) {
  if (line.size() * (1 + encoder.most_growth()) < kLongLine) return {};
  const KeyEncoder::KeyBytes keys = encoder.key_bytes(line);
  if (keys.is_exact) check_key_bytes(keys.most);
  const LongestLine measured{line.size(), keys.most};
  return measured.is_long() ? measured : LongestLine();
}

std::size_t LongLineCosts::encoding(const LongestLine& longest) const {
  return encoder_->has_keys() ? longest.keys + encoder_->scratch_bytes(longest.line) : 0;
}

std::size_t LongLineCosts::kept(const LongestLine& longest) const {
  const std::size_t keys = output_.keys + head_.keys;
  const std::size_t bytes = (output_.lines + head_.lines) * longest.line + keys * longest.keys;
  return bytes + (keys != 0 ? encoder_->scratch_bytes(longest.line) : 0);
}

std::size_t LongLineCosts::in_memory(const LongestLine& longest) const {
  return std::max(places_keys() ? encoding(longest) : 0, kept(longest));
}

std::size_t LongLineCosts::to_run(const LongestLine& longest, std::size_t slices) const {
  const std::size_t record = encoder_->has_keys() ? longest.record() + encoder_->scratch_bytes(longest.line) : 0;
  return std::max(places_keys() ? encoding(longest) : 0, slices * (record + packed(longest.record())));
}

std::size_t LongLineCosts::spilled(const LongestLine& longest) const {
  const std::size_t before = has_head() ? kept(longest) : 0;
  const std::size_t beside = std::max(to_run(longest) + before, in_memory(longest));
  const std::size_t block = in_block(longest) + longest.line / kReadAhead + beside;
  // The record of each run; one run reads its next record while it has the last one.
  const std::size_t merge = (kMergedRuns + 1) * longest.record() + packed(longest.record()) + kept(longest);
  const std::size_t bytes = std::max(block, merge);
  return bytes + bytes / kSlack + kOtherBytes;
}

std::size_t LongLineCosts::reserve(const LongestLine& longest, std::size_t block_bytes) const {
  if (!longest.is_long()) return 0;
  const std::size_t beside_run = to_run(longest) + (has_head() ? kept(longest) : 0);
  return spilled(longest) <= block_bytes ? std::max(beside_run, in_memory(longest)) : in_memory(longest);
}

void check_line_bytes(std::size_t bytes) {
  if (bytes >= kMostLineBytes) throw BudgetError("a line of 1 GiB or more: such lines cannot be sorted");
}

void check_key_bytes(std::size_t bytes) {
  if (bytes <= kMostKeyBytes) return;
  throw BudgetError("the keys of a line take more than 2 GiB: such lines cannot be sorted; give fewer or shorter keys");
}

void map_large_memory() {
  static const int done = mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  static_cast<void>(done);
}

}  // namespace spillway
