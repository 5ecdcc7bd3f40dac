#include "tests/fuzz/support/index_archive.hpp"

#include <array>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/index/manifest.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/state.hpp"
#include "tests/support/index_files.hpp"

namespace spillway::fuzz {

namespace {

constexpr std::size_t kCountsAt = 24;  // in a manifest (docs/formats.md)
const std::string kDirectory = "/job/index";

std::string path_of(std::string_view name) { return kDirectory + "/" + std::string(name); }

template <typename Integer>
void put(std::string& bytes, Integer value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_blob(std::string& archive, std::string_view blob) {
  for (int shift = 0; shift < 24; shift += 8) archive += static_cast<char>(blob.size() >> shift & 0xFF);
  archive += blob;
}

std::string_view take_blob(std::string_view& archive) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, archive.size()); ++i) {
    bytes |= std::size_t{static_cast<std::uint8_t>(archive[i])} << 8 * i;
  }
  archive.remove_prefix(std::min<std::size_t>(3, archive.size()));
  const std::string_view blob = archive.substr(0, bytes);
  archive.remove_prefix(blob.size());
  return blob;
}

struct SectionFile {
  std::string bytes;
  SectionStats stats;
};

SectionFile section_file(Section section, std::string_view data) {
  std::string header(kSectionMagic), table, footer;
  put(header, kIndexMajor);
  put(header, kIndexMinor);
  header.append(8, '\0');
  put(header, static_cast<std::uint32_t>(section));
  header.resize(60);
  put(header, crc32c(0, bytes_of(header)));
  for (std::uint64_t page = 0; page * kPageBytes < data.size(); ++page) {
    put(table, crc32c(section_page_crc(section, page), bytes_of(data.substr(page * kPageBytes, kPageBytes))));
  }
  put(footer, std::uint64_t{data.size()});
  put(footer, static_cast<std::uint32_t>(kPageBytes));
  put(footer, crc32c(0, bytes_of(table)));
  put(footer, static_cast<std::uint32_t>(section));
  footer.append(8, '\0');
  const std::uint32_t crc = crc32c(0, bytes_of(footer));
  put(footer, crc);
  SectionFile file{header + std::string(data) + table + footer, {}};
  file.stats = {file.bytes.size(), hash128(bytes_of(file.bytes)), crc};
  return file;
}

std::string manifest_bytes(std::string_view head, const std::array<SectionStats, kSectionCount>& sections) {
  std::string bytes(kManifestMagic);
  put(bytes, kIndexMajor);
  put(bytes, kIndexMinor);
  bytes.append(12, '\0');
  bytes += head;
  put(bytes, static_cast<std::uint32_t>(kSectionCount));
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    put(bytes, static_cast<std::uint8_t>(kSectionNames[i].size()));
    bytes += kSectionNames[i];
    put(bytes, sections[i].file_bytes);
    bytes.append(sections[i].hash.begin(), sections[i].hash.end());
    put(bytes, sections[i].footer_crc);
  }
  store_le(bytes.data() + kCountsAt - 4, static_cast<std::uint32_t>(bytes.size() + sizeof(Hash128)));
  const Hash128 hash = hash128(bytes_of(bytes));
  bytes.append(hash.begin(), hash.end());
  return bytes;
}

void add_list(const IndexReader& index, const TermEntry& entry, ContentChecksum& sum) {
  DocumentWeight weight, position_weight;
  PostingsCursor list(index, entry);
  std::optional<PositionCursor> positions;
  if (index.options().positions) positions.emplace(index, entry);
  while (list.next_block()) {
    for (std::size_t i = 0; i < list.documents().size(); ++i) {
      const std::uint32_t source = index.state().numbering().to_source(list.documents()[i]);
      weight.add(source, list.frequencies()[i]);
      if (!positions) continue;
      positions->seek(list, i);
      for (auto some = positions->next(); !some.empty(); some = positions->next()) {
        for (const std::uint32_t position : some) position_weight.add(source, position_value(position));
      }
    }
  }
  const TermHash hash = hash_term(entry.term);
  sum.add(hash, weight.take());
  sum.add_positions(hash, position_weight.take());
}

}  // namespace

std::string archive_of(const std::string& directory) {
  const std::string path = directory + "/manifest";
  const std::string bytes = testing::read_bytes(path);
  const Manifest manifest = Manifest::parse(bytes, path);
  std::size_t table_bytes = 4 + sizeof(Hash128);
  for (const std::string_view name : kSectionNames) table_bytes += 1 + name.size() + 8 + sizeof(Hash128) + 4;
  std::string archive;
  append_blob(archive, std::string_view(bytes).substr(kCountsAt, bytes.size() - table_bytes - kCountsAt));
  for (std::size_t i = 1; i <= kSectionCount; ++i) {
    append_blob(archive, testing::section_data(directory, static_cast<Section>(i)));
  }
  return archive;
}

void put_index(testing::FaultyFileSystem& files, std::string_view archive) {
  const std::string_view head = take_blob(archive);
  std::array<SectionStats, kSectionCount> stats;
  files.make_directory(kDirectory);
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const SectionFile file = section_file(static_cast<Section>(i + 1), take_blob(archive));
    files.put(path_of(kSectionNames[i]), file.bytes);
    stats[i] = file.stats;
  }
  files.put(path_of(kManifestName), manifest_bytes(head, stats));
}

void heal_sums(testing::FaultyFileSystem& files) {
  Manifest manifest = Manifest::parse(files.get(path_of(kManifestName)), "manifest");
  ContentChecksum sum;
  {
    const IndexReader index(files, kDirectory);
    TermTableCursor terms(index, "");
    while (terms.next()) add_list(index, terms.entry(), sum);
  }
  manifest.counts.source_sum = sum;
  manifest.counts.dropped_sum = {};
  files.put(path_of(kManifestName), manifest.serialize());
}

}  // namespace spillway::fuzz
