// Decodes the postings of a piece of a run a stretch at a time, so that whoever takes them still finds them in the
// nearest cache, or whole.
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
  enum class Steps { kWindows, kOne };  // in vectors, where the CPU has them; one posting after the other
  static Steps best_steps();

  // `piece` and `where`, the name for messages, live longer.
  PostingsDecoder(const TermPiece& piece, std::string_view where, Steps steps = best_steps());
  PostingsDecoder(const PostingsDecoder&) = delete;
  PostingsDecoder& operator=(const PostingsDecoder&) = delete;

  // Writes the next postings, at most `room` (1 or more), and returns how many: 0 once all are through. It may leave
  // room although more are to come. Those of a call ascend, from those of the call before on, up to the last document
  // of the piece. Throws FormatError, once it has come to them, for bytes that are not what the piece's head says.
  std::size_t next(std::uint32_t* documents, std::uint32_t* frequencies, std::size_t room);

 private:
  // Where decoded postings go.
  struct Output {
    std::uint32_t *documents, *frequencies;
    std::size_t room, done = 0;
  };
  void begin_part();
  void end_part() const;
  void decode(Output& out);
  void decode_windows(Output& out);
  void decode_in_turn(Output& out);
  bool step(Output& out);
  void put(std::uint64_t gap, std::uint64_t frequency, Output& out);
  std::uint64_t load(const std::uint8_t* from) const;
  void check() const;

  const TermPiece& piece_;
  std::string_view where_;
  Steps steps_;
  ListFragment whole_;                   // the piece, where it has no parts
  std::span<const ListFragment> parts_;  // those that are not decoded to their end
  // Of the first of them.
  const std::uint8_t *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::uint32_t left_ = 0;      // postings
  bool is_first_ = false;       // the next posting is its first, whose gap may be 0
  bool wrong_ = false;          // what was decoded is malformed
  std::uint64_t document_ = 0;  // the last one: below 2^33 * 2^32, as gaps are bounded before they are added
  std::uint64_t occurrences_ = 0;
  std::uint64_t least_document_ = 0;  // that it may begin with
  std::uint32_t not_begun_;           // postings of parts that are not begun
};

// Decodes the postings of `piece` into documents and frequencies (resized to document_count). Throws FormatError naming
// `where` unless they decode to exactly document_count ascending documents that end at last_document, use every byte,
// and sum to occurrence_count.
void decode_postings(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies);
// The same without vectors: for other CPUs, and tests.
void decode_postings_portable(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                              std::vector<std::uint32_t>& frequencies);

}  // namespace spillway
