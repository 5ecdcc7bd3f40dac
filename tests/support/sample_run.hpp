// A run as plain data, random or by hand, and the ways to write it and read it back: the oracle of tests of runs.
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
  std::vector<std::uint32_t> positions = {};  // as many as the frequency, or none at all
  bool operator==(const SamplePosting&) const = default;
};

struct SampleDocument {
  std::uint32_t length = 0;
  std::optional<std::string> id, title, url, date, text;
  bool operator==(const SampleDocument&) const = default;
};

struct SampleRun {
  std::map<std::string, std::vector<SamplePosting>> terms;
  std::vector<SampleDocument> documents;
  bool operator==(const SampleRun&) const = default;

  RunSummary summary() const;  // entry_count is left 0: it depends on how lists are cut
};

struct SampleRunOptions {
  std::size_t documents = 50, terms = 200;
  std::size_t longest_term_bytes = 20, longest_text_bytes = 200;
  std::uint32_t largest_frequency = 5;
};
SampleRun make_sample_run(std::uint64_t seed, const SampleRunOptions& options);

// Gives every posting random positions; the same for the same seed.
void add_positions(SampleRun& run, std::uint64_t seed);

// Postings and positions as a run stores them.
std::vector<std::uint8_t> encode_postings(const std::vector<SamplePosting>& postings);
std::vector<std::uint8_t> encode_positions(const std::vector<SamplePosting>& postings);

struct SampleWriting {
  RunIdentity identity;
  std::size_t block_bytes = kMinRunBlockBytes;
  RunBlockCodec codec = RunBlockCodec::kNone;
};
// Documents and term blocks in turn, so that both kinds lie between each other. Positions are written if the identity
// says so; then every posting has them. Does not close the file.
RunSummary write_sample_run(const SampleRun& run, const SampleWriting& writing, WritableFile& file);

// All of a run, through both cursors and decode_postings; the sum is checked too (FormatError).
SampleRun read_sample_run(const ReadableFile& file);

}  // namespace spillway::testing
