#include "io/checksum/document_powers.hpp"

namespace spillway {

std::uint64_t field61::power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

const DocumentPowers& document_powers() {
  static const DocumentPowers kPowers = [] {
    DocumentPowers powers;
    constexpr std::size_t kLast = DocumentPowers::kCount - 1;
    powers.low[0] = powers.high[0] = 1;
    for (std::size_t i = 1; i <= kLast; ++i) powers.low[i] = field61::multiply(powers.low[i - 1], kDocumentBase);
    const std::uint64_t step = field61::multiply(powers.low[kLast], kDocumentBase);
    for (std::size_t i = 1; i <= kLast; ++i) powers.high[i] = field61::multiply(powers.high[i - 1], step);
    return powers;
  }();
  return kPowers;
}

std::uint64_t high_document_power(std::uint64_t high) {
  if (high < DocumentPowers::kCount) return document_powers().high[high];
  return field61::multiply(document_powers().high[high % DocumentPowers::kCount],
                           field61::power(kDocumentBase, (high / DocumentPowers::kCount) << 24));
}

std::uint64_t document_power(std::uint64_t document) {
  return field61::multiply(high_document_power(document >> DocumentPowers::kLowBits),
                           document_powers().low[document % DocumentPowers::kCount]);
}

}  // namespace spillway
