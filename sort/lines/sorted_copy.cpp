#include "sort/lines/sorted_copy.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/byte_order.hpp"
#include "sort/lines/block/line_ends.hpp"

namespace spillway {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{512} << 10;
constexpr std::size_t kAheadBytes = std::size_t{16} << 10;  // of lines that begin in a chunk, and one more
constexpr std::size_t kLeastBytes = std::size_t{1} << 20;   // of a file that is worth it
constexpr std::size_t kProbes = 64, kProbeBytes = 4096;
constexpr std::size_t kLoad = sizeof(std::uint64_t);

// A line in memory, without its end; kLoad bytes after it are readable.
struct Line {
  const std::uint8_t* begin = nullptr;
  std::size_t bytes = 0;
};

// Whether lines may follow each other.
class Neighbours {
 public:
  explicit Neighbours(const LineOrder& order)
      : line_end_(order.format.line_end), is_descending_(order.is_descending()), is_unique_(order.is_unique) {}

  bool are_unique() const { return is_unique_; }
  bool are_in_order(const Line& a, const Line& b) const { return is_descending_ ? ascend(b, a) : ascend(a, b); }

  // Compares the whole lines that begin in the first `bytes` bytes of `text` with the lines after them. Returns the
  // bytes and the number of the former; nothing if they are not in order, or if the text ends before the line after
  // them. `ends_file`: no line is after the text's last one. Sets `last` to the last line of all that were compared.
  struct Found {
    std::size_t bytes = 0, lines = 0;
  };
  std::optional<Found> compare(std::span<const std::uint8_t> text, std::size_t bytes, bool ends_file,
                               Line& last) const {
    const std::uint8_t* const begin = text.data();
    const std::uint8_t* from = begin;
    const auto find = line_end_kernel().find;
    LineEnds ends;
    Found found;
    Line before;
    for (std::size_t at = 0; at != text.size();) {
      const std::size_t step = std::min(kLineEndText, text.size() - at);
      const std::size_t count = find(begin + at, step, line_end_, ends);
      for (std::size_t i = 0; i != count; ++i) {
        const std::uint8_t* const end = begin + at + ends[i];
        last = {from, static_cast<std::size_t>(end - from)};
        if (before.begin != nullptr && !are_in_order(before, last)) return std::nullopt;
        if (last.begin >= begin + bytes) return found;
        from = end + 1;
        ++found.lines;
        found.bytes = static_cast<std::size_t>(from - begin);
        before = last;
      }
      at += step;
    }
    return ends_file ? std::optional(found) : std::nullopt;
  }

 private:
  bool ascend(const Line& a, const Line& b) const {
    const std::size_t both = std::min(a.bytes, b.bytes);
    for (std::size_t at = 0; at < both; at += kLoad) {
      const auto of_a = load_le<std::uint64_t>(a.begin + at), of_b = load_le<std::uint64_t>(b.begin + at);
      if (of_a == of_b) continue;
      if (at + static_cast<std::size_t>(std::countr_zero(of_a ^ of_b)) / 8 >= both) break;
      return __builtin_bswap64(of_a) < __builtin_bswap64(of_b);
    }
    return is_unique_ ? a.bytes < b.bytes : a.bytes <= b.bytes;
  }

  char line_end_;
  bool is_descending_, is_unique_;
};

class SortedCopy {
 public:
  SortedCopy(const ReadableFile& file, const LineOrder& order, const std::function<void()>& check, LineOutput& output)
      : file_(file), size_(file.size()), format_(order.format), neighbours_(order), check_(check), output_(output) {}

  // Whether lines of several places are in order.
  bool is_probable() const {
    std::vector<std::uint8_t> text(kProbeBytes + 1 + kLoad);
    std::string before;
    for (std::size_t probe = 0; probe != kProbes; ++probe) {
      const Window window = load(size_ / kProbes * probe, kProbeBytes, text);
      const Line first = first_line(window.text);
      if (first.begin == nullptr) continue;
      const Line last_before{reinterpret_cast<const std::uint8_t*>(before.data()), before.size() - kLoad};
      if (!before.empty() && !neighbours_.are_in_order(last_before, first)) return false;
      Line last;
      if (!neighbours_.compare(window.text, window.text.size(), true, last)) return false;
      before.assign(reinterpret_cast<const char*>(last.begin), last.bytes);
      before.append(kLoad, '\0');
    }
    return true;
  }

  // Copies the lines while they are compared. If the order is unique, all are compared before: the sorted lines may be
  // shorter than what would have been written when equal ones are found.
  std::optional<std::uint64_t> copy() {
    if (neighbours_.are_unique()) {
      writes_ = false;
      work_through();
      if (!is_sorted_) return std::nullopt;
      writes_ = true;
    }
    output_.expect_all(size_);
    work_through();
    file_.check_unchanged();
    std::uint8_t more = 0;
    if (!is_sorted_ || file_.read_at(size_, {&more, 1}) != 0) return std::nullopt;
    return lines_;
  }

 private:
  void work_through() {
    next_ = lines_ = 0;
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    tbb::parallel_for(std::size_t{0}, threads, [&](std::size_t) { copy_chunks(); });
  }

  // Text of the file from a line's begin on.
  struct Window {
    std::span<const std::uint8_t> text;
    std::uint64_t offset;
  };

  // Reads `bytes` bytes of the file from `begin` on, fewer at its end, without what belongs to an earlier line. Adds
  // the line end that the file may lack. Requires: room for kLoad + 1 more.
  Window load(std::uint64_t begin, std::size_t bytes, std::vector<std::uint8_t>& text) const {
    const std::uint64_t from = begin == 0 ? 0 : begin - 1;  // a line begins after the end of another one
    auto used = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - from));
    file_.read_exactly(from, std::span(text).first(used));
    if (from + used == size_ && text[used - 1] != static_cast<std::uint8_t>(format_.line_end)) {
      text[used++] = static_cast<std::uint8_t>(format_.line_end);
    }
    const std::size_t cut = begin == 0 ? 0 : format_.after_line(text.data(), 0, used);
    if (begin != 0 && cut == 0) return {{}, from + used};
    return {std::span(text).subspan(cut, used - cut), from + cut};
  }

  Line first_line(std::span<const std::uint8_t> text) const {
    const std::size_t end = text.empty() ? 0 : format_.after_line(text.data(), 0, text.size());
    return end == 0 ? Line() : Line{text.data(), end - 1};
  }

  void copy_chunks() {
    std::vector<std::uint8_t> text(kChunkBytes + kAheadBytes + 2 + kLoad);
    while (is_sorted_) {
      const std::uint64_t begin = next_.fetch_add(kChunkBytes);
      if (begin >= size_) return;
      if (check_) check_();
      if (!copy_chunk(begin, text)) is_sorted_ = false;
    }
  }

  // Copies the lines that begin in the chunk. Returns false if they are not in order, or too long to tell.
  bool copy_chunk(std::uint64_t begin, std::vector<std::uint8_t>& text) {
    const std::uint64_t end = std::min(begin + kChunkBytes, size_);
    const Window window = load(begin, kChunkBytes + kAheadBytes + 1, text);
    if (window.offset >= end) return true;  // its text belongs to a line that begins in an earlier chunk
    const bool ends_file = window.offset + window.text.size() >= size_;
    Line last;
    const auto found = neighbours_.compare(window.text, static_cast<std::size_t>(end - window.offset), ends_file, last);
    if (!found) return false;
    if (writes_) output_.write_at(window.offset, window.text.first(found->bytes));
    lines_ += found->lines;
    return true;
  }

  const ReadableFile& file_;
  const std::uint64_t size_;
  const LineFormat format_;
  const Neighbours neighbours_;
  const std::function<void()>& check_;
  LineOutput& output_;
  std::atomic<std::uint64_t> next_{0}, lines_{0};
  std::atomic<bool> is_sorted_{true};
  bool writes_ = true;
};

}  // namespace

bool is_copied_if_sorted(const LineOrder& order) {
  return order.keys.empty() && order.collation == nullptr && order.format.has_ends();
}

std::optional<std::uint64_t> copy_if_sorted(const ReadableFile& file, const LineOrder& order,
                                            const std::function<void()>& check, LineOutput& output) {
  if (file.size() < kLeastBytes) return std::nullopt;
  SortedCopy copy(file, order, check, output);
  return copy.is_probable() ? copy.copy() : std::nullopt;
}

}  // namespace spillway
