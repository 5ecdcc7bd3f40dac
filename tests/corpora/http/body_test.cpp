#include "corpora/http/body.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "tests/corpora/reader/packing.hpp"

namespace spillway {
namespace {

using spillway::testing::brotli_stored;
using spillway::testing::gzip_member;
using spillway::testing::zstd_frame;

struct Decoded final : BodyOutput {
  bool body(std::string_view piece) override {
    bytes += piece;
    return true;
  }
  std::string bytes;
};

struct Result {
  std::string bytes;
  BodyFault fault;
  friend bool operator==(const Result&, const Result&) = default;
};
std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << result.bytes.size() << " bytes, fault " << static_cast<int>(result.fault) << ": "
             << result.bytes.substr(0, 200);
}

Result decode_by(std::string_view stored, const ResponseHead& head, std::size_t step, std::uint64_t most) {
  HttpBody body(head, most);
  Decoded out;
  for (std::size_t at = 0; at < stored.size(); at += step) {
    if (!body.feed(stored.substr(at, step), out)) break;
  }
  body.finish(out);
  return {out.bytes, body.fault()};
}

// The same however the bytes arrive.
Result decode(std::string_view stored, const ResponseHead& head, std::uint64_t most = 1 << 30) {
  const Result whole = decode_by(stored, head, 1 << 20, most);
  if (whole.fault != BodyFault::kTooLong && stored.size() < (1 << 20)) {
    for (const std::size_t step : {1, 3, 5000}) EXPECT_EQ(decode_by(stored, head, step, most), whole) << step;
  }
  return whole;
}

ResponseHead coded(std::vector<ContentCoding> codings) {
  ResponseHead head;
  head.codings = std::move(codings);
  return head;
}
ResponseHead chunked() {
  ResponseHead head;
  head.is_chunked = true;
  return head;
}

std::string deflated(std::string_view bytes, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string sample_text(std::size_t bytes) {
  std::mt19937 random(7);
  std::string text = "<!DOCTYPE html>";
  while (text.size() < bytes) text += " word" + std::to_string(random() % 1000);
  return text;
}

const std::string kText = sample_text(30000);

TEST(HttpBody, UndoesCodings) {
  EXPECT_EQ(decode(kText, {}), (Result{kText, BodyFault::kNone}));
  EXPECT_EQ(decode(gzip_member(kText), coded({ContentCoding::kGzip})), (Result{kText, BodyFault::kNone}));
  EXPECT_EQ(decode(zstd_frame(kText), coded({ContentCoding::kZstd})), (Result{kText, BodyFault::kNone}));
  EXPECT_EQ(decode(deflated(kText, 15), coded({ContentCoding::kDeflate})), (Result{kText, BodyFault::kNone}));
  EXPECT_EQ(decode(deflated(kText, -15), coded({ContentCoding::kDeflate})), (Result{kText, BodyFault::kNone}));
  EXPECT_EQ(decode(gzip_member(kText) + gzip_member("more"), coded({ContentCoding::kGzip})).bytes, kText + "more");
  EXPECT_EQ(decode("", coded({ContentCoding::kGzip})), (Result{"", BodyFault::kNone}));
}

// Some programs pack a body in parts, and note their own data between them in skippable frames.
TEST(HttpBody, ReadsEveryMemberAndFrame) {
  const std::string skippable("\x5F\x2A\x4D\x18\x04\0\0\0note", 12);
  struct Case {
    std::vector<std::string> parts;
    ContentCoding coding;
  };
  const Case cases[] = {
      {{gzip_member(kText), gzip_member(" more"), gzip_member("")}, ContentCoding::kGzip},
      {{zstd_frame(kText), zstd_frame(" more")}, ContentCoding::kZstd},
      {{skippable, zstd_frame(kText), skippable, zstd_frame(" more"), skippable}, ContentCoding::kZstd}};
  for (const Case& tested : cases) {
    std::string packed;
    for (const std::string& part : tested.parts) packed += part;
    EXPECT_EQ(decode(packed, coded({tested.coding})), (Result{kText + " more", BodyFault::kNone}));
    HttpBody body(coded({tested.coding}), 1 << 30);
    Decoded out;
    for (const std::string& part : tested.parts) body.feed(part, out);
    body.finish(out);
    EXPECT_EQ((Result{out.bytes, body.fault()}), (Result{kText + " more", BodyFault::kNone})) << "a part at a time";
  }
}

TEST(HttpBody, KeepsWhatPrecedesJunk) {
  const std::string text = "<html>short";
  EXPECT_EQ(decode(gzip_member(text) + "\x1F junk", coded({ContentCoding::kGzip})),
            (Result{text, BodyFault::kDamaged}));
  EXPECT_EQ(decode(zstd_frame(text) + "PS: junk", coded({ContentCoding::kZstd})), (Result{text, BodyFault::kDamaged}));
}

// "hello brotli" made by the program brotli.
TEST(HttpBody, UndoesBrotli) {
  const std::string packed("\x8b\x05\x80hello brotli\x03", 16);
  EXPECT_EQ(decode(packed, coded({ContentCoding::kBrotli})), (Result{"hello brotli", BodyFault::kNone}));
  EXPECT_EQ(decode(packed.substr(0, 10), coded({ContentCoding::kBrotli})).fault, BodyFault::kTruncated);
  EXPECT_EQ(decode(kText, coded({ContentCoding::kBrotli})), (Result{kText, BodyFault::kNotEncoded}));
}

TEST(HttpBody, UndoesBrotliWithTheLargestWindow) {
  const std::string long_text = sample_text(22 << 20);
  EXPECT_EQ(decode(brotli_stored(long_text), coded({ContentCoding::kBrotli})), (Result{long_text, BodyFault::kNone}));
}

// One limit holds for all decoders of a body, whatever its length.
TEST(HttpBody, CodingsThatNeedTooMuchMemoryTogetherAreRefused) {
  const std::string inner = brotli_stored(sample_text(2 << 20));
  EXPECT_EQ(decode(brotli_stored(inner), coded({ContentCoding::kBrotli, ContentCoding::kBrotli})).fault,
            BodyFault::kNoMemory);
  EXPECT_EQ(decode(gzip_member(inner), coded({ContentCoding::kBrotli, ContentCoding::kGzip})).fault, BodyFault::kNone);
}

struct Measured {
  Result result;
  bool was_refused;
  std::size_t peak_bytes;
};
Measured decode_within(std::string_view packed, const std::vector<ContentCoding>& codings, const DecoderLimit& limit) {
  HttpBody body(coded(codings), 1 << 30, limit);
  Decoded out;
  body.feed(packed, out);
  body.finish(out);
  EXPECT_LE(body.decoder_memory().peak_bytes(), limit.bytes);
  return {{out.bytes, body.fault()}, body.decoder_memory().refused(), body.decoder_memory().peak_bytes()};
}

// The least is what the formats ask for: the window, as far as the bytes fill it, without tables.
TEST(HttpBody, EveryDecoderCountsItsMemory) {
  const std::string long_text = sample_text(9 << 20);
  struct Case {
    std::string packed, bytes;
    ContentCoding coding;
    std::size_t least;
  };
  const Case cases[] = {
      {gzip_member(kText), kText, ContentCoding::kGzip, 32 << 10},
      {deflated(kText, -15), kText, ContentCoding::kDeflate, 32 << 10},
      {zstd_frame(kText), kText, ContentCoding::kZstd, kText.size()},
      {zstd_frame(long_text, {.window_log = 23, .content_size = false}), long_text, ContentCoding::kZstd, 8 << 20},
      {brotli_stored(long_text), long_text, ContentCoding::kBrotli, 16 << 20}};
  for (const Case& tested : cases) {
    const std::vector codings{tested.coding};
    const Measured all = decode_within(tested.packed, codings, {});
    SCOPED_TRACE(std::to_string(static_cast<int>(tested.coding)) + " takes " + std::to_string(all.peak_bytes));
    EXPECT_EQ(all.result, (Result{tested.bytes, BodyFault::kNone}));
    EXPECT_FALSE(all.was_refused);
    EXPECT_GT(all.peak_bytes, tested.least);
    EXPECT_EQ(decode_within(tested.packed, codings, {all.peak_bytes}).result, all.result);
    for (const std::size_t most : {std::size_t{0}, std::size_t{1000}, tested.least, all.peak_bytes - 1}) {
      const Measured less = decode_within(tested.packed, codings, {most});
      EXPECT_EQ(less.result.fault, BodyFault::kNoMemory) << "with " << most << " bytes";
      EXPECT_TRUE(less.was_refused);
    }
  }
}

// Windows of servers are much larger than their pages.
TEST(HttpBody, AWindowOfBrotliThatGrowsTakesWhatTheBodyNeeds) {
  const std::string text = sample_text(100 << 10);
  const std::vector codings{ContentCoding::kBrotli};
  const Measured measured = decode_within(brotli_stored(text), codings, {1 << 20, WindowMemory::kGrowing});
  EXPECT_EQ(measured.result, (Result{text, BodyFault::kNone}));
  EXPECT_TRUE(decode_within(brotli_stored(text), codings, {1 << 20, WindowMemory::kWhole}).was_refused);
  // A long one would be in memory twice for a while.
  EXPECT_TRUE(decode_within(brotli_stored(sample_text(17 << 20)), codings, {kBodyDecoderBytes, WindowMemory::kGrowing})
                  .was_refused);
}

TEST(DecoderMemory, TellsALimitFromASystemWithoutMemory) {
  DecoderMemory limited({1 << 20});
  EXPECT_EQ(limited.allocate(2 << 20), nullptr);
  EXPECT_TRUE(limited.refused());
  EXPECT_NO_THROW(limited.check_system());
  DecoderMemory memory({~std::size_t{0} / 2});
  EXPECT_EQ(memory.allocate(std::size_t{1} << 50), nullptr);
  EXPECT_FALSE(memory.refused());
  EXPECT_THROW(memory.check_system(), std::bad_alloc);
}

TEST(DecoderMemory, GivesBackWhatIsFreed) {
  DecoderMemory memory({1 << 20});
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{600} << 10}) {
    for (int i = 0; i < 3; ++i) {
      void* const block = memory.allocate(bytes);
      ASSERT_NE(block, nullptr);
      std::memset(block, 1, bytes);
      EXPECT_EQ(memory.used_bytes(), bytes);
      EXPECT_EQ(memory.allocate((1 << 20) - bytes + 1), nullptr);
      memory.free(block);
      EXPECT_EQ(memory.used_bytes(), 0u);
    }
  }
  EXPECT_TRUE(memory.refused());
  EXPECT_EQ(memory.peak_bytes(), std::size_t{600} << 10);
  memory.free(nullptr);
}

TEST(HttpBody, UndoesSeveralAtOnce) {
  const std::string both = zstd_frame(gzip_member(kText));
  EXPECT_EQ(decode(both, coded({ContentCoding::kGzip, ContentCoding::kZstd})), (Result{kText, BodyFault::kNone}));
  ResponseHead head = coded({ContentCoding::kGzip});
  head.is_chunked = true;
  const std::string packed = gzip_member(kText);
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", packed.size());
  EXPECT_EQ(decode(size + packed + "\r\n0\r\n\r\n", head), (Result{kText, BodyFault::kNone}));
}

TEST(HttpBody, TakesABodyThatIsNotCodedAsItIs) {
  for (const ContentCoding coding :
       {ContentCoding::kGzip, ContentCoding::kZstd, ContentCoding::kDeflate, ContentCoding::kBrotli}) {
    EXPECT_EQ(decode(kText, coded({coding})), (Result{kText, BodyFault::kNotEncoded}));
    EXPECT_EQ(decode(gzip_member(kText), coded({coding})), (Result{kText, BodyFault::kNone})) << "gzip in truth";
  }
}

TEST(HttpBody, KeepsWhatPrecedesDamage) {
  const std::string packed = gzip_member(kText);
  const Result cut = decode(packed.substr(0, packed.size() / 2), coded({ContentCoding::kGzip}));
  EXPECT_EQ(cut.fault, BodyFault::kTruncated);
  EXPECT_TRUE(kText.starts_with(cut.bytes));
  EXPECT_GT(cut.bytes.size(), 1000u);
  std::string damaged = packed;
  for (std::size_t at = damaged.size() - 8; at < damaged.size(); ++at) damaged[at] = '\x55';
  EXPECT_EQ(decode(damaged, coded({ContentCoding::kGzip})).fault, BodyFault::kDamaged);
}

TEST(HttpBody, JoinsChunks) {
  EXPECT_EQ(decode("5\r\nhello\r\n1;x=y\r\n \r\n00006 \r\nworld!\r\n0\r\nTrailer: x\r\n\r\n", chunked()),
            (Result{"hello world!", BodyFault::kNone}));
  EXPECT_EQ(decode("5\nhello\n0\n\n", chunked()), (Result{"hello", BodyFault::kNone}));
  EXPECT_EQ(decode("", chunked()), (Result{"", BodyFault::kNone}));
  EXPECT_EQ(decode("0\r\n\r\n", chunked()), (Result{"", BodyFault::kNone}));
}

TEST(HttpBody, ReadsBadChunks) {
  EXPECT_EQ(decode("<html>no chunks</html>", chunked()), (Result{"<html>no chunks</html>", BodyFault::kNotEncoded}));
  EXPECT_EQ(decode("abc", chunked()), (Result{"abc", BodyFault::kNotEncoded}));
  EXPECT_EQ(decode("a face in the crowd\nis text", chunked()).fault, BodyFault::kTruncated);
  EXPECT_EQ(decode("-1\r\nx", chunked()), (Result{"-1\r\nx", BodyFault::kNotEncoded}));
  EXPECT_EQ(decode("5\r\nhello\r\nzz\r\n", chunked()), (Result{"hello", BodyFault::kDamaged}));
  EXPECT_EQ(decode("5\r\nhello world", chunked()), (Result{"hello", BodyFault::kDamaged}));
  EXPECT_EQ(decode("ffffffffffffffff\r\nhello", chunked()), (Result{"hello", BodyFault::kTruncated}));
  EXPECT_EQ(decode("10000000000000005\r\nhello", chunked()).fault, BodyFault::kNotEncoded);
}

TEST(HttpBody, StopsBombs) {
  const std::string zeros(16 << 20, '\0');
  EXPECT_EQ(decode(gzip_member(zeros), coded({ContentCoding::kGzip}), 1 << 20).fault, BodyFault::kTooLong);
  std::string nested = gzip_member(gzip_member(zeros));
  EXPECT_EQ(decode(nested, coded({ContentCoding::kGzip, ContentCoding::kGzip}), 1 << 20).fault, BodyFault::kTooLong);
}

}  // namespace
}  // namespace spillway
