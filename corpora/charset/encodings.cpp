#include "corpora/charset/encodings.hpp"

#include <algorithm>
#include <string>

namespace spillway {

namespace {

constexpr Encoding kEncodings[] = {
    {"utf-8", EncodingKind::kUtf8, nullptr, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
    {"ibm866", EncodingKind::kAsciiSuperset, "ibm-866", "866 cp866 csibm866 ibm866"},
    {"iso-8859-2", EncodingKind::kAsciiSuperset, "iso-8859-2",
     "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    {"iso-8859-3", EncodingKind::kAsciiSuperset, "iso-8859-3",
     "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    {"iso-8859-4", EncodingKind::kAsciiSuperset, "iso-8859-4",
     "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    {"iso-8859-5", EncodingKind::kAsciiSuperset, "iso-8859-5",
     "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
    {"iso-8859-6", EncodingKind::kAsciiSuperset, "iso-8859-6",
     "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
     "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
    {"iso-8859-7", EncodingKind::kAsciiSuperset, "iso-8859-7",
     "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
     "iso_8859-7:1987 sun_eu_greek"},
    {"iso-8859-8", EncodingKind::kAsciiSuperset, "iso-8859-8",
     "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
     "iso_8859-8:1988 visual"},
    {"iso-8859-8-i", EncodingKind::kAsciiSuperset, "ISO-8859-8", "csiso88598i iso-8859-8-i logical"},
    {"iso-8859-10", EncodingKind::kAsciiSuperset, "iso-8859-10",
     "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
    {"iso-8859-13", EncodingKind::kAsciiSuperset, "iso-8859-13", "iso-8859-13 iso8859-13 iso885913"},
    {"iso-8859-14", EncodingKind::kAsciiSuperset, "iso-8859-14", "iso-8859-14 iso8859-14 iso885914"},
    {"iso-8859-15", EncodingKind::kAsciiSuperset, "iso-8859-15",
     "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
    {"iso-8859-16", EncodingKind::kLatin10, nullptr, "iso-8859-16"},
    {"koi8-r", EncodingKind::kAsciiSuperset, "koi8-r", "cskoi8r koi koi8 koi8-r koi8_r"},
    {"koi8-u", EncodingKind::kAsciiSuperset, "KOI8-U", "koi8-ru koi8-u"},
    {"macintosh", EncodingKind::kAsciiSuperset, "macos-0_2-10.2", "csmacintosh mac macintosh x-mac-roman"},
    {"windows-874", EncodingKind::kAsciiSuperset, "windows-874-2000",
     "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
    {"windows-1250", EncodingKind::kAsciiSuperset, "ibm-5346_P100-1998", "cp1250 windows-1250 x-cp1250"},
    {"windows-1251", EncodingKind::kAsciiSuperset, "ibm-5347_P100-1998", "cp1251 windows-1251 x-cp1251"},
    {"windows-1252", EncodingKind::kAsciiSuperset, "ibm-5348_P100-1997",
     "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
     "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"},
    {"windows-1253", EncodingKind::kAsciiSuperset, "ibm-5349_P100-1998", "cp1253 windows-1253 x-cp1253"},
    {"windows-1254", EncodingKind::kAsciiSuperset, "ibm-5350_P100-1998",
     "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 "
     "x-cp1254"},
    {"windows-1255", EncodingKind::kAsciiSuperset, "ibm-9447_P100-2002", "cp1255 windows-1255 x-cp1255"},
    {"windows-1256", EncodingKind::kAsciiSuperset, "ibm-9448_X100-2005", "cp1256 windows-1256 x-cp1256"},
    {"windows-1257", EncodingKind::kAsciiSuperset, "ibm-9449_P100-2002", "cp1257 windows-1257 x-cp1257"},
    {"windows-1258", EncodingKind::kAsciiSuperset, "ibm-5354_P100-1998", "cp1258 windows-1258 x-cp1258"},
    {"x-mac-cyrillic", EncodingKind::kAsciiSuperset, "macos-7_3-10.2", "x-mac-cyrillic x-mac-ukrainian"},
    {"gbk", EncodingKind::kAsciiSuperset, "gb18030",
     "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
    {"gb18030", EncodingKind::kAsciiSuperset, "gb18030", "gb18030"},
    {"big5", EncodingKind::kAsciiSuperset, "ibm-1375_P100-2008", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
    {"euc-jp", EncodingKind::kAsciiSuperset, "euc-jp-2007", "cseucpkdfmtjapanese euc-jp x-euc-jp"},
    {"iso-2022-jp", EncodingKind::kEscapes, "ISO-2022-JP", "csiso2022jp iso-2022-jp"},
    {"shift_jis", EncodingKind::kAsciiSuperset, "ibm-943_P15A-2003",
     "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
    {"euc-kr", EncodingKind::kAsciiSuperset, "windows-949-2000",
     "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"},
    {"replacement", EncodingKind::kReplacement, nullptr,
     "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"},
    {"utf-16be", EncodingKind::kUtf16, "UTF-16BE", "unicodefffe utf-16be"},
    {"utf-16le", EncodingKind::kUtf16, "UTF-16LE",
     "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
    {"x-user-defined", EncodingKind::kUserDefined, nullptr, "x-user-defined"},
};

// Encodings that uchardet guesses and no page of the web may ask for by a label.
constexpr Encoding kGuessedOnly[] = {
    {"euc-tw", EncodingKind::kAsciiSuperset, "ibm-964_P110-1999", "euc-tw"},
    {"hz-gb-2312", EncodingKind::kEscapes, "HZ", "hz-gb-2312"},
    {"ibm852", EncodingKind::kAsciiSuperset, "ibm-852_P100-1995", "ibm852"},
    {"ibm855", EncodingKind::kAsciiSuperset, "ibm-855_P100-1995", "ibm855"},
    {"ibm862", EncodingKind::kAsciiSuperset, "ibm-862_P100-1995", "ibm862"},
    {"ibm865", EncodingKind::kAsciiSuperset, "ibm-865_P100-1995", "ibm865"},
    {"iso-2022-cn", EncodingKind::kEscapes, "ISO-2022-CN", "iso-2022-cn"},
    {"iso-2022-kr", EncodingKind::kEscapes, "ISO-2022-KR", "iso-2022-kr"},
    {"x-mac-ce", EncodingKind::kAsciiSuperset, "macos-29-10.2", "mac-centraleurope"},
};

constexpr std::string_view kSpaces = " \t\n\f\r";

std::string normalised(std::string_view label) {
  const std::size_t begin = label.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  std::string result(label.substr(begin, label.find_last_not_of(kSpaces) + 1 - begin));
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

bool has_label(std::string_view labels, std::string_view label) {
  while (!labels.empty()) {
    const std::size_t end = std::min(labels.find(' '), labels.size());
    if (labels.substr(0, end) == label) return true;
    labels.remove_prefix(std::min(end + 1, labels.size()));
  }
  return false;
}

const Encoding* find_in(std::span<const Encoding> encodings, std::string_view label) {
  const std::string wanted = normalised(label);
  if (wanted.empty()) return nullptr;
  for (const Encoding& encoding : encodings) {
    if (has_label(encoding.labels, wanted)) return &encoding;
  }
  return nullptr;
}

}  // namespace

std::span<const Encoding> all_encodings() { return kEncodings; }

const Encoding* find_encoding(std::string_view label) { return find_in(kEncodings, label); }

const Encoding* find_guessed_encoding(std::string_view name) {
  if (name == "UHC") return find_encoding("euc-kr");
  if (name == "MAC-CYRILLIC") return find_encoding("x-mac-cyrillic");
  const Encoding* const guessed_only = find_in(kGuessedOnly, name);
  return guessed_only != nullptr ? guessed_only : find_encoding(name);
}

const Encoding& utf8_encoding() { return kEncodings[0]; }

}  // namespace spillway
