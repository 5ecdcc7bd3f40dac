#include "corpora/charset/text_reader.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>
#include <zstd.h>

#include "tests/corpora/charset/decode.hpp"
#include "tests/corpora/charset/encoding_samples.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/index_files.hpp"

namespace spillway::testing {
namespace {

struct Read {
  std::string encoding, source, text;
  bool operator==(const Read&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Read& read) {
  return out << read.encoding << " by " << read.source << ": " << read.text.substr(0, 200);
}

Read read(std::string_view bytes, const CharsetHints& hints = {}, std::size_t piece_bytes = std::size_t{1} << 20) {
  CharsetTextReader reader;
  WholeCharacters out;
  reader.start(hints, out);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
    reader.feed(bytes.substr(0, piece_bytes));
  }
  reader.finish();
  EXPECT_TRUE(out.are_whole);
  return {std::string(reader.charset().encoding->name), std::string(charset_source_name(reader.charset().source)),
          out.text};
}

TEST(CharsetTextReader, FollowsTheMarkThenTheHeaderThenTheDeclaration) {
  const std::string koi = "<meta charset=koi8-r>\xC1";
  EXPECT_EQ(read("\xEF\xBB\xBF" + koi, {.label = "big5"}),
            (Read{"utf-8", "mark", "<meta charset=koi8-r>\xEF\xBF\xBD"}));
  EXPECT_EQ(read("\xFF\xFE"
                 "a\0"sv),
            (Read{"utf-16le", "mark", "a"}));
  EXPECT_EQ(read("\xFE\xFF\0a"sv), (Read{"utf-16be", "mark", "a"}));
  EXPECT_EQ(read(koi, {.label = "windows-1251"}), (Read{"windows-1251", "header", "<meta charset=koi8-r>Б"}));
  EXPECT_EQ(read(koi, {.label = "nonsense"}), (Read{"koi8-r", "declaration", "<meta charset=koi8-r>а"}));
  EXPECT_EQ(read("<meta charset=koi8-r>ж", {.markup = CharsetMarkup::kPlainText}),
            (Read{"utf-8", "valid-utf-8", "<meta charset=koi8-r>ж"}));
}

TEST(CharsetTextReader, TakesValidUtf8ForUtf8) {
  EXPECT_EQ(read("plain"), (Read{"utf-8", "valid-utf-8", "plain"}));
  EXPECT_EQ(read("caf\xC3\xA9"), (Read{"utf-8", "valid-utf-8", "café"}));
  EXPECT_EQ(read(""), (Read{"utf-8", "valid-utf-8", ""}));
  std::string late(kDetectBytes - 1, 'a');
  late += "\xC3\xA9\xE9";
  EXPECT_EQ(read(late), (Read{"utf-8", "valid-utf-8", late.substr(0, late.size() - 1) + "\xEF\xBF\xBD"}))
      << "a character across the end of the bytes that decide";
}

TEST(CharsetTextReader, ReadsTheUndecidableAsUtf8) {
  const std::string unassigned = "\x81\x8D\x8F\x90\x9D\x81\x8D\x8F\x90\x9D";
  EXPECT_EQ(read(unassigned), (Read{"utf-8", "none", repair_utf8(unassigned)}));
}

// Package descriptions of Debian as JSON, converted to `converter` by ICU; characters that it lacks are left out.
struct LegacyText {
  std::string bytes, text;
};
LegacyText legacy_text(const std::string& path, const char* converter) {
  const std::string packed = read_bytes(path);
  std::string lines(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  lines.resize(ZSTD_decompress(lines.data(), lines.size(), packed.data(), packed.size()));
  simdjson::dom::parser parser;
  std::string text;
  for (std::size_t begin = 0; begin < lines.size() && text.size() < 150000;) {
    const std::size_t end = lines.find('\n', begin);
    const simdjson::dom::element fields = parser.parse(simdjson::padded_string(lines.substr(begin, end - begin)));
    text += fields["text"].get_string().value();
    begin = end + 1;
  }
  UErrorCode error = U_ZERO_ERROR;
  UConverter* const to = ucnv_open(converter, &error);
  ucnv_setFromUCallBack(to, UCNV_FROM_U_CALLBACK_SKIP, nullptr, nullptr, nullptr, &error);
  ucnv_setFallback(to, false);
  const icu::UnicodeString units = icu::UnicodeString::fromUTF8(text);
  std::string bytes(static_cast<std::size_t>(4 * units.length()), '\0');
  bytes.resize(
      static_cast<std::size_t>(units.extract(bytes.data(), static_cast<std::int32_t>(bytes.size()), to, error)));
  icu::UnicodeString(bytes.data(), static_cast<std::int32_t>(bytes.size()), to, error).toUTF8String(text.erase());
  ucnv_close(to);
  EXPECT_TRUE(U_SUCCESS(error)) << converter << ": " << u_errorName(error);
  return {bytes, text};
}

TEST(CharsetTextReader, GuessesTheEncodingOfRealTexts) {
  const std::string directory = SPILLWAY_CORPORA_OR_SKIP();
  const struct {
    const char *language, *encoding;
  } kTexts[] = {{"ja", "shift_jis"},  {"ja", "euc-jp"},       {"ja", "iso-2022-jp"}, {"ko", "euc-kr"},
                {"zh_CN", "gb18030"}, {"ru", "windows-1251"}, {"ru", "koi8-r"},      {"ru", "iso-8859-5"}};
  for (const auto& [language, encoding] : kTexts) {
    const std::string path = directory + "/text/pkgdesc_" + language + ".jsonl.zst";
    const LegacyText legacy = legacy_text(path, find_encoding(encoding)->converter);
    ASSERT_GT(legacy.text.size(), 100000u);
    EXPECT_EQ(read(legacy.bytes, {}, 10000), (Read{encoding, "guess", legacy.text})) << language;
    EXPECT_EQ(read(legacy.bytes, {.label = encoding}, 777), (Read{encoding, "header", legacy.text})) << language;
  }
}

}  // namespace
}  // namespace spillway::testing
