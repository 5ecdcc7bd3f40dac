// What can be merged: a run, or an index that stands for one. Inputs of a merge are in document order, and their
// documents are contiguous (design, decision 4).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/format/cursors.hpp"
#include "io/run/reader.hpp"

namespace spillway {

// Documents of an input that follow each other.
struct DocumentStretch {
  std::uint64_t first = 0;  // number, in the input, of its first document
  std::unique_ptr<DocumentCursor> cursor;
};

class MergeInput {
 public:
  virtual ~MergeInput() = default;
  virtual const RunIdentity& identity() const = 0;
  virtual const RunSummary& summary() const = 0;
  virtual std::vector<TermSample> term_samples() const = 0;  // ascending, roughly evenly spread over the bytes
  virtual std::size_t cursor_bytes() const = 0;              // memory of a term cursor
  // first <= term < last; empty last: to the end. Cursors on many threads at once are fine.
  virtual std::unique_ptr<TermCursor> terms(std::string first, std::string last) const = 0;
  virtual std::unique_ptr<DocumentCursor> documents() const = 0;
  // All documents in stretches that may be read side by side, in order, with views that live as long as the input. None
  // where the input cannot be read so.
  virtual std::vector<DocumentStretch> document_stretches() const { return {}; }
  // Of the documents, in their order; nullptr unless identity().has_texts.
  virtual std::unique_ptr<TextCursor> texts() const { return nullptr; }
  virtual std::string name() const = 0;  // for messages
  // Documents may be holes (fields = RunDocument::kDropped), which a merge must drop again.
  virtual bool may_have_dropped() const { return false; }
};

}  // namespace spillway
