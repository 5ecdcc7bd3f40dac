#include "io/checksum/document_powers.hpp"

namespace spillway {

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

}  // namespace spillway
