// Renders the answer to a query in each output format. An answer is one text, so that answers found in parallel can be
// written in order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/collection.hpp"
#include "search/query.hpp"

namespace spillway {

enum class SearchFormat { kText, kTrec, kMsMarco, kJson };

// A query and its ranking.
struct SearchAnswer {
  const std::string* id = nullptr;  // id of a query from a file; nullptr for the query of the command line
  std::string query;                // as given
  std::vector<QueryTerm> terms;     // to be marked in snippets
  std::vector<RankedDocument> ranking;
};

// An answer in an output format.
struct RenderedAnswer {
  std::string data;   // for standard output, with its line feeds; may be empty
  std::string words;  // for standard error: that nothing was found; empty otherwise
};

struct SnippetMarks {
  std::string open = "**", close = "**";
};

// Bold if standard output shows it (tools/cli/terminal.hpp); otherwise the default of SnippetMarks.
SnippetMarks terminal_marks();

// Immutable and thread-safe. The collection's indexes must outlive it.
class SearchOutput {
 public:
  // `run_id` is the last column of kTrec, one word. `marks` surround a match in a snippet of kText; kJson always has
  // "**".
  SearchOutput(Collection collection, SearchFormat format, std::string run_id, SnippetMarks marks = {})
      : collection_(std::move(collection)), format_(format), run_id_(std::move(run_id)), marks_(std::move(marks)) {}

  // Throws FormatError if the index is corrupt.
  RenderedAnswer render(const SearchAnswer& answer) const;

  // `text` as a column of a run file. Every byte of a blank, a control character, a backslash and of broken UTF-8
  // becomes \xNN, so that different texts have different columns: reading each \xNN as a byte gives the text.
  static std::string column(std::string_view text);

 private:
  std::string text(const SearchAnswer& answer) const;
  std::string trec(const SearchAnswer& answer) const;
  std::string ms_marco(const SearchAnswer& answer) const;
  std::string json(const SearchAnswer& answer) const;
  std::string id_column(const RankedDocument& ranked) const;
  const Collection collection_;
  SearchFormat format_;
  std::string run_id_;
  SnippetMarks marks_;
};

}  // namespace spillway
