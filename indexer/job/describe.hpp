// What must be the same for a job to go on with the work of an interrupted one.
#pragma once

#include "indexer/options/index_options.hpp"
#include "indexer/options/merge_options.hpp"
#include "indexer/resume/description.hpp"

namespace spillway {

// `content` with the versions of libraries. Throws UsageError if an input is a stream, which cannot be read again.
JobDescription describe_index_job(FileSystem& files, const IndexOptions& options, const ContentOptions& content,
                                  const CorpusPlan& corpus);

// Reads the list of ids to drop. Throws UsageError if it comes from standard input. Requires: no other names of
// documents to drop.
JobDescription describe_merge_job(FileSystem& files, const MergeOptions& options, const ContentOptions& content);

}  // namespace spillway
