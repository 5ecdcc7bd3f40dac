// `spillway export`: an index as files that other programs read.
#include <algorithm>

#include "indexer/plan/memory.hpp"
#include "io/format/index.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/program_bytes.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/export_run.hpp"
#include "tools/exchange/ciff_writer.hpp"
#include "tools/exchange/pisa_writer.hpp"
#include "tools/exchange/text_writer.hpp"
#include "tools/options/job.hpp"
#include "tools/report/progress.hpp"

namespace spillway {

namespace {

enum class ExportFormat : std::uint8_t { kCiff, kPisa, kJsonl, kTsv };

enum class ExportOrder : std::uint8_t { kInput, kUrl };

struct ExportOptions {
  std::string index, output;
  ExportFormat format = ExportFormat::kCiff;
  ExportOrder order = ExportOrder::kInput;
  std::uint64_t memory_bytes = available_memory_bytes() / 2;
  std::size_t program_bytes = 0;  // the program's own, of memory_bytes
};

ExportOptions export_options(const Arguments& arguments) {
  refuse_both(arguments, "quiet", "progress");
  ExportOptions result;
  result.index = arguments.operands()[0];
  if (!arguments.has("to")) throw UsageError("no format named; give --to ciff, pisa, jsonl or tsv");
  take_choice(arguments, "to", result.format);
  take_choice(arguments, "order", result.order);
  if (result.order == ExportOrder::kUrl && result.format != ExportFormat::kCiff &&
      result.format != ExportFormat::kPisa) {
    throw UsageError("--order url is for lists: it needs --to ciff or pisa");
  }
  const auto output = arguments.text("output");
  if (!output || output->empty()) throw UsageError("no output named; give -o OUT");
  result.output = *output;
  take_size(arguments, "memory", result.memory_bytes, result.memory_bytes);
  if (result.memory_bytes < kMinMemoryBytes) {
    throw BudgetError("--memory " + std::to_string(result.memory_bytes) + " is too little; give at least 64M");
  }
  if (result.format == ExportFormat::kPisa && result.output == "-") {
    throw UsageError("--to pisa makes a directory, which cannot be standard output; give -o DIR");
  }
  if (result.format == ExportFormat::kPisa && arguments.has("force")) {
    throw UsageError("--force replaces a file, and --to pisa makes a directory; remove it, or choose another -o");
  }
  return result;
}

// The pages of each of the index's files that stay in memory.
std::size_t resident_bytes(const ExportOptions& options) {
  constexpr std::size_t kShare = 4 * kSectionCount, kMost = std::size_t{64} << 20;
  const std::size_t program = program_reserve_bytes(options.program_bytes, 1);
  const std::size_t memory_bytes = options.memory_bytes, free = memory_bytes - std::min(memory_bytes, program);
  return std::clamp(free / kShare, 4 * kPageBytes, kMost);
}

DocumentOrder document_order(const IndexReader& index, const ExportOptions& options, MemoryBudget& budget,
                             const ExportContext& context) {
  if (options.order == ExportOrder::kInput) return {};
  if (index.options().store == StorePolicy::kNone) {
    throw UsageError("no URLs are stored in " + printable(options.index, 4096) + "; leave out --order url");
  }
  context.stage("order");
  return DocumentOrder::by_url(index, budget, context.check);
}

void write_file(const IndexReader& index, DocumentOrder& order, const ExportOptions& options, OutputFile& file,
                const ExportContext& context) {
  const WriteBytes write = [&file](std::string_view bytes) { file.write(bytes); };
  if (options.format == ExportFormat::kCiff) write_ciff(index, order, write, context);
  if (options.format == ExportFormat::kJsonl) write_jsonl(index, write, context);
  if (options.format == ExportFormat::kTsv) write_tsv(index, write, context);
  context.check();
  file.finish();
}

void write_directory(const IndexReader& index, DocumentOrder& order, ExportDirectory& directory,
                     const ExportContext& context) {
  write_pisa(index, order, directory, context);
  context.check();
  directory.publish();
}

}  // namespace

ExitCode run_export(const Arguments& arguments, Session& session, std::size_t program_bytes) {
  ExportOptions options = export_options(arguments);
  options.program_bytes = program_bytes;
  IndexProgress progress;
  const IndexReader index(session.files, options.index, resident_bytes(options));
  progress.postings_total.store(index.counts().postings);
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), arguments.has("quiet")));
  const ExportContext context{.check = interruption_check(session.signal_number),
                              .stage = [&](const char* stage) { progress.stage.store(stage); },
                              .postings_done = [&](std::uint64_t done) { progress.postings_done.store(done); }};
  MemoryBudget budget(static_cast<std::size_t>(options.memory_bytes));
  const Reservation fixed = budget.reserve(
      program_reserve_bytes(program_bytes, 1) + kSectionCount * resident_bytes(options), "the program itself");
  if (options.format == ExportFormat::kPisa) {
    ExportDirectory directory(session.files, options.output);
    DocumentOrder order = document_order(index, options, budget, context);
    write_directory(index, order, directory, context);
    return ExitCode::kDone;
  }
  refuse_input(session.files, "--output", options.output, {options.index});
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  OutputFile file(session, "--output", options.output, if_there);
  DocumentOrder order = document_order(index, options, budget, context);
  write_file(index, order, options, file, context);
  return ExitCode::kDone;
}

Command export_command() {
  Command command;
  command.name = "export";
  command.summary = "write an index as files that other programs read (CIFF, PISA, JSON lines, TSV)";
  command.examples = {
      {"spillway export docs.index --to ciff -o docs.ciff", "for Lucene (Anserini), Terrier, PISA, JASS, OldDog"},
      {"spillway export docs.index --to pisa -o docs.pisa", "a directory with inv.docs, inv.freqs, fwd.terms, ..."},
      {"spillway export docs.index --to jsonl -o - | zstd > docs.jsonl.zst",
       "the documents, from an index with --store text"}};
  command.operands = "INDEX --to FORMAT -o OUT [OPTIONS]";
  command.notes =
      "\nOUT appears complete or not at all. Documents keep their order, unless --order says otherwise. Positions "
      "stay\n"
      "behind. jsonl has id, title, url, date and text; tsv has id, title and text, in which tabs and line breaks "
      "become\n"
      "blanks. docs/exchange.md describes the files, and how to read them in each program.";
  auto output = option_group("Output"), resources = option_group("Resources"), report = option_group("Report");
  add_choice(output, "to", "FORMAT", {"ciff", "pisa", "jsonl", "tsv"},
             "ciff (Common Index File Format), pisa (PISA's files), jsonl or tsv (documents with their texts)");
  add_choice(output, "order", "NAME", {"input", "url"},
             "ciff, pisa: number the documents as in the input (default) or by URL, which makes gaps smaller");
  add_value(output, "output,o", "OUT", "the file, or for pisa the directory, to make; - is standard output");
  add_flag(output, "force", "replace an existing file");
  add_value(resources, "memory", "SIZE",
            "limit of all memory of the process (default: half of what is available; 50% is half of that)");
  add_flag(report, "progress", "show progress even if standard error is not a terminal");
  add_flag(report, "quiet,q", "print only errors");
  for (const auto& group : {output, resources, report}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {{ExitCode::kOverBudget, "--memory or the machine's memory is too small"},
                        {ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = [](const Arguments& arguments, Session& session) {
    return run_export(arguments, session, program_bytes());
  };
  return command;
}

}  // namespace spillway
