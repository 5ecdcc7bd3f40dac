// The length codes of a source, read in one pass over its documents: what jobs take per input with set_lengths().
#pragma once

#include "merge/index/length_codes.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway::testing {

// Reads the lengths of the documents of all inputs, then removes the dropped ones.
inline LengthCodes read_length_codes(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                                     MemoryBudget& budget) {
  LengthCodes codes(budget, lay_out_source(inputs).document_count);
  for_each_document(inputs, {}, [&](std::uint32_t number, const RunDocument& document) {
    codes.set(number, document.length);
    return ReadStep::kGoOn;
  });
  codes.drop(dropped);
  return codes;
}

}  // namespace spillway::testing
