#include "io/index/manifest.hpp"

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kFixedBytes = 104;  // bytes before the options
constexpr std::size_t kHashBytes = sizeof(Hash128);

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads fields in order; throws FormatError at the end of the bytes.
class ManifestParser {
 public:
  ManifestParser(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::string_view take(std::size_t count) {
    if (bytes_.size() - at_ < count) throw_damaged(path_, at_, std::to_string(count) + " bytes", "the end");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  template <typename T>
  T integer() {
    return load_le<T>(take(sizeof(T)).data());
  }
  std::size_t offset() const { return at_; }

 private:
  std::string_view bytes_;
  const std::string& path_;
  std::size_t at_ = 0;
};

Hash128 stored_hash(std::string_view bytes) {
  Hash128 hash;
  std::copy(bytes.end() - kHashBytes, bytes.end(), hash.begin());
  return hash;
}

Hash128 found_hash(std::string_view bytes) { return hash128(bytes_of(bytes.substr(0, bytes.size() - kHashBytes))); }

void check_frame(std::string_view bytes, const std::string& path) {
  if (!bytes.starts_with(kManifestMagic)) throw_damaged(path, 0, "the magic of an index manifest", "other bytes");
  if (bytes.size() < kFixedBytes + kHashBytes) throw_damaged(path, bytes.size(), "a whole manifest", "the end");
  const auto size = load_le<std::uint32_t>(bytes.data() + 20);
  if (size != bytes.size()) throw_damaged(path, 20, std::to_string(size) + " bytes", std::to_string(bytes.size()));
  const Hash128 hash = stored_hash(bytes), found = found_hash(bytes);
  if (found != hash) throw_damaged(path, bytes.size() - kHashBytes, "XXH3-128 " + to_hex(found), to_hex(hash));
  const auto major = load_le<std::uint16_t>(bytes.data() + 8);
  if (major != kIndexMajor || load_le<std::uint32_t>(bytes.data() + 12) != 0) {
    throw FormatError(printable(path) + " at byte 8: expected index format " + std::to_string(kIndexMajor) +
                      " without incompatible features, found " + std::to_string(major) +
                      " or a feature unknown here; read it with the version that made it, or build the index again");
  }
}

IndexCounts parse_counts(ManifestParser& from) {
  IndexCounts counts;
  for (std::uint64_t* count : {&counts.documents, &counts.source_documents, &counts.stored_ids, &counts.terms,
                               &counts.postings, &counts.occurrences}) {
    *count = from.integer<std::uint64_t>();
  }
  for (ContentChecksum* sum : {&counts.source_sum, &counts.dropped_sum}) {
    for (std::uint64_t& lane : sum->lanes) lane = from.integer<std::uint64_t>();
  }
  return counts;
}

// A merge adds sums, which reduces them; `verify` compares them. Both mean the same only if they are reduced here.
void check_sums(const IndexCounts& counts, const std::string& path) {
  for (const ContentChecksum& sum : {counts.source_sum, counts.dropped_sum}) {
    for (const std::uint64_t value : {sum.lanes[0], sum.lanes[1], sum.positions}) {
      if (value >= field61::kPrime) throw_damaged(path, 72, "sums below 2^61 - 1", std::to_string(value));
    }
  }
}

}  // namespace

std::string Manifest::serialize() const {
  std::string bytes(kManifestMagic);
  append<std::uint16_t>(bytes, kIndexMajor);
  append<std::uint16_t>(bytes, kIndexMinor);
  append<std::uint32_t>(bytes, 0);  // incompatible
  append<std::uint32_t>(bytes, 0);  // compatible
  append<std::uint32_t>(bytes, 0);  // the size, below
  for (const std::uint64_t count : {counts.documents, counts.source_documents, counts.stored_ids, counts.terms,
                                    counts.postings, counts.occurrences}) {
    append(bytes, count);
  }
  for (const ContentChecksum& sum : {counts.source_sum, counts.dropped_sum}) {
    for (const std::uint64_t lane : sum.lanes) append(bytes, lane);
  }
  const std::string option_bytes = options.serialize();
  append(bytes, static_cast<std::uint32_t>(option_bytes.size()));
  bytes += option_bytes;
  if (options.positions) {
    append(bytes, counts.source_sum.positions);
    append(bytes, counts.dropped_sum.positions);
  }
  append(bytes, static_cast<std::uint32_t>(kSectionCount));
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    append(bytes, static_cast<std::uint8_t>(kSectionNames[i].size()));
    bytes += kSectionNames[i];
    append(bytes, sections[i].file_bytes);
    bytes.append(sections[i].hash.begin(), sections[i].hash.end());
    append(bytes, sections[i].footer_crc);
  }
  store_le(bytes.data() + 20, static_cast<std::uint32_t>(bytes.size() + kHashBytes));
  const Hash128 hash = hash128(bytes_of(bytes));
  bytes.append(hash.begin(), hash.end());
  return bytes;
}

bool Manifest::is_whole(std::string_view bytes) {
  return bytes.starts_with(kManifestMagic) && bytes.size() >= kFixedBytes + kHashBytes &&
         load_le<std::uint32_t>(bytes.data() + 20) == bytes.size() && stored_hash(bytes) == found_hash(bytes);
}

Manifest Manifest::parse(std::string_view bytes, const std::string& path) {
  check_frame(bytes, path);
  ManifestParser from(bytes.substr(0, bytes.size() - kHashBytes), path);
  from.take(24);
  Manifest manifest;
  manifest.counts = parse_counts(from);
  manifest.options = ContentOptions::parse(from.take(from.integer<std::uint32_t>()), path);
  if (manifest.options.positions) {
    manifest.counts.source_sum.positions = from.integer<std::uint64_t>();
    manifest.counts.dropped_sum.positions = from.integer<std::uint64_t>();
  }
  check_sums(manifest.counts, path);
  const auto count = from.integer<std::uint32_t>();
  if (count != kSectionCount)
    throw_damaged(path, from.offset(), std::to_string(kSectionCount) + " section files", std::to_string(count));
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    if (from.take(from.integer<std::uint8_t>()) != kSectionNames[i]) {
      throw_damaged(path, from.offset(), "the file name " + std::string(kSectionNames[i]), "another");
    }
    manifest.sections[i].file_bytes = from.integer<std::uint64_t>();
    const std::string_view hash = from.take(kHashBytes);
    std::copy(hash.begin(), hash.end(), manifest.sections[i].hash.begin());
    manifest.sections[i].footer_crc = from.integer<std::uint32_t>();
  }
  if (from.offset() != bytes.size() - kHashBytes) throw_damaged(path, from.offset(), "the end", "more bytes");
  const IndexCounts& counts = manifest.counts;
  if (counts.documents > kMaxIndexDocuments || counts.source_documents > kMaxIndexDocuments ||
      counts.documents > counts.source_documents || counts.stored_ids > counts.documents) {
    throw_damaged(path, 24, "document counts that agree", std::to_string(counts.documents) + " documents");
  }
  return manifest;
}

}  // namespace spillway
