#include "indexer/parse/chunk_parser.hpp"

#include <utility>

#include "indexer/parse/chunk_sizes.hpp"
#include "io/run/text_cursor.hpp"

namespace spillway {

namespace {

// Positions between the title and the text, so that no phrase spans both.
constexpr std::uint32_t kFieldGap = 100;

constexpr std::size_t kMostUnreported = std::size_t{1} << 20;  // bytes of texts between two calls of the observer

// The first characters of `text`, `bytes` bytes or up to 3 fewer. Requires: bytes >= 4.
std::string_view first_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while ((static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

ChunkParser::ChunkParser(const ChunkParserSetup& setup, DocumentCounts& counts)
    : options_(setup.options),
      limits_(setup.limits),
      budget_(setup.budget),
      form_(setup.form),
      deliver_(setup.deliver),
      observer_(setup.observer),
      counts_(counts),
      hashes_texts_(setup.hashes_texts) {}

void ChunkParser::begin(const DocumentFields& fields, const SourcePlace&) {
  if (documents_.size() >= limits_.document_bytes || chunk_.document_count >= limits_.max_documents) seal();
  stats_.fields_cut += strings_.keep(fields, options_.store);
  chunk_.has_stored_ids |= !fields.id.empty();
  stats_.repaired += fields.repaired ? 1 : 0;
  stats_.fields_cut += fields.title_in_text && options_.store != StorePolicy::kNone ? 1 : 0;
  open_ = true;
  counts_ = DocumentCounts{};
  if (hashes_texts_) text_hash_.emplace(fields.has_title ? fields.title : std::string_view());
  if (fields.has_title) {
    scan(fields.title);
    finish_scan();
    if (counts_.position != 0) counts_.position += kFieldGap;
  }
}

// In parts, between which the observer may end the job: readers hold records of up to 64 MiB.
void ChunkParser::text(std::string_view text) {
  for (std::string_view part; !text.empty(); text.remove_prefix(part.size())) {
    part = first_characters(text, kMostUnreported);
    if (hashes_texts_) text_hash_->add(part);
    if (stores_text_) keep_text(part);
    scan(part);
    count_unreported(part.size());
  }
}

PackWordsFunction ChunkParser::word_packer() const { return hashes_texts_ || stores_text_ ? nullptr : packer(); }

void ChunkParser::words(std::string_view packed, std::size_t count) {
  finish_scan();
  add_words(packed, count);
  count_unreported(packed.size());
}

void ChunkParser::count_unreported(std::size_t bytes) {
  unreported_ += bytes;
  if (unreported_ < kMostUnreported) return;
  unreported_ = 0;
  observer_.consumed(0);
}

void ChunkParser::end() {
  finish_scan();
  if (stores_text_) append_text_fragment({{}, true}, texts_);
  if (hashes_texts_) strings_.keep_text_hash(text_hash_->digest());
  strings_.append_to(documents_, counts_.length);
  if (chunk_.document_count == 0 && chunk_.first_document_open) chunk_.continued_length = counts_.length;
  close_document();
  open_ = false;
  ++stats_.documents;
}

void ChunkParser::finish_task() {
  if (chunk_.document_count != 0) seal();
}

// A text may be cut anywhere: the chunk ends where its texts would be too long.
void ChunkParser::keep_text(std::string_view text) {
  if (texts_.capacity() == 0) texts_.reserve(max_text_bytes(options_, limits_));
  while (!text.empty()) {
    if (texts_.size() >= limits_.text_bytes) seal();
    const std::string_view fits = text.substr(0, limits_.text_bytes - texts_.size());
    append_text_fragment({fits, false}, texts_);
    text.remove_prefix(fits.size());
  }
}

// Adds to the chunk the document's part in it.
void ChunkParser::close_document() {
  if (form_ != ChunkForm::kPostings) lengths_.push_back(counts_.length);
  close_occurrences().add_to(chunk_.sum, chunk_.document_count);
  chunk_.occurrence_count += counts_.length;
  ++chunk_.document_count;
  counts_.length = 0;
}

void ChunkParser::seal() {
  if (open_) {
    cut_document();
    open_strings_.clear();
    strings_.append_to(open_strings_, 0);  // u8 fields, varint 0, strings
    chunk_.open_strings = std::span<const std::uint8_t>(open_strings_).subspan(2);
    chunk_.open_fields = strings_.fields();
    chunk_.open_length = counts_.length;
    chunk_.last_document_open = true;
    close_document();
  }
  chunk_.documents = documents_;
  chunk_.texts = texts_;
  ParsedChunk chunk = seal_occurrences(chunk_, lengths_);
  start_chunk();
  ++stats_.chunks;
  stats_.pinned_chunks += chunk.memory.region().empty() ? 0 : 1;
  deliver_(std::move(chunk));
}

void ChunkParser::start_chunk() {
  documents_.clear();
  texts_.clear();
  lengths_.clear();
  chunk_ = {};
  chunk_.first_document_open = open_;
  if (open_) strings_.clear_fields();
}

}  // namespace spillway
