// The kernel that sums the tokens of a block and finds their terms. In the step SumTokens the threads of a warp load
// from groups that are far from each other, and some search the table while others wait. Here a thread block copies a
// tile of groups to shared memory, and each thread takes as many tokens as the others. Tokens that it does not find at
// once are put off, so that then all threads search.
#pragma once

#include "indexer/gpu/steps/token_sums.hpp"

namespace spillway {

// A tile of the uploaded bytes, with those before and after it that loads of its tokens touch.
struct TokenTile {
  static constexpr unsigned kThreads = 128;  // of a thread block: one for each group
  static constexpr unsigned kBytes = kThreads * kRawGroupBytes, kBefore = 16, kAfter = 32;
  static constexpr unsigned kTokens = kBytes / 2;  // a token and its separator have two bytes at least
  static constexpr unsigned kWaiting = 1024;

  uint4 pieces[(kBefore + kBytes + kAfter) / sizeof(uint4)];
  std::uint32_t tokens[kTokens];    // the place of each in the tile, then its slot
  std::uint32_t waiting[kWaiting];  // of tokens whose terms are not found yet: [place | number in the tile]
  unsigned waiting_count;
  std::uint32_t first_document, last_document;

  __device__ const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(pieces) + kBefore; }
};

__global__ __launch_bounds__(TokenTile::kThreads) void sum_tokens_kernel(SumTokens step, std::size_t groups,
                                                                         TokenSums* totals) {
  constexpr unsigned kNumberBits = 16, kThreads = TokenTile::kThreads;
  static_assert(TokenTile::kTokens <= 1U << kNumberBits && TokenTile::kBytes <= 1U << (32 - kNumberBits));
  __shared__ TokenTile s_tile;
  TokenSums total;
  for (std::size_t first = std::size_t{blockIdx.x} * kThreads; first < groups;
       first += std::size_t{gridDim.x} * kThreads) {
    const std::size_t g = first + threadIdx.x, last = min(first + kThreads, groups);
    const RawCounts begin = step.counts[first], end = step.counts[last];
    const std::uint64_t base = first * kRawGroupBytes;  // the tile's first byte
    const auto* const raw = reinterpret_cast<const uint4*>(step.raw.bytes);
    for (unsigned i = threadIdx.x; i < sizeof(s_tile.pieces) / sizeof(uint4); i += kThreads) {
      const std::uint64_t at = base + i * sizeof(uint4);  // kBefore bytes more than its place
      const bool is_there =
          at >= TokenTile::kBefore && at < last * kRawGroupBytes + TokenTile::kBefore + TokenTile::kAfter;
      s_tile.pieces[i] = is_there ? raw[(at - TokenTile::kBefore) / sizeof(uint4)] : uint4{};
    }
    const auto tokens = static_cast<std::uint32_t>(end.tokens - begin.tokens);
    const auto first_token = static_cast<std::uint32_t>(begin.tokens);
    if (threadIdx.x == 0) s_tile.waiting_count = 0;
    if (tokens != 0 && threadIdx.x < 2) {
      const std::uint32_t token = threadIdx.x == 0 ? first_token : first_token + tokens - 1;
      (threadIdx.x == 0 ? s_tile.first_document : s_tile.last_document) =
          first_not_below(step.documents.ends, step.document_count, token + 1);
    }
    __syncthreads();
    if (g < groups) {
      const std::uint8_t* const at = s_tile.bytes() + threadIdx.x * kRawGroupBytes;
      auto number = static_cast<std::uint32_t>(step.counts[g].tokens - begin.tokens);
      for (std::uint64_t left = RawTokens::load_group(at, at[-1] != 0).starts; left != 0; left &= left - 1) {
        s_tile.tokens[number++] = threadIdx.x * kRawGroupBytes + lowest_bit(left);
      }
    }
    __syncthreads();
    const bool finds_terms = step.token_slots != nullptr && step.terms.has_room();
    const std::uint32_t each = (tokens + kThreads - 1) / kThreads;
    const std::uint32_t from = min(threadIdx.x * each, tokens), to = min(from + each, tokens);
    if (from < to) {
      TokenSummer summer(step.documents, first_token + from, s_tile.first_document, s_tile.last_document);
      for (std::uint32_t i = from; i < to; ++i) {
        const std::uint32_t place = s_tile.tokens[i];
        const ShortToken text = load_token(s_tile.bytes(), place);
        Hash128Halves hash{};
        if (text.bytes <= kShortTokenBytes) {
          hash = hash_short_token(text);
          summer.add(first_token + i, hash);
        }
        if (!finds_terms || step.terms.find_at_once(text, hash.low, s_tile.tokens[i])) continue;
        const unsigned waiting = atomicAdd(&s_tile.waiting_count, 1U);
        if (waiting < TokenTile::kWaiting) {
          s_tile.waiting[waiting] = place << kNumberBits | i;
        } else {
          s_tile.tokens[i] = step.terms.put(base + place, text, step.terms.hash_of(base + place, text, hash));
        }
      }
      total = AddTokenSums{}(total, summer.sums());
    }
    __syncthreads();
    if (step.token_slots != nullptr) {  // the same for all threads, which finds_terms need not be
      const unsigned waiting = min(s_tile.waiting_count, TokenTile::kWaiting);
      for (unsigned w = threadIdx.x; w < waiting; w += kThreads) {
        const std::uint32_t place = s_tile.waiting[w] >> kNumberBits;
        const ShortToken text = load_token(s_tile.bytes(), place);
        Hash128Halves hash{};
        if (text.bytes <= kShortTokenBytes) hash = hash_short_token(text);
        s_tile.tokens[s_tile.waiting[w] & ((1U << kNumberBits) - 1)] =
            step.terms.put(base + place, text, step.terms.hash_of(base + place, text, hash));
      }
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < tokens; i += kThreads) {
        step.token_slots[first_token + i] = s_tile.tokens[i];
      }
    }
    __syncthreads();
  }
  auto* const s_totals = reinterpret_cast<TokenSums*>(s_tile.tokens);
  s_totals[threadIdx.x] = total;
  for (unsigned half = kThreads / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s_totals[threadIdx.x] = AddTokenSums{}(s_totals[threadIdx.x], s_totals[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = s_totals[0];
}

}  // namespace spillway
