#include "corpora/reader/packed_reader.hpp"

#include <algorithm>

#include "corpora/document/record_source.hpp"
#include "corpora/reader/record_cutter.hpp"
#include "corpora/reader/sniff.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kBufferBytes =
    PackedInput::kBufferBytes + UnpackingStream::kPortionBytes + RecordCutter::kHeadBytes;

std::size_t buffer_count(const ReaderLimits& limits) { return 2 * std::size_t{limits.threads} + 1; }

std::size_t padded_buffer_bytes(const ReaderLimits& limits) { return limits.buffer_bytes + kRecordPadding; }

std::size_t unpack_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  const bool may_need_more = plan.streams + plan.zstd_files != 0;
  return std::max(static_cast<std::size_t>(plan.unpack_bytes), may_need_more ? limits.unpack_bytes : 0);
}

std::size_t ahead_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return plan.gzip_bytes < GzipAhead::kLeastFileBytes ? 0 : GzipAhead::memory_bytes(limits.ahead_threads);
}

}  // namespace

std::size_t PackedReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  if (!plan.needs_reader()) return 0;
  return buffer_count(limits) * padded_buffer_bytes(limits) + kBufferBytes + ahead_bytes(plan, limits) +
         unpack_bytes(plan, limits);
}

PackedReader::PackedReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp)
    : setup_(setup),
      temp_(temp),
      pool_(std::make_shared<UnpackBuffers>(buffer_count(setup.limits), padded_buffer_bytes(setup.limits), budget)),
      buffers_(budget, kBufferBytes + ahead_bytes(setup.plan, setup.limits), "unpacking"),
      unpack_reservation_(budget.reserve(unpack_bytes(setup.plan, setup.limits), "unpacking")),
      queue_limit_(buffer_count(setup.limits)),
      thread_([this] { run(); }) {}

PackedReader::~PackedReader() {
  stop();
  thread_.join();
}

void PackedReader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  pool_->stop();
}

std::optional<UnpackedRecords> PackedReader::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || !queue_.empty() || error_ != nullptr; });
  if (stopped_) return std::nullopt;
  if (queue_.empty()) std::rethrow_exception(error_);
  Item item = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return item;
}

bool PackedReader::push(Item item) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || queue_.size() < queue_limit_; });
    if (stopped_) return false;
    queue_.push_back(std::move(item));
  }
  changed_.notify_all();
  return true;
}

void PackedReader::run() noexcept {
  try {
    std::uint64_t number = 0;
    for (const CorpusFile& file : setup_.plan.files) {
      if (number++ < setup_.start.file) continue;
      if (needs_reader(file) && !(read_file(file) && push(std::nullopt))) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
  }
  changed_.notify_all();
}

bool PackedReader::read_file(const CorpusFile& file) {
  const auto source = open(file);
  const auto head =
      buffers_.span().subspan(PackedInput::kBufferBytes + UnpackingStream::kPortionBytes, RecordCutter::kHeadBytes);
  RecordCutter cutter(std::make_shared<CorpusFile>(file), *source, setup_.options.max_document_bytes,
                      {*pool_, temp_, head}, [this](UnpackedRecords records) { return push(std::move(records)); });
  return cutter.run();
}

// One file is read at a time, so that all use the same memory.
GzipCodec::StartAhead PackedReader::ahead_of(const CorpusFile& file) {
  const auto memory = buffers_.span().subspan(kBufferBytes);
  if (memory.empty() || file.is_stream || file.size < GzipAhead::kLeastFileBytes) return {};
  return [this, memory, &file](std::uint64_t begin) {
    return std::make_unique<GzipAhead>(setup_.files.open(file.path), file.size, begin, setup_.limits.ahead_threads,
                                       memory);
  };
}

std::unique_ptr<UnpackedSource> PackedReader::open(const CorpusFile& file) {
  std::unique_ptr<ByteSource> bytes;
  if (file.is_stream) {
    auto stream = setup_.files.open_stream(file.path);
    stream->set_wait_check([this] {
      const std::lock_guard lock(mutex_);
      if (stopped_)
        throw IoError("stopped while waiting for input");  // caught below and never rethrown: the reader is stopped
    });
    bytes = std::make_unique<StreamByteSource>(std::move(stream));
  } else {
    bytes = std::make_unique<FileByteSource>(setup_.files.open(file.path), file.size);
  }
  PackedInput input(std::move(bytes), input_buffer());
  Compression compression = file.compression;
  if (file.is_stream) compression = sniff_compression(input.available(Codec::kHeadBytes));
  std::unique_ptr<Codec> codec;
  switch (compression) {
    case Compression::kNone:
      return std::make_unique<PlainSource>(std::move(input));
    case Compression::kGzip:
      codec = std::make_unique<GzipCodec>(ahead_of(file));
      break;
    case Compression::kZstd:
      codec = std::make_unique<ZstdCodec>(file.path, unpack_reservation_.bytes());
      break;
  }
  const auto portion = buffers_.span().subspan(PackedInput::kBufferBytes, UnpackingStream::kPortionBytes);
  return std::make_unique<UnpackingStream>(std::move(input), std::move(codec), portion);
}

}  // namespace spillway
