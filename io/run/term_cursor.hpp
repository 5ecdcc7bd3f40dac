// Reads the terms of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/cursors.hpp"
#include "io/run/block_reader.hpp"
#include "io/run/reader.hpp"

namespace spillway {

// Walks the entries with first <= term < last in order (empty last: to the end). Holds one block. Checks the order of
// terms, the order of documents between the entries of a term, and the frame of each entry. The decoder of the postings
// (decode_postings) checks that they are exactly document_count ascending documents that end at last_document and sum
// to the occurrence count. A walk over all terms also checks the run's totals.
class RunTermCursor final : public TermCursor {
 public:
  static std::size_t memory_bytes(const RunReader& run) {
    return 2 * run.block_bytes() + 2 * run.longest_term_bytes() + 1024;
  }

  RunTermCursor(const RunReader& run, std::string first, std::string last);
  ~RunTermCursor() override;
  RunTermCursor(const RunTermCursor&) = delete;
  RunTermCursor& operator=(const RunTermCursor&) = delete;
  bool next() override;
  const RunEntry& entry() const override { return entry_; }
  bool ends_term() const override;

 private:
  bool load_block();
  void read_entry();
  void read_term();
  void check_entry(const std::uint8_t* postings);
  void check_totals() const;
  bool move_term(std::size_t shared, std::string_view suffix);
  std::uint64_t read_number();
  std::uint64_t read_mixed_number();
  std::uint64_t read_long_number();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::string first_, last_;
  bool all_, done_ = false;
  std::unique_ptr<RunBlockReader> blocks_;
  std::string_view expected_start_;  // first term of the first block, as its sample says
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
  std::uint32_t entries_left_ = 0;
  bool block_starts_ = false, same_term_ = false;
  std::vector<char> term_;  // room for the longest term so far, and a few bytes
  RunEntry entry_;          // its term is in term_
  std::uint64_t entry_count_ = 0, posting_count_ = 0, occurrence_count_ = 0;
};

}  // namespace spillway
