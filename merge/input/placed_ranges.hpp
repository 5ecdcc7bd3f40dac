// The documents of all inputs of a merge as ranges in order, each with its place in the source, so that several threads
// can read them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

// Different ranges may be read on different threads.
class PlacedRanges {
 public:
  struct Range {
    std::size_t input = 0;
    std::uint64_t first = 0, end = 0;  // numbers in the source
    std::size_t bytes = 0;             // as DocumentRange::bytes
    std::unique_ptr<DocumentCursor> cursor;
    std::uint64_t documents = 0, tokens = 0;  // that were read
  };

  // The inputs live longer.
  explicit PlacedRanges(std::span<const MergeInput* const> inputs);

  // False if an input cannot be read in parallel: there are no ranges then.
  bool can_read() const { return !ranges_.empty(); }
  std::size_t count() const { return ranges_.size(); }
  const Range& operator[](std::size_t i) const { return ranges_[i]; }

  // Reads a range, once. Calls visit(number, document, is_cut) for each document: its number in the source, and whether
  // it is only a part of a document that is cut between inputs. Calls `check` for each. Throws FormatError where there
  // are more documents than up to the next range.
  template <typename Visit>
  void read(std::size_t i, const StopCheck& check, Visit&& visit) {
    Range& range = ranges_[i];
    std::uint64_t number = range.first, tokens = 0;  // not in `range`, which shares cache lines with others
    for (DocumentCursor& cursor = *range.cursor; cursor.next(); ++number) {
      if (check) check();
      if (number >= range.end) refuse_overlap(range);
      const RunDocument& document = cursor.document();
      tokens += document.length;
      visit(static_cast<std::uint32_t>(number), document, is_cut(range.input, number));
    }
    range.documents = number - range.first;
    range.tokens = tokens;
  }

  // Throws FormatError where the documents are not those that an input announces. Requires: all ranges were read.
  void check_inputs() const;

 private:
  bool is_cut(std::size_t input, std::uint64_t number) const {
    return number == cut_[input].first || number == cut_[input].last;
  }
  [[noreturn]] void refuse_overlap(const Range& range) const;

  // Numbers of the parts of documents at both ends of an input; kNone where there is none.
  struct Cut {
    std::uint64_t first = 0, last = 0;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const std::span<const MergeInput* const> inputs_;
  std::vector<Cut> cut_;  // by input
  std::vector<Range> ranges_;
};

}  // namespace spillway
