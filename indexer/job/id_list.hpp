// A list of external ids, one a line: the documents that a merge is told to drop.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class IdList {
 public:
  // Reads `path` ("-": standard input). A carriage return before a line feed and empty lines count for nothing. Held in
  // memory whole, paid from `budget` (BudgetError); `wait_check` as in ByteStream.
  IdList(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> wait_check);

  // Is it in the list? Remembers that it was asked for.
  bool take(std::string_view id);

  std::uint64_t count() const { return lines_.size(); }  // distinct ids
  std::uint64_t unknown_count() const;                   // ids that nobody asked for
  std::vector<std::string> unknown_examples() const;     // the first few of them, in order
  static constexpr std::size_t kExamples = 5;

 private:
  struct Line {
    std::uint64_t offset;
    std::uint32_t bytes;
    bool taken;
  };
  void read(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> wait_check);
  void find_lines(const std::string& path);
  std::string_view view(const Line& line) const { return std::string_view(text_).substr(line.offset, line.bytes); }
  Reservation text_memory_, line_memory_;
  std::string text_;
  std::vector<Line> lines_;  // in order of their bytes
};

}  // namespace spillway
