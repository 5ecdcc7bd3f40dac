// The library of Spillway: opens an index that `spillway index` made, searches it, and reads its postings, positions
// and documents. This header is all that a program needs; it includes the standard library only.
//
//   find_package(Spillway REQUIRED)
//   target_link_libraries(program PRIVATE Spillway::spillway)
//
//   #include <spillway/spillway.hpp>
//   spillway::Index index("docs.index");
//   spillway::Searcher searcher(index);
//   for (const spillway::Hit& hit : searcher.search("out of core sorting", 10)) use(hit.id, hit.score);
//
// All functions may throw spillway::Failure and std::bad_alloc. Returned strings and vectors belong to the caller.
//
// Files are mapped. If one is truncated, or its disk fails, while an index is open, the functions that need it throw
// Failure (kCorrupt or kIo) instead of answering. The first index therefore installs a handler for SIGBUS. It handles
// faults in these mappings only, in any thread, and calls the handler that was installed before it for all others. A
// program with a handler of its own installs it before it opens an index, or calls the earlier handler from it, and
// leaves SIGBUS unblocked in threads that use an index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// An error. what() names the file and the place in it, what was expected and found, and a remedy.
class Failure : public std::runtime_error {
 public:
  enum class Kind {
    kUsage,    // a call that the index or the query does not allow
    kIo,       // a file that cannot be read
    kCorrupt,  // an index that is damaged or has another version
    kOther
  };
  Failure(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct StoredFields {
  std::string id;                // the external id
  std::string title, url, date;  // empty if the document or the index has none
  std::uint32_t length = 0;      // tokens kept by analysis
};

class Postings;
class Searcher;

// An index that is open for reading. Thread-safe. Movable. Postings and searchers made from an index keep its files
// open and may outlive it.
class Index {
 public:
  // Maps the files in the directory and checks their headers. Each page is checked against its checksum when it is
  // first read.
  explicit Index(const std::string& directory);
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  std::uint64_t document_count() const;  // documents are numbered from 0
  std::uint64_t term_count() const;
  bool has_positions() const;

  // Requires: document < document_count() (Failure::kUsage).
  StoredFields document(std::uint32_t document) const;
  // The stored text; empty if the index stores none (--store text does).
  std::string text(std::uint32_t document) const;
  // The documents with this external id, ascending.
  std::vector<std::uint32_t> find(std::string_view id) const;

  // The terms of a text as the index stores them, in order, with repetitions: "Sorted lists" -> sort, list.
  std::vector<std::string> analyze(std::string_view text) const;
  // The list of a term (as analyze() returns it); an empty list if the index does not contain the term.
  Postings postings(std::string_view term) const;

 private:
  friend class Postings;
  friend class Searcher;
  struct State;
  std::shared_ptr<const State> state_;
};

// Walks one list in the order of its documents. Not thread-safe.
class Postings {
 public:
  ~Postings();
  Postings(Postings&&) noexcept;
  Postings& operator=(Postings&&) noexcept;

  std::uint64_t document_count() const;    // of the whole list
  std::uint64_t occurrence_count() const;  // likewise

  // Moves to the first, then to each next posting. Returns false at the end.
  bool next();
  // All of these require that next() returned true.
  std::uint32_t document() const;
  std::uint32_t frequency() const;
  // The ordinals of the term's tokens in the document, ascending (docs/formats.md). Failure::kUsage if the index has no
  // positions.
  std::vector<std::uint32_t> positions();

 private:
  friend class Index;
  struct State;
  explicit Postings(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Hit {
  std::uint32_t document = 0;  // in its index
  double score = 0;
  std::string id;
  std::size_t index = 0;  // the number of its index among those of the searcher
};

struct Ranking {
  double k1 = 0.9;  // of BM25, >= 0
  double b = 0.4;   // of BM25, 0 to 1
};

// Ranks documents by BM25, as `spillway search` does. Not thread-safe: use one searcher per thread over a shared index.
class Searcher {
 public:
  explicit Searcher(const Index& index, Ranking ranking = {});
  // Searches several indexes as one collection: documents have the scores and the order that they have in the index
  // which `spillway merge` makes of these. Failure::kUsage if they have different terms for the same text (tokenizer,
  // stop list, stemmer, limit of terms), or if there is none.
  explicit Searcher(const std::vector<Index>& indexes, Ranking ranking = {});
  ~Searcher();
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;

  // Returns at most k documents, best first; equal scores are ordered by id, descending. `query`: +must -not "a phrase"
  // word (docs/search.md). Failure::kUsage for a phrase without a closing quote or in an index without positions.
  std::vector<Hit> search(std::string_view query, std::size_t k);
  // The same for a text in which + - and " are punctuation.
  std::vector<Hit> search_plain(std::string_view text, std::size_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
