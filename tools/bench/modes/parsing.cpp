#include "tools/bench/modes/parsing.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "corpora/reader/task_parser.hpp"
#include "indexer/block/assembler.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "indexer/plan/job.hpp"
#include "io/base/stopwatch.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

namespace {

class StopObserver final : public ParseObserver {
 public:
  explicit StopObserver(const IndexContext& context) : context_(context) {}
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t) override { throw_if_stopped(context_); }

 private:
  const IndexContext& context_;
};

class Parsing {
 public:
  Parsing(const IndexOptions& options, const std::string& scratch, const IndexContext& context)
      : options_(options),
        context_(context),
        plan_(plan_job(options, options.content, context.files, [&] { throw_if_stopped(context); })),
        budget_(static_cast<std::size_t>(plan_.memory.value)),
        temp_(context.files, {}, scratch, options.temp_limit_bytes),
        assembler_(
            plan_.index.assembler,
            [this](const ParsedChunk& chunk) {
              return plan_.block_cost(chunk, options_.content.positions ? Positions::kStored : Positions::kNone);
            },
            [this](Block&&) { ++stats_.blocks; }) {}

  ParsingStats run() {
    const Stopwatch watch;
    CorpusReader reader({context_.files, plan_.corpus, options_.corpus, plan_.index.reader}, budget_, temp_);
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < plan_.index.parsers; ++i) threads.emplace_back([&] { guard(reader); });
    }
    if (error_ != nullptr) std::rethrow_exception(error_);
    assembler_.finish();
    stats_.wall_seconds = watch.seconds();
    stats_.form = plan_.index.form;
    return stats_;
  }

 private:
  void guard(CorpusReader& reader) {
    try {
      parse(reader);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
      reader.stop();
      assembler_.abandon();
    }
  }

  void parse(CorpusReader& reader) {
    StopObserver observer(context_);
    CorpusTask task;
    double waited_seconds = 0, busy_seconds = 0;
    std::uint64_t occurrences = 0;
    const auto deliver = [&](ParsedChunk&& chunk) {
      const Stopwatch wait;
      occurrences += chunk.occurrence_count;
      assembler_.deliver(task.number, std::move(chunk));
      waited_seconds += wait.seconds();
    };
    const auto parser =
        make_chunk_parser({plan_.index.form, options_.content, plan_.index.chunk, budget_, observer, deliver});
    TaskParser task_parser(reader, budget_);
    while (reader.next(task)) {
      const Stopwatch watch;
      task_parser.parse(task, *parser);
      parser->finish_task();
      busy_seconds += watch.seconds();
      assembler_.finish_task(task.number);
      task = {};
    }
    const std::lock_guard lock(mutex_);
    stats_.busy_seconds += busy_seconds - waited_seconds;
    stats_.documents += parser->stats().documents;
    stats_.occurrences += occurrences;
  }

  const IndexOptions& options_;
  const IndexContext& context_;
  const JobPlan plan_;
  MemoryBudget budget_;
  TempSpace temp_;
  BlockAssembler assembler_;
  std::mutex mutex_;
  ParsingStats stats_;
  std::exception_ptr error_;
};

}  // namespace

ParsingStats parse_alone(IndexOptions options, const std::string& scratch, const IndexContext& context) {
  if (!sorts_on_gpu(options.mode)) {
    options.mode = IndexMode::kCpuPlus;
    options.record_sorter = "cpu-radix";
  }
  options.corpus.max_document_bytes = options.content.max_document_bytes;
  if (options.content.tokenizer == Tokenizer::kUnicode) options.content.icu_version = UnicodeWords::icu_version();
  return Parsing(options, scratch, context).run();
}

}  // namespace spillway
