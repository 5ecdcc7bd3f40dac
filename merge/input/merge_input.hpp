// An input of a merge: a run, or an index that stands for one run of all its documents. The inputs of a merge are in
// document order and each covers contiguous documents.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/format/cursors.hpp"
#include "io/format/run.hpp"

namespace spillway {

// Called often, by any thread of a merge; throws to stop it. May be empty.
using StopCheck = std::function<void()>;

// Consecutive documents of an input.
struct DocumentRange {
  std::uint64_t first = 0;  // number, in the input, of the first document
  std::unique_ptr<DocumentCursor> cursor;
  std::size_t bytes = 0;  // of their strings, roughly
};

// Cursors may be used on many threads at once, each by one thread. They must not outlive the input.
class MergeInput {
 public:
  virtual ~MergeInput() = default;
  virtual const RunIdentity& identity() const = 0;
  virtual const RunSummary& summary() const = 0;
  virtual std::vector<TermSample> term_samples() const = 0;  // ascending, roughly evenly spread over the bytes
  // The terms first <= term < last; an empty `last` means no upper bound.
  virtual std::unique_ptr<TermCursor> terms(std::string first, std::string last) const = 0;
  // The same for a caller that copies entries without decoding them: they may be larger.
  virtual std::unique_ptr<TermCursor> whole_terms(std::string first, std::string last) const {
    return terms(std::move(first), std::move(last));
  }
  virtual std::unique_ptr<DocumentCursor> documents() const = 0;
  // All documents, as ranges in order that may be read in parallel; their views live as long as the input. Empty if the
  // input cannot be read in parallel.
  virtual std::vector<DocumentRange> document_ranges() const { return {}; }
  // The texts of the documents, in order; nullptr unless identity().has_texts.
  virtual std::unique_ptr<TextCursor> texts() const { return nullptr; }
  virtual std::string name() const = 0;  // for messages
  // Documents may be holes (fields = RunDocument::kDropped), which a merge must drop again.
  virtual bool may_have_dropped() const { return false; }
  // How often the term cursors have cut a posting, if that is known: each fragment of one counts as a posting.
  virtual std::optional<std::uint64_t> cut_postings() const { return std::nullopt; }
};

// Counts and sum of all postings that a merge read from an input. The cursors check each term range; only the totals
// show that a range is missing.
struct InputTotals {
  std::uint64_t posting_count = 0, occurrence_count = 0;
  ContentChecksum sum;  // in the input's own numbering; merges into a run do not compute it

  void add(const InputTotals& other);
};

// Throw FormatError naming the input if the counts differ from those of its summary.
void check_totals(const MergeInput& input, const InputTotals& found);
void check_documents(const MergeInput& input, std::uint64_t documents, std::uint64_t tokens);

// The bytes that the lists of all inputs take in an index, roughly.
std::uint64_t estimated_list_bytes(std::span<const MergeInput* const> inputs);

}  // namespace spillway
