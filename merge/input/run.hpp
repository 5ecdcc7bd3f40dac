// A run as an input of a merge.
#pragma once

#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_cursor.hpp"
#include "io/run/text_cursor.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

class RunInput final : public MergeInput {
 public:
  // `run` lives longer. A run that was merged from indexes may have holes.
  explicit RunInput(const RunReader& run, bool may_have_dropped = false)
      : run_(run), may_have_dropped_(may_have_dropped) {}

  const RunIdentity& identity() const override { return run_.identity(); }
  const RunSummary& summary() const override { return run_.summary(); }
  std::vector<TermSample> term_samples() const override { return run_.term_samples(); }
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    return std::make_unique<RunTermCursor>(run_, std::move(first), std::move(last));
  }
  std::unique_ptr<DocumentCursor> documents() const override { return std::make_unique<RunDocumentCursor>(run_); }
  std::unique_ptr<TextCursor> texts() const override { return std::make_unique<RunTextCursor>(run_); }
  std::string name() const override { return run_.file().path(); }
  bool may_have_dropped() const override { return may_have_dropped_; }

 private:
  const RunReader& run_;
  bool may_have_dropped_;
};

}  // namespace spillway
