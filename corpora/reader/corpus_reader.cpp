#include "corpora/reader/corpus_reader.hpp"

#include <algorithm>

#include "corpora/reader/arrow_reader.hpp"
#include "corpora/reader/packed_reader.hpp"

namespace spillway {

CorpusReader::CorpusReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp)
    : setup_(setup),
      decoder_memory_(budget.reserve(decoder_memory_bytes(setup.plan, setup.limits), "content decoders")),
      decoders_(std::make_unique<DecoderAllowance>(setup.limits.decoder_bytes, temp)),
      position_(setup.start),
      file_(setup.plan.files.begin()),
      left_bytes_(setup.plan.total_bytes) {
  for (std::uint64_t i = 0; i < setup.start.file && file_ != std::default_sentinel; ++i, ++file_) {
    left_bytes_ -= std::min(left_bytes_, file_->end - file_->begin);
  }
  if (file_ != std::default_sentinel && needs_reader(*file_)) {
    done_ = setup.start;
    position_.faults = 0;
  } else {
    next_begin_ = setup.start.offset;
  }
  if (setup.plan.arrow != nullptr) arrow_ = std::make_unique<ArrowReader>(setup_, budget);
  if (setup.plan.needs_reader()) packed_ = std::make_unique<PackedReader>(setup_, budget, temp);
}

CorpusReader::~CorpusReader() = default;

std::size_t CorpusReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return PackedReader::memory_bytes(plan, limits) + ArrowReader::memory_bytes(plan, limits) +
         decoder_memory_bytes(plan, limits);
}

std::size_t CorpusReader::decoder_memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return plan.crawls == 0 ? 0 : DecoderAllowance::memory_bytes(limits.decoder_bytes, limits.threads);
}

// Requires: mutex_ is held.
std::optional<CorpusReader::Work> CorpusReader::next_work() {
  for (; file_ != std::default_sentinel; end_file()) {
    if (needs_reader(*file_)) {
      if (auto records = next_records()) return std::move(*records);
      if (stopped_ || must_wait_) return std::nullopt;
      left_bytes_ -= std::min(left_bytes_, file_->end - file_->begin);
    } else if (const PlainFiles files = next_files(); files.count != 0) {
      return files;
    } else if (auto range = next_range()) {
      return range;
    }
  }
  return std::nullopt;
}

void CorpusReader::end_file() {
  ++file_;
  position_ = {.file = position_.file + 1, .task = position_.task};
  done_ = {};
}

// Returns nothing at the end of the file, or if it must_wait_.
std::optional<UnpackedRecords> CorpusReader::next_records() {
  for (;;) {
    auto item = packed_->try_next();
    must_wait_ = !item;
    if (must_wait_ || !*item) return std::nullopt;
    std::optional<UnpackedRecords> records = std::move(*item);
    const std::uint64_t faults_before = position_.faults;
    position_.offset = std::max(position_.offset, records->base_offset + records->end_offset);
    position_.faults += records->fault ? 1 : 0;
    if (records->fault && faults_before < done_.faults) records->fault.reset();
    if (!drop_done(*records)) return records;
  }
}

// Another reader has done the file up to an offset, which is a border between records. Returns whether nothing is left.
bool CorpusReader::drop_done(UnpackedRecords& records) {
  if (done_.offset == 0 && done_.faults == 0) return false;
  const std::uint64_t done = done_.offset - std::min(done_.offset, records.base_offset);
  if (records.end_offset <= done) {
    records.bytes = records.spooled_bytes = 0;
    records.spooled.reset();
    records.buffer.reset();
    records.archived.clear();
  } else if (!records.archived.empty()) {
    std::erase_if(records.archived, [&](const ArchiveRecord& record) { return record.unpacked_offset < done; });
  } else if (records.bytes != 0 && records.unpacked_offset < done) {
    records.skipped_bytes = static_cast<std::size_t>(done - records.unpacked_offset);
  }
  return records.bytes == 0 && records.spooled_bytes == 0 && records.archived.empty() && !records.fault;
}

// Consecutive plain files, together as long as a range. None if the next file has to be divided.
PlainFiles CorpusReader::next_files() {
  constexpr std::size_t kMostFiles = 4096;
  PlainFiles taken{file_};
  if (next_begin_ != 0) return taken;
  const std::uint64_t most_bytes = next_range_bytes();
  std::uint64_t bytes = 0;
  for (; file_ != std::default_sentinel && !needs_reader(*file_) && taken.count < kMostFiles; end_file()) {
    const bool takes_any_size = taken.count == 0 && is_document_a_file(file_->format);
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
  position_.offset = next_begin_;
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
  if (arrow_ != nullptr) return arrow_->next(task);
  for (;;) {
    const std::uint64_t changes = packed_ == nullptr ? 0 : packed_->changes();
    const auto is_taken = try_next(task);
    if (is_taken) return *is_taken;
    packed_->wait_or_help(changes);
  }
}

// Returns nothing if the reader thread is not so far, and false at the end.
std::optional<bool> CorpusReader::try_next(CorpusTask& task) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  if (error_ != nullptr) std::rethrow_exception(error_);
  try {
    must_wait_ = false;
    auto work = next_work();
    if (must_wait_) return std::nullopt;
    if (!work) return false;
    task = {position_.task++, std::move(*work), {}};
    task.end = position_;
    return true;
  } catch (...) {
    error_ = std::current_exception();
    throw;
  }
}

void CorpusReader::help() {
  if (packed_ != nullptr) packed_->help();
}

void CorpusReader::stop() {
  stopped_ = true;
  if (packed_ != nullptr) packed_->stop();
  if (arrow_ != nullptr) arrow_->stop();
}

}  // namespace spillway
