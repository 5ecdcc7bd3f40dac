#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_estimateCCtxSize_usingCParams
#include "io/docstore/block_compressor.hpp"

#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace spillway {

namespace {

// Fields are short and many: searching matches in them takes longer than all else for documents of a page. Measured in
// docs/formats.md.
constexpr int kTextLevel = 3, kFieldsLevel = 1, kFieldsMinMatch = 7;
constexpr std::size_t kSlotsPerHelper = 3;  // one in work, and two that balance both sides

std::size_t slot_bytes(std::size_t block_bytes) { return block_bytes + ZSTD_compressBound(block_bytes); }

std::size_t context_bytes(std::size_t block_bytes) {
  const auto of_level = [&](int level) {
    return ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(level, block_bytes, 0));
  };
  return std::max(of_level(kTextLevel), of_level(kFieldsLevel));
}

[[noreturn]] void throw_zstd_error(std::size_t code) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  throw std::runtime_error(std::string("zstd cannot compress a block: ") + ZSTD_getErrorName(code));
}

void set(ZSTD_CCtx* zstd, ZSTD_cParameter parameter, int value) {
  const std::size_t code = ZSTD_CCtx_setParameter(zstd, parameter, value);
  if (ZSTD_isError(code) != 0) throw_zstd_error(code);
}

}  // namespace

BlockCompressor::BlockCompressor(std::size_t most_block_bytes) : most_block_bytes_(most_block_bytes), slots_(1) {}

BlockCompressor::~BlockCompressor() { end_helpers(); }

std::size_t BlockCompressor::memory_bytes(std::size_t most_block_bytes) {
  return context_bytes(most_block_bytes) + slot_bytes(most_block_bytes);
}

std::size_t BlockCompressor::helper_bytes(std::size_t most_block_bytes) {
  return context_bytes(most_block_bytes) + kSlotsPerHelper * slot_bytes(most_block_bytes);
}

void BlockCompressor::start_helpers(unsigned count) {
  std::unique_lock lock(mutex_);
  if (!helpers_.empty()) throw std::logic_error("BlockCompressor: helpers are at work already");
  while (appended_count_ != added_count_) make_progress(lock);  // the ring gets a new size
  lock.unlock();
  slots_ = std::vector<Slot>(1 + kSlotsPerHelper * count);
  helpers_.reserve(count);
  try {
    for (unsigned i = 0; i < count; ++i) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // The caller compresses the blocks that no helper takes.
  }
}

void BlockCompressor::add(std::vector<std::uint8_t>& raw, BlockContent content, SectionWriter& data,
                          SectionWriter& offsets) {
  std::unique_lock lock(mutex_);
  while (added_count_ - appended_count_ == slots_.size()) make_progress(lock);
  Slot& free = slot(added_count_);
  lock.unlock();
  free.raw.reserve(most_block_bytes_);
  free.raw.swap(raw);
  free.content = content;
  free.data = &data;
  free.offsets = &offsets;
  free.is_done = false;
  lock.lock();
  ++added_count_;
  added_.notify_one();
  while (appended_count_ != added_count_ && (helpers_.empty() || slot(appended_count_).is_done)) make_progress(lock);
}

// Appends the oldest block, compresses a block, or waits for one.
void BlockCompressor::make_progress(std::unique_lock<std::mutex>& lock) {
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (slot(appended_count_).is_done) return append_oldest(lock);
  if (taken_count_ == added_count_) return done_.wait(lock);
  Slot& mine = slot(taken_count_++);
  lock.unlock();
  compress(mine, context_);
  lock.lock();
  mine.is_done = true;
}

void BlockCompressor::append_oldest(std::unique_lock<std::mutex>& lock) {
  Slot& oldest = slot(appended_count_);
  lock.unlock();
  oldest.offsets->append_integer(oldest.data->size());
  if (oldest.compressed_bytes >= oldest.raw.size()) {
    oldest.data->append(oldest.raw);
  } else {
    oldest.data->append({oldest.compressed.data(), oldest.compressed_bytes});
  }
  oldest.raw.clear();
  lock.lock();
  ++appended_count_;
}

void BlockCompressor::prepare(Context& context, BlockContent content) {
  if (context.zstd != nullptr && context.content == content) return;
  if (context.zstd == nullptr) context.zstd.reset(ZSTD_createCCtx());
  if (context.zstd == nullptr) throw std::bad_alloc();
  context.content = content;
  const bool is_text = content == BlockContent::kText;
  set(context.zstd.get(), ZSTD_c_compressionLevel, is_text ? kTextLevel : kFieldsLevel);
  set(context.zstd.get(), ZSTD_c_minMatch, is_text ? 0 : kFieldsMinMatch);
}

void BlockCompressor::compress(Slot& slot, Context& context) const {
  prepare(context, slot.content);
  slot.compressed.resize(ZSTD_compressBound(most_block_bytes_));
  slot.compressed_bytes = ZSTD_compress2(context.zstd.get(), slot.compressed.data(), slot.compressed.size(),
                                         slot.raw.data(), slot.raw.size());
  if (ZSTD_isError(slot.compressed_bytes) != 0) throw_zstd_error(slot.compressed_bytes);
}

void BlockCompressor::help() noexcept {
  Context context;
  std::unique_lock lock(mutex_);
  try {
    for (;;) {
      added_.wait(lock, [this] { return is_ending_ || taken_count_ != added_count_; });
      if (is_ending_) return;
      Slot& mine = slot(taken_count_++);
      lock.unlock();
      compress(mine, context);
      lock.lock();
      mine.is_done = true;
      done_.notify_one();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    if (error_ == nullptr) error_ = std::current_exception();
    done_.notify_one();
  }
}

void BlockCompressor::finish() {
  std::unique_lock lock(mutex_);
  while (appended_count_ != added_count_) make_progress(lock);
  lock.unlock();
  end_helpers();
  slots_ = std::vector<Slot>(1);
  context_ = {};
}

void BlockCompressor::end_helpers() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  added_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
  is_ending_ = false;
}

}  // namespace spillway
