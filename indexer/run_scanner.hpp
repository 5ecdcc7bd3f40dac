// Cuts text into maximal runs of word bytes. Text comes in pieces that may end anywhere; a run that goes on over a
// piece's end is joined. Runs longer than kMaxRunBytes are cut, so that no state grows with the input: such a segment
// is longer than any term may be, so cutting never changes a pure ASCII token that would have been kept.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "indexer/byte_classes.hpp"

namespace spillway {

class RunScanner {
 public:
  static constexpr std::size_t kMaxRunBytes = std::size_t{1} << 16;  // above the longest term, 65535
  static constexpr std::size_t kWindowBytes = 4096;

  explicit RunScanner(WordBytes words) : classify_(classify_function(words)) {}
  RunScanner(WordBytes words, ClassifyFunction classify) : classify_(classify) { (void)words; }

  // Calls take(run, readable_end): `run` as in the text; bytes up to readable_end may be read (16-byte loads).
  // Calls window() about every 4 KiB, between runs.
  template <typename Take, typename Window>
  void scan(std::string_view piece, Take&& take, Window&& window) {
    const auto* text = reinterpret_cast<const std::uint8_t*>(piece.data());
    std::size_t at = 0;
    while (at < piece.size()) {
      const std::size_t bytes = std::min(kWindowBytes, piece.size() - at);
      scan_window(text + at, bytes, text + piece.size(), take);
      at += bytes;
      window();
    }
  }

  // The text (or field) ends: so does a run at its end.
  template <typename Take>
  void finish(Take&& take) {
    if (open_.empty()) return;
    take_open(take);
  }

 private:
  template <typename Take>
  void scan_window(const std::uint8_t* text, std::size_t bytes, const std::uint8_t* readable_end, Take& take) {
    classify_(text, bytes, masks_);
    std::size_t start = kNone;  // of the run that is open inside this window
    if (!open_.empty()) start = 0;
    const std::size_t mask_count = (bytes + 63) / 64;
    std::uint64_t carry = open_.empty() ? 0 : 1;  // was the byte before a word byte?
    for (std::size_t i = 0; i < mask_count; ++i) {
      const std::uint64_t mask = masks_[i];
      std::uint64_t edges = mask ^ (mask << 1 | carry);
      carry = mask >> 63;
      while (edges != 0) {
        const std::size_t edge = i * 64 + static_cast<std::size_t>(std::countr_zero(edges));
        edges &= edges - 1;
        if (edge >= bytes) break;  // the run reaches the window's end, and may go on behind it
        if (start == kNone) {
          start = edge;
        } else {
          end_run(text, start, edge, readable_end, take);
          start = kNone;
        }
      }
    }
    if (start != kNone && start < bytes) append_open(text + start, bytes - start, take);
  }

  template <typename Take>
  void end_run(const std::uint8_t* text, std::size_t start, std::size_t end, const std::uint8_t* readable_end,
               Take& take) {
    if (open_.empty()) {
      take(std::string_view(reinterpret_cast<const char*>(text + start), end - start), readable_end);
    } else {
      if (end > start) append_open(text + start, end - start, take);
      if (!open_.empty()) take_open(take);
    }
  }

  template <typename Take>
  void append_open(const std::uint8_t* bytes, std::size_t count, Take& take) {
    open_.append(reinterpret_cast<const char*>(bytes), count);
    while (open_.size() > kMaxRunBytes) {
      std::size_t cut = kMaxRunBytes;  // not inside a character
      while (cut > kMaxRunBytes - 4 && (static_cast<std::uint8_t>(open_[cut]) & 0xC0) == 0x80) --cut;
      const std::string rest = open_.substr(cut);
      open_.resize(cut);
      take_open(take);
      open_ = rest;
    }
  }

  template <typename Take>
  void take_open(Take& take) {
    const std::size_t bytes = open_.size();
    open_.append(16, '\0');  // readable behind the run
    take(std::string_view(open_.data(), bytes), reinterpret_cast<const std::uint8_t*>(open_.data()) + open_.size());
    open_.clear();
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  ClassifyFunction classify_;
  std::string open_;
  std::uint64_t masks_[kWindowBytes / 64];
};

}  // namespace spillway
