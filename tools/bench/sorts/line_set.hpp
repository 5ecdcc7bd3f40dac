// The lines of a file as a set of strings for `bench sort strings --lines`.
#pragma once

#include <string>
#include <vector>

#include "corpora/synthetic/string_set.hpp"
#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// String i is line i modulo count() of the file, without its line feed.
class LineSet final : public StringSet {
 public:
  // Reads the whole file. Throws IoError, BudgetError, and UsageError if the file has no line.
  LineSet(FileSystem& files, const std::string& path, MemoryBudget& budget);

  std::uint64_t count() const { return lines_.size() / sizeof(std::uint64_t) - 1; }  // lines in the file
  std::size_t max_bytes() const override { return max_bytes_; }
  char* write(std::uint64_t index, char* out) const override;

 private:
  std::uint64_t begin(std::uint64_t line) const;

  Buffer text_, lines_;  // lines_: offset of each line, and the end of the last line feed
  std::size_t max_bytes_ = 0;
};

}  // namespace spillway
