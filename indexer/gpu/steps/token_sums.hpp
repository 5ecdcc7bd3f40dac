// The content checksum of a block's tokens of up to kShortTokenBytes bytes, which parsers leave to the GPU: taken from
// the uploaded bytes, in the step that finds their terms, before any step that changes or moves them. And the totals
// that a pass fetches at its end.
#pragma once

#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/gpu/steps/short_token.hpp"
#include "indexer/gpu/steps/tokens.hpp"

namespace spillway {

struct TokenSums {
  std::uint64_t low = 0, high = 0;  // lanes of a ContentChecksum
  std::uint64_t positions = 0;      // its sum of positions
};
struct AddTokenSums {
  SPILLWAY_HOST_DEVICE TokenSums operator()(const TokenSums& a, const TokenSums& b) const {
    return {field61::add(a.low, b.low), field61::add(a.high, b.high), field61::add(a.positions, b.positions)};
  }
};

// powers[document] = r^document. O(log document) multiplications each.
struct MakeDocumentPowers {
  static constexpr unsigned kBits = 32;
  std::uint64_t squares[kBits];  // r^(2^i)
  std::uint64_t* powers;

  explicit MakeDocumentPowers(std::uint64_t* to) : powers(to) {
    std::uint64_t square = kDocumentBase;
    for (std::uint64_t& at : squares) {
      at = square;
      square = field61::multiply(square, square);
    }
  }
  SPILLWAY_HOST_DEVICE void operator()(std::size_t document) const {
    std::uint64_t power = 1;
    for (std::uint64_t left = document; left != 0; left &= left - 1) {
      power = field61::multiply(power, squares[lowest_bit(left)]);
    }
    powers[document] = power;
  }
};

// Loads the token at a byte. Sets `bytes` to its length, or to more than kShortTokenBytes for a longer token.
SPILLWAY_HOST_DEVICE inline ShortToken load_token(const std::uint8_t* raw, std::uint64_t offset) {
  ShortToken token{load_word(raw, offset), load_word(raw, offset + 8), 0};
  token.bytes = bytes_before_zero(token.low);
  if (token.bytes == 8) token.bytes += bytes_before_zero(token.high);
  if (token.bytes == kShortTokenBytes && raw[offset + kShortTokenBytes] != 0) ++token.bytes;
  return token;
}

// Where the documents of a block end, and what their checksums are multiplied by.
struct SummedDocuments {
  const std::uint32_t* ends;       // by document
  const std::uint64_t* powers;     // by document
  const std::uint32_t* positions;  // by token, or null
};

// Sums tokens that follow each other.
class TokenSummer {
 public:
  // The document of the first token is one of [first, last].
  SPILLWAY_HOST_DEVICE TokenSummer(const SummedDocuments& documents, std::uint32_t token, std::uint32_t first,
                                   std::uint32_t last)
      : documents_(documents), last_(last), document_(first + find(first, token)) {}

  // Numbers ascend; tokens between may be left out.
  SPILLWAY_HOST_DEVICE void add(std::uint32_t token, const Hash128Halves& hash) {
    if (documents_.ends[document_] <= token) {
      end_document();
      of_document_ = {};
      ++document_;  // tried before others are searched: documents without tokens may be between
      if (documents_.ends[document_] <= token) document_ += find(document_, token);
    }
    of_document_.low = field61::add(of_document_.low, hash.low);
    of_document_.high = field61::add(of_document_.high, hash.high);
    if (documents_.positions == nullptr) return;
    const std::uint64_t value = field61::multiply(hash.high, position_value(documents_.positions[token]));
    of_document_.positions = field61::add(of_document_.positions, value);
  }
  SPILLWAY_HOST_DEVICE TokenSums sums() {
    end_document();
    return sums_;
  }

 private:
  SPILLWAY_HOST_DEVICE std::uint32_t find(std::uint32_t first, std::uint32_t token) const {
    return first_not_below(documents_.ends + first, last_ - first + 1, token + 1);
  }
  SPILLWAY_HOST_DEVICE void end_document() {
    const std::uint64_t power = documents_.powers[document_];
    sums_.low = field61::add(sums_.low, field61::multiply(of_document_.low, power));
    sums_.high = field61::add(sums_.high, field61::multiply(of_document_.high, power));
    if (documents_.positions == nullptr) return;
    sums_.positions = field61::add(sums_.positions, field61::multiply(of_document_.positions, power));
  }

  SummedDocuments documents_;
  std::uint32_t last_, document_;
  TokenSums sums_, of_document_;
};

// The sums of the tokens that begin in a group of bytes. Finds the terms of tokens, too, unless token_slots is null:
// these are valid unless the table became full. An executor may take many groups at once.
struct SumTokens {
  RawTokens raw;
  const RawCounts* counts;  // exclusive; after the last group, the totals
  SummedDocuments documents;
  std::uint32_t document_count;
  DistinctTokens terms;
  std::uint32_t* token_slots;  // by token, or null

  SPILLWAY_HOST_DEVICE TokenSums operator()(std::size_t g) const {
    const RawGroup group = raw.group(g);
    if (group.starts == 0) return {};
    auto token = static_cast<std::uint32_t>(counts[g].tokens);
    TokenSummer summer(documents, token, 0, document_count - 1);
    const bool finds_terms = token_slots != nullptr && terms.has_room();
    for (std::uint64_t left = group.starts; left != 0; left &= left - 1, ++token) {
      const std::uint64_t at = g * kRawGroupBytes + lowest_bit(left);
      const ShortToken text = load_token(raw.bytes, at);
      Hash128Halves hash{};
      if (text.bytes <= kShortTokenBytes) {
        hash = hash_short_token(text);
        summer.add(token, hash);
      }
      if (finds_terms) token_slots[token] = terms.put(at, text, terms.hash_of(at, text, hash));
    }
    return summer.sums();
  }
};

// The totals that a pass fetches once its lists are encoded: how many bytes to download, and the sums of its tokens.
struct PassTotals {
  GroupSums lists;
  std::uint64_t rank_text_bytes = 0;
  TokenSums tokens;  // kTokens
};

// Gathers the totals, so that one fetch brings them all.
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
