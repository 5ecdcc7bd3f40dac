#include "indexer/parse/token_buffer.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

std::size_t padded(std::size_t bytes) { return (bytes + kSummedBytes - 1) / kSummedBytes * kSummedBytes; }

}  // namespace

std::size_t TokenBuffer::memory_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  return options.positions ? max_chunk_runs(options, limits) * sizeof(PositionRun) : 0;
}

TokenBuffer::TokenBuffer(const ChunkParserSetup& setup)
    : chunk_bytes_(max_chunk_bytes(setup.options, setup.limits, ChunkForm::kTokens)),
      buffer_capacity_(token_capacity(setup.options, setup.limits)),
      slot_capacity_(slot_token_capacity(setup.options, setup.limits)),
      most_runs_(max_chunk_runs(setup.options, setup.limits)),
      budget_(setup.budget),
      slots_(setup.slots),
      runs_memory_(setup.budget, memory_bytes(setup.options, setup.limits), "a chunk's positions"),
      runs_(setup.options.positions ? runs_memory_.as<PositionRun>().data() : nullptr) {
  take_memory();
}

void TokenBuffer::take_memory() {
  if (slots_ != nullptr) slot_ = slots_->take();
  if (slot_.empty()) {
    memory_ = Buffer::reused(budget_, chunk_bytes_, "a parsed chunk");
    tokens_ = memory_.data();
    capacity_ = buffer_capacity_;
    slot_run_bytes_ = 0;
  } else {
    tokens_ = slot_.span().data();
    capacity_ = slot_capacity_;
    slot_run_bytes_ = runs_ == nullptr ? 0 : sizeof(PositionRun);
  }
}

ParsedChunk TokenBuffer::seal(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths) {
  if (!has_memory()) take_memory();
  ParsedChunk chunk;
  static_cast<ChunkDocuments&>(chunk) = documents;
  ChunkTokens& content = chunk.content.emplace<ChunkTokens>();
  content.tokens = {tokens_, used_};
  content.checksums = {token_sums_.take(content.tokens), sum_words(bytes_of(lengths)),
                       run_sums_.take(bytes_of(runs()))};
  ArrayWriter arrays(tokens_);
  std::ranges::fill(arrays.take<std::uint8_t>(padded(used_)).subspan(used_), std::uint8_t{0});
  content.position_runs = arrays.copy(runs());
  const auto used = static_cast<std::size_t>(arrays.end() - tokens_);
  Buffer rest;  // where the slot is too small
  if (!slot_.empty() && used + lengths.size_bytes() + documents.array_bytes() > slot_.span().size()) {
    rest = Buffer::reused(budget_, chunk_bytes_, "a parsed chunk");
    arrays = ArrayWriter(rest.data());
  }
  content.lengths = arrays.copy(lengths);
  chunk.move_arrays(arrays);
  Buffer& last = slot_.empty() ? memory_ : rest;
  if (last.size() != 0) last.shrink(static_cast<std::size_t>(arrays.end() - last.data()));
  chunk.memory = slot_.empty() ? ChunkMemory(std::move(memory_)) : ChunkMemory(std::move(slot_), std::move(rest));
  tokens_ = nullptr;
  used_ = count_ = run_count_ = 0;
  return chunk;
}

}  // namespace spillway
