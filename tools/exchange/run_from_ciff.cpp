#include "tools/exchange/run_from_ciff.hpp"

#include "io/base/varint.hpp"
#include "io/run/document_cursor.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostPostingBytes = 10;  // varints of 33 and 32 bits
constexpr std::size_t kDocumentPortionBytes = std::size_t{64} << 10;

RunIdentity identity_of(const Hash128& job) {
  RunIdentity identity;
  identity.job = job;
  return identity;
}

void append_varint(std::vector<std::uint8_t>& to, std::uint64_t value) {
  std::uint8_t encoded[kMaxVarintBytes];
  to.insert(to.end(), encoded, write_varint(encoded, value));
}

}  // namespace

RunFromCiff::RunFromCiff(WritableFile& file, const Hash128& job, std::size_t block_bytes)
    : writer_(file, identity_of(job), block_bytes), builder_(block_bytes, false) {
  postings_.reserve(block_bytes);
  documents_.reserve(2 * kDocumentPortionBytes);
}

std::size_t RunFromCiff::memory_bytes(std::size_t block_bytes) {
  return RunWriter::memory_bytes(block_bytes) + 2 * TermBlockBuilder::max_block_bytes(block_bytes) +
         3 * kDocumentPortionBytes;
}

void RunFromCiff::begin_list(std::string_view term) {
  term_ = term;
  begin_entry();
}

// The first gap of an entry counts from document 0.
void RunFromCiff::begin_entry() {
  room_ = builder_.room(term_);
  if (room_ < kMostPostingBytes) {
    writer_.append_terms(builder_.finish());
    room_ = builder_.room(term_);
  }
  entry_ = {};
  previous_document_ = 0;
  postings_.clear();
}

void RunFromCiff::posting(std::uint32_t document, std::uint32_t frequency) {
  if (postings_.size() + kMostPostingBytes > room_) {
    end_entry();
    writer_.append_terms(builder_.finish());
    begin_entry();
  }
  append_varint(postings_, std::uint64_t{document - previous_document_} << 1 | (frequency == 1 ? 1 : 0));
  if (frequency != 1) append_varint(postings_, frequency);
  previous_document_ = document;
  ++entry_.document_count;
  entry_.occurrence_count += frequency;
  weight_.add(document, frequency);
}

void RunFromCiff::end_entry() {
  entry_.term = term_;
  entry_.last_document = previous_document_;
  entry_.postings = postings_;
  builder_.add(entry_);
  summary_.posting_count += entry_.document_count;
  summary_.occurrence_count += entry_.occurrence_count;
}

void RunFromCiff::end_list() {
  end_entry();
  summary_.sum.add(hash_term(term_), weight_.take());
}

void RunFromCiff::document(std::string_view id, std::uint32_t length) {
  RunDocument document;
  document.fields = RunDocument::kId;
  document.length = length;
  document.id = id;
  append_run_document(document, documents_);
  ++summary_.document_count;
  summary_.has_stored_ids = true;
  if (documents_.size() < kDocumentPortionBytes) return;
  writer_.append_documents(documents_);
  documents_.clear();
}

RunSummary RunFromCiff::finish() {
  if (!builder_.empty()) writer_.append_terms(builder_.finish());
  writer_.append_documents(documents_);
  summary_.entry_count = writer_.entry_count();
  writer_.finish(summary_);
  return summary_;
}

}  // namespace spillway
