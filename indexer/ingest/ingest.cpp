#include "indexer/ingest/ingest.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "corpora/reader/task_parser.hpp"
#include "indexer/ingest/block_queue.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/memory/limits.hpp"

namespace spillway {

namespace {

// Ends a parser because another thread met an error.
struct ParsingStopped {};

// Keeps the first exception that any thread meets. Thread-safe.
class FirstError {
 public:
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ != nullptr) return;
    error_ = std::move(error);
    any_.store(true, std::memory_order_relaxed);
  }
  // Throws ParsingStopped if there is one.
  void check() const {
    if (any_.load(std::memory_order_relaxed)) throw ParsingStopped();
  }
  // Requires: no thread calls keep() any more.
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::atomic<bool> any_{false};
};

// Counts the skipped records and the progress of one parsing thread. Throws when a signal, the error rate or an error
// of another thread stops the job.
class Observer final : public ParseObserver {
 public:
  Observer(const IndexContext& context, SkipLog& skips, const FirstError& error)
      : context_(context), skips_(skips), error_(error) {}

  void start_task(std::uint64_t task, const ParseStats& stats) {
    task_ = task;
    stats_ = &stats;
    before_ = stats;
    ledger_ = {};
  }
  // Returns the counts of the task, up to its end.
  Ledger end_task(const InputPosition& end) {
    count_documents();
    ledger_.position = end;
    ledger_.documents = stats_->documents - before_.documents;
    ledger_.repaired = stats_->repaired - before_.repaired;
    ledger_.overlong_tokens = stats_->overlong_tokens - before_.overlong_tokens;
    ledger_.fields_cut = stats_->fields_cut - before_.fields_cut;
    return std::move(ledger_);
  }
  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) override {
    ledger_.skip(reason, place, detail);
    skips_.add(reason, task_, place, detail);
  }
  void consumed(std::uint64_t input_bytes) override {
    ledger_.bytes += input_bytes;
    context_.progress.bytes_done.fetch_add(input_bytes, std::memory_order_relaxed);
    count_documents();
    skips_.judge();
    if (const int signal = context_.signal_number.load(std::memory_order_relaxed); signal != 0) {
      throw InterruptedError(signal);
    }
    error_.check();
  }
  void count_documents() {
    if (stats_ == nullptr) return;
    const std::uint64_t more = stats_->documents - counted_documents_;
    counted_documents_ = stats_->documents;
    skips_.add_documents(more);
    context_.progress.documents.fetch_add(more, std::memory_order_relaxed);
  }

 private:
  const IndexContext& context_;
  SkipLog& skips_;
  const FirstError& error_;
  std::uint64_t task_ = 0;
  const ParseStats* stats_ = nullptr;
  std::uint64_t counted_documents_ = 0;
  ParseStats before_;  // the task
  Ledger ledger_;
};

// A resumable job keeps only the runs of its last block in memory: nothing would be gained from a commit of them,
// because an interrupted merge is done again, and so is a block.
std::size_t late_run_memory_bytes(const IngestSetup& setup) {
  return setup.checkpoints == nullptr ? 0 : setup.plan.run_memory_bytes;
}

BlockQueueSetup queue_setup(const IngestSetup& setup, ConcurrencyLimiter& slots, RunStore& runs) {
  BlockSortOptions options;
  options.job = setup.content.job();
  options.positions = setup.content.positions ? Positions::kStored : Positions::kNone;
  options.run_block_bytes = setup.plan.run_block_bytes;
  options.threads = setup.threads;
  options.encode_bytes = setup.plan.encode_bytes / std::max(1U, setup.plan.blocks_in_flight - 1);
  options.has_texts = setup.content.store == StorePolicy::kText;
  options.timeline = timeline_of(setup.context.recorder);
  return {.sorters = setup.sorters,
          .mode = setup.mode,
          .gpu_required = setup.options.gpu.required,
          .options = options,
          .plan = setup.plan,
          .slots = slots,
          .context = setup.context,
          .budget = setup.budget,
          .runs = runs,
          .checkpoints = setup.checkpoints,
          .first_run = runs.runs.size(),
          .last_run_memory_bytes = setup.plan.last_run_memory_bytes + late_run_memory_bytes(setup)};
}

AssemblerLimits assembler_limits(const IngestSetup& setup) {
  AssemblerLimits limits = setup.plan.assembler;
  limits.at_tasks = setup.checkpoints != nullptr;
  return limits;
}

Ledger start_of(const IngestSetup& setup) {
  return setup.checkpoints == nullptr ? Ledger() : setup.checkpoints->start().ledger;
}

class Ingest {
 public:
  Ingest(const IngestSetup& setup, RunStore& runs, SkipLog& skips)
      : setup_(setup),
        skips_(skips),
        slots_(setup.threads),
        queue_(queue_setup(setup, slots_, runs)),
        assembler_(
            assembler_limits(setup), [&setup](const ParsedChunk& chunk) { return setup.block_cost(chunk); },
            [this](Block&& block) { queue_.put(std::move(block)); }, start_of(setup)) {}

  IngestStats run() {
    const Stopwatch watch;
    CorpusReader reader({setup_.context.files, setup_.corpus, setup_.options.corpus, setup_.plan.reader,
                         start_of(setup_).position, setup_.revisits},
                        setup_.budget, setup_.temp);
    {
      std::vector<std::jthread> threads;
      running_ = setup_.plan.parsers;
      const bool has_lanes = overlaps(setup_.mode) && sorts_on_gpu(setup_.mode);
      const unsigned pausing =
          has_lanes ? parsers_that_pause(setup_.plan.parsers, setup_.threads, usable_threads()) : 0;
      for (unsigned i = 0; i < setup_.plan.parsers; ++i) {
        threads.emplace_back([&, pauses = i < pausing] { guard(reader, pauses); });
      }
      wait_for_parsers(reader);
    }
    error_.rethrow();
    assembler_.finish();
    queue_.finish();
    if (setup_.checkpoints != nullptr) setup_.checkpoints->end_input(assembler_.done());
    stats_.block = queue_.stats();
    stats_.wall_seconds = watch.seconds();
    return stats_;
  }

 private:
  void guard(CorpusReader& reader, bool pauses) {
    try {
      parse_tasks(reader, pauses);
    } catch (...) {
      stop(reader, std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --running_;
    finished_.notify_all();
  }

  void stop(CorpusReader& reader, std::exception_ptr why) {
    error_.keep(std::move(why));
    reader.stop();
    assembler_.abandon();
    queue_.make_no_more_room();
  }

  // Null while lanes are being made, and where they were.
  std::exception_ptr failed_start() const {
    const StartingLanes& starting = setup_.sorters.starting;
    if (!starting.valid() || starting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
    try {
      starting.get();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  // Parsers check for a signal between records. This also checks while all of them wait for input, and ends them if the
  // GPU for which they parse does not come.
  void wait_for_parsers(CorpusReader& reader) {
    bool stopped = false;
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(100), [&] { return running_ == 0; })) {
      if (stopped) continue;
      const int signal = setup_.context.signal_number.load();
      const std::exception_ptr why = signal != 0 ? std::make_exception_ptr(InterruptedError(signal)) : failed_start();
      if (why == nullptr) continue;
      stopped = true;
      stop(reader, why);
    }
  }

  bool next_task(CorpusReader& reader, bool pauses, CorpusTask& task) {
    if (pauses) queue_.make_room_for_lanes();
    return reader.next(task);
  }

  void parse_tasks(CorpusReader& reader, bool pauses) {
    Observer observer(setup_.context, skips_, error_);
    CorpusTask task;
    ThreadSlot slot;            // held while the thread parses
    double waited_seconds = 0;  // for room in blocks
    Timeline* const timeline = timeline_of(setup_.context.recorder);
    std::optional<StageSpan> span;  // while the thread parses
    const ChunkParser::Deliver deliver = [&](ParsedChunk&& chunk) {
      const Stopwatch wait;
      span.reset();
      slot.release();
      assembler_.deliver(task.number, std::move(chunk));
      slot = slots_.take();
      span.emplace(timeline, JobStage::kParse);
      waited_seconds += wait.seconds();
    };
    const auto parser = make_chunk_parser({.form = setup_.plan.form,
                                           .options = setup_.content,
                                           .limits = setup_.plan.chunk,
                                           .budget = setup_.budget,
                                           .observer = observer,
                                           .deliver = deliver,
                                           .slots = setup_.pinned_slots,
                                           .hashes_texts = setup_.options.dedup == Dedup::kExact});
    TaskParser task_parser(reader, setup_.budget);
    double busy_seconds = 0;
    while (next_task(reader, pauses, task)) {
      slot = slots_.take();
      span.emplace(timeline, JobStage::kParse);
      const Stopwatch watch;
      waited_seconds = 0;
      observer.start_task(task.number, parser->stats());
      task_parser.parse(task, *parser);
      parser->finish_task();
      Ledger counts = observer.end_task(task.end);
      busy_seconds += watch.seconds() - waited_seconds;
      span.reset();
      slot.release();
      assembler_.finish_task(task.number, std::move(counts));
      task = {};
    }
    add_stats(parser->stats(), busy_seconds);
  }

  void add_stats(const ParseStats& parsed, double busy_seconds) {
    const std::lock_guard lock(mutex_);
    stats_.parse_seconds += busy_seconds;
    stats_.chunks += parsed.chunks;
    stats_.pinned_chunks += parsed.pinned_chunks;
    stats_.repaired += parsed.repaired;
    stats_.overlong_tokens += parsed.overlong_tokens;
    stats_.fields_cut += parsed.fields_cut;
  }

  const IngestSetup& setup_;
  SkipLog& skips_;
  IngestStats stats_;
  ConcurrencyLimiter slots_;  // parsers and compactions share them
  BlockQueue queue_;
  BlockAssembler assembler_;
  FirstError error_;
  std::mutex mutex_;
  std::condition_variable finished_;
  unsigned running_ = 0;  // parsing threads
};

}  // namespace

unsigned parsers_that_pause(unsigned parsers, unsigned threads, unsigned processors) {
  constexpr unsigned kProcessorsForOne = 8;
  if (threads < processors) return 0;
  return parsers - std::min(parsers, processors - processors / kProcessorsForOne);
}

IngestStats ingest(const IngestSetup& setup, RunStore& runs, SkipLog& skips) {
  return Ingest(setup, runs, skips).run();
}

}  // namespace spillway
