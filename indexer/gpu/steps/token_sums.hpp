// The content checksum of a block's tokens of up to kShortTokenBytes bytes, which parsers leave to the GPU: taken from
// the uploaded bytes before any other step reads them. And the totals that a pass fetches at its end.
#pragma once

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

// The sums of the tokens that begin in a group of bytes.
struct SumTokens {
  RawTokens raw;
  const RawCounts* counts;             // exclusive
  const std::uint32_t* document_ends;  // by document
  const std::uint64_t* powers;         // by document
  std::uint32_t documents;
  const std::uint32_t* positions;  // by token, or null

  SPILLWAY_HOST_DEVICE TokenSums operator()(std::size_t g) const {
    const RawGroup group = raw.group(g);
    TokenSums sums;
    if (group.starts == 0) return sums;
    auto token = static_cast<std::uint32_t>(counts[g].tokens);
    std::uint32_t document = first_not_below(document_ends, documents, token + 1);
    TokenSums of_document;
    for (std::uint64_t left = group.starts; left != 0; left &= left - 1, ++token) {
      if (document_ends[document] <= token) {
        add_document(of_document, document, sums);
        of_document = {};
        document = next_document(document + 1, token);
      }
      add_token(load_token(g * kRawGroupBytes + lowest_bit(left)), token, of_document);
    }
    add_document(of_document, document, sums);
    return sums;
  }

 private:
  // Tries the next document before it searches: documents without tokens may be between.
  SPILLWAY_HOST_DEVICE std::uint32_t next_document(std::uint32_t document, std::uint32_t token) const {
    if (document_ends[document] > token) return document;
    return document + first_not_below(document_ends + document, documents - document, token + 1);
  }

  SPILLWAY_HOST_DEVICE void add_document(const TokenSums& of, std::uint32_t document, TokenSums& sums) const {
    const std::uint64_t power = powers[document];
    sums.low = field61::add(sums.low, field61::multiply(of.low, power));
    sums.high = field61::add(sums.high, field61::multiply(of.high, power));
    if (positions != nullptr) sums.positions = field61::add(sums.positions, field61::multiply(of.positions, power));
  }

  SPILLWAY_HOST_DEVICE void add_token(const ShortToken& token, std::uint32_t number, TokenSums& of) const {
    if (token.bytes > kShortTokenBytes) return;
    const Hash128Halves hash = hash_short_token(token);
    of.low = field61::add(of.low, hash.low);
    of.high = field61::add(of.high, hash.high);
    if (positions == nullptr) return;
    const std::uint64_t value = field61::multiply(hash.high, position_value(positions[number]));
    of.positions = field61::add(of.positions, value);
  }

  // Sets `bytes` to the token's length, or to more than kShortTokenBytes for a longer token.
  SPILLWAY_HOST_DEVICE ShortToken load_token(std::uint64_t offset) const {
    ShortToken token{load_word(raw.bytes, offset), load_word(raw.bytes, offset + 8), 0};
    token.bytes = bytes_before_zero(token.low);
    if (token.bytes == 8) token.bytes += bytes_before_zero(token.high);
    if (token.bytes == kShortTokenBytes && raw.bytes[offset + kShortTokenBytes] != 0) ++token.bytes;
    return token;
  }
  SPILLWAY_HOST_DEVICE static unsigned bytes_before_zero(std::uint64_t word) {
    const std::uint64_t ends = ~high_bits_of_used(word) & 0x8080808080808080ULL;
    return ends == 0 ? 8 : lowest_bit(ends) / 8;
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
