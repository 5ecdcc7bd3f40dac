#include "indexer/parse/build_term_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "indexer/chunk/seal_table.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/document_sums.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(const char* what) {
  throw FormatError(std::string(what) +
                    "; the memory of this machine or this program is at fault, and the index was not written");
}

std::uint32_t table_capacity(std::uint64_t occurrences) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(occurrences, 1));
}
std::size_t number_count(std::uint64_t occurrences) { return std::size_t{table_capacity(occurrences)} + 1; }
std::size_t stride_of(Positions positions) { return positions == Positions::kStored ? 2 : 1; }

class Tabulation {
 public:
  Tabulation(const ParsedChunk& chunk, Positions positions, MemoryBudget& budget)
      : documents_(chunk),
        tokens_(chunk.tokens()),
        positions_(positions),
        budget_(budget),
        table_(budget, table_capacity(chunk.occurrence_count), chunk.tokens().tokens.size()),
        stream_memory_(budget, stride_of(positions) * chunk.occurrence_count * sizeof(std::uint32_t),
                       "a chunk's occurrences"),
        stream_(stream_memory_.as<std::uint32_t>().data()),
        at_(reinterpret_cast<const char*>(chunk.tokens().tokens.data())),
        end_(at_ + chunk.tokens().tokens.size()) {}

  ParsedChunk run() {
    const ContentChecksum long_sum = std::exchange(documents_.sum, {});
    for (std::uint32_t d = 0; d < tokens_.lengths.size(); ++d) look_up_document(d);
    if (!next_token().empty()) fail("a chunk has more tokens than its documents");
    if (long_sum_ != long_sum) fail("the sum of a chunk's long tokens is not that of parsing");
    Buffer numbers(budget_, number_count(documents_.occurrence_count) * sizeof(std::uint32_t), "a chunk's terms");
    return seal_table(table_, documents_, {{stream_, words_}, positions_, tokens_.lengths, numbers.as<std::uint32_t>()},
                      budget_);
  }

 private:
  // Returns an empty view after the last token.
  std::string_view next_token() {
    while (at_ != end_ && *at_ == 0) ++at_;
    if (at_ == end_) return {};
    const auto* const end = static_cast<const char*>(std::memchr(at_, 0, static_cast<std::size_t>(end_ - at_)));
    if (end == nullptr) fail("a chunk's last token has no end");
    const std::string_view token(at_, static_cast<std::size_t>(end - at_));
    at_ = end;
    return token;
  }

  // Requires: tokens ascend from call to call.
  std::uint32_t position_of(std::size_t token) {
    const std::span<const PositionRun> runs = tokens_.position_runs;
    while (run_ + 1 < runs.size() && runs[run_ + 1].first_token <= token) ++run_;
    return runs[run_].position_of(static_cast<std::uint32_t>(token));
  }

  void look_up_document(std::uint32_t document) {
    DocumentSums all, of_long;
    for (std::uint32_t i = 0; i < tokens_.lengths[document]; ++i) {
      const std::string_view token = next_token();
      if (token.empty()) fail("a chunk has fewer tokens than its documents");
      TableEntry* entry = table_.find(token, KeySpace::kTerm);
      if (entry == nullptr) entry = &table_.insert(token, KeySpace::kTerm);
      const std::uint32_t number = table_.number_of(*entry);
      stream_[words_++] = number;
      std::uint64_t weight = 0;
      if (positions_ == Positions::kStored) {
        const std::uint32_t position = position_of(words_ / 2);
        stream_[words_++] = position;
        weight = position_value(position);
      }
      const TermHash& hash = table_.state(number).hash;
      all.add(hash, weight);
      if (token.size() > kShortTokenBytes) of_long.add(hash, weight);
    }
    all.add_to(documents_.sum, document);
    of_long.add_to(long_sum_, document);
  }

  ChunkDocuments documents_;
  const ChunkTokens& tokens_;
  const Positions positions_;
  MemoryBudget& budget_;
  TermTable table_;
  Buffer stream_memory_;
  std::uint32_t* stream_;
  std::size_t words_ = 0;
  std::size_t run_ = 0;  // of the positions
  const char* at_;
  const char* end_;
  ContentChecksum long_sum_;
};

void check(const ParsedChunk& chunk, Positions positions) {
  const ChunkTokens& content = chunk.tokens();
  if (sum_words(content.tokens) != content.checksums.tokens) fail("the sum of a chunk's tokens is not that of parsing");
  if (sum_words(bytes_of(content.lengths)) != content.checksums.lengths ||
      sum_words(bytes_of(content.position_runs)) != content.checksums.position_runs) {
    fail("the sum of the lengths of a chunk's documents, or of its positions, is not that of parsing");
  }
  std::uint64_t occurrences = 0;
  for (const std::uint32_t length : content.lengths) occurrences += length;
  const bool needs_runs = positions == Positions::kStored && occurrences != 0;
  if (occurrences != chunk.occurrence_count || occurrences > kMaxChunkTokens ||
      (needs_runs && (content.position_runs.empty() || content.position_runs.front().first_token != 0))) {
    fail("the lengths of a chunk's documents do not add up to its tokens");
  }
}

// Returns the bytes for the worst case, in which every occurrence is another term.
TabulationBytes bytes_of(std::uint64_t occurrences, std::size_t token_bytes, std::size_t copied_bytes,
                         Positions positions) {
  const std::size_t stream_bytes = stride_of(positions) * occurrences * sizeof(std::uint32_t);
  TabulationBytes bytes;
  bytes.result = occurrences * sizeof(ChunkTerm) + stream_bytes + copied_bytes;
  bytes.scratch = TermTable::memory_bytes(table_capacity(occurrences), token_bytes) + stream_bytes +
                  number_count(occurrences) * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace

ParsedChunk build_term_table(ParsedChunk&& chunk, Positions positions, MemoryBudget& budget) {
  const ParsedChunk used_up = std::move(chunk);
  check(used_up, positions);
  return Tabulation(used_up, positions, budget).run();
}

TabulationBytes tabulation_bytes(const ParsedChunk& chunk, Positions positions) {
  const ChunkTokens& content = chunk.tokens();
  const std::size_t others = content.tokens.size() + content.lengths.size_bytes() + chunk.array_bytes();
  return bytes_of(chunk.occurrence_count, content.tokens.size(), others, positions);
}

TabulationBytes most_tabulation_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  return bytes_of(max_chunk_tokens(options, limits), token_capacity(options, limits),
                  max_chunk_bytes(options, limits, ChunkForm::kTokens),
                  options.positions ? Positions::kStored : Positions::kNone);
}

}  // namespace spillway
