// A job refuses, before it reads its input, outputs, inputs and reports that are in each other's way. All functions
// throw UsageError.
#pragma once

#include "corpora/reader/corpus_reader.hpp"
#include "indexer/job/output.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

IfOutputExists if_output_exists(const IndexOptions& options);

// Refuses an output that is there without --force, and one inside an input directory. Throws IoError, too.
void check_output(const IndexOptions& options, FileSystem& files);

// --force replaces the output, so it must not contain an input.
void check_inputs(const CorpusPlan& corpus, const IndexOptions& options, FileSystem& files);

// Refuses reports that would replace an input (ReportIsInputError). A list or a directory may name a report, too, and
// two paths may lead to one file.
void refuse_reports(const CorpusPlan& corpus, const IndexContext& context);

// Documents that are appended are compared with those of the index.
void check_dedup(const IndexOptions& options);

}  // namespace spillway
