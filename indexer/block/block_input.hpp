// A sorted block in memory as an input of a merge: all but its lists, which a derived class has. Its documents are read
// in place from its chunks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "indexer/block/block.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

class BlockInput : public MergeInput {
 public:
  // The block, which needs its documents only, the summary and the samples live longer.
  BlockInput(const Block& block, const RunIdentity& identity, const RunSummary& summary,
             std::span<const TermSample> samples)
      : block_(block), identity_(identity), summary_(summary), samples_(samples) {}

  const RunIdentity& identity() const override { return identity_; }
  const RunSummary& summary() const override { return summary_; }
  std::vector<TermSample> term_samples() const override { return {samples_.begin(), samples_.end()}; }
  std::unique_ptr<DocumentCursor> documents() const override;
  // One for each chunk.
  std::vector<DocumentRange> document_ranges() const override;
  std::string name() const override { return "block " + std::to_string(block_.number) + " in memory"; }

 private:
  const Block& block_;
  const RunIdentity identity_;
  const RunSummary& summary_;
  const std::span<const TermSample> samples_;
};

}  // namespace spillway
