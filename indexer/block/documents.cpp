#include "indexer/block/documents.hpp"

#include <array>
#include <limits>
#include <utility>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// Whether the chunk lies within one document, which goes on after it.
bool is_within_document(const ParsedChunk& chunk) { return chunk.document_count == 1 && chunk.last_document_open; }

CutDocument open_document(const ParsedChunk& chunk) {
  return {.open = true, .fields = chunk.open_fields, .length = chunk.open_length, .strings = chunk.open_strings};
}

[[noreturn]] void fail() {
  throw FormatError(
      "the documents of a parsed chunk end too soon; the memory of this machine or this program is at "
      "fault");
}

std::string_view take_string(const std::uint8_t** at, const std::uint8_t* end) {
  std::uint64_t bytes = 0;
  if (!read_varint(at, end, &bytes) || bytes > static_cast<std::uint64_t>(end - *at)) fail();
  const std::string_view text(reinterpret_cast<const char*>(*at), static_cast<std::size_t>(bytes));
  *at += bytes;
  return text;
}

// Reads the strings that the document's fields announce.
void take_strings(const std::uint8_t** at, const std::uint8_t* end, RunDocument& document) {
  if ((document.fields & RunDocument::kId) != 0) document.id = take_string(at, end);
  if ((document.fields & RunDocument::kTitle) != 0) document.title = take_string(at, end);
  if ((document.fields & RunDocument::kUrl) != 0) document.url = take_string(at, end);
  if ((document.fields & RunDocument::kDate) != 0) document.date = take_string(at, end);
  if ((document.fields & RunDocument::kTextHash) != 0) document.text_hash = take_string(at, end);
}

void write_cut(CutDocument& cut, RunWriter& writer) {
  if (!cut.open) return;
  std::array<std::uint8_t, 1 + kMaxVarintBytes> head{static_cast<std::uint8_t>(cut.fields | cut.last_fields)};
  std::uint8_t* const end = write_varint(head.data() + 1, cut.length);
  writer.append_documents({head.data(), static_cast<std::size_t>(end - head.data())});
  writer.append_documents(cut.strings);
  writer.append_documents(cut.last_strings);
  cut.open = false;
}

}  // namespace

void CutDocument::add(std::uint32_t more) {
  if (more > std::numeric_limits<std::uint32_t>::max() - length) {
    throw InputError(
        "a document has more than 2^32 - 1 tokens, and an index holds no such: cut it in parts, or lower "
        "--max-document-bytes to skip it");
  }
  length += more;
}

std::size_t CutDocument::add_end(const ParsedChunk& chunk) {
  add(chunk.continued_length);
  const std::size_t head = 1 + varint_bytes(chunk.continued_length);
  if (chunk.documents.size() < head) fail();
  RunDocument end;
  end.fields = last_fields = chunk.documents.front();
  const std::uint8_t* const begin = chunk.documents.data();
  const std::uint8_t* at = begin + head;
  take_strings(&at, begin + chunk.documents.size(), end);
  const auto bytes = static_cast<std::size_t>(at - begin);
  last_strings = chunk.documents.subspan(head, bytes - head);
  return bytes;
}

BlockDocumentCursor::BlockDocumentCursor(const Block& block, std::size_t first, std::size_t last)
    : chunks_(block.chunks), next_chunk_(first), last_chunk_(last) {
  if (first == 0 || !chunks_[first].first_document_open) return;
  std::size_t begin = first - 1;
  while (begin != 0 && is_within_document(chunks_[begin]) && chunks_[begin].first_document_open) --begin;
  cut_ = open_document(chunks_[begin]);
  while (++begin != first) cut_.add(chunks_[begin].open_length);
}

bool BlockDocumentCursor::next() {
  while (at_ == end_) {
    if (leaves_open_ != nullptr) cut_ = open_document(*std::exchange(leaves_open_, nullptr));
    if (next_chunk_ == last_chunk_) {
      if (!cut_.open || last_chunk_ != chunks_.size()) return false;
      end_cut();
      return true;
    }
    const ParsedChunk& chunk = chunks_[next_chunk_++];
    if (cut_.open && is_within_document(chunk)) {
      cut_.add(chunk.open_length);
      continue;
    }
    at_ = chunk.documents.data();
    end_ = at_ + chunk.documents.size();
    if (chunk.last_document_open) leaves_open_ = &chunk;
    if (cut_.open) {
      at_ += cut_.add_end(chunk);
      end_cut();
      return true;
    }
  }
  document_ = RunDocument{};
  document_.fields = *at_++;
  std::uint64_t length = 0;
  if (!read_varint(&at_, end_, &length)) fail();
  document_.length = static_cast<std::uint32_t>(length);
  take_strings(&at_, end_, document_);
  return true;
}

// The cut document is complete.
void BlockDocumentCursor::end_cut() {
  document_ = RunDocument{};
  RunDocument end;
  document_.fields = cut_.fields;
  document_.length = cut_.length;
  const std::uint8_t* at = cut_.strings.data();
  take_strings(&at, at + cut_.strings.size(), document_);
  end.fields = cut_.last_fields;
  at = cut_.last_strings.data();
  take_strings(&at, at + cut_.last_strings.size(), end);
  document_.fields |= end.fields;
  document_.text_hash = end.text_hash;
  cut_.open = false;
}

void write_block_documents(const Block& block, RunWriter& writer) {
  CutDocument cut;
  for (const ParsedChunk& chunk : block.chunks) {
    if (cut.open && is_within_document(chunk)) {
      cut.add(chunk.open_length);
      continue;
    }
    std::span<const std::uint8_t> entries = chunk.documents;
    if (cut.open) {
      entries = entries.subspan(cut.add_end(chunk));
      write_cut(cut, writer);
    }
    writer.append_documents(entries);
    if (chunk.last_document_open) cut = open_document(chunk);
  }
  write_cut(cut, writer);
}

std::size_t document_bytes(const Block& block) {
  std::size_t bytes = 0;
  for (const ParsedChunk& chunk : block.chunks) bytes += chunk.array_bytes();
  return bytes;
}

Block copy_documents(const Block& block, ArrayWriter& to) {
  Block documents;
  documents.number = block.number;
  documents.chunks.resize(block.chunks.size());
  for (std::size_t c = 0; c < block.chunks.size(); ++c) {
    ChunkDocuments& chunk = documents.chunks[c];
    chunk = block.chunks[c];
    chunk.move_arrays(to);
  }
  return documents;
}

}  // namespace spillway
