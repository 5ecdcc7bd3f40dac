// Texts of any encoding: what is read does not depend on where pieces are cut and is valid UTF-8; a declaration that is
// found names an encoding of the web.
#include "corpora/charset/prescan.hpp"
#include "tests/corpora/charset/decode.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

struct Read {
  std::string text;
  const Encoding* encoding = nullptr;
  CharsetSource source = CharsetSource::kNone;
  bool repaired = false;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view bytes, const CharsetHints& hints, std::size_t piece_bytes) {
  static CharsetTextReader reader;
  spillway::testing::WholeCharacters out;
  reader.start(hints, out);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
    reader.feed(bytes.substr(0, piece_bytes));
  }
  reader.finish();
  EXPECT_TRUE(out.are_whole);
  EXPECT_TRUE(is_valid_utf8(out.text));
  return {out.text, reader.charset().encoding, reader.charset().source, reader.repaired()};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::size_t choice = input.options % (all_encodings().size() + 2);
  CharsetHints hints;
  if (choice < all_encodings().size()) hints.label = all_encodings()[choice].name;
  if (choice == all_encodings().size()) hints.markup = CharsetMarkup::kPlainText;
  const Read whole = read(input.text, hints, size + 1);
  EXPECT_TRUE(read(input.text, hints, 1) == whole);
  EXPECT_TRUE(read(input.text, hints, 7) == whole);
  if (whole.source == CharsetSource::kDeclaration) {
    EXPECT_EQ(find_encoding(whole.encoding->name), whole.encoding);
  }
  charset_parameter(input.text);
  return 0;
}
