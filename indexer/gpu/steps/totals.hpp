// What a visit says about itself when it is done with everything: how much comes down, and the sums of its tokens.
#pragma once

#include "indexer/gpu/steps/keys.hpp"
#include "indexer/gpu/steps/token_sums.hpp"

namespace spillway {

struct PassTotals {
  GroupSums lists;
  std::uint64_t rank_text_bytes = 0;
  TokenSums tokens;  // kTokens
};

// Brings together what stands apart, so that it is fetched at once.
struct CollectTotals {
  const GroupSums* lists;
  const std::uint64_t* rank_text_bytes;
  const TokenSums* tokens;  // or null
  PassTotals* totals;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t) const {
    *totals = {*lists, *rank_text_bytes, tokens == nullptr ? TokenSums{} : *tokens};
  }
};

}  // namespace spillway
