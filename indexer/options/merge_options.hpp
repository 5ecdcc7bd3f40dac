// The options of a job that merges indexes (`spillway merge`), as run_merge (indexer/job/merge_job.hpp) takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"

namespace spillway {

// Documents by their ids or URLs.
struct DocumentNames {
  std::vector<std::string> files;   // one name a line; "-": standard input
  std::vector<std::string> values;  // names themselves
  bool empty() const { return files.empty() && values.empty(); }
};

enum class IfUnknown { kWarn, kRefuse };

struct MergeOptions {
  std::vector<std::string> inputs;  // index directories, in document order
  std::string output;
  DocumentNames drop_ids, drop_urls;                        // of documents to leave out
  IfUnknown if_unknown = IfUnknown::kWarn;                  // a document to leave out is in no index
  Dedup dedup = Dedup::kNone;                               // none or url: an index has no hashes of texts
  std::uint64_t memory_bytes = 0;                           // 0: half of what is available
  std::optional<std::size_t> program_bytes = std::nullopt;  // as IndexOptions has it
  unsigned threads = 0;                                     // 0: the processors that this process may run on
  std::vector<std::string> temp_directories;                // empty: beside the output
  std::uint64_t temp_limit_bytes = 0;                       // 0: no limit
  std::size_t max_fan_in = 0;                               // 0: as memory allows
  bool force = false;
  ResumeOptions resume;
};

}  // namespace spillway
