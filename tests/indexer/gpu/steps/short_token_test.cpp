#include "indexer/gpu/steps/short_token.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string_view>

namespace spillway {
namespace {

void expect_hash_of_term(const ShortToken& token) {
  char bytes[kShortTokenBytes];
  std::memcpy(bytes, &token.low, 8);
  std::memcpy(bytes + 8, &token.high, 8);
  const TermHash expected = hash_term({bytes, token.bytes});
  const Hash128Halves hash = hash_short_token(token);
  ASSERT_EQ(hash.low, expected[0]) << token.bytes << " bytes";
  ASSERT_EQ(hash.high, expected[1]) << token.bytes << " bytes";
}

// The hash does not depend on the bytes after the token.
TEST(ShortToken, HasTheHashOfItsTermAtEveryLength) {
  std::mt19937_64 random(1);
  for (unsigned bytes = 1; bytes <= kShortTokenBytes; ++bytes) {
    for (int i = 0; i < 5000; ++i) expect_hash_of_term({random(), random(), bytes});
    expect_hash_of_term({0, 0, bytes});
    expect_hash_of_term({~std::uint64_t{0}, ~std::uint64_t{0}, bytes});
  }
}

}  // namespace
}  // namespace spillway
