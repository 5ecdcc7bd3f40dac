#include "bench/stage_input.hpp"

#include <cstdlib>
#include <stdexcept>

#include "corpora/reader/plain_range.hpp"
#include "io/file/file_system.hpp"
#include "io/file/posix_file_system.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxInputBytes = std::size_t{4} << 30;
constexpr std::size_t kSampleBytes = std::size_t{32} << 20;
constexpr std::size_t kMemoryBytes = std::size_t{4} << 30;

class CollectingSink final : public DocumentSink {
 public:
  explicit CollectingSink(std::vector<StageDocument>& documents) : documents_(documents) {}
  void begin(const DocumentFields& fields, const SourcePlace&) override {
    documents_.push_back({std::string(fields.id), std::string(fields.title), {}});
  }
  void text(std::string_view fragment) override { documents_.back().text += fragment; }
  void end() override {}
  void skip(SkipReason reason, const SourcePlace& place, std::string_view) override {
    throw std::runtime_error("the benchmark's input has a bad record at byte " + std::to_string(place.offset) + ": " +
                             std::string(skip_reason_name(reason)));
  }
  void consumed(std::uint64_t) override {}

 private:
  std::vector<StageDocument>& documents_;
};

struct NoObserver final : ParseObserver {
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t) override {}
};

void read_input(StageInput& input) {
  if (const char* path = std::getenv("SPILLWAY_BENCH_INPUT"); path != nullptr && *path != '\0') {
    input.path = path;
    input.padded = read_file(posix_file_system(), path, kMaxInputBytes);
  } else {
    const std::string sample = read_file(posix_file_system(), SPILLWAY_SOURCE_DIR "/sample/state_of_the_union.jsonl");
    while (input.padded.size() < kSampleBytes) input.padded += sample;
  }
  if (!input.padded.ends_with('\n')) input.padded += '\n';
  input.byte_count = input.padded.size();
  input.padded.append(kRecordPadding, '\n');
}

void collect_documents(StageInput& input) {
  StageJsonl jsonl(input.byte_count);
  CollectingSink sink(input.documents);
  jsonl.parser.parse_block(input.bytes(), {"the benchmark's input", 0}, sink);
}

void parse_documents(const std::vector<StageDocument>& documents, const ChunkParserSetup& setup,
                     std::size_t bytes_of_task) {
  const auto parser = make_chunk_parser(setup);
  std::size_t task_bytes = 0;
  for (const StageDocument& document : documents) {
    DocumentFields fields;
    fields.id = document.id;
    fields.title = document.title;
    fields.has_title = !document.title.empty();
    parser->begin(fields, {});
    parser->text(document.text);
    parser->end();
    task_bytes += document.text.size();
    if (task_bytes < bytes_of_task) continue;
    parser->finish_task();
    task_bytes = 0;
  }
  parser->finish_task();
}

StageInput make_stage_input() {
  StageInput input;
  read_input(input);
  collect_documents(input);
  return input;
}

}  // namespace

StageJsonl::StageJsonl(std::size_t longest_block)
    : scratch(longest_block + kRecordPadding), document(scratch), parser(CorpusOptions{}, scratch, document) {}

const StageInput& stage_input() {
  static const StageInput kInput = make_stage_input();
  return kInput;
}

std::uint64_t stage_token_count() {
  static const std::uint64_t kCount = [] {
    MemoryBudget budget(kMemoryBytes);
    std::uint64_t count = 0;
    parse_stage_input(ChunkForm::kPostings, stage_content(), budget,
                      [&](ParsedChunk&& chunk) { count += chunk.occurrence_count; });
    return count;
  }();
  return kCount;
}

IndexPlan stage_plan(ChunkForm form) {
  IndexPlanInput input;
  input.memory_bytes = kMemoryBytes;
  input.form = form;
  input.input_bytes = stage_input().byte_count;
  return plan_index(input, stage_content(), {});
}

const ContentOptions& stage_content() {
  static const ContentOptions kContent = [] {
    ContentOptions content;
    content.duplicate_ids = DuplicateIds::kKeep;
    content.icu_version = UnicodeWords::icu_version();
    return content;
  }();
  return kContent;
}

void parse_stage_input(ChunkForm form, const ContentOptions& content, MemoryBudget& budget,
                       const ChunkParser::Deliver& deliver) {
  const IndexPlan plan = stage_plan(form);
  NoObserver observer;
  parse_documents(stage_input().documents, {form, content, plan.chunk, budget, observer, deliver},
                  plan.reader.task_bytes);
}

void read_stage_input(StageJsonl& jsonl, bool packs_json, MemoryBudget& budget, const ChunkParser::Deliver& deliver) {
  const IndexPlan plan = stage_plan(ChunkForm::kTokens);
  NoObserver observer;
  const auto parser = make_chunk_parser({.form = ChunkForm::kTokens,
                                         .options = stage_content(),
                                         .limits = plan.chunk,
                                         .budget = budget,
                                         .observer = observer,
                                         .deliver = deliver,
                                         .packs_json = packs_json});
  const std::string_view bytes = stage_input().bytes();
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = bytes.find('\n', std::min(begin + PlainRangeReader::kStepBytes, bytes.size()) - 1) + 1;
    jsonl.parser.parse_block(bytes.substr(begin, end - begin), {}, *parser);
    begin = end;
  }
  parser->finish_task();
}

std::vector<ParsedChunk> parse_stage_input(ChunkForm form, MemoryBudget& budget) {
  std::vector<ParsedChunk> chunks;
  parse_stage_input(form, stage_content(), budget, [&](ParsedChunk&& chunk) { chunks.push_back(std::move(chunk)); });
  return chunks;
}

void count_input(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(stage_input().byte_count) * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(stage_token_count()) * state.iterations());
}

}  // namespace spillway
