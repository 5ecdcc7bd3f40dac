#include "corpora/reader/corpus_reader.hpp"

#include <algorithm>

#include "corpora/reader/packed_reader.hpp"

namespace spillway {

CorpusReader::CorpusReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp)
    : setup_(setup), left_bytes_(setup.plan.total_bytes) {
  const auto& files = setup.plan.files;
  if (std::any_of(files.begin(), files.end(), needs_reader)) {
    packed_ = std::make_unique<PackedReader>(setup_, budget, temp);
  }
}

CorpusReader::~CorpusReader() = default;

std::size_t CorpusReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return PackedReader::memory_bytes(plan, limits);
}

// Requires: mutex_ is held.
std::optional<CorpusReader::Work> CorpusReader::next_work() {
  while (next_file_ < setup_.plan.files.size()) {
    const CorpusFile& file = setup_.plan.files[next_file_];
    if (needs_reader(file)) {
      if (auto records = packed_->next()) return std::move(*records);
      if (stopped_) return std::nullopt;
      left_bytes_ -= std::min(left_bytes_, file.end - file.begin);
    } else if (file.format == CorpusFormat::kText) {
      return next_text_files();
    } else if (auto range = next_range(file)) {
      return range;
    }
    ++next_file_;
  }
  return std::nullopt;
}

// Consecutive files that are one document each, task_bytes together.
TextFiles CorpusReader::next_text_files() {
  constexpr std::size_t kMostFiles = 4096;
  const auto& files = setup_.plan.files;
  const std::size_t first = next_file_;
  std::uint64_t bytes = 0;
  while (next_file_ < files.size() && next_file_ - first < kMostFiles) {
    const CorpusFile& file = files[next_file_];
    if (needs_reader(file) || file.format != CorpusFormat::kText) break;
    if (next_file_ > first && bytes + file.size > setup_.limits.task_bytes) break;
    bytes += file.size;
    ++next_file_;
  }
  left_bytes_ -= std::min(left_bytes_, bytes);
  return {first, next_file_};
}

std::optional<CorpusReader::Work> CorpusReader::next_range(const CorpusFile& file) {
  const std::uint64_t begin = std::max(file.begin, next_begin_);
  if (begin >= file.end) {
    next_begin_ = 0;
    open_file_.reset();
    return std::nullopt;
  }
  if (open_file_ == nullptr) open_file_ = setup_.files.open(file.path);
  next_begin_ = begin + std::min(next_range_bytes(), file.end - begin);
  left_bytes_ -= std::min(left_bytes_, next_begin_ - begin);
  return PlainRange{&file, open_file_, begin, next_begin_};
}

// Ranges become smaller towards the end of the input, so that all threads finish at about the same time.
std::uint64_t CorpusReader::next_range_bytes() const {
  constexpr std::uint64_t kLeastShare = 8;  // of a task: each range becomes a chunk, and more chunks cost more later
  const std::uint64_t task = std::max<std::size_t>(setup_.limits.task_bytes, 1);
  const std::uint64_t share = left_bytes_ / std::max(setup_.limits.threads, 1U);
  return std::max<std::uint64_t>(std::min(task, std::max(share, task / kLeastShare)), 1);
}

bool CorpusReader::next(CorpusTask& task) {
  task = {};
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  if (error_ != nullptr) std::rethrow_exception(error_);
  try {
    auto work = next_work();
    if (!work) return false;
    task = {next_number_++, std::move(*work)};
    return true;
  } catch (...) {
    error_ = std::current_exception();
    throw;
  }
}

void CorpusReader::stop() {
  stopped_ = true;
  if (packed_ != nullptr) packed_->stop();
}

}  // namespace spillway
