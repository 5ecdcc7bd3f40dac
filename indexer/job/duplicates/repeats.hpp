// Finds documents that repeat an earlier one (--dedup), by an external sort of what is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/sink.hpp"
#include "indexer/options/index_options.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/input/merge_input.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

struct RepeatSearch {
  Dedup what = Dedup::kNone;  // is compared
  MemoryBudget& budget;
  TempSpace& temp;
  const StringSorter& sorter;
  std::size_t memory_bytes = 0;  // of the sort; at least 256 KiB are used
  StopCheck check = {};          // called often; throws to stop. May be empty
  // kExact: how many documents at the beginning of the source have no hash. Requires: the inputs store their texts.
  std::uint64_t unhashed_count = 0;
};

// Hears of a document that repeats an earlier one, `first`. `value` is what they share; the view lives for the call.
using TakeRepeat = std::function<void(std::string_view value, std::uint32_t first, std::uint32_t repeated)>;

// Reads the documents of the inputs, which are one source, and calls `take` for each document after the first of those
// that share a value: in byte order of the values and, of equal ones, in order of documents. Dropped documents, and
// those without a value, are left out. `take` may drop documents. Requires: `what` is not kNone.
//
// kExact: hashes of title and text (RunDocument::text_hash), which runs of such a job have; those of the first
// `unhashed_count` documents are computed from their stored texts. kUrl: URLs are compared byte for byte. One that was
// repaired, or that may have been cut, is no value.
void find_repeats(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                  const RepeatSearch& search, const TakeRepeat& take);

// How reports name such documents; `first` is the name of the first one. Requires: not kNone.
SkipReason repeat_reason(Dedup what);
std::string_view repeat_name(Dedup what);  // what is shared, in words
std::string describe_repeat(Dedup what, std::string_view value, const std::string& first);

}  // namespace spillway
