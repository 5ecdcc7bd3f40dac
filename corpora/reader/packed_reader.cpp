#include "corpora/reader/packed_reader.hpp"

#include <algorithm>
#include <new>

#include "corpora/document/record_source.hpp"
#include "corpora/reader/sniff.hpp"
#include "corpora/unpack/zip_file.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kBufferBytes =
    PackedInput::kBufferBytes + UnpackingStream::kPortionBytes + RecordCutter::kHeadBytes;

std::size_t buffer_count(const ReaderLimits& limits) { return 2 * std::size_t{limits.threads} + 1; }

std::size_t padded_buffer_bytes(const ReaderLimits& limits) {
  return std::max(limits.buffer_bytes, limits.archive_bytes) + kRecordPadding;
}

std::size_t unpack_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  const bool may_need_more = plan.streams + plan.zstd_files + plan.zip_files != 0;
  return std::max(static_cast<std::size_t>(plan.unpack_bytes), may_need_more ? limits.unpack_bytes : 0);
}

unsigned ahead_lanes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return plan.largest_gzip_bytes < GzipAhead::kLeastFileBytes ? 0 : limits.ahead_lanes;
}

std::size_t ahead_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return GzipAhead::memory_bytes(ahead_lanes(plan, limits), limits.ahead_size);
}

std::size_t room_bytes(const ReaderLimits& limits) { return limits.ahead_size.unpacked_bytes + kRecordPadding; }

bool is_named_as_archive(std::string_view name) {
  for (const std::string_view end : {".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

// What has the name of an archive is read as one, whatever its first bytes. All else below archive/ has to begin as
// one.
std::shared_ptr<CorpusFile> entry_of(const CorpusFile& zip, const std::string& name) {
  auto entry = std::make_shared<CorpusFile>(zip);
  entry->path += "/" + name;
  entry->is_stream = true;
  if (is_named_as_archive(name)) entry->format = CorpusFormat::kWarc;
  return entry;
}

}  // namespace

std::size_t PackedReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  if (!plan.needs_reader()) return 0;
  return buffer_count(limits) * padded_buffer_bytes(limits) + kBufferBytes + ahead_bytes(plan, limits) +
         GzipAhead::room_count(ahead_lanes(plan, limits)) * room_bytes(limits) + unpack_bytes(plan, limits);
}

PackedReader::PackedReader(const ReaderSetup& setup, MemoryBudget& budget, TempSpace& temp)
    : setup_(setup),
      budget_(budget),
      temp_(temp),
      pool_(std::make_shared<UnpackBuffers>(buffer_count(setup.limits), padded_buffer_bytes(setup.limits), budget)),
      ahead_rooms_(std::make_shared<UnpackBuffers>(GzipAhead::room_count(ahead_lanes(setup.plan, setup.limits)),
                                                   room_bytes(setup.limits), budget)),
      buffers_(budget, kBufferBytes + ahead_bytes(setup.plan, setup.limits), "unpacking"),
      unpack_reservation_(budget.reserve(unpack_bytes(setup.plan, setup.limits), "unpacking")),
      queue_limit_(buffer_count(setup.limits)),
      thread_([this] { run(); }) {}

PackedReader::~PackedReader() {
  stop();
  thread_.join();
}

void PackedReader::stop() {
  std::shared_ptr<GzipAhead> ahead;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ahead = ahead_;
  }
  wanted_.notify_all();
  taken_.notify_all();
  pool_->stop();
  ahead_rooms_->stop();
  if (ahead != nullptr) ahead->stop();
}

// The end of a file may let waiting threads go on with other files.
std::optional<PackedReader::Item> PackedReader::try_next() {
  Item item;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() && error_ != nullptr && !stopped_) std::rethrow_exception(error_);
    if (queue_.empty() && !has_ended_ && !stopped_) return std::nullopt;
    if (queue_.empty() || stopped_) return std::optional<Item>(std::in_place);
    item = std::move(queue_.front());
    queue_.pop_front();
    if (!item) ++changes_;
  }
  taken_.notify_one();
  if (!item) wanted_.notify_all();
  return std::optional<Item>(std::in_place, std::move(item));
}

std::uint64_t PackedReader::changes() {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void PackedReader::wait_or_help(std::uint64_t changes) {
  std::unique_lock lock(mutex_);
  if (!is_ready()) help_or_wait(lock, changes, true);
}

void PackedReader::help() {
  std::unique_lock lock(mutex_);
  ++helpers_;
  while (!stopped_ && !has_ended_ && error_ == nullptr) help_or_wait(lock, changes_, false);
  --helpers_;
}

void PackedReader::help_or_wait(std::unique_lock<std::mutex>& lock, std::uint64_t changes, bool wants_items) {
  if (const auto ahead = ahead_; ahead != nullptr) {
    lock.unlock();
    const bool has_helped = ahead->help();
    lock.lock();
    if (has_helped) return;
  }
  wanted_.wait(lock, [&] {
    return changes_ != changes || (wants_items ? is_ready() : stopped_ || has_ended_ || error_ != nullptr);
  });
}

// One of the threads that wait is enough, unless it might be one that does not take what there is.
void PackedReader::wake_one() { helpers_ == 0 ? wanted_.notify_one() : wanted_.notify_all(); }

void PackedReader::wake() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  wake_one();
}

bool PackedReader::push(Item item) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return stopped_ || queue_.size() < queue_limit_; });
  if (stopped_) return false;
  queue_.push_back(std::move(item));
  wake_one();
  return true;
}

void PackedReader::run() noexcept {
  try {
    read_files();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  wanted_.notify_all();
}

void PackedReader::read_files() {
  std::uint64_t number = 0;
  for (const CorpusFile& file : setup_.plan.files) {
    if (number++ < setup_.start.file) continue;
    if (needs_reader(file) && !(read_file(file) && push(std::nullopt))) return;
  }
}

bool PackedReader::read_file(const CorpusFile& file) {
  if (file.compression == Compression::kZip && !file.is_stream) return read_zip(file);
  const auto source = open(file);
  return cut(std::make_shared<CorpusFile>(file), *source,
             [this](UnpackedRecords records) { return push(std::move(records)); });
}

bool PackedReader::cut(std::shared_ptr<const CorpusFile> file, UnpackedSource& source, RecordCutter::Emit emit) {
  const auto head =
      buffers_.span().subspan(PackedInput::kBufferBytes + UnpackingStream::kPortionBytes, RecordCutter::kHeadBytes);
  RecordCutter cutter(std::move(file), source, setup_.options.max_document_bytes,
                      {*pool_, setup_.limits.buffer_bytes, temp_, head}, std::move(emit));
  return cutter.run();
}

// The archives of a WACZ, one after the other.
bool PackedReader::read_zip(const CorpusFile& file) {
  ZipFile zip(setup_.files.open(file.path), file.size, budget_, file.unpack_bytes - ZstdCodec::kStreamBytes);
  std::uint64_t left = file.size;  // stored bytes that were not reported
  std::uint64_t end = 0;           // of all archives so far, unpacked
  bool any = false;
  for (std::uint64_t i = 0; i < zip.entry_count(); ++i) {
    const std::string name = zip.name(i);
    const bool is_below = name.starts_with("archive/");
    if (name.ends_with('/') || !(is_below || is_named_as_archive(name))) continue;
    any = true;
    const auto archive = entry_of(file, name);
    if (!is_below) {
      if (!push_fault(archive, {SkipReason::kBinary, "expected archives below archive/, found one elsewhere"})) {
        return false;
      }
      continue;
    }
    const auto source = unpack(*archive, PackedInput(zip.open(i), input_buffer()));
    const std::uint64_t begin = end;
    const bool goes_on = cut(archive, *source, [&](UnpackedRecords records) {
      records.base_offset = begin;
      end = std::max(end, begin + records.end_offset);
      records.stored_bytes = std::min(records.stored_bytes, left);
      left -= records.stored_bytes;
      return push(std::move(records));
    });
    if (!goes_on || (zip.fault() && !push_fault(archive, {SkipReason::kZipCorrupt, *zip.fault()}))) return false;
  }
  ContainerFault fault{SkipReason::kBinary, "expected archives below archive/, found a zip file that is no WACZ"};
  if (!any && zip.fault()) fault = {SkipReason::kZipCorrupt, *zip.fault()};
  if (!any && !push_fault(std::make_shared<CorpusFile>(file), std::move(fault))) return false;
  UnpackedRecords rest;
  rest.file = std::make_shared<CorpusFile>(file);
  rest.stored_bytes = left;
  return push(std::move(rest));
}

bool PackedReader::push_fault(std::shared_ptr<const CorpusFile> file, ContainerFault fault) {
  UnpackedRecords made;
  made.file = std::move(file);
  made.fault = std::move(fault);
  return push(std::move(made));
}

// One file is read at a time, so that all use the same memory.
GzipCodec::StartAhead PackedReader::ahead_of(const CorpusFile& file) {
  const auto memory = buffers_.span().subspan(kBufferBytes);
  if (memory.empty() || file.is_stream || file.size < GzipAhead::kLeastFileBytes) return {};
  return [this, memory, &file](std::uint64_t begin) -> std::shared_ptr<GzipAhead> {
    try {
      return start_ahead(std::make_shared<GzipAhead>(
          setup_.files.open(file.path), file.size, begin, setup_.limits.ahead_size,
          GzipAhead::Resources{setup_.limits.ahead_lanes, memory, ahead_rooms_, [this] { wake(); }}));
    } catch (const IoError& error) {
      static_cast<void>(error);  // no more descriptors: the reader, which has the file open, goes on alone
    } catch (const std::bad_alloc& error) {
      static_cast<void>(error);
    }
    return nullptr;
  };
}

std::shared_ptr<GzipAhead> PackedReader::start_ahead(std::shared_ptr<GzipAhead> ahead) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return nullptr;
    ahead_ = ahead;
    ++changes_;
  }
  wanted_.notify_all();
  return ahead;
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
  return unpack(file, PackedInput(std::move(bytes), input_buffer()));
}

std::unique_ptr<UnpackedSource> PackedReader::unpack(const CorpusFile& file, PackedInput input) {
  Compression compression = file.compression;
  if (file.is_stream) compression = sniff_compression(input.available(Codec::kHeadBytes), file.format);
  std::unique_ptr<Codec> codec;
  switch (compression) {
    case Compression::kNone:
    case Compression::kZip:  // in a stream: RecordCutter reports it
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
