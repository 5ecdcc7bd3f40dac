// A text in every encoding of the web that ICU or a table decodes, as bytes that Python's codecs made, and in UTF-8.
#pragma once

#include <string_view>

namespace spillway::testing {

struct EncodingSample {
  std::string_view encoding, bytes, text;
};

using namespace std::string_view_literals;

inline constexpr EncodingSample kEncodingSamples[] = {
    {"ibm866", "\x8F\xE0\xA8\xA2\xA5\xE2, \xAC\xA8\xE0 \xB0\xB1\xF0"sv, "Привет, мир ░▒Ё"},
    {"iso-8859-2", "P\xF8\xEDli\xB9 \xBElu\xBBou\xE8k\xFD k\xF9\xF2"sv, "Příliš žluťoučký kůň"},
    {"iso-8859-3",
     "\xD8is la revido, \xFE"
     "an\xF8o"sv,
     "Ĝis la revido, ŝanĝo"},
    {"iso-8859-4", "\xABird\xBAt \xF3\xEFmija \xB3"sv, "Ģirdēt ķīmija ŗ"},
    {"iso-8859-5", "\xBF\xE0\xD8\xD2\xD5\xE2, \xDC\xD8\xE0 \xA1\xF0"sv, "Привет, мир Ё№"},
    {"iso-8859-6", "\xE5\xD1\xCD\xC8\xC7 \xC8\xC7\xE4\xD9\xC7\xE4\xE5"sv, "مرحبا بالعالم"},
    {"iso-8859-7", "\xC3\xE5\xE9\xDC \xF3\xEF\xF5 \xCA\xFC\xF3\xEC\xE5"sv, "Γειά σου Κόσμε"},
    {"iso-8859-8", "\xF9\xEC\xE5\xED \xF2\xE5\xEC\xED"sv, "שלום עולם"},
    {"iso-8859-8-i", "\xF9\xEC\xE5\xED \xF2\xE5\xEC\xED"sv, "שלום עולם"},
    {"iso-8859-10",
     "\xDE"
     "etta er \xEDslenska \xBF"sv,
     "Þetta er íslenska ŋ"},
    {"iso-8859-13",
     "\xC0\xFEuolas \xEBjo \xF0"
     "alin \xB4x\xA1"sv,
     "Ąžuolas ėjo šalin “x”"},
    {"iso-8859-14", "\xD0yth \xB8 \xBC \xA1"sv, "Ŵyth ẁ ỳ Ḃ"},
    {"iso-8859-15", "\xBCuvre \xE0 5 \xA4"sv, "Œuvre à 5 €"},
    {"iso-8859-16",
     "\xDE"
     "ar\xE3 \xBAi \xA5\xA4\xB5 \xAA"sv,
     "Țară și „€” Ș"},
    {"koi8-r", "\xF0\xD2\xC9\xD7\xC5\xD4, \xCD\xC9\xD2 \xB3"sv, "Привет, мир Ё"},
    {"koi8-u", "\xF0\xD2\xC9\xD7\xA6\xD4, \xD3\xD7\xA6\xD4\xC5 \xAD\xA4\xA7"sv, "Привіт, світе ґєї"},
    {"macintosh", "\x81ngstr\x9Am \xAD \xDEn \xDB"sv, "Ångström ≠ ﬁn €"},
    {"windows-874", "\xCA\xC7\xD1\xCA\xB4\xD5\xAA\xD2\xC7\xE2\xC5\xA1 \x80"sv, "สวัสดีชาวโลก €"},
    {"windows-1250", "P\xF8\xEDli\x9A \x9Elu\x9Dou\xE8k\xFD \x84k\xF9\xF2\x93"sv, "Příliš žluťoučký „kůň“"},
    {"windows-1251", "\xCF\xF0\xE8\xE2\xE5\xF2, \xAB\xEC\xE8\xF0\xBB \x80"sv, "Привет, «мир» Ђ"},
    {"windows-1252", "Caf\xE9 \x93na\xEFve\x94 \x80 \x99"sv, "Café “naïve” € ™"},
    {"windows-1253", "\xC3\xE5\xE9\xDC \xF3\xEF\xF5 \xCA\xFC\xF3\xEC\xE5 \x80"sv, "Γειά σου Κόσμε €"},
    {"windows-1254", "\xDDstanbul \xF0\xFC\xFE\xF6\xE7"sv, "İstanbul ğüşöç"},
    {"windows-1255", "\xF9\xEC\xE5\xED \xF2\xE5\xEC\xED \xA4"sv, "שלום עולם ₪"},
    {"windows-1256", "\xE3\xD1\xCD\xC8\xC7 \x81\x8D\x8E \x90"sv, "مرحبا پچژ گ"},
    {"windows-1257",
     "\xC0\xFEuolas \xEBjo \x84\xF0"
     "alin\x93"sv,
     "Ąžuolas ėjo „šalin“"},
    {"windows-1258", "Ti\xEA\xECng Vi\xEA\xF2t \xFE"sv, "Tiếng Việt ₫"},
    {"x-mac-cyrillic", "\x8F\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0 \xDC"sv, "Привет, мир №"},
    {"gbk",
     "\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7 \x80"
     "abc"sv,
     "你好，世界 €abc"},
    {"gb18030",
     "\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7 \x95"
     "2\x82"
     "6 \xA8\xBC"sv,
     "你好，世界 𠀀 ḿ"},
    {"big5",
     "\xA7"
     "A\xA6n\xA1"
     "A\xA5@\xAC\xC9 abc"sv,
     "你好，世界 abc"},
    {"euc-jp", "\xA4\xB3\xA4\xF3\xA4\xCB\xA4\xC1\xA4\xCF\xC0\xA4\xB3\xA6 \x8E\xB6\x8E\xC5 abc"sv,
     "こんにちは世界 ｶﾅ abc"},
    {"iso-2022-jp", "\x1B$B$3$s$K$A$O@$3&\x1B(B abc"sv, "こんにちは世界 abc"},
    {"shift_jis",
     "\x82\xB1\x82\xF1\x82\xC9\x82\xBF\x82\xCD\x90\xA2\x8A"
     "E \xB6\xC5 abc"sv,
     "こんにちは世界 ｶﾅ abc"},
    {"euc-kr", "\xBE\xC8\xB3\xE7\xC7\xCF\xBC\xBC\xBF\xE4 \xBC\xBC\xB0\xE8 \x94\xEE abc"sv, "안녕하세요 세계 뷁 abc"},
    {"utf-16be",
     "\x00G\x00r\x00\xFC\x00\xDF\x00"
     "e\x00 N\x16uL\x00 \xD8=\xDE\x00"sv,
     "Grüße 世界 😀"},
    {"utf-16le",
     "G\x00r\x00\xFC\x00\xDF\x00"
     "e\x00 \x00\x16NLu \x00=\xD8\x00\xDE"sv,
     "Grüße 世界 😀"},
    {"x-user-defined", "a\x80\xFF"sv, "a\uF780\uF7FF"},
};

}  // namespace spillway::testing
