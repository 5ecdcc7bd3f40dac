// An index as an input of a merge. It stands for one run of all its documents, numbered as in its source: documents
// that the index dropped are holes.
#pragma once

#include <atomic>
#include <optional>

#include "io/index/cursors.hpp"
#include "io/index/reader.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

class IndexInput final : public MergeInput {
 public:
  // `index` lives longer.
  explicit IndexInput(const IndexReader& index);

  const RunIdentity& identity() const override { return identity_; }
  // Counts dropped documents as documents; all other figures are those of the documents that the index holds.
  const RunSummary& summary() const override { return summary_; }
  std::vector<TermSample> term_samples() const override;
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override;
  std::unique_ptr<DocumentCursor> documents() const override { return std::make_unique<IndexDocumentCursor>(index_); }
  std::unique_ptr<TextCursor> texts() const override { return std::make_unique<IndexTextCursor>(index_); }
  std::string name() const override { return index_.directory(); }
  std::optional<std::uint64_t> cut_postings() const override { return cuts_.load(); }
  bool may_have_dropped() const override { return index_.counts().source_documents != index_.counts().documents; }

 private:
  const IndexReader& index_;
  RunIdentity identity_;
  RunSummary summary_;
  mutable std::atomic<std::uint64_t> cuts_{0};
};

}  // namespace spillway
