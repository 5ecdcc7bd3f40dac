#include "indexer/job/input_checks.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "indexer/job/output.hpp"
#include "io/base/error.hpp"

namespace spillway {

IfOutputExists if_output_exists(const IndexOptions& options) {
  return options.force ? IfOutputExists::kReplace : IfOutputExists::kRefuse;
}

void check_output(const IndexOptions& options, FileSystem& files) {
  check_output(files, options.output, if_output_exists(options));
  const std::string output = files.resolve(options.output);
  for (const std::string& input : options.inputs) {
    const auto status = input == "-" || input.starts_with("@") ? std::nullopt : files.status(input);
    if (status && status->type == FileType::kDirectory && is_inside(output, files.resolve(input))) {
      throw UsageError("the output " + printable(options.output, 4096) + " is inside the input directory " +
                       printable(input, 4096) + "; choose an output outside of it");
    }
  }
}

void check_inputs(const CorpusPlan& corpus, const IndexOptions& options, FileSystem& files) {
  if (!files.status(options.output)) return;
  const std::string output = files.resolve(options.output);
  for (const CorpusFile& file : corpus.files) {
    if (file.is_stream || !is_inside(files.resolve(file.path), output)) continue;
    throw UsageError("the input " + printable(file.path, 4096) + " is inside the output " +
                     printable(options.output, 4096) + "; choose another -o");
  }
}

void refuse_reports(const CorpusPlan& corpus, const IndexContext& context) {
  for (const std::string& report : context.reports) {
    const auto replaced = context.files.status(report);
    if (!replaced || replaced->type != FileType::kRegular) continue;
    for (const CorpusFile& file : corpus.files) {
      std::error_code error;  // as with "-": then they are not the same file
      if (!std::filesystem::equivalent(file.path, report, error)) continue;
      throw ReportIsInputError("the report '" + printable(report, 4096) + "' would replace the input " +
                               printable(file.path, 4096) + "; name another file");
    }
  }
}

void check_dedup(const IndexOptions& options) {
  if (!options.append || options.dedup != Dedup::kExact || options.content.store == StorePolicy::kText) return;
  throw UsageError("--dedup exact compares titles and texts, and " + printable(options.output, 4096) +
                   " does not store those of its documents (--store text): choose --dedup url, or make an index of "
                   "the new documents alone with --dedup exact, and merge both");
}

}  // namespace spillway
