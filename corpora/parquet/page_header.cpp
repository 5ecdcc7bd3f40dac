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

void read_data(CompactReader& reader, PageHeader& header) {
  while (const int field = reader.next_field()) {
    switch (field) {
      case 1:
        header.values = reader.integer();
        break;
      case 2:
        header.encoding = reader.integer();
        break;
      case 3:
        header.level_encoding = reader.integer();
        break;
      default:
        reader.skip();
    }
  }
}

void read_dictionary(CompactReader& reader, PageHeader& header) {
  while (const int field = reader.next_field()) {
    switch (field) {
      case 1:
        header.values = reader.integer();
        break;
      case 2:
        header.encoding = reader.integer();
        break;
      default:
        reader.skip();
    }
  }
}

void read_data_v2(CompactReader& reader, PageHeader& header) {
  while (const int field = reader.next_field()) {
    switch (field) {
      case 1:
        header.values = reader.integer();
        break;
      case 4:
        header.encoding = reader.integer();
        break;
      case 5:
        header.definition_bytes = reader.integer();
        break;
      case 6:
        header.repetition_bytes = reader.integer();
        break;
      case 7:
        header.is_compressed = reader.boolean();
        break;
      default:
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
      if (reader.open_struct()) read_data(reader, header);
      return;
    case 7:
      if (reader.open_struct()) read_dictionary(reader, header);
      return;
    case 8:
      if (reader.open_struct()) read_data_v2(reader, header);
      return;
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
