// What a run holds, shared by its writer and reader. A run is a sorted block (or several merged ones): self-contained,
// so that any process can merge it. docs/run_format.md has the bytes; the layout in one look:
//
//   header   64 bytes: magic, version, flag words, job, run number, open-document flags, CRC32C
//   blocks   term blocks in term order, and document blocks in document order, of at most block_bytes raw bytes each (a
//            term block may pass that by the head of one entry, but never kMaxRunBlockBytes):
//            {kind, codec, stored bytes, raw bytes, count, CRC32C, CRC32C} + payload. The CRCs are bound to the header
//            (so to job and run), block number and offset, and checked before decompression; lengths are checked before
//            allocation.
//   footer   counts, document range, sums, the largest block and term, term samples for seeking; CRC32C
//   trailer  24 bytes: footer offset and length, CRC32C, magic
//
// A term block is a sequence of entries, front-coded inside the block:
//   varint shared, varint suffix bytes, suffix, varint df, varint cf - df, varint last document, varint posting bytes,
//   [varint position bytes,] postings, [positions]
// A term may have several entries in a row (pieces of its list, in document order), so a list has no length limit. With
// positions, a posting may be cut between two of them.
// Postings of an entry: for each, varint((document - previous) << 1 | (tf == 1)), then varint(tf) if tf != 1;
// `previous` is 0 before the first. Documents are numbered from 0 in the run. Frequencies and documents are u32, and tf
// >= 1.
//
// Document blocks together are one stream of bytes, cut anywhere; per document:
//   u8 fields present (bit 0 id, 1 title, 2 url, 3 date, 4 text), varint length (tokens kept), then for each present
//   field varint bytes + bytes. A document without an id has a computed one (its number + 1).
//
// Text blocks, in runs with texts, are one stream of bytes too: pieces of the documents' texts, each varint(bytes << 1
// | (it ends its document)) + bytes. An open document's pieces go on in the next run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/base/checksum.hpp"
#include "io/checksum/content_checksum.hpp"

namespace spillway {

// Part of a list: postings as in an entry, whose first gap counts from `base`. Views, as of a piece.
struct ListFragment {
  std::span<const std::uint8_t> postings;
  std::span<const std::uint8_t> positions;  // none without positions
  std::uint32_t document_count = 0;
  std::uint64_t occurrence_count = 0;
  std::uint32_t base = 0;
  std::uint32_t last_document = 0;  // in the same numbering as base + first gap
};

// One entry of a term block: a piece of a term's list. Views live as long as what handed them out says.
struct TermPiece {
  std::string_view term;
  std::uint32_t document_count = 0;    // df of the piece, at least 1
  std::uint64_t occurrence_count = 0;  // cf of the piece
  std::uint32_t last_document = 0;     // in the run's numbering
  std::span<const std::uint8_t> postings;
  std::span<const std::uint8_t> positions;
  // Of a block that is merged without having been made a run: the parts that the list is to be joined of, in place of
  // postings and positions. Documents ascend from part to part.
  std::span<const ListFragment> parts;
  bool goes_on = false;  // the next piece of the term begins with last_document, whose posting is cut
};

struct RunIdentity {
  Hash128 job{};             // of the content options
  std::uint64_t number = 0;  // in document order within the job
  bool has_positions = false;
  bool first_document_open = false;  // the first document continues the last one of the run before
  bool last_document_open = false;   // the last document goes on in the next run
  bool has_texts = false;            // a text for each document
};

struct RunSummary {
  std::uint64_t document_count = 0;  // open ones included
  std::uint64_t entry_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
  ContentChecksum sum;          // documents numbered as in the run
  bool has_stored_ids = false;  // at least one document carries an id
};

// A place from where reading finds every term >= the one asked for: a term block, with the start of its first term.
struct TermSample {
  std::string first_term;  // its first kSampleTermBytes bytes at most
  std::uint64_t block_offset = 0;
  std::uint64_t block_number = 0;
};
inline constexpr std::size_t kSampleTermBytes = 64;
inline constexpr std::size_t kMaxTermSamples = 2048;  // more are thinned out to every second one

inline constexpr std::size_t kMinRunBlockBytes = std::size_t{4} << 10;
inline constexpr std::size_t kMaxRunBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxRunTermBytes = 65535;
inline constexpr std::uint64_t kMaxRunDocuments = 0xFFFFFFFF;
enum class RunBlockCodec : std::uint8_t { kNone = 0, kZstd = 1 };

}  // namespace spillway
