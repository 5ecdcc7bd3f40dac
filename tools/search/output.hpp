// How the answer to a query is written: one text per answer, so that answers found side by side can be written in
// order. Everything that is said of a hit is said here.
#pragma once

#include <string>
#include <vector>

#include "io/index/reader.hpp"
#include "search/exhaustive_ranker.hpp"

namespace spillway {

enum class SearchFormat { kText, kTrec, kMsMarco, kJson };

// A query and what was found for it.
struct SearchAnswer {
  const std::string* id = nullptr;  // of a query from a file; nullptr for the one on the command line
  std::string query;                // as it was given
  std::vector<QueryTerm> terms;     // that the documents were looked for with
  std::vector<RankedDocument> ranking;
};

struct SnippetMarks {
  std::string open = "**", close = "**";
};

// Bold where standard output is a terminal and NO_COLOR is not set; else as in SnippetMarks.
SnippetMarks terminal_marks();

// Immutable; thread-safe. The index lives longer.
class SearchOutput {
 public:
  // run_id: the last column of kTrec, one word. marks: what stands around a match in a snippet of kText; in kJson it is
  // always "**".
  SearchOutput(const IndexReader& index, SearchFormat format, std::string run_id, SnippetMarks marks = {})
      : index_(index), format_(format), run_id_(std::move(run_id)), marks_(std::move(marks)) {}

  // The answer in the format, line feeds included; may be empty. Throws FormatError.
  std::string render(const SearchAnswer& answer) const;

  // A column of a run file: controls escaped, blanks as \x20.
  static std::string column(std::string_view text);

 private:
  std::string text(const SearchAnswer& answer) const;
  std::string trec(const SearchAnswer& answer) const;
  std::string ms_marco(const SearchAnswer& answer) const;
  std::string json(const SearchAnswer& answer) const;
  const IndexReader& index_;
  SearchFormat format_;
  std::string run_id_;
  SnippetMarks marks_;
};

}  // namespace spillway
