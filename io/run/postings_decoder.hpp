// Decodes the postings of an entry of a run, either whole or in stretches that the caller finds in the nearest cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/format/run.hpp"

namespace spillway {

// Not thread-safe.
class PostingsDecoder {
 public:
  enum class Steps { kVectors, kOne };  // in vectors, where the CPU supports them; one posting at a time
  static Steps best_steps();

  // `entry` and `where`, a name for messages, outlive the decoder.
  PostingsDecoder(const RunEntry& entry, std::string_view where, Steps steps = best_steps());
  PostingsDecoder(const PostingsDecoder&) = delete;
  PostingsDecoder& operator=(const PostingsDecoder&) = delete;

  // Writes the next postings, at most `room` (at least 1), and returns their number: 0 after the last one. May leave
  // room although postings remain. Documents ascend over all calls, up to the last document of the entry. Throws
  // FormatError when it reaches bytes that contradict the entry's head.
  std::size_t next(std::uint32_t* documents, std::uint32_t* frequencies, std::size_t room);

 private:
  // The destination of decoded postings.
  struct Output {
    std::uint32_t *documents, *frequencies;
    std::size_t room, done = 0;
  };
  void begin_fragment();
  void end_fragment() const;
  void decode(Output& out);
  void decode_batches(Output& out);
  void decode_in_turn(Output& out);
  bool step(Output& out);
  void put(std::uint64_t gap, std::uint64_t frequency, Output& out);
  std::uint64_t load(const std::uint8_t* from) const;
  void check() const;

  const RunEntry& entry_;
  std::string_view where_;
  Steps steps_;
  ListFragment whole_;                       // the entry itself, if it has no fragments
  std::span<const ListFragment> fragments_;  // the fragments that are not yet decoded completely
  // State of the first of them.
  const std::uint8_t *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::uint32_t left_ = 0;      // postings left
  bool is_first_ = false;       // the next posting is the fragment's first, whose gap may be 0
  bool wrong_ = false;          // decoded postings are malformed
  std::uint64_t document_ = 0;  // last document, below 2^33 * 2^32, because gaps are bounded before they are added
  std::uint64_t occurrences_ = 0;
  std::uint64_t least_document_ = 0;  // least document that the fragment may begin with
  std::uint32_t not_begun_;           // postings in fragments that are not begun
};

// Decodes the postings of `entry` into documents and frequencies (resized to document_count). Throws FormatError naming
// `where` unless the bytes hold exactly document_count ascending documents that end at last_document, with frequencies
// that sum to occurrence_count, and nothing else.
void decode_postings(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies);
// The same without vectors. For other CPUs, and for tests.
void decode_postings_portable(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& documents,
                              std::vector<std::uint32_t>& frequencies);

}  // namespace spillway
