// A run as plain data, random or written by hand, and functions that write it and read it back: the oracle for tests of
// runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/run.hpp"

namespace spillway::testing {

struct SamplePosting {
  std::uint32_t document = 0, frequency = 0;
  std::vector<std::uint32_t> positions = {};  // one per occurrence, or none
  bool operator==(const SamplePosting&) const = default;
};

struct SampleDocument {
  std::uint32_t length = 0;
  std::optional<std::string> id, title, url, date, text;
  std::optional<std::string> text_hash = {};  // 16 bytes
  bool operator==(const SampleDocument&) const = default;
};

struct SampleRun {
  std::map<std::string, std::vector<SamplePosting>> terms;
  std::vector<SampleDocument> documents;
  bool operator==(const SampleRun&) const = default;

  RunSummary summary() const;  // leaves entry_count 0, because it depends on where lists are cut
};

struct SampleRunOptions {
  std::size_t documents = 50, terms = 200;
  std::size_t longest_term_bytes = 20, longest_text_bytes = 200;
  std::uint32_t largest_frequency = 5;
};
SampleRun make_sample_run(std::uint64_t seed, const SampleRunOptions& options);

// Gives every posting random positions. Equal seeds give equal positions.
void add_positions(SampleRun& run, std::uint64_t seed);

// Encodes postings and positions as a run stores them.
std::vector<std::uint8_t> encode_postings(const std::vector<SamplePosting>& postings);
std::vector<std::uint8_t> encode_positions(const std::vector<SamplePosting>& postings);

struct SampleWriting {
  RunIdentity identity;
  std::size_t block_bytes = kMinRunBlockBytes;
};
// Alternates documents and term blocks, so that both kinds are interleaved. Writes positions if the identity says so;
// then every posting must have them. Does not close the file.
RunSummary write_sample_run(const SampleRun& run, const SampleWriting& writing, WritableFile& file);

// Reads a whole run through its cursors and decode_postings, and checks its checksum (FormatError).
SampleRun read_sample_run(const ReadableFile& file);

}  // namespace spillway::testing
