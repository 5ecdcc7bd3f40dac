#include "sort/lines/block/padded_copy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillway {
namespace {

constexpr std::size_t kMost = 200;

// As if other lines stood after it.
std::string padded(const std::string& text, char with) { return text + std::string(kCopyPadding, with); }

TEST(PaddedCopy, CopiesStringsOfAnyLength) {
  for (std::size_t bytes = 0; bytes <= kMost; ++bytes) {
    std::string text;
    for (std::size_t i = 0; i != bytes; ++i) text += static_cast<char>(i * 7);
    const std::string from = padded(text, '-');
    std::vector<std::uint8_t> to(bytes + kCopyPadding, 0);
    const std::uint8_t* const end = copy_padded(reinterpret_cast<const std::uint8_t*>(from.data()), bytes, to.data());
    EXPECT_EQ(end, to.data() + bytes);
    EXPECT_EQ(std::string(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(bytes)), text);
  }
}

TEST(PaddedCopy, FindsCommonPrefixesThatEndAtAnyPlace) {
  for (std::size_t shared = 0; shared <= kMost; ++shared) {
    for (const std::size_t more : {0, 1, 15, 40}) {
      const std::string text(shared, 'x');
      const std::string a = text + std::string(more, 'a'), b = text + std::string(more, 'b');
      const std::string padded_a = padded(a, '-'), padded_b = padded(b, '-'), padded_text = padded(text, 'a');
      const std::string_view view_a(padded_a.data(), a.size()), view_b(padded_b.data(), b.size());
      const std::string_view view_text(padded_text.data(), text.size());
      EXPECT_EQ(shared_padded_bytes(view_a, view_b), shared) << more;
      EXPECT_EQ(shared_padded_bytes(view_a, view_text), shared) << "what stands after a string does not count";
      EXPECT_EQ(shared_padded_bytes(view_text, view_b), shared) << more;
    }
  }
  EXPECT_EQ(shared_padded_bytes({}, "x"), 0u);
}

}  // namespace
}  // namespace spillway
