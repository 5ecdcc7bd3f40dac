#include "sort/lines/runs/run.hpp"

#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_c_literalCompressionMode
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "sort/lines/block/block.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/keys/key_encoder.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

namespace {

// Levels of zstd. The strong one has a hash table of 16 KiB, which stays in the L1 cache, matches of 6 bytes or more,
// and looks for them at every second place: front-coded addresses take 5 % less time than with matches of 7 bytes or
// more at all places, and become 0.4 % of the input smaller. The fast level finds few matches and codes what is left by
// Huffman, in half the time; of front-coded DNA it makes less.
constexpr int kStrongLevel = 1, kFastLevel = -64;
constexpr int kHashLog = 12, kLeastMatch = 6, kStrongStep = 2;
// Blocks take the least time that keeps scratch files at the wanted share of the records, where zstd can do that: a mix
// of blocks as they are and fast ones if fast ones are smaller, else of fast and strong ones. Many blocks decide, for
// the shares of the begin and of the end of a run differ.
constexpr double kPartOfLast = 0.125;                      // of the last fast block in what is expected of the next one
constexpr std::size_t kMostJudged = std::size_t{1} << 30;  // bytes of records; more weigh half
constexpr std::size_t kLeastJudged = std::size_t{8} << 10;  // bytes of records; shorter blocks say little
// Bytes of a first record after those that it shares with the one of the block before; a short string holds them
// without memory of its own.
constexpr std::size_t kFirstBytes = 15;
constexpr std::size_t kMostFurtherBytes = 256;
constexpr std::size_t kAhead = 16;                        // lines in memory whose texts are loaded early
constexpr std::size_t kKeptBytes = std::size_t{2} << 20;  // of a block; memory that a longer one took is given back

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) != 0) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(result));
  return result;
}

class Compressor {
 public:
  Compressor() : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (context_ == nullptr) throw std::bad_alloc();
    set(ZSTD_c_hashLog, kHashLog);
    set(ZSTD_c_minMatch, kLeastMatch);
    set(ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
    set_level();
  }

  ZSTD_CCtx* context() { return context_.get(); }

  // Packs a block of `record_bytes`, or returns false if it is to stay as it is.
  bool pack(std::span<const std::uint8_t> raw, std::size_t record_bytes, const PackGoal& goal,
            std::vector<std::uint8_t>& packed) {
    if (std::exchange(sort_, goal.sort) != goal.sort) fast_share_ = 0, bytes_ = record_bytes_ = 0;
    const bool is_judged = record_bytes >= kLeastJudged, is_fast_enough = fast_share_ <= goal.share;
    const bool may_grow = static_cast<double>(bytes_) < goal.share * static_cast<double>(record_bytes_);
    if (is_judged && is_fast_enough && may_grow) {
      count(raw.size(), record_bytes);
      return false;
    }
    const int level = is_fast_enough || may_grow ? kFastLevel : kStrongLevel;
    if (std::exchange(level_, level) != level) set_level();
    packed.resize(ZSTD_compressBound(raw.size()));
    packed.resize(checked(ZSTD_compress2(context(), packed.data(), packed.size(), raw.data(), raw.size())));
    if (is_judged) {
      const double share = static_cast<double>(packed.size()) / static_cast<double>(record_bytes);
      if (level == kFastLevel) fast_share_ += (share - fast_share_) * (record_bytes_ == 0 ? 1 : kPartOfLast);
      count(packed.size(), record_bytes);
    }
    return packed.size() < raw.size();
  }

 private:
  void set_level() {
    set(ZSTD_c_compressionLevel, level_);
    set(ZSTD_c_targetLength, level_ == kStrongLevel ? kStrongStep : 0);
  }
  void set(ZSTD_cParameter parameter, int value) { checked(ZSTD_CCtx_setParameter(context(), parameter, value)); }

  void count(std::size_t bytes, std::size_t record_bytes) {
    bytes_ += bytes;
    record_bytes_ += record_bytes;
    if (record_bytes_ > kMostJudged) {
      bytes_ /= 2;
      record_bytes_ /= 2;
    }
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  int level_ = kStrongLevel;
  std::uint64_t sort_ = 0;                    // whose blocks were judged
  double fast_share_ = 0;                     // what is expected of a fast block
  std::size_t bytes_ = 0, record_bytes_ = 0;  // of blocks that were judged, and of their records
};

struct Decompressor {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  Decompressor() {
    if (context == nullptr) throw std::bad_alloc();
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { ZSTD_freeDCtx(context); }
};

// A block that is not packed begins with the 0 of its first record, and a frame of zstd with another byte. Returns
// false if `stored` is no block of raw.size() bytes.
bool unpack(const StoredBytes& stored, std::span<std::uint8_t> raw) {
  thread_local Decompressor decompressor;
  if (stored.empty() || stored.front() != 0) {
    return ZSTD_decompressDCtx(decompressor.context, raw.data(), raw.size(), stored.data(), stored.size()) ==
           raw.size();
  }
  if (stored.size() == raw.size()) std::ranges::copy(stored, raw.begin());
  return stored.size() == raw.size();
}

std::uint32_t read_number(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= std::uint32_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

// A prefix that is long and new becomes known over several blocks.
void make_known(Run& run, const EncodedBlock& encoded, RunBlock& block) {
  const std::size_t shared = shared_bytes(run.last_first, encoded.first);
  const std::size_t known = std::min(shared, run.known_first_bytes);
  const std::size_t end = std::min({encoded.first.size(), shared + kFirstBytes, known + kMostFurtherBytes});
  block.first_shared = static_cast<std::uint32_t>(known);
  block.first_further = encoded.first.substr(known, end - known);
  block.has_whole_first = encoded.has_whole_first && end == encoded.first.size();
  run.further_bytes += end - known > kFirstBytes ? end - known : 0;  // others need no memory of their own
  run.last_first = encoded.first;
  run.known_first_bytes = end;
}

}  // namespace

Record make_record(std::string_view line, const KeyEncoder& encoder, const RecordOrder& order, std::string& keyed) {
  if (!order.has_keys) return {line, 0};
  keyed.clear();
  encoder.append(line, keyed);
  const auto key_bytes = static_cast<std::uint32_t>(keyed.size());
  keyed += line;
  return {keyed, key_bytes};
}

void BlockEncoder::begin(const Record& record) {
  const std::string_view compared = record.compared(order_);
  first_ = compared.substr(0, EncodedBlock::kMostFirstBytes);
  has_whole_first_ = compared.size() == first_.size();
}

void BlockEncoder::count(const Record& record) {
  ++block_.records;
  block_.record_bytes += static_cast<std::uint32_t>(record.bytes.size() + 1);
  block_.line_bytes += static_cast<std::uint32_t>(record.line(order_).size());
  longest_record_ = std::max(longest_record_, static_cast<std::uint32_t>(record.bytes.size()));
}

template <typename Copy>
void BlockEncoder::add(const Record& record, std::size_t shared, const Copy& copy) {
  if (is_empty()) {
    shared = 0;
    begin(record);
  }
  const std::size_t further = record.bytes.size() - shared;
  const std::size_t most = raw_bytes_ + 3 * kMaxVarintBytes + further + kCopyPadding;
  if (raw_.size() < most) raw_.resize(std::min(2 * most, most + kLongLine));
  std::uint8_t* end = write_varint(raw_.data() + raw_bytes_, shared);
  end = write_varint(end, further);
  if (order_.has_keys) end = write_varint(end, record.key_bytes);
  end = copy(bytes_of(record.bytes.substr(shared)), end);
  raw_bytes_ = static_cast<std::size_t>(end - raw_.data());
  count(record);
}

void BlockEncoder::add(const Record& record, std::size_t shared) { add(record, shared, copy_bytes); }

void BlockEncoder::add_padded(const Record& record, std::size_t shared) {
  add(record, shared,
      [](std::span<const std::uint8_t> from, std::uint8_t* to) { return copy_padded(from.data(), from.size(), to); });
}

void BlockEncoder::note(const Record& record) {
  if (is_empty()) begin(record);
  count(record);
}

EncodedBlock BlockEncoder::take(StoredBytes stored) {
  EncodedBlock encoded;
  block_.raw_bytes = static_cast<std::uint32_t>(raw_bytes_);
  block_.stored_bytes = static_cast<std::uint32_t>(stored.size());
  block_.stored_crc = crc32c(0, stored);
  encoded.stored = std::move(stored);
  encoded.block = std::move(block_);
  encoded.longest_record = longest_record_;
  encoded.first = std::move(first_);
  encoded.has_whole_first = has_whole_first_;
  block_ = {};
  raw_bytes_ = 0;
  longest_record_ = 0;
  return encoded;
}

EncodedBlock BlockEncoder::finish() {
  thread_local Compressor compressor;
  thread_local std::vector<std::uint8_t> packed;
  const std::span raw = std::span(raw_).first(raw_bytes_);
  const bool is_packed = compressor.pack(raw, block_.record_bytes, goal_, packed);
  const std::span<const std::uint8_t> bytes = is_packed ? packed : raw;
  return take({bytes.begin(), bytes.end()});
}

EncodedBlock BlockEncoder::encode_alone(const Record& record) {
  begin(record);
  count(record);
  std::array<std::uint8_t, 3 * kMaxVarintBytes> head;
  std::uint8_t* end = write_varint(head.data(), 0);
  end = write_varint(end, record.bytes.size());
  if (order_.has_keys) end = write_varint(end, record.key_bytes);
  const auto head_bytes = static_cast<std::size_t>(end - head.data());
  raw_bytes_ = head_bytes + record.bytes.size();
  StoredBytes stored(ZSTD_compressBound(raw_bytes_));
  Compressor compressor;
  checked(ZSTD_CCtx_setPledgedSrcSize(compressor.context(), raw_bytes_));
  ZSTD_outBuffer out{stored.data(), stored.size(), 0};
  const auto put = [&](const void* from, std::size_t bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{from, bytes, 0};
    while (checked(ZSTD_compressStream2(compressor.context(), &out, &in, directive)) != 0 || in.pos != in.size) {
      if (directive == ZSTD_e_continue && in.pos == in.size) break;
    }
  };
  put(head.data(), head_bytes, ZSTD_e_continue);
  put(record.bytes.data(), record.bytes.size(), ZSTD_e_end);
  stored.resize(out.pos);
  return take(std::move(stored));
}

void BlockWalk::unfold() {
  if (is_at_end()) return;
  first_.resize(run_->blocks[block_].first_shared);
  first_ += run_->blocks[block_].first_further;
}

void append_block(Run& run, const EncodedBlock& encoded) {
  RunBlock block = encoded.block;
  make_known(run, encoded, block);
  if (run.lines == nullptr) block.offset = run.file->append(encoded.stored);
  block.records_before = run.records;
  run.records += block.records;
  run.stored_bytes += block.stored_bytes;
  run.record_bytes += block.record_bytes;
  run.longest_raw = std::max(run.longest_raw, block.raw_bytes);
  run.longest_stored = std::max(run.longest_stored, block.stored_bytes);
  run.longest_record = std::max(run.longest_record, encoded.longest_record);
  run.blocks.push_back(std::move(block));
}

std::uint64_t line_bytes_before(const Run& run, std::uint64_t records, const RecordOrder& order) {
  std::uint64_t bytes = 0;
  for (const RunBlock& block : run.blocks) {
    if (block.records_before + block.records <= records) {
      bytes += block.line_bytes;
      continue;
    }
    RunCursor cursor(run, order);
    cursor.seek(block.records_before, records);
    while (cursor.next()) bytes += cursor.record().line(order).size();
    break;
  }
  return bytes;
}

void RunCursor::seek(std::uint64_t begin, std::uint64_t end) {
  end_ = end;
  next_ = block_end_ = begin;
  bytes_ = shared_ = 0;
  alone_at_ = nullptr;
  if (begin >= end) return;
  const auto after =
      std::upper_bound(run_->blocks.begin(), run_->blocks.end(), begin,
                       [](std::uint64_t at, const RunBlock& block) { return at < block.records_before; });
  const auto block = static_cast<std::size_t>(after - run_->blocks.begin()) - 1;
  if (run_->lines != nullptr) {
    place_ = run_->lines->places[block];
    place_.line += static_cast<std::size_t>(begin - run_->blocks[block].records_before);
    return;
  }
  load(block);
  while (next_ != begin) next();
  shared_ = 0;
}

// Requires: there is one, and lines are in memory.
void RunCursor::next_line() {
  const MemoryLines& lines = *run_->lines;
  while (place_.line == lines.block.size(place_.part)) place_ = {place_.part + 1, 0};
  if (place_.line % kAhead == 0) {
    const std::size_t end = std::min(lines.block.size(place_.part), place_.line + kAhead);
    lines.block.lines_of(place_.part).load_early(place_.line, end);
  }
  const std::string_view line = lines.block.line(place_.part, place_.line++);
  if (!order_.has_keys) {
    shared_ = static_cast<std::uint32_t>(shared_padded_bytes({alone_at_, bytes_}, line));
    alone_at_ = line.data();
    bytes_ = static_cast<std::uint32_t>(line.size());
    return;
  }
  before_.swap(text_);
  const Record record = make_record(line, lines.encoder, order_, text_);
  shared_ = static_cast<std::uint32_t>(shared_bytes(std::string_view(before_).substr(0, bytes_), record.bytes));
  bytes_ = static_cast<std::uint32_t>(record.bytes.size());
  key_bytes_ = record.key_bytes;
  text_ += order_.line_end;
  text_.append(kCopyPadding, '\0');
}

void RunCursor::load(std::size_t number) {
  thread_local StoredBytes stored;
  const RunBlock& block = run_->blocks[number];
  stored.resize(block.stored_bytes);
  const std::size_t needed = block.raw_bytes + kCopyPadding;
  if (raw_.capacity() / 2 > block.raw_bytes + kKeptBytes || raw_.capacity() < needed) {
    std::vector<std::uint8_t>().swap(raw_);
    // A vector that grows by itself would take up to twice as much, which merges do not plan for.
    raw_.reserve(std::min(run_->longest_raw + kCopyPadding, needed + kKeptBytes));
  }
  raw_.resize(needed);
  run_->file->read_at(block.offset, stored);
  if (crc32c(0, stored) != block.stored_crc || !unpack(stored, std::span(raw_).first(block.raw_bytes))) {
    throw FormatError("a temporary file in " + printable(run_->file->directory(), 4096) + " changed at byte " +
                      std::to_string(block.offset) + ": expected a block of " + std::to_string(block.stored_bytes) +
                      " bytes as they were written, found others; choose another disk with -T");
  }
  if (stored.capacity() > kKeptBytes) StoredBytes().swap(stored);
  at_ = raw_.data();
  block_ = number;
  next_ = block.records_before;
  block_end_ = next_ + block.records;
}

bool RunCursor::next() {
  if (next_ == end_) return false;
  if (run_->lines != nullptr) {
    next_line();
    ++next_;
    return true;
  }
  const bool begins_block = next_ == block_end_;
  // The next record is compared with this one.
  std::vector<std::uint8_t> before;
  if (begins_block && alone_at_ != nullptr) before.swap(raw_);
  const std::string_view last = begins_block ? std::string_view(text(), bytes_) : std::string_view();
  if (begins_block) load(block_ + 1);
  shared_ = read_number(at_);
  const std::uint32_t further = read_number(at_);
  if (order_.has_keys) key_bytes_ = read_number(at_);
  const std::uint32_t kept = shared_;  // 0 where a block begins
  if (begins_block) {
    const std::string_view first(reinterpret_cast<const char*>(at_), further);
    shared_ = static_cast<std::uint32_t>(shared_bytes(last, first));
  }
  if (further > kLongLine && run_->blocks[block_].records == 1) {
    take_alone(further);
  } else {
    take_further(kept, further);
  }
  at_ += further;
  ++next_;
  return true;
}

void RunCursor::take_alone(std::uint32_t bytes) {
  std::uint8_t* const begin = raw_.data() + (at_ - raw_.data());
  begin[bytes] = static_cast<std::uint8_t>(order_.line_end);
  alone_at_ = reinterpret_cast<const char*>(begin);
  bytes_ = bytes;
  if (text_.size() > kLongLine) std::string().swap(text_);
}

void RunCursor::take_further(std::uint32_t kept, std::uint32_t further) {
  alone_at_ = nullptr;
  bytes_ = kept + further;
  const std::size_t needed = bytes_ + kCopyPadding;
  if (text_.size() < needed) text_.resize(std::max(needed, std::min(2 * needed, needed + kLongLine)));
  auto* const text = reinterpret_cast<std::uint8_t*>(text_.data());
  *copy_padded(at_, further, text + kept) = static_cast<std::uint8_t>(order_.line_end);
}

std::vector<Run> RunSpace::open_kept() {
  if (keeper_ == nullptr) return {};
  std::vector<Run> runs = keeper_->open_runs();
  for (const Run& run : runs) charge(run.stored_bytes);
  written_bytes_ = 0;
  return runs;
}

ScratchFile& RunSpace::next_file() {
  if (keeper_ != nullptr) return keeper_->next_file();
  if (files_.size() < directories_.size()) {
    files_.push_back(std::make_unique<UnlinkedFile>(directories_[files_.size()]));
    return *files_.back();
  }
  return *files_[next_++ % files_.size()];
}

void RunSpace::charge(std::uint64_t bytes) {
  used_bytes_ += bytes;
  written_bytes_ += bytes;
  if (limit_bytes_ == 0 || used_bytes_ <= limit_bytes_) return;
  throw BudgetError("temporary files need " + std::to_string(used_bytes_) + " bytes and may hold " +
                    std::to_string(limit_bytes_) + ": raise --temp-limit, or --memory so that less is written");
}

void RunSpace::keep(Run& run, const InputDone& done) {
  if (keeper_ != nullptr) keeper_->add(run, done, *this);
}

void RunSpace::replace(std::span<const Run> group, Run& merged) {
  if (keeper_ == nullptr) {
    for (const Run& run : group) release(run);
    return;
  }
  keeper_->replace(group, merged, *this);
  for (const Run& run : group) used_bytes_ -= run.stored_bytes;
}

void RunSpace::release(const Run& run) {
  used_bytes_ -= run.stored_bytes;
  for (const RunBlock& block : run.blocks) run.file->release(block.offset, block.stored_bytes);
}

}  // namespace spillway
