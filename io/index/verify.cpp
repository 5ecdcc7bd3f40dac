#include "io/index/verify.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/base/byte_order.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/source_numbering.hpp"
#include "io/index/state.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kReportBlocks = 1024;  // of a list

}  // namespace

// Reads the whole index once. Holds 4 bytes per document, and no list whole.
class IndexVerifier {
 public:
  IndexVerifier(const IndexReader& index, const std::function<void(std::uint64_t)>& progress)
      : index_(index),
        state_(index.state()),
        terms_(*state_.terms),
        progress_(progress),
        numbering_(state_.numbering()) {}

  void run() {
    check_files();
    const auto lengths = index_.document_lengths();
    lengths_left_.assign(lengths.begin(), lengths.end());
    check_terms();
    check_documents();
    check_id_order();
    check_totals();
    report(0);
  }

 private:
  using Children = std::vector<TermTableReader::Child>;
  void report(std::uint64_t more) const {
    if (progress_) progress_(bytes_done_ + more);
  }
  void check_files();
  void check_terms();
  void check_node(std::uint64_t offset, unsigned level, std::string_view least, const std::string_view* end);
  void check_leaf(std::uint64_t offset, std::string_view least, const std::string_view* end);
  void check_entry(const TermEntry& entry);
  void check_list(const TermEntry& entry);
  void check_bound(const TermEntry& entry, std::uint64_t block, const PostingsCursor& cursor) const;
  void check_place(const TermEntry& entry, std::uint64_t block, const PositionCursor& positions) const;
  static std::uint64_t sum_posting(const PostingsCursor& postings, std::size_t i, PositionCursor& positions);
  void check_documents();
  void check_blocks(const BlockStreamReader& stream, Section data, Section offsets) const;
  void check_id_order() const;
  void check_totals() const;
  void check_count(std::uint64_t expected, std::uint64_t found, Section section, std::string_view what) const {
    const SectionReader& in = state_.section(section);
    if (expected != found)
      in.fail(in.size(), std::to_string(expected) + " " + std::string(what), std::to_string(found));
  }

  const IndexReader& index_;
  const IndexState& state_;
  const TermTableReader& terms_;
  const std::function<void(std::uint64_t)>& progress_;
  const SourceNumbering& numbering_;
  std::uint64_t bytes_done_ = 0;
  std::vector<std::uint32_t> lengths_left_;  // per document, occurrences not yet found in a list
  std::vector<std::uint64_t> last_offsets_;  // of the nodes visited, per level
  std::uint64_t node_bytes_ = 0, term_count_ = 0;
  std::uint64_t bound_bytes_ = 0, list_bytes_ = 0;                            // list_bytes_: postings of all parts
  std::array<std::uint64_t, kListParts> posting_bytes_{}, position_bytes_{};  // of the lists checked, by part
  unsigned part_ = 0;                                                         // of the next list
  std::uint64_t stretch_bytes_ = 0;  // of postings since the last change of part
  std::uint64_t postings_ = 0, occurrences_ = 0;
  std::string last_term_;
  ContentChecksum sum_;
};

// The postings are hashed here too, but count as progress when their lists are decoded, which takes longer.
void IndexVerifier::check_files() {
  bytes_done_ = state_.manifest_bytes;
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const bool silent = is_part_of(Section::kPostings, static_cast<Section>(i + 1));
    state_.sections[i]->check_all([&](std::uint64_t done) { report(silent ? 0 : done); });
    if (!silent) bytes_done_ += state_.manifest.sections[i].file_bytes;
  }
}

void IndexVerifier::check_terms() {
  last_offsets_.assign(terms_.height(), 0);
  if (terms_.height() != 0) check_node(terms_.root_offset(), terms_.height() - 1, {}, nullptr);
  check_count(terms_.nodes_end(), node_bytes_, Section::kTerms, "bytes of nodes below the root");
  check_count(state_.manifest.counts.terms, term_count_, Section::kTerms, "terms");
  check_count(state_.section(Section::kBounds).size(), bound_bytes_, Section::kBounds, "bytes of bounds");
  for (unsigned part = 0; part < kListParts; ++part) {
    const Section postings = list_part(Section::kPostings, part), positions = list_part(Section::kPositions, part);
    check_count(state_.section(postings).size(), posting_bytes_[part], postings, "bytes of lists");
    check_count(state_.section(positions).size(), position_bytes_[part], positions, "bytes of positions");
    bytes_done_ += state_.manifest.sections[section_index(postings)].file_bytes;
  }
}

// Checks a node whose terms must be in [least, *end). The nodes of a level ascend in the file, so none is visited
// twice.
void IndexVerifier::check_node(std::uint64_t offset, unsigned level, std::string_view least,
                               const std::string_view* end) {
  const TermTableReader::Node node = terms_.node(offset);
  if (node.level != level || (last_offsets_[level] != 0 && offset < last_offsets_[level])) {
    terms_.section().fail(offset, "the next node of level " + std::to_string(level), "another");
  }
  last_offsets_[level] = offset + node.size;
  node_bytes_ += node.size;
  if (level == 0) {
    check_leaf(offset, least, end);
    return;
  }
  const Children children = terms_.children(offset, level);
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i != 0 && (children[i].separator <= least || (end != nullptr && children[i].separator >= *end))) {
      terms_.section().fail(offset, "separators between those of the level above", "other values");
    }
    const std::string_view* child_end = i + 1 < children.size() ? &children[i + 1].separator : end;
    check_node(children[i].offset, level - 1, i == 0 ? least : children[i].separator, child_end);
  }
}

void IndexVerifier::check_leaf(std::uint64_t offset, std::string_view least, const std::string_view* end) {
  TermTableReader::Walk walk(terms_, offset);
  while (walk.next()) {
    const TermEntry& entry = walk.entry();
    if (entry.term < least || (end != nullptr && entry.term >= *end) ||
        (term_count_ != 0 && entry.term <= last_term_)) {
      terms_.section().fail(offset, "terms in order, between their separators", "disorder");
    }
    check_entry(entry);
    last_term_ = entry.term;
  }
}

void IndexVerifier::check_entry(const TermEntry& entry) {
  if (entry.number != term_count_ || entry.posting_offset != posting_bytes_[entry.part] ||
      entry.bound_offset != bound_bytes_ || entry.position_offset != position_bytes_[entry.part]) {
    terms_.section().fail(terms_.nodes_end(),
                          "leaf bases that continue the leaves before, at term " + std::to_string(term_count_),
                          "other values");
  }
  if (stretch_bytes_ >= kPartStretchBytes) {
    part_ = (part_ + 1) % kListParts;
    stretch_bytes_ = 0;
  }
  if (entry.part != part_) {
    terms_.section().fail(terms_.nodes_end(),
                          "part " + std::to_string(part_) + " at term " + std::to_string(term_count_),
                          "part " + std::to_string(entry.part));
  }
  stretch_bytes_ += entry.posting_bytes;
  check_list(entry);
  ++term_count_;
  posting_bytes_[entry.part] += entry.posting_bytes;
  list_bytes_ += entry.posting_bytes;
  bound_bytes_ += bound_bytes_of(entry.document_count);
  position_bytes_[entry.part] += entry.position_bytes;
  postings_ += entry.document_count;
  occurrences_ += entry.occurrence_count;
  report(list_bytes_);
}

void IndexVerifier::check_list(const TermEntry& entry) {
  PostingsCursor cursor(index_, entry);
  SourceNumbering::Ascending numbers(numbering_);
  DocumentWeight weight;
  std::optional<PositionCursor> positions;
  DocumentWeight position_weight;
  if (state_.manifest.options.positions) positions.emplace(index_, entry);
  for (std::uint64_t block = 0; cursor.next_block(); ++block) {
    if (block % kReportBlocks == kReportBlocks - 1) report(list_bytes_);  // a list may be long
    if (entry.document_count > kPostingsBlock) check_bound(entry, block, cursor);
    if (positions) check_place(entry, block, *positions);
    const auto documents = cursor.documents(), frequencies = cursor.frequencies();
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (frequencies[i] > lengths_left_[documents[i]]) {
        state_.section(Section::kLengths)
            .fail(std::uint64_t{documents[i]} * 4, "a length of at least the sum of its postings", "a smaller one");
      }
      lengths_left_[documents[i]] -= frequencies[i];
      const std::uint32_t source = numbers.to_source(documents[i]);
      weight.add(source, frequencies[i]);
      if (positions) position_weight.add_wide(source, sum_posting(cursor, i, *positions));
    }
  }
  if (positions && !positions->at_end()) {
    state_.positions(entry.part)
        .fail(entry.position_offset, std::to_string(entry.occurrence_count) + " positions in the bytes of a list",
              "more");
  }
  const TermHash hash = hash_term(entry.term);
  sum_.add(hash, weight.take());
  sum_.add_positions(hash, position_weight.take());
}

void IndexVerifier::check_bound(const TermEntry& entry, std::uint64_t block, const PostingsCursor& cursor) const {
  const SectionReader& section = state_.section(Section::kBounds);
  const std::uint64_t offset = entry.bound_offset + block * kBoundEntryBytes;
  const std::uint8_t* bound = section.at(offset, kBoundEntryBytes);
  std::uint32_t most = 0, shortest = ~std::uint32_t{0};
  for (const std::uint32_t frequency : cursor.frequencies()) most = std::max(most, frequency);
  for (const std::uint32_t document : cursor.documents())
    shortest = std::min(shortest, index_.document_length(document));
  if (bound[6] != frequency_code(most) || bound[7] != length_code(shortest)) {
    section.fail(offset + 6,
                 "codes of the largest frequency " + std::to_string(most) + " and the smallest length " +
                     std::to_string(shortest),
                 "other values");
  }
  if (cursor.documents().size() < kPostingsBlock && (bound[4] != 0 || bound[5] != 0)) {
    section.fail(offset + 4, "no widths of a tail", "some");
  }
}

// Requires: all positions before that block of postings were read.
void IndexVerifier::check_place(const TermEntry& entry, std::uint64_t block, const PositionCursor& positions) const {
  const PositionPlace found = positions.place_of(block), expected = positions.place();
  if (found == expected) return;
  state_.positions(entry.part)
      .fail(entry.position_offset + expected.offset,
            "the place " + std::to_string(expected.pack()) + " of a block of postings in the table of its list",
            std::to_string(found.pack()));
}

// Returns the sum of the position values of a posting.
std::uint64_t IndexVerifier::sum_posting(const PostingsCursor& postings, std::size_t i, PositionCursor& positions) {
  std::uint64_t sum = 0;
  positions.seek(postings, i);
  for (auto some = positions.next(); !some.empty(); some = positions.next()) {
    for (const std::uint32_t position : some) sum += position_value(position);
  }
  return sum;
}

void IndexVerifier::check_blocks(const BlockStreamReader& stream, Section data, Section offsets) const {
  BlockStreamReader::Cache cache;
  for (std::uint64_t block = 0; block < stream.block_count(); ++block) {
    stream.load(block, cache);
    report(0);
  }
  const std::uint8_t* last = state_.section(offsets).at(stream.block_count() * 8, 8);
  check_count(state_.section(data).size(), load_le<std::uint64_t>(last), offsets, "as the end of the last block");
}

void IndexVerifier::check_documents() {
  const DocumentSectionsReader& documents = *state_.documents;
  std::uint64_t ids = 0;
  for (std::uint64_t group = 0; group < documents.group_count(); ++group) {
    DocumentSectionsReader::GroupWalk walk(documents, group);
    while (walk.next()) ids += (walk.place().fields & RunDocument::kId) != 0 ? 1 : 0;
    report(0);
  }
  check_count(state_.manifest.counts.stored_ids, ids, Section::kDocuments, "stored ids");
  const auto first = documents.group_entry(0);
  check_count(0, first.documents + first.ids + first.fields + first.text, Section::kDocumentGroups,
              "as the first offsets");
  check_blocks(documents.fields(), Section::kFields, Section::kFieldBlocks);
  check_blocks(documents.text(), Section::kText, Section::kTextBlocks);
}

// Checks that the pairs (id, document) ascend strictly and are as many as the documents with ids, so each occurs once.
void IndexVerifier::check_id_order() const {
  const SectionReader& order = state_.section(Section::kIdOrder);
  std::string id, last_id;
  std::uint32_t last = 0;
  for (std::uint64_t at = 0; at < order.size(); at += 4) {
    report(0);
    const auto document = load_le<std::uint32_t>(order.at(at, 4));
    const bool is_stored = document < index_.counts().documents && state_.documents->stored_id(document, id);
    if (!is_stored ||
        (at != 0 && std::pair(std::string_view(id), document) <= std::pair(std::string_view(last_id), last))) {
      order.fail(at, "documents with stored ids, in order of id and number", "document " + std::to_string(document));
    }
    std::swap(id, last_id);
    last = document;
  }
}

void IndexVerifier::check_totals() const {
  const IndexCounts& counts = state_.manifest.counts;
  state_.check_whole();
  check_count(counts.postings, postings_, Section::kPostings, "postings");
  check_count(counts.occurrences, occurrences_, Section::kPostings, "occurrences");
  const auto unaccounted =
      std::find_if(lengths_left_.begin(), lengths_left_.end(), [](auto left) { return left != 0; });
  if (unaccounted != lengths_left_.end()) {
    state_.section(Section::kLengths)
        .fail(static_cast<std::uint64_t>(unaccounted - lengths_left_.begin()) * 4, "the sum of the document's postings",
              std::to_string(*unaccounted) + " more");
  }
  ContentChecksum all = sum_;
  all.join(counts.dropped_sum, 0);
  if (all != counts.source_sum) {
    throw_damaged(state_.directory + "/" + std::string(kManifestName), 72, "the sum of the source",
                  "another sum over the postings and the dropped documents");
  }
}

void verify_index(const IndexReader& index, const std::function<void(std::uint64_t)>& progress) {
  IndexVerifier(index, progress).run();
}

}  // namespace spillway
