#include "corpora/parquet/page_pieces.hpp"

// The functions that unpack block by block into memory of the caller's are declared for this word only.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "corpora/parquet/snappy_decoder.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr std::size_t kMostWindow = kPieceBytes / 2;  // that of levels up to 12
constexpr std::size_t kBlockBytes = ZSTD_BLOCKSIZE_MAX;

}  // namespace

// The bytes of a page, one after another.
class PagePieces::Stream {
 public:
  virtual ~Stream() = default;
  // Writes the next bytes to [at, end) of `piece`, and returns where they end: `at` at the end of the page, and if it
  // is damaged.
  virtual std::size_t unpack(std::uint8_t* piece, std::size_t at, std::size_t end) = 0;
  virtual bool is_done() const = 0;
  // How many bytes before the next ones must precede them in their piece.
  virtual std::size_t reach() const { return 0; }
  // Whether unpack() found bytes that need all bytes before them in their piece; then restart() goes back to the start.
  virtual bool needs_whole() const { return false; }
  virtual void restart() {}
};

// zstd also looks back into the piece before, which must stay.
class PagePieces::ZstdStream : public Stream {
 public:
  explicit ZstdStream(std::span<const std::uint8_t> stored) : zstd_(ZSTD_createDCtx()), rest_(stored) {
    if (zstd_ == nullptr) throw std::bad_alloc();
    ZSTD_decompressBegin(zstd_);
  }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;
  ~ZstdStream() override { ZSTD_freeDCtx(zstd_); }

  std::size_t unpack(std::uint8_t* piece, std::size_t at, std::size_t end) override {
    while (true) {
      const std::size_t bytes = ZSTD_nextSrcSizeToDecompress(zstd_);
      if (bytes == 0) {  // the end of a frame
        if (rest_.empty()) return at;
        ZSTD_decompressBegin(zstd_);
        continue;
      }
      if (bytes > rest_.size()) return at;
      const std::size_t made = ZSTD_decompressContinue(zstd_, piece + at, end - at, rest_.data(), bytes);
      if (ZSTD_isError(made) != 0) return at;
      rest_ = rest_.subspan(bytes);
      if (made != 0) return at + made;
    }
  }
  bool is_done() const override { return rest_.empty() && ZSTD_nextSrcSizeToDecompress(zstd_) == 0; }

 private:
  ZSTD_DCtx* const zstd_;
  std::span<const std::uint8_t> rest_;
};

class PagePieces::SnappyStream : public Stream {
 public:
  explicit SnappyStream(std::span<const std::uint8_t> stored) : stored_(stored), decoder_(stored) {}

  std::size_t unpack(std::uint8_t* piece, std::size_t at, std::size_t end) override {
    return decoder_.unpack(piece, at, std::min(end, at + kBlockBytes));
  }
  bool is_done() const override { return decoder_.is_done(); }
  std::size_t reach() const override { return SnappyDecoder::kUsualReach; }
  bool needs_whole() const override { return decoder_.state() == SnappyDecoder::State::kTooFar; }
  void restart() override { decoder_ = SnappyDecoder(stored_); }

 private:
  const std::span<const std::uint8_t> stored_;
  SnappyDecoder decoder_;
};

std::unique_ptr<PagePieces::Stream> PagePieces::stream_of(ParquetCodec codec, std::span<const std::uint8_t> stored) {
  if (codec == ParquetCodec::kSnappy) return std::make_unique<SnappyStream>(stored);
  return std::make_unique<ZstdStream>(stored);
}

bool PagePieces::can_unpack(ParquetCodec codec, std::span<const std::uint8_t> stored) {
  if (codec != ParquetCodec::kZstd) return codec == ParquetCodec::kSnappy;
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

PagePieces::PagePieces(ParquetCodec codec, std::span<const std::uint8_t> stored, std::size_t raw_bytes, PagePool& pool)
    : stream_(stream_of(codec, stored)), raw_bytes_(raw_bytes), pool_(pool) {
  begin_piece(0);
}

PagePieces::~PagePieces() = default;

// zstd also looks back into the piece before, which therefore stays here, whatever the batches hold; Snappy needs only
// what it reaches, which is copied. At least kMostWindow bytes were unpacked into it in a row, so no match reaches
// further back.
void PagePieces::begin_piece(std::size_t bytes) {
  const std::size_t capacity = std::max(kPieceBytes, bytes + kMostWindow + kBlockBytes);
  std::shared_ptr<std::uint8_t[]> piece = pool_.take(capacity);
  const std::size_t kept = std::min(at_, stream_->reach());
  if (end_ - at_ + kept != 0) std::memcpy(piece.get(), piece_.get() + at_ - kept, end_ - at_ + kept);
  end_ -= at_ - kept;
  at_ = kept;
  before_ = stream_->reach() == 0 ? std::move(piece_) : nullptr;
  piece_ = std::move(piece);
  piece_bytes_ = piece_;
  capacity_ = capacity;
}

// Returns false at the end, and if the page is damaged.
bool PagePieces::unpack_block() {
  const std::size_t room = std::min(capacity_ - end_, raw_bytes_ - made_);
  const std::size_t end = stream_->unpack(piece_.get(), end_, end_ + room);
  const std::size_t made = end - end_;
  end_ = end;
  made_ += made;
  return made != 0 || (stream_->needs_whole() && unpack_whole());
}

// Unpacks the page anew, into one piece that has all of it.
bool PagePieces::unpack_whole() {
  if (capacity_ == raw_bytes_ && end_ == made_) return false;  // it is that piece already
  const std::size_t passed = made_ - (end_ - at_), made_before = made_;
  before_.reset();
  piece_ = pool_.take(raw_bytes_);
  piece_bytes_ = piece_;
  capacity_ = raw_bytes_;
  at_ = passed;
  end_ = made_ = 0;
  stream_->restart();
  for (std::size_t made = raw_bytes_; made != 0 && made_ < raw_bytes_; made_ += made) {
    made = stream_->unpack(piece_.get(), made_, raw_bytes_) - made_;
  }
  end_ = made_;
  return made_ > made_before;
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
  return stream_->is_done();
}

}  // namespace spillway
