// A list of external ids, or of URLs: the documents that a merge drops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/options/merge_options.hpp"
#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class IdList {
 public:
  // Reads the lines of the files, and sorts them with the values: O(n log n) comparisons of ids. Ignores empty lines
  // and a carriage return before a line feed. Keeps the whole list in memory, reserved from `budget` (BudgetError).
  // `wait_check` as in ByteStream. Throws UsageError for a line above 65535 bytes.
  IdList(FileSystem& files, const DocumentNames& names, MemoryBudget& budget, const std::function<void()>& wait_check);

  // Returns whether the id is in the list, and remembers that it was asked for. O(log n).
  bool take(std::string_view id);

  std::uint64_t count() const { return lines_.size(); }  // distinct ids
  std::uint64_t unknown_count() const;                   // ids for which take() was not called
  std::vector<std::string> unknown_examples() const;     // the first few of them, in order
  static constexpr std::size_t kExamples = 5;

 private:
  struct Line {
    std::uint64_t offset;
    std::uint32_t bytes;
    bool taken;
  };
  void read(FileSystem& files, const std::string& path, MemoryBudget& budget, const std::function<void()>& wait_check);
  void make_room(std::size_t bytes, MemoryBudget& budget);
  void find_lines(const std::string& path, std::size_t begin, std::size_t end);
  void add_value(const std::string& value, MemoryBudget& budget);
  std::string_view view(const Line& line) const { return std::string_view(text_).substr(line.offset, line.bytes); }
  Reservation text_memory_, line_memory_;
  std::string text_;
  std::vector<Line> lines_;  // sorted by bytes
};

}  // namespace spillway
