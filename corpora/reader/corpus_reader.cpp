#include "corpora/reader/corpus_reader.hpp"

#include <algorithm>

#include "corpora/reader/packed_reader.hpp"

namespace spillway {

CorpusReader::CorpusReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp)
    : setup_(setup), file_(setup.plan.files.begin()), left_bytes_(setup.plan.total_bytes) {
  if (setup.plan.needs_reader()) packed_ = std::make_unique<PackedReader>(setup_, budget, temp);
}

CorpusReader::~CorpusReader() = default;

std::size_t CorpusReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return PackedReader::memory_bytes(plan, limits);
}

// Requires: mutex_ is held.
std::optional<CorpusReader::Work> CorpusReader::next_work() {
  for (; file_ != std::default_sentinel; ++file_) {
    if (needs_reader(*file_)) {
      if (auto records = packed_->next()) return std::move(*records);
      if (stopped_) return std::nullopt;
      left_bytes_ -= std::min(left_bytes_, file_->end - file_->begin);
    } else if (const PlainFiles files = next_files(); files.count != 0) {
      return files;
    } else if (auto range = next_range()) {
      return range;
    }
  }
  return std::nullopt;
}

// Consecutive plain files, together as long as a range. None if the next file has to be divided.
PlainFiles CorpusReader::next_files() {
  constexpr std::size_t kMostFiles = 4096;
  PlainFiles taken{file_};
  if (next_begin_ != 0) return taken;
  const std::uint64_t most_bytes = next_range_bytes();
  std::uint64_t bytes = 0;
  for (; file_ != std::default_sentinel && !needs_reader(*file_) && taken.count < kMostFiles; ++file_) {
    const bool takes_any_size = taken.count == 0 && file_->format == CorpusFormat::kText;
    const std::uint64_t file_bytes = file_->end - file_->begin;
    if (bytes + file_bytes > most_bytes && !takes_any_size) break;
    bytes += file_bytes;
    ++taken.count;
  }
  left_bytes_ -= std::min(left_bytes_, bytes);
  return taken;
}

std::optional<CorpusReader::Work> CorpusReader::next_range() {
  const std::uint64_t begin = std::max(file_->begin, next_begin_);
  if (begin >= file_->end) {
    next_begin_ = 0;
    divided_ = {};
    return std::nullopt;
  }
  if (divided_.bytes == nullptr) divided_ = {std::make_shared<CorpusFile>(*file_), setup_.files.open(file_->path)};
  next_begin_ = begin + std::min(next_range_bytes(), file_->end - begin);
  left_bytes_ -= std::min(left_bytes_, next_begin_ - begin);
  return PlainRange{divided_.file, divided_.bytes, begin, next_begin_};
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
