#include "corpora/parquet/page_header.hpp"

#include "corpora/parquet/compact_reader.hpp"

namespace spillway {

namespace {

ParquetPage kind_of(std::int64_t type) {
  switch (type) {
    case 0:
      return ParquetPage::kData;
    case 2:
      return ParquetPage::kDictionary;
    case 3:
      return ParquetPage::kDataV2;
    default:
      return ParquetPage::kOther;
  }
}

// The numbers of the fields of a page's own header; 0 where it has no such field.
struct BodyFields {
  int values = 1, encoding = 2, level_encoding = 0, definition_bytes = 0, repetition_bytes = 0, is_compressed = 0;
};
constexpr BodyFields kData{.level_encoding = 3};
constexpr BodyFields kDictionary{};
constexpr BodyFields kDataV2{.encoding = 4, .definition_bytes = 5, .repetition_bytes = 6, .is_compressed = 7};

void read_body(CompactReader& reader, const BodyFields& fields, PageHeader& header) {
  if (!reader.open_struct()) return;
  while (const int field = reader.next_field()) {
    if (field == fields.values) {
      header.values = reader.integer();
    } else if (field == fields.encoding) {
      header.encoding = reader.integer();
    } else if (field == fields.level_encoding) {
      header.level_encoding = reader.integer();
    } else if (field == fields.definition_bytes) {
      header.definition_bytes = reader.integer();
    } else if (field == fields.repetition_bytes) {
      header.repetition_bytes = reader.integer();
    } else if (field == fields.is_compressed) {
      header.is_compressed = reader.boolean();
    } else {
      reader.skip();
    }
  }
}

void read_field(CompactReader& reader, int field, PageHeader& header) {
  switch (field) {
    case 1:
      header.kind = kind_of(reader.integer());
      return;
    case 2:
      header.raw_bytes = reader.integer();
      return;
    case 3:
      header.stored_bytes = reader.integer();
      return;
    case 4:
      header.crc = static_cast<std::uint32_t>(reader.integer());
      return;
    case 5:
      return read_body(reader, kData, header);
    case 7:
      return read_body(reader, kDictionary, header);
    case 8:
      return read_body(reader, kDataV2, header);
    default:
      reader.skip();
  }
}

}  // namespace

ReadPageHeader read_page_header(std::span<const std::uint8_t> bytes) {
  CompactReader reader(bytes);
  PageHeader header;
  while (const int field = reader.next_field()) read_field(reader, field, header);
  using State = ReadPageHeader::State;
  const State state = reader.is_whole() ? State::kWhole : reader.is_short() ? State::kShort : State::kBroken;
  return {state, header, static_cast<std::size_t>(reader.position() - bytes.data())};
}

}  // namespace spillway
