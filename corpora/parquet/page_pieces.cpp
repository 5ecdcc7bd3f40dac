#include "corpora/parquet/page_pieces.hpp"

// The functions that unpack block by block into memory of the caller's are declared for this word only.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr std::size_t kMostWindow = kPieceBytes / 2;  // that of levels up to 12
constexpr std::size_t kBlockBytes = ZSTD_BLOCKSIZE_MAX;

}  // namespace

struct PagePieces::Context {
  explicit Context(std::span<const std::uint8_t> bytes) : zstd(ZSTD_createDCtx()), rest(bytes) {
    if (zstd == nullptr) throw std::bad_alloc();
    ZSTD_decompressBegin(zstd);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ZSTD_freeDCtx(zstd); }

  ZSTD_DCtx* const zstd;
  std::span<const std::uint8_t> rest;
};

bool PagePieces::can_unpack(std::span<const std::uint8_t> stored) {
  while (!stored.empty()) {
    ZSTD_frameHeader header;
    if (ZSTD_getFrameHeader(&header, stored.data(), stored.size()) != 0) return false;
    if (header.frameType == ZSTD_frame && (header.windowSize > kMostWindow || header.dictID != 0)) return false;
    const std::size_t bytes = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(bytes) != 0 || bytes == 0) return false;
    stored = stored.subspan(bytes);
  }
  return true;
}

PagePieces::PagePieces(std::span<const std::uint8_t> stored, std::size_t raw_bytes, PagePool& pool)
    : context_(std::make_unique<Context>(stored)), raw_bytes_(raw_bytes), pool_(pool) {
  begin_piece(0);
}

PagePieces::~PagePieces() = default;

// zstd also looks back into the piece before, which therefore stays here, whatever the batches hold. At least
// kMostWindow bytes were unpacked into it in a row, so no match reaches further back.
void PagePieces::begin_piece(std::size_t bytes) {
  const std::size_t capacity = std::max(kPieceBytes, bytes + kMostWindow + kBlockBytes);
  std::shared_ptr<std::uint8_t[]> piece = pool_.take(capacity);
  if (end_ != at_) std::memcpy(piece.get(), piece_.get() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  before_ = std::move(piece_);
  piece_ = std::move(piece);
  piece_bytes_ = piece_;
  capacity_ = capacity;
}

// Returns false at the end, and if the page is damaged.
bool PagePieces::unpack_block() {
  Context& of = *context_;
  while (true) {
    const std::size_t bytes = ZSTD_nextSrcSizeToDecompress(of.zstd);
    if (bytes == 0) {  // the end of a frame
      if (of.rest.empty()) return false;
      ZSTD_decompressBegin(of.zstd);
      continue;
    }
    if (bytes > of.rest.size()) return false;
    const std::size_t room = std::min(capacity_ - end_, raw_bytes_ - made_);
    const std::size_t made = ZSTD_decompressContinue(of.zstd, piece_.get() + end_, room, of.rest.data(), bytes);
    if (ZSTD_isError(made) != 0) return false;
    of.rest = of.rest.subspan(bytes);
    end_ += made;
    made_ += made;
    if (made != 0) return true;
  }
}

const std::uint8_t* PagePieces::need(std::size_t bytes) {
  if (bytes > left()) return nullptr;
  while (end_ - at_ < bytes) {
    if (capacity_ - end_ < kBlockBytes) begin_piece(bytes);
    if (!unpack_block()) return nullptr;
  }
  return piece_.get() + at_;
}

bool PagePieces::is_whole() {
  if (need(left()) == nullptr) return false;
  if (unpack_block()) return false;
  return context_->rest.empty() && ZSTD_nextSrcSizeToDecompress(context_->zstd) == 0;
}

}  // namespace spillway
