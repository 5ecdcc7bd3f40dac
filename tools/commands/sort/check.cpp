#include "tools/commands/sort/check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sort/lines/input_cursor.hpp"

namespace spillway {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

// Reads one input within the memory of a sort.
class CheckedInput {
 public:
  CheckedInput(LineInput input, const LineOrder& order, const LineSortOptions& options)
      : options_(options),
        record_order_(order),
        encoder_(order),
        memory_(std::max(options.memory_bytes, kLeastSortMemory) - unsorted_memory_of_reader()),
        budget_(options.warn_of_growth ? std::numeric_limits<std::size_t>::max() : memory_),
        resources_{order, encoder_, budget_, kReadBytes, counts_, [this](std::size_t bytes) { warn(bytes); }},
        cursor_(std::move(input), resources_) {}

  bool open() { return cursor_.open(); }

  bool next() {
    try {
      return cursor_.next();
    } catch (const LineTooLongError&) {
      const CursorNeed need = cursor_.survey();
      refuse_long_line({need.longest.line, need.bytes + kReadBytes}, need.place, options_);
    }
  }

  std::uint64_t number() const { return counts_.lines; }
  std::string_view line() const { return cursor_.record().line(record_order_); }

  // Whether the line may stand after the one before it.
  bool is_in_order() const {
    std::size_t shared = 0;
    const std::string_view last = cursor_.last_record().compared(record_order_);
    const std::string_view record = cursor_.record().compared(record_order_);
    const std::size_t from = std::min({std::size_t{cursor_.shared()}, last.size(), record.size()});
    const int difference = compare_records(last, record, from, record_order_, shared);
    return record_order_.is_unique ? difference < 0 : difference <= 0;
  }

 private:
  void warn(std::size_t bytes) {
    const std::size_t wanted = budget_.used_bytes() + bytes;
    if (!options_.warn_of_growth || wanted <= memory_ || std::exchange(has_warned_, true)) return;
    options_.warn_of_growth(unsorted_memory_of_reader() + wanted);
  }

  const LineSortOptions& options_;
  RecordOrder record_order_;
  const KeyEncoder encoder_;
  const std::size_t memory_;
  MemoryBudget budget_;
  InputCounts counts_;
  const CursorResources resources_;
  InputCursor cursor_;
  bool has_warned_ = false;
};

}  // namespace

bool is_sorted(LineInput input, const LineOrder& order, const LineSortOptions& options,
               const std::function<void(std::uint64_t, std::string_view)>& report) {
  CheckedInput lines(std::move(input), order, options);
  if (!lines.open() || !lines.next()) return true;
  while (lines.next()) {
    if (lines.is_in_order()) continue;
    report(lines.number(), lines.line());
    return false;
  }
  return true;
}

}  // namespace spillway
