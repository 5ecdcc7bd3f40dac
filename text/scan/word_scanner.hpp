// Cuts text into maximal runs of word bytes. Text comes in pieces that may end anywhere; a run that goes on over a
// piece's end is joined. Runs longer than kMaxRunBytes are cut (text/scan/word_split.hpp), so that no state grows with
// the input: a token that is so long comes out shortened to about kMaxRunBytes, which is longer than any term may be,
// and other text is cut where no token is cut, as far as can be seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/scan/window_kernels.hpp"
#include "text/scan/word_split.hpp"

namespace spillway {

// The whole runs of a window: run i is [edges[2i], edges[2i + 1]) of `text`, and of `lowered` (A-Z as a-z), behind
// which kWindowPadding bytes may be read.
struct WindowRuns {
  const std::uint8_t* text = nullptr;
  const std::uint8_t* lowered = nullptr;
  std::span<const std::uint16_t> edges;
};

class WordScanner {
 public:
  // Above the longest term, 65535. A run may have up to four bytes more, of a character.
  static constexpr std::size_t kMaxRunBytes = std::size_t{1} << 16;

  explicit WordScanner(WordBytes words) : find_edges_(window_kernels(words).find_edges) {}
  explicit WordScanner(FindEdgesFunction find_edges) : find_edges_(find_edges) {}

  // Windows of kWindowBytes: calls take(run) for a run that was joined over windows or pieces, then take_window(runs)
  // for the whole runs of the window, then window().
  template <typename TakeWindow, typename Take, typename Window>
  void scan_windows(std::string_view piece, TakeWindow&& take_window, Take&& take, Window&& window) {
    const auto* text = reinterpret_cast<const std::uint8_t*>(piece.data());
    std::size_t at = 0;
    while (at < piece.size()) {
      const std::size_t bytes = std::min(kWindowBytes, piece.size() - at);
      scan_window(text + at, bytes, take_window, take);
      at += bytes;
      window();
    }
  }

  // The same, a run at a time.
  template <typename Take>
  void scan(std::string_view piece, Take&& take) {
    scan_windows(
        piece,
        [&](const WindowRuns& runs) {
          for (std::size_t i = 0; i < runs.edges.size(); i += 2) {
            take(std::string_view(reinterpret_cast<const char*>(runs.text) + runs.edges[i],
                                  std::size_t{runs.edges[i + 1]} - runs.edges[i]));
          }
        },
        take, [] {});
  }

  // Does a run reach the end of what was scanned?
  bool has_open_run() const { return !open_.empty(); }

  // The text (or field) ends: so does a run at its end.
  template <typename Take>
  void finish(Take&& take) {
    if (open_.empty()) return;
    take_open(take);
  }

 private:
  template <typename TakeWindow, typename Take>
  void scan_window(const std::uint8_t* text, std::size_t bytes, TakeWindow& take_window, Take& take) {
    const bool was_open = !open_.empty();
    const std::size_t count = find_edges_(text, bytes, was_open ? 1 : 0, lowered_, edges_);
    std::size_t first = 0;
    if (was_open) {
      const std::size_t end = count != 0 ? edges_[0] : bytes;
      if (end != 0) append_open(text, end, take);
      if (count == 0) return;
      take_open(take);
      first = 1;
    }
    const std::size_t whole = (count - first) / 2 * 2;
    if (whole != 0) take_window(WindowRuns{text, lowered_, std::span<const std::uint16_t>(edges_ + first, whole)});
    // The run that goes on behind the window.
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
    take(std::string_view(open_));
    open_.clear();
    one_token_ = 0;
  }

  FindEdgesFunction find_edges_;
  std::string open_;
  std::size_t one_token_ = 0;  // leading bytes of it that are surely of one token, as far as counted
  std::uint8_t lowered_[kWindowBytes + kWindowPadding] = {};
  std::uint16_t edges_[kWindowBytes + kWindowPadding];
};

}  // namespace spillway
