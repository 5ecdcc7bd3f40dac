#include "corpora/charset/encodings.hpp"

#include <gtest/gtest.h>
#include <unicode/ucnv.h>

#include <set>
#include <string>

namespace spillway::testing {
namespace {

TEST(Encodings, HaveAllLabelsOfTheWhatwg) {
  std::set<std::string> labels;
  for (const Encoding& encoding : all_encodings()) {
    std::string_view rest = encoding.labels;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string label(rest.substr(0, end));
      EXPECT_TRUE(labels.insert(label).second) << label;
      EXPECT_EQ(find_encoding(label), &encoding) << label;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    EXPECT_EQ(find_encoding(encoding.name), encoding.name == "replacement" ? find_encoding("iso-2022-kr") : &encoding);
  }
  EXPECT_EQ(all_encodings().size(), 40u);
  EXPECT_EQ(labels.size(), 228u);
}

TEST(Encodings, AreFoundInAnyCaseAndWithSpaces) {
  EXPECT_EQ(find_encoding(" \t Latin1\r\n"), find_encoding("windows-1252"));
  EXPECT_EQ(find_encoding("SHIFT_JIS"), find_encoding("ms_kanji"));
  EXPECT_EQ(find_encoding("utf-16")->name, "utf-16le");
  EXPECT_EQ(find_encoding("gb2312")->name, "gbk");
  EXPECT_EQ(find_encoding("hz-gb-2312")->kind, EncodingKind::kReplacement);
  for (const std::string_view unknown : {"", " ", "utf-7", "utf-32", "latin1 latin2", "l1\xA0", "none", "cp437"}) {
    EXPECT_EQ(find_encoding(unknown), nullptr) << unknown;
  }
}

TEST(Encodings, OfGuessesIncludeThoseOutsideOfTheWeb) {
  EXPECT_EQ(find_guessed_encoding("UHC")->name, "euc-kr");
  EXPECT_EQ(find_guessed_encoding("TIS-620")->name, "windows-874");
  EXPECT_EQ(find_guessed_encoding("HZ-GB-2312")->kind, EncodingKind::kEscapes);
  EXPECT_EQ(find_guessed_encoding("IBM855")->name, "ibm855");
  EXPECT_EQ(find_guessed_encoding("GEORGIAN-PS"), nullptr);
  EXPECT_EQ(find_guessed_encoding(""), nullptr);
}

TEST(Encodings, HaveConvertersInIcu) {
  const auto opens = [](const char* converter) {
    UErrorCode error = U_ZERO_ERROR;
    UConverter* const opened = ucnv_open(converter, &error);
    ucnv_close(opened);
    return U_SUCCESS(error);
  };
  for (const Encoding& encoding : all_encodings()) {
    if (encoding.converter != nullptr) {
      EXPECT_TRUE(opens(encoding.converter)) << encoding.name;
    }
  }
  for (const std::string_view guessed : {"EUC-TW", "HZ-GB-2312", "IBM852", "IBM855", "IBM862", "IBM865", "ISO-2022-CN",
                                         "ISO-2022-KR", "MAC-CENTRALEUROPE"}) {
    EXPECT_TRUE(opens(find_guessed_encoding(guessed)->converter)) << guessed;
  }
}

}  // namespace
}  // namespace spillway::testing
