// The order in which an export numbers the documents: that of the input, or that of their URLs, in which neighbours are
// alike, so that gaps are small and whole blocks can be skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// Not thread-safe, because lists that are read share its scratch. The index and the budget outlive it.
class DocumentOrder {
 public:
  // As in the input: takes no memory.
  DocumentOrder() = default;
  // By URL, byte by byte; equal ones, and documents without one, which come first, as in the input. Takes about 12
  // bytes a document, and at first also the bytes of all URLs, from `budget`; throws BudgetError that names the
  // --memory that would do. Calls `check` often; it throws to stop.
  static DocumentOrder by_url(const IndexReader& index, MemoryBudget& budget, const std::function<void()>& check);

  bool is_input() const { return old_numbers_.size() == 0; }
  // The number in the index of the document with this number in the export.
  std::uint32_t old_number(std::uint32_t number) const { return is_input() ? number : numbers(old_numbers_)[number]; }

 private:
  friend class OrderedPostings;
  static std::span<const std::uint32_t> numbers(const Buffer& buffer) {
    return {reinterpret_cast<const std::uint32_t*>(buffer.data()), buffer.size() / 4};
  }
  Buffer old_numbers_, new_numbers_;
  // While a list is read: of a long one the frequencies, by new number, 0 for other documents; of a short one its
  // postings, to be sorted.
  Buffer frequencies_, postings_;
};

// What lists need of a document.
struct OrderedDocument {
  std::uint32_t number = 0;  // in the export
  std::uint32_t length = 0;
  std::string id;  // the stored one, or the number in the index + 1
  std::string url;
};

// Calls `take` for each document in the order of an export, which finds each by its number unless it is the input's.
void each_ordered_document(const IndexReader& index, const DocumentOrder& order, const std::function<void()>& check,
                           const std::function<void(const OrderedDocument&)>& take);

// One list in the order of an export: as a PostingsCursor, with the documents renumbered. The order is used by one of
// these at a time.
class OrderedPostings {
 public:
  OrderedPostings(const IndexReader& index, const TermEntry& entry, DocumentOrder& order,
                  const std::function<void()>& check);
  OrderedPostings(const OrderedPostings&) = delete;
  OrderedPostings& operator=(const OrderedPostings&) = delete;

  // The next postings; false at the end. Throws FormatError for a damaged index.
  bool next_block();
  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<const std::uint32_t> frequencies() const { return frequencies_; }

 private:
  void read_list(const std::function<void()>& check);
  void add(std::uint32_t document, std::uint32_t frequency);
  PostingsCursor cursor_;
  DocumentOrder& order_;
  bool is_short_;
  std::uint64_t left_ = 0;           // postings that are read and not given out
  std::uint32_t next_document_ = 0;  // of a long list; of a short one the next posting
  std::size_t block_count_ = 0;
  std::uint32_t block_documents_[kPostingsBlock], block_frequencies_[kPostingsBlock];
  std::span<const std::uint32_t> documents_, frequencies_;
};

}  // namespace spillway
