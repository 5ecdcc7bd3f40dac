#include "corpora/reader/corpus_reader.hpp"

#include <algorithm>

#include "corpora/reader/corpus_reader_state.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostTextFiles = 4096;  // in one task

// Files that are documents, one after the other, of task_bytes together.
TextFiles group_text_files(const CorpusPlan& plan, std::size_t first, std::size_t task_bytes) {
  std::uint64_t bytes = 0;
  std::size_t last = first;
  while (last < plan.files.size() && last - first < kMostTextFiles) {
    const CorpusFile& file = plan.files[last];
    if (needs_reader(file) || file.format != CorpusFormat::kText) break;
    if (last > first && bytes + file.size > task_bytes) break;
    bytes += file.size;
    ++last;
  }
  return {first, last};
}

}  // namespace

std::shared_ptr<CorpusTask::Content> CorpusReader::State::next_content() {
  auto content = std::make_shared<CorpusTask::Content>();
  while (next_file < plan.files.size()) {
    const CorpusFile& file = plan.files[next_file];
    if (needs_reader(file)) {
      if (auto records = packed->next()) {
        content->work = std::move(*records);
        return content;
      }
      if (stopped) return nullptr;
      left_bytes -= std::min(left_bytes, file.end - file.begin);
    } else if (file.format == CorpusFormat::kText) {
      const TextFiles group = group_text_files(plan, next_file, limits.task_bytes);
      for (; next_file != group.last; ++next_file) left_bytes -= std::min(left_bytes, plan.files[next_file].size);
      content->work = group;
      return content;
    } else if (auto range = next_range(file)) {
      return range;
    }
    ++next_file;
  }
  return nullptr;
}

std::shared_ptr<CorpusTask::Content> CorpusReader::State::next_range(const CorpusFile& file) {
  const std::uint64_t begin = std::max(file.begin, next_begin);
  if (begin >= file.end) {
    next_begin = 0;
    open_file.reset();
    return nullptr;
  }
  if (open_file == nullptr) open_file = files.open(file.path);
  next_begin = begin + std::min(next_range_bytes(), file.end - begin);
  left_bytes -= std::min(left_bytes, next_begin - begin);
  auto content = std::make_shared<CorpusTask::Content>();
  content->work = PlainRange{&file, open_file, begin, next_begin};
  return content;
}

// Ranges become smaller towards the end of the input, so that threads end together.
std::uint64_t CorpusReader::State::next_range_bytes() const {
  constexpr std::uint64_t kLeastShare = 8;  // of a task: more chunks, one for each at least, are more work later
  const std::uint64_t task = std::max<std::size_t>(limits.task_bytes, 1);
  return std::max<std::uint64_t>(
      std::min(task, std::max(left_bytes / std::max(limits.threads, 1U), task / kLeastShare)), 1);
}

CorpusReader::CorpusReader(FileSystem& files, const CorpusPlan& plan, const CorpusOptions& options,
                           const ReaderLimits& limits, MemoryBudget& budget, TempSpace& temp)
    : state_(std::make_unique<State>(files, plan, options, limits)) {
  if (std::any_of(plan.files.begin(), plan.files.end(), needs_reader)) {
    state_->packed = std::make_unique<PackedReader>(files, plan, options.max_document_bytes, limits, budget, temp);
  }
}

CorpusReader::~CorpusReader() = default;

std::size_t CorpusReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return PackedReader::memory_bytes(plan, limits);
}

bool CorpusReader::next(CorpusTask& task) {
  task.content.reset();  // gives its window back
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped) return false;
  if (state_->error != nullptr) std::rethrow_exception(state_->error);
  try {
    task.content = state_->next_content();
  } catch (...) {
    state_->error = std::current_exception();
    throw;
  }
  if (task.content == nullptr) return false;
  task.number = state_->next_number++;
  return true;
}

void CorpusReader::stop() {
  state_->stopped = true;
  if (state_->packed != nullptr) state_->packed->stop();
}

}  // namespace spillway
