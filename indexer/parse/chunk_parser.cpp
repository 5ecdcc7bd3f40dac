#include "indexer/parse/chunk_parser.hpp"

#include <utility>

#include "indexer/parse/chunk_sizes.hpp"
#include "io/run/text_cursor.hpp"

namespace spillway {

namespace {

// Tokens between the title and the text: no phrase reaches over it.
constexpr std::uint32_t kFieldGap = 100;

}  // namespace

ChunkParser::ChunkParser(const ChunkParserSetup& setup, DocumentCounts& counts)
    : options_(setup.options),
      limits_(setup.limits),
      budget_(setup.budget),
      form_(setup.form),
      deliver_(setup.deliver),
      observer_(setup.observer),
      counts_(counts) {}

void ChunkParser::begin(const DocumentFields& fields, const SourcePlace&) {
  if (documents_.size() >= limits_.document_bytes || document_number_ >= limits_.max_documents) seal();
  stats_.fields_cut += strings_.keep(fields, options_.store);
  has_stored_ids_ |= !fields.id.empty();
  stats_.repaired += fields.repaired ? 1 : 0;
  stats_.fields_cut += fields.title_in_text && options_.store != StorePolicy::kNone ? 1 : 0;
  open_ = true;
  counts_ = DocumentCounts{};
  if (fields.has_title) {
    scan(fields.title);
    finish_scan();
    if (counts_.position != 0) counts_.position += kFieldGap;
  }
}

void ChunkParser::text(std::string_view piece) {
  if (stores_text_) keep_text(piece);
  scan(piece);
}

void ChunkParser::end() {
  finish_scan();
  if (stores_text_) append_text_piece({{}, true}, texts_);
  strings_.append_to(documents_, counts_.length);
  if (document_number_ == 0 && first_document_open_) continued_length_ = counts_.length;
  close_document();
  open_ = false;
  ++document_number_;
  ++stats_.documents;
}

void ChunkParser::finish_task() {
  if (document_number_ != 0) seal();
}

void ChunkParser::add_to_position_sum(std::uint64_t positions) {
  const std::uint64_t share = field61::multiply(positions, document_power(document_number_));
  sum_.positions = field61::add(sum_.positions, share);
}

// A chunk ends where its texts would be too many: a text may be cut anywhere.
void ChunkParser::keep_text(std::string_view piece) {
  if (texts_.capacity() == 0) texts_.reserve(max_text_bytes(options_, limits_));
  while (!piece.empty()) {
    if (texts_.size() >= limits_.text_bytes) seal();
    const std::string_view part = piece.substr(0, limits_.text_bytes - texts_.size());
    append_text_piece({part, false}, texts_);
    piece.remove_prefix(part.size());
  }
}

// Adds to the chunk what of the document is in it.
void ChunkParser::close_document() {
  if (form_ != ChunkForm::kPostings) lengths_.push_back(counts_.length);
  close_occurrences();
  occurrence_count_ += counts_.length;
  counts_.length = 0;
}

void ChunkParser::seal() {
  if (open_) cut_document();
  const std::uint32_t open_length = counts_.length;
  open_strings_.clear();
  if (open_) {
    strings_.append_to(open_strings_, 0);  // u8 fields, varint 0, strings
    close_document();
    ++document_number_;
  }
  DocumentParts parts{documents_, {}, texts_, lengths_};
  if (open_) parts.open_strings = std::span<const std::uint8_t>(open_strings_).subspan(2);
  ParsedChunk chunk = seal_occurrences(parts);
  chunk.document_count = document_number_;
  chunk.occurrence_count = occurrence_count_;
  chunk.first_document_open = first_document_open_;
  chunk.last_document_open = open_;
  chunk.has_stored_ids = has_stored_ids_;
  chunk.sum = sum_;
  chunk.open_fields = strings_.fields();
  chunk.open_length = open_length;
  chunk.continued_length = continued_length_;
  start_chunk();
  ++stats_.chunks;
  stats_.slab_chunks += chunk.memory.slab().empty() ? 0 : 1;
  deliver_(std::move(chunk));
}

void ChunkParser::start_chunk() {
  clear_occurrences();
  documents_.clear();
  texts_.clear();
  lengths_.clear();
  sum_ = ContentChecksum{};
  occurrence_count_ = 0;
  document_number_ = 0;
  first_document_open_ = open_;
  has_stored_ids_ = false;
  continued_length_ = 0;
  if (open_) strings_.clear_fields();
}

}  // namespace spillway
