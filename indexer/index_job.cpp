#include "indexer/index_job.hpp"

#include <tbb/global_control.h>
#include <unicode/uversion.h>
#include <zstd.h>

#include <algorithm>

#include "indexer/block_sorter.hpp"
#include "indexer/index_plan.hpp"
#include "indexer/ingest.hpp"
#include "indexer/job_output.hpp"
#include "indexer/run_merging.hpp"
#include "indexer/stopwatch.hpp"
#include "indexer/term_filter.hpp"
#include "indexer/unicode_words.hpp"
#include "indexer/work_directory.hpp"
#include "io/error.hpp"
#include "sort/auto_string_sorter.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

namespace {

const StringSorter& string_sorter_named(const std::string& name) {
  if (name == "auto") return auto_string_sorter();
  return *find_string_sorter(choose_string_sorter(name, 0, 0, {}).name);
}

ContentOptions with_versions(ContentOptions content) {
  content.icu_version = content.tokenizer == Tokenizer::kUnicode ? UnicodeWords::icu_version() : "";
  content.stemmer_version = TermFilter::stemmer_version(content.stemmer);
  content.zstd_version = ZSTD_versionString();
  return content;
}

void check_output(const IndexOptions& options, FileSystem& files) {
  check_output(files, options.output, options.force ? IfOutputExists::kReplace : IfOutputExists::kRefuse);
  const std::string output = files.resolve(options.output);
  for (const std::string& input : options.inputs) {
    const auto status = input == "-" || input.starts_with("@") ? std::nullopt : files.status(input);
    if (status && status->type == FileType::kDirectory && is_inside(output, files.resolve(input))) {
      throw UsageError("the output " + printable(options.output, 4096) + " is inside the input directory " +
                       printable(input, 4096) + "; choose an output outside of it");
    }
  }
}

// Lengths and frequencies are u32.
constexpr std::uint64_t kMaxDocumentBytes = 0xFFFFFFFF;

// Under --force the output is replaced: it must not hold what is being read.
void check_inputs(const CorpusPlan& corpus, const IndexOptions& options, FileSystem& files) {
  if (!files.status(options.output)) return;
  const std::string output = files.resolve(options.output);
  for (const CorpusFile& file : corpus.files) {
    if (file.is_stream || !is_inside(files.resolve(file.path), output)) continue;
    throw UsageError("the input " + printable(file.path, 4096) + " is inside the output " +
                     printable(options.output, 4096) + "; choose another -o");
  }
}

class IndexJob {
 public:
  IndexJob(const IndexOptions& options, const IndexContext& context, IndexReport& report)
      : options_(options),
        context_(context),
        report_(report),
        content_(with_versions(options.content)),
        corpus_options_(options.corpus),
        threads_(options.threads != 0 ? options.threads : usable_threads()),
        memory_bytes_(options.memory_bytes != 0 ? options.memory_bytes : available_memory_bytes() / 2),
        budget_(memory_bytes_),
        skips_(options.max_error_rate, options.strict),
        strings_(string_sorter_named(options.string_sorter)) {
    corpus_options_.max_document_bytes = content_.max_document_bytes;
    if (content_.max_document_bytes > kMaxDocumentBytes) {
      throw UsageError("--max-document-bytes " + std::to_string(content_.max_document_bytes) + " is above " +
                       std::to_string(kMaxDocumentBytes) + ", the most there is; give a smaller one");
    }
    report_.threads = threads_;
    report_.memory_bytes = memory_bytes_;
  }

  void run() {
    check_output(options_, context_.files);
    const TermFilter probe(content_);  // refuses an unknown stemmer before any work
    make_sorter();
    corpus_ = plan_corpus(context_.files, options_.inputs, corpus_options_);
    check_inputs(corpus_, options_, context_.files);
    context_.progress.bytes_total.store(corpus_.total_bytes);
    plan();
    // One more than the arenas' threads: the thread that waits for an arena takes part in it.
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, threads_ + 1);
    WorkDirectory work(context_.files, options_.output);
    check_output(options_, context_.files);  // an index that a killed job had moved aside is back now
    TempSpace temp(context_.files, scratch_directories(options_.temp_directories, work),
                   scratch_name(context_.files, options_.output), options_.temp_limit_bytes);
    temp.set_check([this] { throw_if_stopped(context_); });
    try {
      build(work, temp);
    } catch (...) {
      fill_report(temp);
      throw;
    }
    fill_report(temp);
  }

 private:
  void make_sorter() {
    // A block takes a third of the memory or so, and a record in it about 24 bytes with its scratch.
    const SorterChoice choice = choose_record_sorter(options_.record_sorter, memory_bytes_ / 96, memory_bytes_ / 3);
    const RecordSorter* records = find_record_sorter(choice.name);
    sorter_ = records == nullptr ? make_chunk_block_sorter(strings_) : make_key_block_sorter(*records, strings_);
    report_.plan = "record sorter " + choice.describe() + "\nstring sorter " + std::string(strings_.name()) + "\n";
  }

  void plan() {
    IndexPlanInput input;
    input.memory_bytes = memory_bytes_;
    input.program_bytes = resident_bytes();
    input.threads = threads_;
    input.mode = options_.mode;
    input.form = sorter_->form();
    input.input_bytes = corpus_.total_bytes;
    input.forced_block_bytes = options_.block_bytes;
    // Threads that were not asked for by number give way to a small budget.
    const bool may_lower = options_.threads == 0;
    while (true) {
      try {
        input.threads = threads_;
        plan_ = plan_index(input, content_, corpus_);
        break;
      } catch (const BudgetError&) {
        if (!may_lower || threads_ == 1) throw;
        threads_ -= (threads_ + 3) / 4;
      }
    }
    report_.threads = threads_;
    program_ = budget_.reserve(plan_.reserve_bytes, "the program itself");
    report_.plan += "memory " + std::to_string(memory_bytes_) + " bytes, " + std::to_string(threads_) + " threads\n" +
                    plan_.describe();
    context_.say(report_.plan);
  }

  void build(WorkDirectory& work, TempSpace& temp) {
    const Stopwatch watch;
    RunStore runs(budget_, temp, plan_.run_memory_bytes,
                  TermBlockBuilder::max_block_bytes(plan_.run_block_bytes, content_.max_term_bytes));
    context_.progress.stage.store("parse");
    IndexOptions options = options_;
    options.corpus = corpus_options_;
    ingest_ = ingest({options, content_, corpus_, plan_, *sorter_, context_, budget_, temp, threads_}, runs, skips_);
    check_unchanged(context_.files, corpus_);
    if (content_.duplicate_ids != DuplicateIds::kFirst) skips_.judge_at_end();
    report_.runs = runs.runs.size();
    for (const auto& run : runs.runs) report_.runs_spilled += run->is_spilled() ? 1 : 0;

    const Stopwatch write_watch;
    IndexWriter writer(context_.files, work.index_path(), content_);
    const Reservation writer_memory = budget_.reserve(IndexWriter::memory_bytes(), "the index writer");
    const IndexTotals totals = merge_into_index(
        {content_, plan_.run_block_bytes, plan_.id_sort_bytes, strings_, context_, budget_, temp, threads_}, runs,
        writer, [&](std::uint64_t duplicates) { count_duplicates(duplicates); }, merge_);
    report_.plan += merge_.plan;
    context_.progress.stage.store("write");
    const Stopwatch finish_watch;
    writer.finish(totals);
    terms_ = writer.term_count();
    throw_if_stopped(context_);
    work.publish();
    finish_seconds_ = finish_watch.seconds();
    report_.index_bytes = writer.bytes_written();
    report_.seconds = watch.seconds();
  }

  // Documents dropped for their id were counted as indexed while parsing.
  void count_duplicates(std::uint64_t duplicates) {
    for (const IdTable::Duplicate& duplicate : merge_.duplicates) {
      skips_.note(SkipReason::kDuplicateId, duplicate.dropped, {"document " + std::to_string(duplicate.dropped), 0},
                  "id " + duplicate.id + " is that of document " + std::to_string(duplicate.kept));
    }
    skips_.move_documents(SkipReason::kDuplicateId, duplicates);
    skips_.judge_at_end();
  }

  void fill_report(const TempSpace& temp) {
    skips_.write(report_);
    report_.documents = skips_.documents();
    report_.repaired = ingest_.repaired;
    report_.overlong_tokens = ingest_.overlong_tokens;
    report_.fields_cut = ingest_.fields_cut;
    report_.chunks = ingest_.chunks;
    report_.blocks = ingest_.blocks;
    report_.merge_passes = merge_.passes;
    report_.postings = merge_.postings;
    report_.occurrences = merge_.occurrences;
    report_.terms = terms_;
    report_.spilled_bytes = temp.written_bytes();
    report_.peak_temp_bytes = temp.peak_bytes();
    report_.peak_resident_bytes = peak_resident_bytes();
    add_stages();
  }

  void add_stages() {
    report_.input_bytes = std::max(corpus_.total_bytes, context_.progress.bytes_done.load());  // streams tell no size
    const std::uint64_t bytes = report_.input_bytes;
    report_.stages = {{"parse", ingest_.parse_seconds, ingest_.wall_seconds, bytes},
                      {"sort", ingest_.sort.sort_seconds, ingest_.sort.sort_seconds, bytes},
                      {"encode", ingest_.sort.encode_seconds, ingest_.wall_seconds, bytes},
                      {"spill", ingest_.sort.write_seconds, ingest_.sort.write_seconds, report_.spilled_bytes},
                      {"merge passes", merge_.pass_seconds, merge_.pass_seconds, merge_.rewritten_bytes},
                      {"ids and documents", merge_.id_seconds + merge_.document_seconds,
                       merge_.id_seconds + merge_.document_seconds, bytes},
                      {"merge", merge_.list_seconds * merge_.list_threads, merge_.list_seconds, bytes},
                      {"write", finish_seconds_, finish_seconds_, report_.index_bytes}};
    const auto slowest =
        std::max_element(report_.stages.begin(), report_.stages.end(),
                         [](const StageFigure& a, const StageFigure& b) { return a.busy_seconds < b.busy_seconds; });
    report_.bottleneck = slowest->name;
  }

  const IndexOptions& options_;
  const IndexContext& context_;
  IndexReport& report_;
  const ContentOptions content_;
  CorpusOptions corpus_options_;
  unsigned threads_;
  const std::size_t memory_bytes_;
  MemoryBudget budget_;
  SkipLog skips_;
  const StringSorter& strings_;
  std::unique_ptr<BlockSorter> sorter_;
  CorpusPlan corpus_;
  IndexPlan plan_;
  Reservation program_;
  IngestFigures ingest_;
  MergeFigures merge_;
  double finish_seconds_ = 0;
  std::uint64_t terms_ = 0;
};

}  // namespace

void run_index(const IndexOptions& options, const IndexContext& context, IndexReport& report) {
  IndexJob(options, context, report).run();
}

}  // namespace spillway
