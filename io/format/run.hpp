// The contents of a run, shared by its writer and readers. A run is a sorted block, or several merged ones. It is
// self-contained: any process can merge it. docs/run_format.md lists every byte; the layout at a glance:
//
//   header   64 bytes: magic, version, flag words, job, run number, open-document flags, CRC32C
//   blocks   term blocks in term order, document and text blocks in document order, each of at most block_bytes (a
//            term block may exceed that by the head of one entry, but never kMaxRunBlockBytes):
//            {kind, codec, stored bytes, raw bytes, count, CRC32C, CRC32C} + payload. The codec is 0: stored as it is.
//            The CRCs are bound to the header (so to job and run), block number and offset. Lengths are checked before
//            anything is allocated.
//   footer   counts, document range, sums, the largest block and term, term samples for seeking; CRC32C
//   trailer  24 bytes: footer offset and length, CRC32C, magic
//
// A term block is a sequence of entries, front-coded inside the block:
//   varint shared, varint suffix bytes, suffix, varint df, varint cf - df, varint last document, varint posting bytes,
//   [varint position bytes,] postings, [positions]
// A term may have several consecutive entries (fragments of its list, in document order), so a list has no length
// limit. With positions, one posting may be cut between two entries.
// Each posting of an entry is varint((document - previous) << 1 | (tf == 1)), followed by varint(tf) if tf != 1;
// `previous` is 0 before the first. Documents are numbered from 0 in the run. Documents and frequencies are u32, and tf
// >= 1.
//
// The document blocks together are one stream of bytes, cut anywhere. Per document:
//   u8 fields present (bit 0 id, 1 title, 2 url, 3 date, 4 text, 5 hash of title and text), varint length (tokens
//   kept), then for each present field varint bytes + bytes. A document without an id has a computed one (its number +
//   1).
//
// The text blocks of a run with texts are another stream: fragments of the documents' texts, each varint(bytes << 1 |
// (it ends its document)) + bytes. The text of an open document continues in the next run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/base/checksum.hpp"
#include "io/checksum/content_checksum.hpp"

namespace spillway {

// A fragment of a list: postings encoded as in an entry, whose first gap counts from `base`. The views live as long as
// those of an entry.
struct ListFragment {
  std::span<const std::uint8_t> postings;
  std::span<const std::uint8_t> positions;  // empty without positions
  std::uint32_t document_count = 0;
  std::uint64_t occurrence_count = 0;
  std::uint32_t base = 0;
  std::uint32_t last_document = 0;  // numbered like base + first gap
};

// One entry of a term block: the list of a term, or a fragment of it. Its source says how long the views live.
struct RunEntry {
  std::string_view term;
  std::uint32_t document_count = 0;    // df of the entry, at least 1
  std::uint64_t occurrence_count = 0;  // cf of the entry
  std::uint32_t last_document = 0;     // numbered as in the run
  std::span<const std::uint8_t> postings;
  std::span<const std::uint8_t> positions;
  // Set instead of `postings` and `positions` for a block that is merged without having been written as a run: the
  // fragments that make up the list. Documents ascend from fragment to fragment.
  std::span<const ListFragment> fragments;
  bool goes_on = false;  // the term's next entry begins with last_document, whose posting is cut
};

struct RunIdentity {
  Hash128 job{};             // hash of the content options
  std::uint64_t number = 0;  // position in document order within the job
  bool has_positions = false;
  bool first_document_open = false;  // the first document continues the last one of the previous run
  bool last_document_open = false;   // the last document continues in the next run
  bool has_texts = false;            // stores a text for each document
};

struct RunSummary {
  std::uint64_t document_count = 0;  // open documents included
  std::uint64_t entry_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
  ContentChecksum sum;          // documents numbered as in the run
  bool has_stored_ids = false;  // at least one document has an id
};

// A seek point: a term block and the start of its first term. Reading from the last sample below a term finds that term
// and all after it.
struct TermSample {
  std::string first_term;  // at most its first kSampleTermBytes bytes
  std::uint64_t block_offset = 0;
  std::uint64_t block_number = 0;
};
inline constexpr std::size_t kSampleTermBytes = 64;
inline constexpr std::size_t kMaxTermSamples = 2048;  // beyond that, every second sample is dropped

inline constexpr std::size_t kMinRunBlockBytes = std::size_t{4} << 10;
inline constexpr std::size_t kMaxRunBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxRunTermBytes = 65535;
inline constexpr std::uint64_t kMaxRunDocuments = 0xFFFFFFFF;

}  // namespace spillway
