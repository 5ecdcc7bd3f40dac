#include "io/occurrence_sum.hpp"

#include <memory>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

// Fixed keys: part of the format. r is a primitive-looking 60-bit constant (digits of pi), the seed those of e.
constexpr std::uint64_t kBase = 0x0243F6A8885A308DULL;
constexpr std::uint64_t kTermSeed = 0xB7E151628AED2A6BULL;
constexpr std::size_t kLowCount = std::size_t{1} << DocumentWeight::kLowBits;

struct PowerTables {
  std::array<std::uint64_t, kLowCount> low{};   // r^i
  std::array<std::uint64_t, kLowCount> high{};  // r^(i * 4096)
  PowerTables() {
    low[0] = high[0] = 1;
    for (std::size_t i = 1; i < kLowCount; ++i) low[i] = field61::multiply(low[i - 1], kBase);
    const std::uint64_t step = field61::multiply(low[kLowCount - 1], kBase);
    for (std::size_t i = 1; i < kLowCount; ++i) high[i] = field61::multiply(high[i - 1], step);
  }
};

const PowerTables& tables() {
  static const PowerTables instance;
  return instance;
}

// r^(high * 4096)
std::uint64_t high_power(std::uint64_t high) {
  if (high < kLowCount) return tables().high[high];
  return field61::multiply(tables().high[high % kLowCount], field61::power(kBase, (high / kLowCount) << 24));
}

}  // namespace

std::uint64_t field61::power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

TermHash hash_term(std::string_view term) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(term.data(), term.size(), kTermSeed);
  return {field61::reduce(hash.low64), field61::reduce(hash.high64)};
}

std::uint64_t document_power(std::uint64_t document) {
  return field61::multiply(high_power(document >> DocumentWeight::kLowBits), tables().low[document % kLowCount]);
}

// A share of 2^12 documents is below 2^61 * 2^32 * 2^12.
void DocumentWeight::add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  for (std::size_t i = 0; i < documents.size();) {
    const std::uint64_t high = documents[i] >> kLowBits;
    if (high != high_) move_to(high);
    unsigned __int128 share = 0;
    do {
      const std::uint64_t low = low_powers_[documents[i] & (kLowCount - 1)];
      share += static_cast<unsigned __int128>(low) * frequencies[i];
    } while (++i < documents.size() && documents[i] >> kLowBits == high);
    sum_ += field61::multiply(high_power_, field61::reduce(share));
    if (++pending_ >= kMaxPending) fold();
  }
}

void DocumentWeight::move_to(std::uint64_t high) {
  high_ = high;
  high_power_ = high_power(high);
}

const std::uint64_t* DocumentWeight::low_table() { return tables().low.data(); }

}  // namespace spillway
