// Manifests whose size and hash are made to match, and content options: what is read is written again with the same
// meaning.
#include "io/index/manifest.hpp"

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

std::string sealed(std::string bytes) {
  constexpr std::size_t kSizeAt = 20;
  if (bytes.size() < kSizeAt + 4) return bytes;
  store_le(bytes.data() + kSizeAt, static_cast<std::uint32_t>(bytes.size() + sizeof(Hash128)));
  const Hash128 hash = hash128(bytes_of(bytes));
  bytes.append(hash.begin(), hash.end());
  return bytes;
}

void check_manifest(const std::string& bytes) {
  const std::string again = Manifest::parse(bytes, "manifest").serialize();
  EXPECT_EQ(again.size(), bytes.size());
  EXPECT_EQ(Manifest::parse(again, "manifest").serialize(), again);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  try {
    switch (input.options % 4) {
      case 0:
        EXPECT_EQ(ContentOptions::parse(input.text, "options").serialize(), input.text);
        break;
      case 1:
        check_manifest(std::string(input.text));
        break;
      default:
        check_manifest(sealed(std::string(input.text)));
    }
  } catch (const FormatError&) {
  }
  return 0;
}
