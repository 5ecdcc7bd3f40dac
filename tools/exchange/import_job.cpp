#include "tools/exchange/import_job.hpp"

#include <optional>

#include "indexer/ingest/skip_log.hpp"
#include "indexer/job/final_merge.hpp"
#include "indexer/job/output.hpp"
#include "indexer/job/work_directory.hpp"
#include "indexer/options/content_versions.hpp"
#include "indexer/plan/memory.hpp"
#include "io/base/stopwatch.hpp"
#include "io/memory/limits.hpp"
#include "io/memory/program_bytes.hpp"
#include "sort/sort_plan.hpp"
#include "sort/task_threads.hpp"
#include "tools/exchange/run_from_ciff.hpp"

namespace spillway {

namespace {

constexpr std::size_t kRunBlockBytes = std::size_t{128} << 10;
constexpr std::size_t kMostIdSortBytes = std::size_t{1} << 30;

class ImportJob {
 public:
  ImportJob(const ImportOptions& options, const IndexContext& context, ImportReport& report)
      : options_(options),
        context_(context),
        report_(report),
        content_(with_versions(options.content)),
        threads_(options.threads != 0 ? options.threads : usable_threads()),
        budget_(
            static_cast<std::size_t>(options.memory_bytes != 0 ? options.memory_bytes : available_memory_bytes() / 2)) {
    report_.threads = threads_;
    report_.memory_bytes = budget_.total_bytes();
  }

  void run() {
    const Stopwatch watch;
    check();
    if (budget_.total_bytes() < kMinMemoryBytes) {
      throw BudgetError("--memory " + std::to_string(budget_.total_bytes()) + " is too little; give at least 64M");
    }
    const Reservation program = budget_.reserve(program_reserve_bytes(program_bytes(), threads_), "the program itself");
    const TaskThreads task_threads(threads_);
    WorkDirectory work(context_.files, options_.output);
    check();  // again: WorkDirectory may have put back an index that a killed job had moved aside
    TempSpace temp(context_.files, options_.temp_directories, work.path(), options_.temp_limit_bytes);
    temp.set_check(check_stop_);
    build(work, temp);
    report_.spilled_bytes = temp.written_bytes();
    report_.peak_resident_bytes = peak_resident_bytes();
    report_.seconds = watch.seconds();
  }

 private:
  IfOutputExists if_output_exists() const {
    return options_.force ? IfOutputExists::kReplace : IfOutputExists::kRefuse;
  }

  // The input may not be a file of the index that is replaced.
  void check() const {
    check_output(context_.files, options_.output, if_output_exists());
    if (options_.input == "-") return;
    const std::string input = context_.files.resolve(options_.input), output = context_.files.resolve(options_.output);
    if (!is_inside(input, output)) return;
    throw UsageError("the input " + printable(options_.input, 4096) + " is inside the output " +
                     printable(options_.output, 4096) + "; choose another -o");
  }

  void build(WorkDirectory& work, TempSpace& temp) {
    RunStore runs(budget_, temp, 0, TermBlockBuilder::max_block_bytes(kRunBlockBytes, content_.max_term_bytes));
    context_.progress.stage.store("read");
    runs.runs.push_back(runs.write({}, [this](WritableFile& file) { return read(file); }));
    IndexWriter writer(context_.files, work.index_path(), content_);
    const Reservation writer_memory = budget_.reserve(IndexWriter::memory_bytes(), "the index writer");
    MergeStats merge;
    const IndexTotals totals = merge_into_index(
        {.content = content_,
         .run_block_bytes = kRunBlockBytes,
         .id_sort_bytes = kMostIdSortBytes,
         .id_sorter = auto_string_sorter(),
         .context = context_,
         .budget = budget_,
         .temp = temp,
         .threads = threads_},
        runs, writer, [&](std::uint64_t count) { judge(merge, count); }, merge);
    context_.progress.stage.store("write");
    writer.finish(totals);
    runs.runs.clear();
    throw_if_stopped(context_);
    work.publish(if_output_exists());
    report_.documents = merge.documents;
    report_.terms = writer.term_count();
    report_.postings = merge.postings;
    report_.occurrences = merge.occurrences;
    report_.index_bytes = writer.bytes_written();
  }

  // Throws InputError if more documents repeat an id than allowed.
  void judge(const MergeStats& merge, std::uint64_t duplicates) {
    SkipLog skips(options_.max_error_rate, options_.strict);
    skips.add_documents(report_.records_in);
    for (const IdTable::Duplicate& duplicate : merge.duplicates) {
      skips.note(SkipReason::kDuplicateId, duplicate.dropped, {"document " + std::to_string(duplicate.dropped), 0},
                 "id " + duplicate.value + " is that of document " + std::to_string(duplicate.kept));
    }
    report_.duplicate_documents = duplicates;
    skips.move_documents(SkipReason::kDuplicateId, duplicates);
    skips.judge_at_end();
  }

  RunSummary read(WritableFile& file) {
    const Reservation memory = budget_.reserve(RunFromCiff::memory_bytes(kRunBlockBytes), "the run of the file");
    WireReader in(context_.files, options_.input, budget_, check_stop_);
    RunFromCiff run(file, content_.job(), kRunBlockBytes);
    read_ciff(in, run, budget_, {content_.max_term_bytes, options_.lengths});
    report_.description = run.header().description;
    report_.records_in = run.header().documents;
    return run.finish();
  }

  const ImportOptions& options_;
  const IndexContext& context_;
  ImportReport& report_;
  const ContentOptions content_;
  unsigned threads_;
  MemoryBudget budget_;
  const std::function<void()> check_stop_ = [this] { throw_if_stopped(context_); };
};

}  // namespace

void run_import(const ImportOptions& options, const IndexContext& context, ImportReport& report) {
  ImportJob(options, context, report).run();
}

}  // namespace spillway
