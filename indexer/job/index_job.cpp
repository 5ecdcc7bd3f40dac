#include "indexer/job/index_job.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "indexer/gpu/pipeline/kept_lists.hpp"
#include "indexer/ingest/ingest.hpp"
#include "indexer/job/base_index.hpp"
#include "indexer/job/describe.hpp"
#include "indexer/job/drop_log.hpp"
#include "indexer/job/final_merge.hpp"
#include "indexer/job/gpus.hpp"
#include "indexer/job/index_figures.hpp"
#include "indexer/job/input_checks.hpp"
#include "indexer/job/list_reserver.hpp"
#include "indexer/job/merge_gpus.hpp"
#include "indexer/job/output.hpp"
#include "indexer/job/work_directory.hpp"
#include "indexer/options/content_versions.hpp"
#include "indexer/plan/disk_space.hpp"
#include "indexer/plan/job.hpp"
#include "indexer/plan/run_merge.hpp"
#include "indexer/revisits/find.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/run/term_block_builder.hpp"
#include "sort/task_threads.hpp"

namespace spillway {

namespace {

// A job that finds no GPU where it assumed one, or loses lists with its GPU, reads its input again: nothing must have
// been told of it or taken by then.
bool may_begin_anew(const IndexOptions& options, const IndexContext& context) {
  return !options.append && !options.resume.resumable && !context.skipped;
}

class IndexJob {
 public:
  IndexJob(const IndexOptions& options, const IndexContext& context, IndexReport& report)
      : options_(options),
        context_(context),
        report_(report),
        content_(with_versions(options.content)),
        corpus_options_(options.corpus),
        planned_(plan_job(
            options, content_, context.files, [&] { throw_if_stopped(context); },
            may_begin_anew(options, context) ? GpuFacts::kAssume : GpuFacts::kAsk)),
        budget_(static_cast<std::size_t>(planned_.memory.value)),
        skips_(options.max_error_rate, options.strict, context.skipped),
        gpus_(options, context, budget_) {
    corpus_options_.max_document_bytes = content_.max_document_bytes;
    report_.memory_bytes = budget_.total_bytes();
    if (context.recorder != nullptr) budget_.keep_account();
    take_plan();
  }

  void run() {
    refuse_reports(corpus_, context_);
    check_dedup(options_);
    check_revisits(corpus_, corpus_options_);
    check_inputs(corpus_, options_, context_.files);
    context_.progress.bytes_total.store(corpus_.total_bytes);
    const Stopwatch watch;  // includes the start of the GPU
    start_task_threads();
    start_gpu();
    context_.say(report_.plan);
    std::optional<JobDescription> job;
    if (options_.resume.resumable) job = describe_index_job(context_.files, options_, content_, corpus_);
    WorkDirectory work(context_.files, options_.output, job ? JobKind::kResumable : JobKind::kOrdinary,
                       options_.resume.restart ? Interrupted::kDiscard : Interrupted::kKeep);
    check_output(options_, context_.files);  // again: an index that a killed job had moved aside is back
    open_base();
    check_run_files(planned_.estimate, run_descriptors(), context_.warn);
    check_disks(work);
    std::optional<Checkpoints> checkpoints;  // ends before `work`
    if (job) checkpoints.emplace(context_.files, work.path(), *job, [&work] { work.keep(); });
    checkpoints_ = checkpoints ? &*checkpoints : nullptr;
    TempSpace temp(context_.files, options_.temp_directories, work.path(), options_.temp_limit_bytes);
    temp.set_check([this] { throw_if_stopped(context_); });
    const SampledJob sampled(context_.recorder, budget_, temp, work.index_path());
    try {
      build(work, temp, watch);
    } catch (...) {
      fill_report(temp);
      if (checkpoints_ != nullptr) checkpoints_->rethrow(context_.warn);
      throw;
    }
    fill_report(temp);
  }

 private:
  void take_plan() {
    if (options_.resume.resumable) cut_tasks();
    threads_ = static_cast<unsigned>(planned_.threads.value);
    report_.threads = threads_;
    report_.plan = planned_.describe();
    program_.release();
    program_ = budget_.reserve(plan_.reserve_bytes, "the program itself");
  }

  // A block of a resumable job ends with a task, so tasks are small parts of a block.
  void cut_tasks() {
    constexpr std::size_t kTasksOfBlock = 4, kLeastBytes = 512;
    std::size_t& bytes = planned_.index.reader.task_bytes;
    bytes = std::min(bytes, std::max(kLeastBytes, plan_.assembler.block_bytes / kTasksOfBlock));
  }

  // Requires: the work directory is this job's, so that no other job replaces the index meanwhile.
  void open_base() {
    if (!options_.append) return;
    base_.emplace(context_.files, options_.output, content_);
    const std::size_t runs = plan_.run_memory_bytes + plan_.last_run_memory_bytes;
    base_->check_memory({.budget_bytes = budget_.total_bytes(),
                         .free_bytes = budget_.free_bytes() - std::min(budget_.free_bytes(), runs),
                         .run_block_bytes = plan_.run_block_bytes,
                         .max_term_bytes = content_.max_term_bytes,
                         .store = content_.store,
                         .has_positions = content_.positions,
                         .threads = threads_,
                         .descriptors = run_descriptors()});
    report_.documents_before = base_->counts().documents;
  }

  // Documents of the source that come before those of the input.
  std::uint64_t base_documents() const { return base_ ? base_->counts().source_documents : 0; }

  // Refuses a job that certainly fills the disks; warns of one that probably does.
  void check_disks(const WorkDirectory& work) const {
    const JobEstimate& estimate = planned_.estimate;
    if (!estimate.is_known) return;
    // Without replaced documents the output holds at least the index to append to, perhaps packed better.
    const std::uint64_t base_bytes = base_ ? base_->bytes() : 0;
    const std::uint64_t least_base_bytes =
        options_.append == KnownIds::kReplace || options_.replace_urls ? 0 : base_bytes / 2;
    const DiskNeed index{"the index", estimate.least_index_bytes + least_base_bytes, estimate.index_bytes + base_bytes};
    const DiskNeed runs{"the runs", estimate.least_spilled_bytes, estimate.spilled_bytes};
    check_free_space(context_.files, options_.output, index, context_.warn);
    const std::vector<std::string> shared =
        options_.resume.resumable ? std::vector<std::string>() : options_.temp_directories;
    if (runs.probable_bytes != 0 && shared.size() <= 1) {
      check_free_space(context_.files, shared.empty() ? work.path() : shared[0], runs, context_.warn);
    }
  }

  FoundRevisits follow_revisits(TempSpace& temp) {
    if (corpus_options_.crawl.revisits != Revisits::kFollow) return {};
    const Stopwatch watch;
    const StageSpan span(timeline_of(context_.recorder), JobStage::kRevisits);
    context_.progress.stage.store(kRevisitStage);
    FoundRevisits found = find_revisits({.corpus = corpus_,
                                         .options = corpus_options_,
                                         .limits = plan_.reader,
                                         .context = context_,
                                         .budget = budget_,
                                         .temp = temp,
                                         .sorter = *planned_.strings,
                                         .sort_bytes = plan_.id_sort_bytes});
    context_.say("revisits: " + std::to_string(found.followed) + " of " + std::to_string(found.revisits) +
                 " refer to responses of the input");
    context_.progress.bytes_done.store(0);
    revisit_seconds_ = watch.seconds();
    return found;
  }

  // Where lists are lost that only a GPU had, the input is read again.
  void build(WorkDirectory& work, TempSpace& temp, const Stopwatch& watch) {
    try {
      make_index(work, temp, watch);
    } catch (const ListsLostError& error) {
      forget_input();
      merge_ = {};
      work.drop_index();
      go_on_without_gpu(error);
      tell_of_new_plan(error);
      check_disks(work);
      make_index(work, temp, watch);
    }
  }

  void make_index(WorkDirectory& work, TempSpace& temp, const Stopwatch& watch) {
    FoundRevisits revisits = follow_revisits(temp);
    std::optional<RunStore> stored;
    std::optional<IndexWriter> opened;
    make_runs(stored, temp, revisits.table.get(), work, opened);
    RunStore& runs = *stored;
    MergeGpus merge_gpus(options_.gpu,
                         {.runs = runs,
                          .threads = threads_,
                          .has_positions = content_.positions,
                          .gpus_work = gpu_failure_.empty() && ingest_.block.gpu_failure.empty()},
                         budget_, gpus_);
    check_unchanged(context_.files, corpus_);
    if (revisits.table != nullptr) revisits.table->check_all_met(start());
    revisits.table.reset();
    if (content_.duplicate_ids != DuplicateIds::kFirst) skips_.judge_at_end();
    report_.runs = runs.runs.size() - (base_ ? 1 : 0);
    report_.runs_spilled = 0;
    for (const auto& run : runs.runs) report_.runs_spilled += run->is_spilled() ? 1 : 0;

    const Stopwatch write_watch;
    IndexWriter& writer = opened ? *opened : opened.emplace(context_.files, work.index_path(), content_);
    const Reservation writer_memory = budget_.reserve(IndexWriter::memory_bytes(), "the index writer");
    DropLog drops(skips_, options_.dedup, base_documents());
    IndexTotals totals = merge_into_index(
        {.content = content_,
         .run_block_bytes = plan_.run_block_bytes,
         .id_sort_bytes = plan_.id_sort_bytes,
         .id_sorter = *planned_.strings,
         .context = context_,
         .budget = budget_,
         .temp = temp,
         .threads = threads_,
         .checkpoints = checkpoints_,
         .on_duplicate = drops.duplicate_listener(),
         .appended_to = {base_documents(), options_.append.value_or(KnownIds::kRefuse), options_.replace_urls},
         .dedup = options_.dedup,
         .on_repeat = drops.repeat_listener(),
         .lanes = merge_gpus.lanes(),
         .before_passes = [&merge_gpus] { merge_gpus.leave_runs(); }},
        runs, writer, [&](std::uint64_t duplicates) { drops.count(merge_, duplicates); }, merge_);
    merge_gpus.end();
    if (const std::string failure = merge_gpus.failure(); !failure.empty()) {
      context_.warn("a GPU did not merge all lists that it was to merge, the CPU did: " + failure);
    }
    if (base_) base_->add_dropped(totals);
    report_.plan += merge_.plan;
    context_.progress.stage.store("write");
    const Stopwatch finish_watch;
    const StageSpan span(timeline_of(context_.recorder), JobStage::kWrite);
    {
      const std::jthread releasing = release(runs);
      writer.finish(totals);
    }
    terms_ = writer.term_count();
    runs.runs.clear();  // the first may be the index that is replaced
    throw_if_stopped(context_);
    if (checkpoints_ != nullptr) checkpoints_->flush();
    work.publish(if_output_exists(options_));
    finish_seconds_ = finish_watch.seconds();
    report_.index_bytes = writer.bytes_written();
    report_.seconds = watch.seconds();
  }

  // Makes the runs of the input. Opens the index where space for its lists is taken meanwhile.
  void make_runs(std::optional<RunStore>& stored, TempSpace& temp, const RevisitTable* revisits,
                 const WorkDirectory& work, std::optional<IndexWriter>& opened) {
    const std::unique_ptr<ListReserver> reserver = reserve_lists(work, opened);
    try {
      parse(stored, temp, revisits);
      note_gpu(gpus_.await());
    } catch (const GpuStartError& error) {
      begin_anew(error);
      check_disks(work);
      parse(stored, temp, revisits);
    }
  }

  // Returns null where that does not pay, and for resumable jobs, whose index is opened after the last commit of a run.
  std::unique_ptr<ListReserver> reserve_lists(const WorkDirectory& work, std::optional<IndexWriter>& opened) {
    const JobEstimate& estimate = planned_.estimate;
    if (checkpoints_ != nullptr ||
        !may_reserve_lists(options_.space_ahead, estimate, threads_, budget_.total_bytes()) ||
        !context_.files.is_in_memory(work.path())) {
      return nullptr;
    }
    opened.emplace(context_.files, work.index_path(), content_);
    return std::make_unique<ListReserver>(
        ListReserverSetup{.writer = *opened,
                          .files = context_.files,
                          .directory = work.path(),
                          .progress = context_.progress,
                          .positions = content_.positions ? Positions::kStored : Positions::kNone,
                          .step_bytes = options_.space_ahead.step_bytes,
                          .probable_bytes = estimate.index_bytes + estimate.spilled_bytes});
  }

  void parse(std::optional<RunStore>& stored, TempSpace& temp, const RevisitTable* revisits) {
    RunStore& runs = stored.emplace(budget_, temp, checkpoints_ != nullptr ? 0 : plan_.run_memory_bytes,
                                    TermBlockBuilder::max_block_bytes(plan_.run_block_bytes, content_.max_term_bytes));
    if (checkpoints_ != nullptr) {
      go_on(runs);
    } else if (base_) {
      runs.runs.push_back(base_->take_source());
    }
    if (revisits != nullptr) revisits->begin_pass();
    context_.progress.stage.store("parse");
    IndexOptions options = options_;
    options.corpus = corpus_options_;
    const Positions positions = content_.positions ? Positions::kStored : Positions::kNone;
    const auto cost = [&](const ParsedChunk& chunk) { return planned_.block_cost(chunk, positions); };
    ingest_ = ingest({.options = options,
                      .content = content_,
                      .corpus = corpus_,
                      .plan = plan_,
                      .mode = planned_.mode.mode,
                      .sorters = gpus_.sorters(*planned_.sorter),
                      .block_cost = cost,
                      .context = context_,
                      .budget = budget_,
                      .temp = temp,
                      .threads = threads_,
                      .pinned_slots = gpus_.pinned_slots(),
                      .checkpoints = checkpoints_,
                      .revisits = revisits},
                     runs, skips_);
  }

  // The GPU that the plan assumed did not come: plans for what there is. Requires: no block was sorted.
  void begin_anew(const GpuStartError& error) {
    forget_input();
    if (error.kind == GpuStartError::Kind::kFailed) {
      go_on_without_gpu(error);
    } else {
      plan_with_facts(options_, content_, context_.files, planned_);
      take_plan();
      start_gpu();
    }
    tell_of_new_plan(error);
  }

  // The input will be read again. Requires: nothing that was made of it is left.
  void forget_input() {
    gpus_.release();
    budget_.drop_kept();
    skips_.clear();
    ingest_ = {};
    IndexProgress& progress = context_.progress;
    for (auto* const count : {&progress.bytes_done, &progress.documents, &progress.runs, &progress.run_postings,
                              &progress.run_occurrences, &progress.postings_done, &progress.postings_total}) {
      count->store(0);
    }
  }

  void tell_of_new_plan(const GpuError& error) {
    start_task_threads();
    context_.say("the input is read again, for another plan: " + std::string(error.what()) + "\n" + report_.plan);
  }

  // Tells of the GPU that the plan assumed.
  void note_gpu(const MetGpu* met) {
    if (met == nullptr) return;
    planned_.mode = met->mode;
    planned_.gpu_memory = met->gpu_memory;
    report_.plan = planned_.describe();
    context_.say("mode: " + planned_.mode.describe() + "\n" + planned_.gpu_memory);
  }

  // Where this job begins to parse.
  RecordLocation start() const {
    if (checkpoints_ == nullptr) return {};
    const InputPosition& position = checkpoints_->start().ledger.position;
    return {position.file, position.offset};
  }

  // Takes the runs and the counts of an interrupted job, if there was one.
  void go_on(RunStore& runs) {
    runs.keep_files();
    const Ledger& done = checkpoints_->start().ledger;
    runs.runs = checkpoints_->open_start([&](const CommittedSource& source) -> std::unique_ptr<MergeSource> {
      if (base_ && source.name == BaseIndex::kKeptName) return base_->take_source();
      auto run = runs.adopt(source.name, content_.job());
      run->may_have_dropped = source.may_have_dropped;  // it may be one that the index was merged into
      return run;
    });
    if (base_ && checkpoints_->start().number == 0) {
      runs.runs.push_back(base_->take_source());
      checkpoints_->add(runs.runs, std::nullopt);
    }
    skips_.restore(done);
    report_.resumed_bytes = done.bytes;
    context_.progress.bytes_done.store(done.bytes);
    context_.progress.documents.store(done.documents);
    if (checkpoints_->start().number == 0) return;
    context_.warn("goes on with an interrupted job: " + std::to_string(done.bytes) + " of " +
                  std::to_string(corpus_.total_bytes) + " bytes of the input are done");
  }

  // Allocates device and pinned memory. If that fails, plans the job anew for the CPU alone: nothing is parsed yet, so
  // chunks take the form that the CPU sorts best.
  void start_gpu() {
    if (!planned_.mode.gpu_failure.empty()) fail_gpu(planned_.mode.gpu_failure);
    try {
      gpus_.start(planned_);
    } catch (const GpuError& error) {
      go_on_without_gpu(error);
      start_task_threads();
    }
  }

  void go_on_without_gpu(const GpuError& error) {
    if (options_.gpu.required) throw GpuError(error.what(), error.is_lost);
    fail_gpu(error.what());
    plan_without_gpu(options_, content_, error.what(), planned_);
    take_plan();
  }

  // As many as the plan has: one for the CPU may have another number than one for a GPU.
  void start_task_threads() {
    if (std::exchange(task_thread_count_, threads_) != threads_) task_threads_.emplace(threads_);
  }

  void fail_gpu(const std::string& why) {
    gpu_failure_ = why;
    context_.warn("no GPU sorts, the CPU does: " + why);
  }

  // Frees the memory of all blocks, which takes a while, during the wait for the disk.
  static std::jthread release(RunStore& runs) {
    try {
      return std::jthread([&runs] { runs.runs.clear(); });
    } catch (const std::system_error&) {  // no thread is left: the caller frees the memory later
      return {};
    }
  }

  // The GPUs of the plan, except one that is still assumed because the job failed before it was met.
  std::vector<GpuInfo> used_gpus() const {
    std::vector<GpuInfo> gpus = planned_.mode.gpus;
    std::erase_if(gpus, [](const GpuInfo& gpu) { return gpu.memory_bytes == 0; });
    return gpus;
  }

  void fill_report(const TempSpace& temp) {
    skips_.write(report_);
    report_.documents = skips_.documents();
    const Ledger before = checkpoints_ != nullptr ? checkpoints_->start().ledger : Ledger();
    report_.repaired = before.repaired + ingest_.repaired;
    report_.overlong_tokens = before.overlong_tokens + ingest_.overlong_tokens;
    report_.fields_cut = before.fields_cut + ingest_.fields_cut;
    report_.mode = planned_.mode.mode;
    report_.chunk_form = chunk_form_name(plan_.form);
    report_.gpu_failure = gpu_failure_.empty() ? ingest_.block.gpu_failure : gpu_failure_;
    report_.terms = terms_;
    report_.spilled_bytes = temp.written_bytes();
    report_.peak_temp_bytes = temp.peak_bytes();
    report_.peak_resident_bytes = peak_resident_bytes();
    report_.input_bytes = corpus_.total_bytes;
    if (corpus_.streams != 0) {  // the size of a stream is known only now
      report_.input_bytes = std::max(corpus_.total_bytes, context_.progress.bytes_done.load());
    }
    add_counts(ingest_, merge_, report_);
    if (context_.recorder != nullptr && report_.gpu_blocks != 0) context_.recorder->note_gpus(used_gpus());
    add_stages(ingest_, merge_, {.revisits = revisit_seconds_, .finish = finish_seconds_}, report_);
  }

  const IndexOptions& options_;
  const IndexContext& context_;
  IndexReport& report_;
  const ContentOptions content_;
  CorpusOptions corpus_options_;
  JobPlan planned_;
  const CorpusPlan& corpus_ = planned_.corpus;
  const IndexPlan& plan_ = planned_.index;
  unsigned threads_ = 1;
  MemoryBudget budget_;
  SkipLog skips_;
  std::optional<BaseIndex> base_;  // of a job that appends
  Reservation program_;
  std::optional<TaskThreads> task_threads_;
  unsigned task_thread_count_ = 0;
  JobGpus gpus_;
  Checkpoints* checkpoints_ = nullptr;  // of a resumable job
  IngestStats ingest_;
  MergeStats merge_;
  std::string gpu_failure_;
  double revisit_seconds_ = 0, finish_seconds_ = 0;
  std::uint64_t terms_ = 0;
};

}  // namespace

void run_index(const IndexOptions& options, const IndexContext& context, IndexReport& report) {
  check_output(options, context.files);
  IndexJob(options, context, report).run();
}

}  // namespace spillway
