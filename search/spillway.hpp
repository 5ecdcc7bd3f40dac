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
// Everything throws spillway::Failure, and std::bad_alloc. Strings and vectors that are returned belong to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// What went wrong, in words that name the file and the place in it, what was expected and what helps.
class Failure : public std::runtime_error {
 public:
  enum class Kind {
    kUsage,    // a call that the index or the query does not allow
    kIo,       // a file that cannot be read
    kCorrupt,  // an index that is damaged, or of another version
    kOther
  };
  Failure(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct StoredFields {
  std::string id;                // the external id
  std::string title, url, date;  // empty where the document or the index has none
  std::uint32_t length = 0;      // tokens kept
};

class Postings;
class Searcher;

// An index, open for reading. Its functions may be called by several threads at once. Movable; what was made from an
// index keeps its files open, and may outlive it.
class Index {
 public:
  // Maps the files of the directory and checks their heads; pages are checked against their checksums when they are
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
  // The stored text; empty in an index without (--store text stores it).
  std::string text(std::uint32_t document) const;
  // Documents with this external id, ascending.
  std::vector<std::uint32_t> find(std::string_view id) const;

  // The terms of a text as the index would hold them, in order, with repetitions: "Sorted lists" -> sort, list.
  std::vector<std::string> analyze(std::string_view text) const;
  // The list of a term (as analyze() gives it); an empty one for a term that the index does not hold.
  Postings postings(std::string_view term) const;

 private:
  friend class Postings;
  friend class Searcher;
  struct State;
  std::shared_ptr<const State> state_;
};

// Walks one list in order of documents. Not thread-safe.
class Postings {
 public:
  ~Postings();
  Postings(Postings&&) noexcept;
  Postings& operator=(Postings&&) noexcept;

  std::uint64_t document_count() const;    // of the whole list
  std::uint64_t occurrence_count() const;  // likewise

  // To the first, then to each next posting; false at the end.
  bool next();
  // Require: next() returned true.
  std::uint32_t document() const;
  std::uint32_t frequency() const;
  // Ascending; the ordinals of the term's tokens in the document (docs/formats.md). Failure::kUsage for an index
  // without positions.
  std::vector<std::uint32_t> positions();

 private:
  friend class Index;
  struct State;
  explicit Postings(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Hit {
  std::uint32_t document = 0;
  double score = 0;
  std::string id;
};

struct Ranking {
  double k1 = 0.9;  // BM25's: >= 0
  double b = 0.4;   // 0 to 1
};

// Ranks documents by BM25, as `spillway search` does. Not thread-safe: one for each thread, over one index.
class Searcher {
 public:
  explicit Searcher(const Index& index, Ranking ranking = {});
  ~Searcher();
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;

  // At most k documents, best first; equal scores by id, descending. `query`: +must -not "a phrase" word
  // (docs/search.md); Failure::kUsage for a phrase without an end, or in an index without positions.
  std::vector<Hit> search(std::string_view query, std::size_t k);
  // The same for text in which + - and " are punctuation.
  std::vector<Hit> search_plain(std::string_view text, std::size_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
