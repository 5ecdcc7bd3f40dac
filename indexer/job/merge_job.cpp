#include "indexer/job/merge_job.hpp"

#include <zstd.h>

#include <algorithm>

#include "indexer/job/describe.hpp"
#include "indexer/job/duplicates/repeats.hpp"
#include "indexer/job/final_merge.hpp"
#include "indexer/job/output.hpp"
#include "indexer/job/work_directory.hpp"
#include "indexer/plan/disk_space.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/run/index_source.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/format/content_difference.hpp"
#include "io/memory/limits.hpp"
#include "io/memory/program_bytes.hpp"
#include "io/run/term_block_builder.hpp"
#include "io/run/writer.hpp"
#include "sort/sort_plan.hpp"
#include "sort/task_threads.hpp"

namespace spillway {

namespace {

constexpr std::size_t kRunBlockBytes = std::size_t{128} << 10;  // of runs that passes write
constexpr std::size_t kMostIdSortBytes = std::size_t{1} << 30;

void check_same(const IndexSource& first, const IndexSource& other) {
  const auto differences = content_differences(first.options(), other.options());
  if (differences.empty()) return;
  std::string words;
  for (const ContentDifference& difference : differences) {
    words += (words.empty() ? "" : "; ") + difference.option + " is " + difference.first + " in " +
             printable(first.directory(), 4096) + " and " + difference.second + " in " +
             printable(other.directory(), 4096);
  }
  throw UsageError("indexes of different options cannot be merged: " + words +
                   ". Index one of the inputs again with the options of the other");
}

class MergeJob {
 public:
  MergeJob(const MergeOptions& options, const IndexContext& context, MergeReport& report)
      : options_(options),
        context_(context),
        report_(report),
        threads_(options.threads != 0 ? options.threads : usable_threads()),
        memory_bytes_(options.memory_bytes != 0 ? options.memory_bytes : available_memory_bytes() / 2),
        budget_(memory_bytes_) {
    report_.threads = threads_;
    report_.memory_bytes = memory_bytes_;
  }

  void run() {
    if (options_.force) put_back_replaced(context_.files, options_.output);
    if (context_.recorder != nullptr) budget_.keep_account();
    check();
    open_inputs();
    reserve_program();
    const TaskThreads task_threads(threads_);
    read_ids();
    std::optional<JobDescription> job;
    if (options_.resume.resumable) job = describe_merge_job(context_.files, options_, content_);
    WorkDirectory work(context_.files, options_.output, job ? JobKind::kResumable : JobKind::kOrdinary,
                       options_.resume.restart ? Interrupted::kDiscard : Interrupted::kKeep);
    check();  // again: WorkDirectory may have put back an index that a killed job had moved aside
    // Without dropped documents the output holds at least the first index, perhaps packed better.
    check_free_space(context_.files, options_.output,
                     {"the merged index", drops_any() ? 0 : sources_.front()->bytes / 2, report_.input_bytes},
                     context_.warn);
    std::optional<Checkpoints> checkpoints;  // ends before `work`
    if (job) checkpoints.emplace(context_.files, work.path(), *job, [&work] { work.keep(); });
    checkpoints_ = checkpoints ? &*checkpoints : nullptr;
    TempSpace temp(context_.files, options_.temp_directories, work.path(), options_.temp_limit_bytes);
    temp.set_check([this] { throw_if_stopped(context_); });
    const SampledJob sampled(context_.recorder, budget_, temp, work.index_path());
    try {
      build(work, temp);
    } catch (...) {
      fill_report(temp);
      if (checkpoints_ != nullptr) checkpoints_->rethrow(context_.warn);
      throw;
    }
    fill_report(temp);
  }

 private:
  IfOutputExists if_output_exists() const {
    return options_.force ? IfOutputExists::kReplace : IfOutputExists::kRefuse;
  }
  void check() const { check_output(context_.files, options_.output, if_output_exists()); }

  // Opens each index once, alone, so that errors in any of them are reported before the work.
  void open_inputs() {
    if (options_.inputs.empty()) throw UsageError("no index to merge; name at least one");
    const std::string output = context_.files.resolve(options_.output);
    std::vector<std::pair<std::string, std::string>> seen;  // resolved, as given
    for (const std::string& input : options_.inputs) {
      throw_if_stopped(context_);
      const std::string resolved = context_.files.resolve(input);
      check_place(input, resolved, output);
      for (const auto& [before, name] : seen) {
        if (before != resolved) continue;
        throw UsageError(printable(name, 4096) + " and " + printable(input, 4096) +
                         " are the same index; name each once");
      }
      seen.emplace_back(resolved, input);
      add_source(input);
    }
    if (options_.dedup == Dedup::kUrl && first_->options().store == StorePolicy::kNone) {
      throw UsageError("--dedup url compares stored URLs, and the indexes were made with --store none: index again");
    }
    const std::string& made_with = first_->options().zstd_version;
    if (made_with != ZSTD_versionString()) {
      throw UsageError("the indexes were made with zstd " + printable(made_with) + ", and this is a program with " +
                       ZSTD_versionString() + ", which would not give the same bytes: merge with the release that " +
                       "made them, or index again");
    }
  }

  void check_place(const std::string& input, const std::string& resolved, const std::string& output) const {
    if (resolved == output) return;  // --force replaces it after it has been read
    if (is_inside(resolved, output) || is_inside(output, resolved)) {
      throw UsageError("the input " + printable(input, 4096) + " and the output " + printable(options_.output, 4096) +
                       " lie in each other; choose another -o");
    }
  }

  void add_source(const std::string& input) {
    auto source = std::make_unique<IndexSource>(context_.files, input);
    if (first_ == nullptr) first_ = source.get();
    check_same(*first_, *source);
    const IndexCounts& counts = source->counts();
    report_.input_bytes += source->bytes;
    report_.input_documents += counts.documents;
    earlier_.source_sum.join(counts.dropped_sum, source_documents_);
    source_documents_ += counts.source_documents;
    context_.progress.runs.fetch_add(1);
    sources_.push_back(std::move(source));
  }

  void reserve_program() {
    content_ = first_->options();
    const std::size_t program = program_reserve_bytes(options_.program_bytes.value_or(program_bytes()), threads_);
    if (memory_bytes_ < kMinMemoryBytes) {
      throw BudgetError("--memory " + std::to_string(memory_bytes_) + " is too little; give at least 64M");
    }
    program_ = budget_.reserve(program, "the program itself");
  }

  void read_ids() {
    context_.progress.stage.store("read ids to drop");
    to_drop_ = read_names(options_.drop_ids);
    urls_to_drop_ = read_names(options_.drop_urls);
    if (urls_to_drop_ == nullptr || content_.store != StorePolicy::kNone) return;
    throw UsageError(printable(first_->directory(), 4096) +
                     " stores no URLs (--store none), so that no document can be named by its URL: name its id");
  }

  std::unique_ptr<IdList> read_names(const DocumentNames& names) {
    if (names.empty()) return nullptr;
    auto list = std::make_unique<IdList>(context_.files, names, budget_, [this] { throw_if_stopped(context_); });
    report_.ids_to_drop += list->count();
    return list;
  }

  void build(WorkDirectory& work, TempSpace& temp) {
    const Stopwatch watch;
    IndexWriter writer(context_.files, work.index_path(), content_);
    const Reservation writer_memory = budget_.reserve(IndexWriter::memory_bytes(), "the index writer");
    RunStore runs(budget_, temp, 0, TermBlockBuilder::max_block_bytes(kRunBlockBytes, content_.max_term_bytes));
    if (checkpoints_ != nullptr) {
      go_on(runs);
    } else {
      runs.runs = std::move(sources_);
    }
    IndexTotals totals = merge_into_index(
        {.content = content_,
         .run_block_bytes = kRunBlockBytes,
         .id_sort_bytes = kMostIdSortBytes,
         .id_sorter = auto_string_sorter(),
         .context = context_,
         .budget = budget_,
         .temp = temp,
         .threads = threads_,
         .to_drop = to_drop_.get(),
         .urls_to_drop = urls_to_drop_.get(),
         .max_fan_in = options_.max_fan_in,
         .checkpoints = checkpoints_,
         .dedup = options_.dedup},
        runs, writer, [&](std::uint64_t) { judge_unknown(); }, merge_);
    // Documents that the inputs had dropped are in no list, but in the sum of the source.
    totals.source_sum.join(earlier_.source_sum, 0);
    totals.dropped_sum.join(earlier_.source_sum, 0);
    report_.plan += merge_.plan;
    context_.progress.stage.store("write");
    const Stopwatch finish_watch;
    const StageSpan span(timeline_of(context_.recorder), JobStage::kWrite);
    writer.finish(totals);
    report_.terms = writer.term_count();
    runs.runs.clear();  // an input may be the index that is replaced
    throw_if_stopped(context_);
    if (checkpoints_ != nullptr) checkpoints_->flush();
    work.publish(if_output_exists());
    finish_seconds_ = finish_watch.seconds();
    report_.index_bytes = writer.bytes_written();
    report_.seconds = watch.seconds();
  }

  // Takes the runs that an interrupted job made of some inputs, and the other inputs.
  void go_on(RunStore& runs) {
    runs.keep_files();
    for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i]->kept_name = "input-" + std::to_string(i);
    const Commit& start = checkpoints_->start();
    report_.resumed_steps = start.merge_steps;
    if (start.number == 0) {
      checkpoints_->add(sources_, std::nullopt);
      runs.runs = std::move(sources_);
      return;
    }
    runs.runs = checkpoints_->open_start([&](const CommittedSource& source) { return open(runs, source); });
    context_.warn("goes on with an interrupted job: " + std::to_string(start.merge_steps) + " steps are done");
  }

  std::unique_ptr<MergeSource> open(RunStore& runs, const CommittedSource& committed) {
    for (auto& source : sources_) {
      if (source != nullptr && source->kept_name == committed.name) return std::move(source);
    }
    std::unique_ptr<StoredRun> run = runs.adopt(committed.name, content_.job());
    run->may_have_dropped = committed.may_have_dropped;
    return run;
  }

  bool drops_any() const { return to_drop_ != nullptr || urls_to_drop_ != nullptr; }

  void judge_unknown() {
    for (const IdList* list : {to_drop_.get(), urls_to_drop_.get()}) {
      if (list == nullptr) continue;
      report_.unknown_ids += list->unknown_count();
      for (std::string& name : list->unknown_examples()) report_.unknown_examples.push_back(std::move(name));
    }
    if (report_.unknown_ids == 0) return;
    std::string names;
    for (const std::string& name : report_.unknown_examples) names += (names.empty() ? "" : ", ") + printable(name);
    const std::uint64_t more = report_.unknown_ids - report_.unknown_examples.size();
    if (more != 0) names += " and " + std::to_string(more) + " more";
    const std::string counts = std::to_string(report_.unknown_ids) + " of " + std::to_string(report_.ids_to_drop);
    if (options_.if_unknown == IfUnknown::kRefuse) {
      throw InputError(counts + " names are those of no document: " + names +
                       "; mend the list, or give --missing-ok to delete the others. The index is unchanged");
    }
    context_.warn(counts + (urls_to_drop_ == nullptr ? " ids" : " names") + " to drop are in no index: " + names);
  }

  void fill_report(const TempSpace& temp) {
    report_.documents = merge_.documents;
    report_.duplicate_documents = merge_.duplicate_documents;
    report_.dropped_documents = merge_.listed_documents;
    report_.repeated_documents = merge_.repeated_documents;
    for (const IdTable::Duplicate& repeat : merge_.repeats) {
      add_example(repeat_reason(options_.dedup), repeat,
                  describe_repeat(options_.dedup, repeat.value, "document " + std::to_string(repeat.kept)));
    }
    for (const IdTable::Duplicate& duplicate : merge_.duplicates) {
      add_example(SkipReason::kDuplicateId, duplicate,
                  "id " + duplicate.value + " is that of document " + std::to_string(duplicate.kept));
    }
    report_.postings = merge_.postings;
    report_.occurrences = merge_.occurrences;
    report_.merge_passes = merge_.passes;
    report_.spilled_bytes = temp.written_bytes();
    report_.peak_temp_bytes = temp.peak_bytes();
    report_.peak_resident_bytes = peak_resident_bytes();
    const std::uint64_t bytes = report_.input_bytes;
    report_.stages = {{"merge passes", merge_.pass_seconds, merge_.pass_seconds, merge_.rewritten_bytes},
                      {"ids and documents", merge_.id_seconds + merge_.document_seconds,
                       merge_.id_seconds + merge_.document_seconds, bytes},
                      {"merge", merge_.list_busy_seconds, merge_.list_seconds, bytes},
                      {"write", finish_seconds_, finish_seconds_, report_.index_bytes}};
  }

  void add_example(SkipReason reason, const IdTable::Duplicate& document, std::string words) {
    report_.duplicate_examples.push_back({reason, "document " + std::to_string(document.dropped), 0, std::move(words)});
  }

  const MergeOptions& options_;
  const IndexContext& context_;
  MergeReport& report_;
  unsigned threads_;
  const std::size_t memory_bytes_;
  MemoryBudget budget_;
  Reservation program_;
  ContentOptions content_;
  std::vector<std::unique_ptr<MergeSource>> sources_;
  const IndexSource* first_ = nullptr;
  std::uint64_t source_documents_ = 0;
  IndexTotals earlier_;  // source_sum: of the documents that the inputs had dropped
  std::unique_ptr<IdList> to_drop_, urls_to_drop_;
  Checkpoints* checkpoints_ = nullptr;  // of a resumable job
  MergeStats merge_;
  double finish_seconds_ = 0;
};

}  // namespace

void run_merge(const MergeOptions& options, const IndexContext& context, MergeReport& report) {
  MergeJob(options, context, report).run();
}

}  // namespace spillway
