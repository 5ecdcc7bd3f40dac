// Cuts text into maximal runs of word bytes. Text comes in pieces that may end anywhere; a run that goes on over a
// piece's end is joined. Runs longer than kMaxRunBytes are cut (indexer/run_cut.hpp), so that no state grows with the
// input: a token that is so long comes out shortened to about kMaxRunBytes, which is longer than any term may be, and
// other text is cut where no token is cut, as far as can be seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "indexer/byte_classes.hpp"
#include "indexer/run_cut.hpp"

namespace spillway {

// A run inside a window, [begin, end).
struct WindowRun {
  std::uint16_t begin = 0, end = 0;
};

class RunScanner {
 public:
  // Above the longest term, 65535. A run may have up to four bytes more, of a character.
  static constexpr std::size_t kMaxRunBytes = std::size_t{1} << 16;
  static constexpr std::size_t kWindowBytes = 4096;

  explicit RunScanner(WordBytes words) : classify_(classify_function(words)) {}
  explicit RunScanner(ClassifyFunction classify) : classify_(classify) {}

  // Windows of about 4 KiB: calls take(run, readable_end) for a run that was joined over windows or pieces, then
  // take_window(text, runs, readable_end) for the whole runs of the window (WindowRun counts from `text`), then
  // window(). Bytes up to readable_end may be read (16-byte loads).
  template <typename TakeWindow, typename Take, typename Window>
  void scan_windows(std::string_view piece, TakeWindow&& take_window, Take&& take, Window&& window) {
    const auto* text = reinterpret_cast<const std::uint8_t*>(piece.data());
    std::size_t at = 0;
    while (at < piece.size()) {
      const std::size_t bytes = std::min(kWindowBytes, piece.size() - at);
      scan_window(text + at, bytes, text + piece.size(), take_window, take);
      at += bytes;
      window();
    }
  }

  // The same, a run at a time.
  template <typename Take>
  void scan(std::string_view piece, Take&& take) {
    scan_windows(
        piece,
        [&](const std::uint8_t* text, std::span<const WindowRun> runs, const std::uint8_t* readable_end) {
          for (const WindowRun run : runs) {
            take(std::string_view(reinterpret_cast<const char*>(text) + run.begin, std::size_t{run.end} - run.begin),
                 readable_end);
          }
        },
        take, [] {});
  }

  // The text (or field) ends: so does a run at its end.
  template <typename Take>
  void finish(Take&& take) {
    if (open_.empty()) return;
    take_open(take);
  }

 private:
  // As std::popcount, which without the POPCNT instruction (any x86-64) is a call.
  static std::size_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::size_t>(bits * 0x0101010101010101ULL >> 56);
  }

  // Positions where word bytes begin or end, in turn; the run that is open at the window's start counts as begun at 0.
  std::size_t find_edges(std::size_t bytes, std::uint64_t carry) {
    std::size_t count = 0;
    const std::size_t mask_count = (bytes + 63) / 64;
    for (std::size_t i = 0; i < mask_count; ++i) {
      const std::uint64_t mask = masks_[i];
      std::uint64_t edges = mask ^ (mask << 1 | carry);
      carry = mask >> 63;
      const std::size_t found = count_bits(edges);
      // Eight at a time, unconditionally: what is written too much is overwritten or not counted.
      for (std::size_t j = 0; j < found; j += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
          edges_[count + j + k] =
              static_cast<std::uint16_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(edges)));
          edges &= edges - 1;
        }
      }
      count += found;
    }
    return count;
  }

  template <typename TakeWindow, typename Take>
  void scan_window(const std::uint8_t* text, std::size_t bytes, const std::uint8_t* readable_end,
                   TakeWindow& take_window, Take& take) {
    classify_(text, bytes, masks_);
    const bool was_open = !open_.empty();
    std::size_t count = find_edges(bytes, was_open ? 1 : 0);
    // An edge at the very end is no end: the run may go on behind the window.
    if (count != 0 && edges_[count - 1] >= bytes) --count;
    std::size_t first = 0;
    if (was_open) {
      const std::size_t end = count != 0 ? edges_[0] : bytes;
      if (end != 0) append_open(text, end, take);
      if (count == 0) return;
      take_open(take);
      first = 1;
    }
    const std::size_t runs = (count - first) / 2;
    static_assert(sizeof(WindowRun) == 2 * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < runs; ++i) runs_[i] = {edges_[first + 2 * i], edges_[first + 2 * i + 1]};
    if (runs != 0) take_window(text, std::span<const WindowRun>(runs_, runs), readable_end);
    if ((count - first) % 2 != 0) append_open(text + edges_[count - 1], bytes - edges_[count - 1], take);
  }

  template <typename Take>
  void append_open(const std::uint8_t* bytes, std::size_t count, Take& take) {
    open_.append(reinterpret_cast<const char*>(bytes), count);
    while (open_.size() > kMaxRunBytes) {
      one_token_ = one_token_prefix(open_, one_token_);
      if (one_token_ >= kMaxRunBytes) {
        // Too long for a term, however it goes on: more of it is dropped as it comes.
        const std::size_t kept = kMaxRunBytes + ((open_[kMaxRunBytes] & 0xC0) == 0x80 ? 1 : 0);
        open_.erase(kept, one_token_ - kept);
        one_token_ = kept;
        if (open_.size() - kept < first_character_bytes(kept)) return;  // nothing, or the start of a character
      }
      const std::size_t cut = one_token_ >= kMaxRunBytes ? one_token_ : find_run_cut(open_, kMaxRunBytes);
      const std::string rest = open_.substr(cut);
      open_.resize(cut);
      take_open(take);
      open_ = rest;
    }
  }

  // Bytes of the character that stands, in part perhaps, at `at` of the open run; 1 where nothing stands.
  std::size_t first_character_bytes(std::size_t at) const {
    if (at == open_.size()) return 1;
    const auto lead = static_cast<std::uint8_t>(open_[at]);
    return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  }

  template <typename Take>
  void take_open(Take& take) {
    const std::size_t bytes = open_.size();
    open_.append(16, '\0');  // readable behind the run
    take(std::string_view(open_.data(), bytes), reinterpret_cast<const std::uint8_t*>(open_.data()) + open_.size());
    open_.clear();
    one_token_ = 0;
  }

  ClassifyFunction classify_;
  std::string open_;
  std::size_t one_token_ = 0;  // leading bytes of it that are surely of one token, as far as counted
  std::uint64_t masks_[kWindowBytes / 64];
  std::uint16_t edges_[kWindowBytes + 64];
  WindowRun runs_[kWindowBytes / 2 + 1];
};

}  // namespace spillway
