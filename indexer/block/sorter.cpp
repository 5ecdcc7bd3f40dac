#include "indexer/block/sorter.hpp"

namespace spillway {

BlockSortStats& BlockSortStats::operator+=(const BlockSortStats& other) {
  sort_seconds += other.sort_seconds;
  encode_seconds += other.encode_seconds;
  write_seconds += other.write_seconds;
  upload_seconds += other.upload_seconds;
  download_seconds += other.download_seconds;
  upload_bytes += other.upload_bytes;
  download_bytes += other.download_bytes;
  return *this;
}

ListStats most_lists(const Block& block) {
  ListStats lists;
  for (const ParsedChunk& chunk : block.chunks) {
    lists.entries += chunk.terms().terms.size();
    lists.bytes += chunk.terms().text.size();
    if (chunk.form() == ChunkForm::kPostings) {
      lists.bytes += chunk.postings().postings.size() + chunk.postings().distances.size();
    } else {
      lists.bytes += 3 * chunk.table().occurrences.size() + 5 * chunk.table().positions.size();
    }
  }
  return lists;
}

std::size_t run_bytes_bound(const Block& block, const ListStats& lists, std::size_t run_block_bytes) {
  constexpr std::size_t kEntryHead = 32;
  std::size_t bytes = 4096 + lists.bytes + kEntryHead * lists.entries;
  for (const ParsedChunk& chunk : block.chunks) {
    bytes += chunk.documents.size() + chunk.open_strings.size() + chunk.texts.size();
  }
  // Blocks may end early, by a fraction, and the footer holds samples.
  return bytes + bytes / 8 + 2 * run_block_bytes + kMaxTermSamples * (kSampleTermBytes + 24);
}

}  // namespace spillway
