#include "tests/support/index_files.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "io/index/manifest.hpp"
#include "io/index/postings_cursor.hpp"

namespace spillway::testing {

namespace {

std::span<const std::uint8_t> span_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string path_of(const std::string& directory, Section section) {
  return directory + "/" + std::string(section_name(section));
}

}  // namespace

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string section_data(const std::string& directory, Section section) {
  const std::string bytes = read_bytes(path_of(directory, section));
  std::uint64_t size = 0;
  std::copy_n(bytes.end() - 32, sizeof size, reinterpret_cast<char*>(&size));
  return bytes.substr(64, size);
}

void forge_section(const std::string& directory, Section section, const std::string& data) {
  std::string bytes = read_bytes(path_of(directory, section)).substr(0, 64) + data;
  std::string table;
  for (std::uint64_t offset = 0; offset < data.size(); offset += 65536) {
    std::string page;
    put(page, static_cast<std::uint32_t>(section));
    put(page, offset / 65536);
    put(page, offset);
    page += data.substr(offset, 65536);
    put(table, crc32c(0, span_of(page)));
  }
  std::string footer;
  put(footer, std::uint64_t{data.size()});
  put(footer, std::uint32_t{65536});
  put(footer, crc32c(0, span_of(table)));
  put(footer, static_cast<std::uint32_t>(section));
  footer.append(8, '\0');
  const std::uint32_t footer_crc = crc32c(0, span_of(footer));
  put(footer, footer_crc);
  bytes += table + footer;
  write_bytes(path_of(directory, section), bytes);
  const std::string manifest_path = directory + "/manifest";
  Manifest manifest = Manifest::parse(read_bytes(manifest_path), manifest_path);
  manifest.sections[section_index(section)] = {bytes.size(), hash128(span_of(bytes)), footer_crc};
  write_bytes(manifest_path, manifest.serialize());
}

std::string read_everything(const IndexReader& index) {
  std::ostringstream out;
  const IndexCounts& counts = index.counts();
  out << counts.documents << ' ' << counts.source_documents << ' ' << counts.terms << ' ' << counts.postings << '\n';
  TermTableCursor terms(index, "");
  while (terms.next()) {
    const TermEntry& entry = terms.entry();
    out << entry.number << ' ' << entry.term << ' ' << entry.document_count << ' ' << entry.occurrence_count << ' '
        << entry.position_bytes;
    for (const BlockBound& bound : index.bounds(entry)) {
      out << " [" << bound.last_document << ' ' << bound.max_frequency << ' ' << bound.min_length << ' ' << bound.offset
          << ']';
    }
    PostingsCursor list(index, entry);
    while (list.next_block()) {
      for (std::size_t i = 0; i < list.documents().size(); ++i) {
        out << ' ' << list.documents()[i] << ':' << list.frequencies()[i];
      }
    }
    const auto found = index.find_term(entry.term);
    out << (found && found->number == entry.number ? "\n" : " not found\n");
  }
  for (std::uint32_t d = 0; d < counts.documents; ++d) {
    const StoredDocument document = index.document(d);
    out << d << ' ' << document.length << ' ' << document.id << ' ' << int{document.fields} << ' ' << document.title
        << '|' << document.url << '|' << document.date << '|' << index.document_text(d) << '|';
    for (const std::uint32_t other : index.find_documents(document.id)) out << ' ' << other;
    out << '\n';
  }
  for (const std::uint32_t d : index.dropped_documents()) out << d << ' ';
  return out.str();
}

}  // namespace spillway::testing
