#include "corpora/parquet/column_chunk.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kFirstHeaderBytes = 1 << 10, kMostHeaderBytes = std::size_t{1} << 20;  // statistics hold texts
constexpr std::int64_t kLargePage = std::int64_t{16} << 20;   // smaller ones are unpacked in one piece
constexpr std::uint64_t kMostAhead = std::uint64_t{1} << 20;  // rows whose indices are looked at before they are read
constexpr std::size_t kViewBytes = 16, kInlineBytes = 12, kLengthBytes = 4;
constexpr std::int64_t kMostPageBytes = std::numeric_limits<std::int32_t>::max();  // what a view can point into

std::size_t value_bytes(ParquetType type) {
  switch (type) {
    case ParquetType::kInt32:
      return 4;
    case ParquetType::kInt64:
      return 8;
    default:
      return kViewBytes;
  }
}

// Writes a view of `bytes` bytes at `offset` of a page.
void put_view(std::uint8_t* to, const std::uint8_t* page, std::size_t offset, std::size_t bytes, std::size_t number) {
  store_le(to, static_cast<std::int32_t>(bytes));
  if (bytes <= kInlineBytes) {
    std::memcpy(to + 4, page + offset, bytes);
    return;
  }
  std::memcpy(to + 4, page + offset, 4);
  store_le(to + 8, static_cast<std::int32_t>(number));
  store_le(to + 12, static_cast<std::int32_t>(offset));
}

std::size_t number_of_page(ParquetValues& out, const PageBytes& page, std::size_t bytes) {
  const auto found = std::find(out.pages.rbegin(), out.pages.rend(), page);
  if (found != out.pages.rend()) return static_cast<std::size_t>(out.pages.rend() - found) - 1;
  out.pages.push_back(page);
  out.page_bytes.push_back(static_cast<std::int64_t>(bytes));
  return out.pages.size() - 1;
}

}  // namespace

ParquetColumn::ParquetColumn(const ReadableFile& file, ParquetChunk chunk, PageUnpacker& unpacker,
                             const PagePools& pools, const std::string& place)
    : file_(file), chunk_(std::move(chunk)), unpacker_(unpacker), pools_(pools), place_(place) {}

void ParquetColumn::fail(const std::string& expected, const std::string& found) const {
  const std::uint64_t at = chunk_.begin + read_bytes_ - (buffer_end_ - buffer_at_);
  throw FormatError(place_ + ": column '" + printable(chunk_.name) + "', before byte " + std::to_string(at) +
                    ": expected " + expected + ", found " + found + "; the file is damaged: make it anew");
}

std::span<const std::uint8_t> ParquetColumn::need(std::size_t bytes) {
  const std::size_t have = buffer_end_ - buffer_at_;
  if (have < bytes && read_bytes_ < chunk_.stored_bytes) {
    const auto more = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(bytes - have, kReadBytes), chunk_.stored_bytes - read_bytes_));
    make_room(have + more);
    file_.read_exactly(chunk_.begin + read_bytes_, {buffer_.get() + have, more});
    buffer_end_ += more;
    read_bytes_ += more;
  }
  return {buffer_.get() + buffer_at_, buffer_end_ - buffer_at_};
}

// Moves what is left to the front of a buffer of at least `bytes` bytes.
void ParquetColumn::make_room(std::size_t bytes) {
  const std::shared_ptr<std::uint8_t[]> before = buffer_;
  if (buffer_bytes_ < bytes) {
    buffer_ = pools_.stored->take(bytes);
    buffer_bytes_ = bytes;
  }
  const std::size_t have = buffer_end_ - buffer_at_;
  if (have != 0) std::memmove(buffer_.get(), before.get() + buffer_at_, have);
  buffer_at_ = 0;
  buffer_end_ = have;
}

PageHeader ParquetColumn::next_header() {
  for (std::size_t bytes = kFirstHeaderBytes;; bytes *= 4) {
    const std::span<const std::uint8_t> there = need(bytes);
    const ReadPageHeader read = read_page_header(there);
    if (read.state == ReadPageHeader::State::kWhole) {
      buffer_at_ += read.bytes;
      const PageHeader& header = read.header;
      if (header.raw_bytes < 0 || header.raw_bytes > kMostPageBytes || header.stored_bytes < 0 || header.values < 0 ||
          static_cast<std::uint64_t>(header.raw_bytes) > chunk_.raw_bytes) {
        fail("a page of at most " + std::to_string(chunk_.raw_bytes) + " bytes",
             std::to_string(header.values) + " values in " + std::to_string(header.raw_bytes) + " bytes, stored in " +
                 std::to_string(header.stored_bytes));
      }
      return header;
    }
    if (read.state == ReadPageHeader::State::kBroken || there.size() < bytes || bytes > kMostHeaderBytes) {
      fail("the header of a page", there.empty() ? "the end of the column chunk" : "none");
    }
  }
}

std::span<const std::uint8_t> ParquetColumn::body_of(const PageHeader& header) {
  const auto bytes = static_cast<std::uint64_t>(header.stored_bytes);
  const std::uint64_t left = buffer_end_ - buffer_at_ + chunk_.stored_bytes - read_bytes_;
  if (bytes > left) fail("a page of at most " + std::to_string(left) + " bytes", std::to_string(bytes));
  const std::span<const std::uint8_t> body =
      need(static_cast<std::size_t>(bytes)).first(static_cast<std::size_t>(bytes));
  if (header.crc && libdeflate_crc32(0, body.data(), body.size()) != *header.crc)
    fail("a page with its CRC", "another");
  buffer_at_ += body.size();
  return body;
}

std::shared_ptr<std::uint8_t[]> ParquetColumn::unpack(std::span<const std::uint8_t> stored, std::size_t raw_bytes,
                                                      std::size_t before, bool is_compressed) {
  std::shared_ptr<std::uint8_t[]> bytes = pools_.unpacked->take(before + raw_bytes);
  const std::span<std::uint8_t> raw(bytes.get() + before, raw_bytes);
  if (!unpacker_.unpack(is_compressed ? chunk_.codec : ParquetCodec::kNone, stored, raw)) {
    fail_unpacking(raw_bytes);
  }
  return bytes;
}

void ParquetColumn::fail_unpacking(std::size_t bytes) const {
  fail("a page of " + std::to_string(bytes) + " bytes when it is unpacked", "other bytes");
}

void ParquetColumn::next_page() {
  do {
    page_ = {};
    const PageHeader header = next_header();
    switch (header.kind) {
      case ParquetPage::kDictionary:
        take_dictionary(header);
        break;
      case ParquetPage::kData:
        take_data(header);
        break;
      case ParquetPage::kDataV2:
        take_data_v2(header);
        break;
      default:
        body_of(header);
    }
  } while (page_.rows == 0);
}

void ParquetColumn::take_dictionary(const PageHeader& header) {
  if (header.encoding != kPlainValues && header.encoding != kPlainDictionary) {
    fail("a dictionary of plain values", "encoding " + std::to_string(header.encoding));
  }
  dictionary_bytes_ = static_cast<std::size_t>(header.raw_bytes);
  dictionary_values_ = static_cast<std::size_t>(header.values);
  const std::size_t least = chunk_.type == ParquetType::kText ? kLengthBytes : value_bytes(chunk_.type);
  if (dictionary_values_ > dictionary_bytes_ / least) {
    fail("a dictionary of at most " + std::to_string(dictionary_bytes_ / least) + " values",
         std::to_string(dictionary_values_));
  }
  dictionary_texts_.clear();
  dictionary_pieces_.clear();
  dictionary_rest_.reset();
  passed_indices_ = dropped_pieces_ = 0;
  const std::span<const std::uint8_t> stored = body_of(header);
  has_dictionary_ = true;
  if (chunk_.type == ParquetType::kText && has_pieces(header, stored)) return begin_dictionary_texts(stored);
  dictionary_ = unpack(stored, dictionary_bytes_, 0, true);
  if (chunk_.type != ParquetType::kText) return;
  dictionary_pieces_.push_back({dictionary_, dictionary_bytes_, 0});
  dictionary_texts_.reserve(dictionary_values_);
  std::size_t at = 0;
  while (dictionary_texts_.size() < dictionary_values_) {
    const std::size_t left = dictionary_bytes_ - at;
    const std::uint32_t bytes =
        left < kLengthBytes ? 0 : load_le<std::uint32_t>(&dictionary_[static_cast<std::ptrdiff_t>(at)]);
    if (left < kLengthBytes || bytes > left - kLengthBytes) fail("a text within its dictionary", "a longer one");
    dictionary_texts_.push_back({0, static_cast<std::uint32_t>(at + kLengthBytes), bytes});
    at += kLengthBytes + bytes;
  }
}

bool ParquetColumn::has_pieces(const PageHeader& header, std::span<const std::uint8_t> stored) const {
  return header.raw_bytes >= kLargePage && PagePieces::can_unpack(chunk_.codec, stored);
}

// The texts are unpacked as far as rows need them, so that those of a large dictionary need not all be in memory.
void ParquetColumn::begin_dictionary_texts(std::span<const std::uint8_t> stored) {
  dictionary_stored_ = buffer_;
  const std::size_t have = buffer_end_ - buffer_at_;
  buffer_bytes_ = std::max(have, kReadBytes);
  buffer_ = pools_.stored->take(buffer_bytes_);
  if (have != 0) std::memcpy(buffer_.get(), dictionary_stored_.get() + buffer_at_, have);
  buffer_at_ = 0;
  buffer_end_ = have;
  dictionary_rest_ = std::make_unique<PagePieces>(chunk_.codec, stored, dictionary_bytes_, *pools_.unpacked);
}

void ParquetColumn::unpack_dictionary_texts(std::size_t count) {
  if (dictionary_rest_ == nullptr) return;
  PagePieces& pieces = *dictionary_rest_;
  while (dictionary_texts_.size() < count) {
    const std::size_t bytes = begin_text(pieces, "a text within its dictionary");
    if (dictionary_pieces_.empty() || dictionary_pieces_.back().bytes != pieces.piece()) {
      dictionary_pieces_.push_back({pieces.piece(), pieces.piece_bytes(), dictionary_texts_.size()});
    }
    dictionary_texts_.push_back({static_cast<std::uint32_t>(dictionary_pieces_.size() - 1),
                                 static_cast<std::uint32_t>(pieces.offset()), static_cast<std::uint32_t>(bytes)});
    pieces.pass(bytes);
  }
  if (dictionary_texts_.size() < dictionary_values_) return;
  if (!pieces.is_whole()) fail_unpacking(dictionary_bytes_);
  dictionary_rest_.reset();
  dictionary_stored_.reset();
}

void ParquetColumn::finish() { unpack_dictionary_texts(dictionary_values_); }

// Fills in the least index of each value and all after it, if no page follows.
void ParquetColumn::look_ahead_in_dictionary() {
  least_indices_.clear();
  const bool is_last = buffer_at_ == buffer_end_ && read_bytes_ == chunk_.stored_bytes;
  if (dictionary_rest_ == nullptr || !is_last || page_.rows > kMostAhead) return;
  HybridDecoder levels = page_.levels, indices = page_.indices;
  std::vector<std::uint32_t> found(chunk_.most_definition == 0 ? 0 : static_cast<std::size_t>(page_.rows));
  if (!levels.read(found)) return;  // which is told when rows are taken
  const auto there = found.empty() ? static_cast<std::ptrdiff_t>(page_.rows)
                                   : std::count(found.begin(), found.end(), chunk_.most_definition);
  least_indices_.resize(static_cast<std::size_t>(there));
  if (!indices.read(least_indices_)) return least_indices_.clear();
  std::partial_sum(least_indices_.rbegin(), least_indices_.rend(), least_indices_.rbegin(),
                   [](std::uint32_t least, std::uint32_t index) { return std::min(least, index); });
}

// Lets go of the pieces before the first text that a row after the next `count` values needs.
void ParquetColumn::drop_dictionary_pieces(std::size_t count) {
  if (least_indices_.empty()) return;
  passed_indices_ += count;
  const std::size_t least =
      passed_indices_ < least_indices_.size() ? least_indices_[passed_indices_] : dictionary_texts_.size();
  while (dropped_pieces_ + 1 < dictionary_pieces_.size() &&
         dictionary_pieces_[dropped_pieces_ + 1].first_text <= least) {
    dictionary_pieces_[dropped_pieces_++].bytes.reset();
  }
}

// Passes the length of the next text, and returns it when the text is there.
std::size_t ParquetColumn::begin_text(PagePieces& pieces, const char* expected) const {
  const std::size_t left = pieces.left();
  if (left < kLengthBytes) fail(expected, "a longer one");
  const std::uint8_t* const length = pieces.need(kLengthBytes);
  if (length == nullptr) fail_unpacking(pieces.raw_bytes());
  const std::size_t bytes = load_le<std::uint32_t>(length);
  pieces.pass(kLengthBytes);
  if (bytes > left - kLengthBytes) fail(expected, "a longer one");
  if (pieces.need(bytes) == nullptr) fail_unpacking(pieces.raw_bytes());
  return bytes;
}

void ParquetColumn::take_data(const PageHeader& header) {
  const auto bytes = static_cast<std::size_t>(header.raw_bytes);
  const std::span<const std::uint8_t> stored = body_of(header);
  const bool is_plain_text = chunk_.type == ParquetType::kText && header.encoding == kPlainValues;
  if (is_plain_text && has_pieces(header, stored)) return take_data_in_pieces(header, stored);
  page_.bytes = unpack(stored, bytes, 0, true);
  page_.size = bytes;
  std::span<const std::uint8_t> rest(page_.bytes.get(), bytes);
  if (chunk_.most_definition > 0) {
    const std::uint32_t levels = bytes < kLengthBytes ? 0 : load_le<std::uint32_t>(rest.data());
    if (header.level_encoding != kRle || bytes < kLengthBytes || levels > bytes - kLengthBytes) {
      fail("definition levels as runs", "encoding " + std::to_string(header.level_encoding) + ", " +
                                            std::to_string(levels) + " bytes of a page of " + std::to_string(bytes));
    }
    page_.levels = {rest.subspan(kLengthBytes, levels), static_cast<unsigned>(std::bit_width(chunk_.most_definition))};
    rest = rest.subspan(kLengthBytes + levels);
  }
  begin_values(header, rest);
}

void ParquetColumn::take_data_in_pieces(const PageHeader& header, std::span<const std::uint8_t> stored) {
  const auto bytes = static_cast<std::size_t>(header.raw_bytes);
  page_.pieces = std::make_unique<PagePieces>(chunk_.codec, stored, bytes, *pools_.unpacked);
  page_.rows = static_cast<std::uint64_t>(header.values);
  if (chunk_.most_definition == 0) return;
  if (header.level_encoding != kRle) fail("definition levels as runs", std::to_string(header.level_encoding));
  const std::size_t levels = begin_text(*page_.pieces, "definition levels within their page");
  page_.bytes = page_.pieces->piece();  // keeps the levels
  page_.levels = {{page_.bytes.get() + page_.pieces->offset(), levels},
                  static_cast<unsigned>(std::bit_width(chunk_.most_definition))};
  page_.pieces->pass(levels);
}

void ParquetColumn::take_data_v2(const PageHeader& header) {
  const std::int64_t most = std::min(header.stored_bytes, header.raw_bytes);
  if (header.definition_bytes < 0 || header.repetition_bytes < 0 || header.definition_bytes > most ||
      header.repetition_bytes > most - header.definition_bytes) {
    fail("levels within a page of " + std::to_string(most) + " bytes",
         std::to_string(header.definition_bytes) + " and " + std::to_string(header.repetition_bytes) + " bytes");
  }
  const std::int64_t levels = header.definition_bytes + header.repetition_bytes;
  const auto before = static_cast<std::size_t>(levels);
  const std::span<const std::uint8_t> stored = body_of(header);
  // Values that are all null are no bytes, and some writers store what their compressor makes of these.
  const bool has_bytes = header.raw_bytes != levels;
  const auto bytes =
      unpack(has_bytes ? stored.subspan(before) : std::span<const std::uint8_t>(),
             static_cast<std::size_t>(header.raw_bytes) - before, before, header.is_compressed && has_bytes);
  std::memcpy(bytes.get(), stored.data(), before);
  page_.bytes = bytes;
  page_.size = static_cast<std::size_t>(header.raw_bytes);
  const std::span<const std::uint8_t> all(page_.bytes.get(), page_.size);
  if (chunk_.most_definition > 0) {
    page_.levels = {all.subspan(static_cast<std::size_t>(header.repetition_bytes),
                                static_cast<std::size_t>(header.definition_bytes)),
                    static_cast<unsigned>(std::bit_width(chunk_.most_definition))};
  }
  begin_values(header, all.subspan(before));
}

void ParquetColumn::begin_values(const PageHeader& header, std::span<const std::uint8_t> bytes) {
  page_.rows = static_cast<std::uint64_t>(header.values);
  page_.has_dictionary = header.encoding == kPlainDictionary || header.encoding == kRleDictionary;
  if (!page_.has_dictionary) {
    if (header.encoding != kPlainValues)
      fail("plain values or a dictionary", "encoding " + std::to_string(header.encoding));
    page_.values = bytes;
    return;
  }
  if (!has_dictionary_) fail("a dictionary before the values", "none");
  const unsigned width = bytes.empty() ? 0 : bytes.front();
  if (width > 32) fail("indices of at most 32 bits", std::to_string(width));
  page_.indices = {bytes.empty() ? bytes : bytes.subspan(1), width};
  look_ahead_in_dictionary();
}

ParquetValues ParquetColumn::read(std::size_t rows) {
  ParquetValues out;
  out.rows = rows;
  out.validity.assign((rows + 7) / 8, 0);
  out.values.assign(rows * value_bytes(chunk_.type), 0);
  for (std::size_t done = 0; done < rows;) {
    if (page_.rows == 0) next_page();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(page_.rows, rows - done));
    mark_levels(done, count, out);
    if (page_.has_dictionary) {
      take_from_dictionary(done, count, out);
    } else if (page_.pieces != nullptr) {
      take_texts_in_pieces(done, count, out);
    } else if (chunk_.type == ParquetType::kText) {
      take_plain_texts(done, count, out);
    } else {
      take_plain_numbers(done, count, out);
    }
    page_.rows -= count;
    done += count;
    if (page_.rows == 0 && page_.pieces != nullptr && !page_.pieces->is_whole()) {
      fail_unpacking(page_.pieces->raw_bytes());
    }
  }
  return out;
}

void ParquetColumn::mark_levels(std::size_t first, std::size_t rows, ParquetValues& out) {
  levels_.resize(chunk_.most_definition == 0 ? 0 : rows);
  if (!page_.levels.read(levels_)) fail("a definition level for each row", "fewer");
  const auto highest = std::max_element(levels_.begin(), levels_.end());
  if (highest != levels_.end() && *highest > chunk_.most_definition) {
    fail("a definition level of at most " + std::to_string(chunk_.most_definition), std::to_string(*highest));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_there(row)) {
      std::uint8_t& bits = out.validity[(first + row) / 8];
      bits = static_cast<std::uint8_t>(bits | 1U << (first + row) % 8);
    } else {
      ++out.nulls;
    }
  }
}

std::size_t ParquetColumn::count_there(std::size_t rows) const {
  return levels_.empty() ? rows
                         : static_cast<std::size_t>(std::count(levels_.begin(), levels_.end(), chunk_.most_definition));
}

void ParquetColumn::take_plain_texts(std::size_t first, std::size_t rows, ParquetValues& out) {
  const std::size_t number = number_of_page(out, page_.bytes, page_.size);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!is_there(row)) continue;
    const std::size_t left = page_.values.size();
    const std::uint32_t bytes = left < kLengthBytes ? 0 : load_le<std::uint32_t>(page_.values.data());
    if (left < kLengthBytes || bytes > left - kLengthBytes) fail("a text within its page", "a longer one");
    const auto offset = static_cast<std::size_t>(page_.values.data() + kLengthBytes - page_.bytes.get());
    put_view(&out.values[(first + row) * kViewBytes], page_.bytes.get(), offset, bytes, number);
    out.text_bytes += bytes;
    page_.values = page_.values.subspan(kLengthBytes + bytes);
  }
}

void ParquetColumn::take_texts_in_pieces(std::size_t first, std::size_t rows, ParquetValues& out) {
  PagePieces& pieces = *page_.pieces;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!is_there(row)) continue;
    const std::size_t bytes = begin_text(pieces, "a text within its page");
    const std::size_t number = number_of_page(out, pieces.piece(), pieces.piece_bytes());
    put_view(&out.values[(first + row) * kViewBytes], pieces.piece().get(), pieces.offset(), bytes, number);
    out.text_bytes += bytes;
    pieces.pass(bytes);
  }
}

void ParquetColumn::take_plain_numbers(std::size_t first, std::size_t rows, ParquetValues& out) {
  const std::size_t width = value_bytes(chunk_.type);
  if (count_there(rows) > page_.values.size() / width) fail("a number for each row", "fewer");
  for (std::size_t row = 0; row < rows; ++row) {
    if (!is_there(row)) continue;
    std::memcpy(&out.values[(first + row) * width], page_.values.data(), width);
    page_.values = page_.values.subspan(width);
  }
}

void ParquetColumn::take_from_dictionary(std::size_t first, std::size_t rows, ParquetValues& out) {
  indices_.resize(count_there(rows));
  if (!page_.indices.read(indices_)) fail("an index for each row", "fewer");
  const auto too_high =
      std::ranges::find_if(indices_, [&](std::uint32_t index) { return index >= dictionary_values_; });
  if (too_high != indices_.end()) {
    fail("an index below " + std::to_string(dictionary_values_), std::to_string(*too_high));
  }
  if (chunk_.type == ParquetType::kText) return take_dictionary_views(first, rows, out);
  const std::size_t width = value_bytes(chunk_.type);
  auto index = indices_.begin();
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_there(row)) std::memcpy(&out.values[(first + row) * width], dictionary_.get() + *index++ * width, width);
  }
}

// Requires: the indices are below the number of texts.
void ParquetColumn::take_dictionary_views(std::size_t first, std::size_t rows, ParquetValues& out) {
  if (!indices_.empty()) unpack_dictionary_texts(std::size_t{*std::ranges::max_element(indices_)} + 1);
  std::size_t number = 0, last_piece = dictionary_pieces_.size();  // the number of that piece in `out`
  auto index = indices_.begin();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!is_there(row)) continue;
    const Text text = dictionary_texts_[*index++];
    const Piece& piece = dictionary_pieces_[text.piece];
    if (text.piece != last_piece) number = number_of_page(out, piece.bytes, piece.size);
    last_piece = text.piece;
    put_view(&out.values[(first + row) * kViewBytes], piece.bytes.get(), text.begin, text.bytes, number);
    out.text_bytes += text.bytes;
  }
  drop_dictionary_pieces(indices_.size());
}

}  // namespace spillway
