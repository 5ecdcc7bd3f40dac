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

// Room for the blocks of a slot and the frame that one of them grows to before it is stored raw.
std::size_t most_stored_bytes(std::size_t block_bytes) { return block_bytes + ZSTD_compressBound(block_bytes); }

std::size_t slot_bytes(std::size_t block_bytes) { return block_bytes + most_stored_bytes(block_bytes); }

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
  if (!helpers_.empty()) throw std::logic_error("BlockCompressor: helpers are at work already");
  while (appended_count_ != added_count_) make_progress();  // the ring gets a new size
  slots_ = std::vector<Slot>(1 + kSlotsPerHelper * count);
  helpers_.reserve(count);
  try {
    for (unsigned i = 0; i < count; ++i) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // The caller compresses the blocks that no helper takes.
  }
}

void BlockCompressor::add(std::vector<std::uint8_t>& raw, const Blocks& blocks) {
  while (appended_count_ != added_count_ && oldest_is_done()) append_oldest();
  while (added_count_ - appended_count_ == slots_.size()) make_progress();
  Slot& free = slot(added_count_);
  free.raw.reserve(most_block_bytes_);
  free.raw.swap(raw);
  free.blocks = blocks;
  free.is_done.store(false, std::memory_order_relaxed);
  {
    const std::scoped_lock lock(mutex_);
    ++added_count_;
  }
  added_.notify_one();
  while (helpers_.empty() && appended_count_ != added_count_) make_progress();
}

// Appends the oldest slot, compresses one, or waits for one.
void BlockCompressor::make_progress() {
  if (oldest_is_done()) return append_oldest();
  std::unique_lock lock(mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (taken_count_ == added_count_) return done_.wait(lock, [this] { return error_ != nullptr || oldest_is_done(); });
  Slot& mine = slot(taken_count_++);
  lock.unlock();
  try {
    compress(mine, context_);
  } catch (...) {
    // The slot is taken and will never be done: later calls must throw rather than wait for it.
    lock.lock();
    if (error_ == nullptr) error_ = std::current_exception();
    throw;
  }
  mine.is_done.store(true, std::memory_order_release);
}

void BlockCompressor::append_oldest() {
  Slot& oldest = slot(appended_count_);
  std::size_t begin = 0;
  for (const std::size_t end : oldest.stored_ends) {
    oldest.blocks.offsets->append_integer(oldest.blocks.data->size());
    oldest.blocks.data->append({oldest.stored.data() + begin, end - begin});
    begin = end;
  }
  oldest.raw.clear();
  ++appended_count_;
}

void BlockCompressor::prepare(Context& context, BlockContent content) {
  if (context.is_set && context.content == content) return;
  if (context.zstd == nullptr) context.zstd.reset(ZSTD_createCCtx());
  if (context.zstd == nullptr) throw std::bad_alloc();
  const bool is_text = content == BlockContent::kText;
  set(context.zstd.get(), ZSTD_c_compressionLevel, is_text ? kTextLevel : kFieldsLevel);
  set(context.zstd.get(), ZSTD_c_minMatch, is_text ? 0 : kFieldsMinMatch);
  context.content = content;
  context.is_set = true;
}

// A block whose frame is not smaller is stored raw.
void BlockCompressor::compress(Slot& slot, Context& context) const {
  prepare(context, slot.blocks.content);
  slot.stored.resize(most_stored_bytes(most_block_bytes_));
  slot.stored_ends.clear();
  std::size_t stored = 0;
  for (std::size_t at = 0; at < slot.raw.size(); at += slot.blocks.block_bytes) {
    const std::size_t bytes = std::min(slot.blocks.block_bytes, slot.raw.size() - at);
    std::size_t frame = ZSTD_compress2(context.zstd.get(), slot.stored.data() + stored, slot.stored.size() - stored,
                                       slot.raw.data() + at, bytes);
    if (ZSTD_isError(frame) != 0) throw_zstd_error(frame);
    if (frame >= bytes) {
      std::copy_n(slot.raw.data() + at, bytes, slot.stored.data() + stored);
      frame = bytes;
    }
    stored += frame;
    slot.stored_ends.push_back(stored);
  }
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
      mine.is_done.store(true, std::memory_order_release);
      done_.notify_one();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    if (error_ == nullptr) error_ = std::current_exception();
    done_.notify_one();
  }
}

void BlockCompressor::finish() {
  while (appended_count_ != added_count_) make_progress();
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
