// `spillway sort --collate`: texts in the order of a language.
#include <algorithm>
#include <filesystem>
#include <random>

#include "sort/lines/keys/collation.hpp"
#include "tests/support/places.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::first_lines;
using testing::kMeasuresMemory;
using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;

class SortCollate : public testing::SortCommandTest {
 protected:
  static std::string key_of(const Collation& collation, const std::string& text) {
    std::string key;
    collation.append(text, key);
    return key;
  }
  static Words random_lines(std::size_t count) {
    const Words words{"a", "A", "ä", "b", "é", "e", "E", "ss", "ß", "-", "z", "\xFF", "日", "1", "10"};
    std::mt19937 random(1);
    Words lines;
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = std::to_string(random() % 20) + " ";
      for (std::size_t n = random() % 5; n != 0; --n) line += words[random() % words.size()];
      lines.push_back(line);
    }
    return lines;
  }
  static std::string joined(const Words& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
};

TEST_F(SortCollate, ComparesLinesAsALocaleDoes) {
  const std::string in = file("in", "zebra\nÄpfel\napfel\nApfel\n");
  EXPECT_EQ(sort({"--collate=de_DE.UTF-8", in}).out, "apfel\nApfel\nÄpfel\nzebra\n");
  EXPECT_EQ(sort({"--collate=sv", in}).out, "apfel\nApfel\nzebra\nÄpfel\n");
  EXPECT_EQ(sort({"--collate=de", "-r", in}).out, "zebra\nÄpfel\nApfel\napfel\n");
  EXPECT_EQ(sort({"--collate=C", in}).out, "Apfel\napfel\nzebra\nÄpfel\n");
  EXPECT_EQ(sort({"--collate=de", "-c"}, "apfel\nÄpfel\nzebra\n").exit_code, 0);
  EXPECT_EQ(sort({"--collate=de", "-C"}, "zebra\nÄpfel\n").exit_code, 1);
}

TEST_F(SortCollate, LeavesNumbersAndFieldsTheirMeaning) {
  const std::string in = file("in", "ä 10\nz 9\nb 10\na 9\n");
  EXPECT_EQ(sort({"--collate=de", "-k2,2n", in}).out, "a 9\nz 9\nä 10\nb 10\n");
  EXPECT_EQ(sort({"--collate=de", "-k2,2nr", in}).out, "ä 10\nb 10\na 9\nz 9\n");
  EXPECT_EQ(sort({"--collate=de", "-s", "-k2,2n", in}).out, "z 9\na 9\nä 10\nb 10\n");
  EXPECT_EQ(sort({"--collate=de", "-u", "-k2,2n", in}).out, "z 9\nä 10\n");
  EXPECT_EQ(sort({"--collate=de", "-k1,1", "-r", in}).out, "z 9\nb 10\nä 10\na 9\n");
  EXPECT_EQ(sort({"--collate=de", "-f"}, "b\nB\na\n").out, "a\nb\nB\n");
  EXPECT_EQ(sort({"--collate=de", "-d"}, "-b\na\n").out, "a\n-b\n");
}

// U+0301 after e, and e with an acute accent, are equal in every language.
TEST_F(SortCollate, BreaksTiesByBytes) {
  const std::string composed = "\xC3\xA9\n", combining = "e\xCC\x81\n";
  EXPECT_EQ(sort({"--collate=fr"}, composed + combining).out, combining + composed);
  EXPECT_EQ(sort({"--collate=fr"}, combining + composed).out, combining + composed);
  EXPECT_EQ(sort({"--collate=fr", "-u"}, composed + combining).out, composed);
  EXPECT_EQ(sort({"--collate=fr", "-s"}, composed + combining).out, composed + combining);
}

TEST_F(SortCollate, OrdersTheSameInMemoryAndOutOfCore) {
  Words lines = random_lines(20'000);
  const std::string in = file("in", joined(lines));
  const Collation collation("de");
  std::ranges::sort(lines, {}, [&](const std::string& line) { return key_of(collation, line) + line; });
  const std::string expected = joined(lines);
  for (const Words& more : {Words{"--parallel=1"}, {"--block-bytes=16K", "--batch-size=3"}, {"--block-bytes=300K"}}) {
    Words words{"--collate=de", in};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_TRUE(sort(words).out == expected) << more.front();
    words.emplace_back("--head=100");
    EXPECT_TRUE(sort(words).out == first_lines(expected, 100)) << more.front();
  }
  const std::string sorted = file("sorted", expected);
  EXPECT_EQ(sort({"--collate=de", "-m", sorted, "-"}, "").out, expected);
}

TEST_F(SortCollate, ShowsWhatIsCompared) {
  EXPECT_EQ(sort({"--collate=de", "--debug"}, "b\na\n").out, "a\n_\nb\n_\n");
  const ProgramResult keyed = sort({"--collate=de", "--debug", "-k2b,2"}, "b 1\n");
  EXPECT_EQ(keyed.out, "b 1\n  _\n___\n");
  EXPECT_EQ(keyed.err, "spillway: sort: text ordering performed using 'de' sorting rules\n");
}

TEST_F(SortCollate, RefusesUnknownLocales) {
  const ProgramResult result = sort({"--collate=xq_YY"}, "a\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("ICU knows no language of the locale 'xq_YY'; name a locale like en_US"), std::string::npos)
      << result.err;
}

TEST_F(SortCollate, RefusesWhatItCannotHonour) {
  const auto expect_refused = [&](const std::string& locale, const std::string& message) {
    const ProgramResult result = sort({"--collate=" + locale}, "a\n");
    EXPECT_EQ(result.exit_code, 2) << locale;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  expect_refused("de@collation=nope", "ICU has no collation 'nope' for the locale 'de@collation=nope'; it has ");
  expect_refused("de@collation=traditional", "phonebook");
  expect_refused("de-u-co-nope", "no collation 'nope'");
  expect_refused("en_US@foo=bar", "ICU's collation knows no 'foo' of the locale 'en_US@foo=bar'; it knows collation, ");
  expect_refused("en@kf=upper", "knows no 'kf'");
  expect_refused("en@colstrength=nope", "does not know a value after the @ of the locale 'en@colstrength=nope'");
  expect_refused("de_DE.ISO-8859-1", "the locale 'de_DE.ISO-8859-1' has another encoding");
  expect_refused("de_DE.ISO-8859-15@euro", "has another encoding");
  expect_refused("zh_TW.Big5", "has another encoding");
  for (const std::string locale :
       {"de@collation=phonebook", "de-u-co-phonebk", "es@collation=traditional", "es@collation=trad", "de_DE.utf8",
        "de@collation=standard", "zh@collation=stroke", "en-u-kn", "en-u-kf-upper",
        "en_US@colalternate=shifted;colstrength=quaternary", "en@colReorder=Grek", "en_US.UTF-8", "root"}) {
    EXPECT_EQ(sort({"--collate=" + locale}, "b\na\n").out, "a\nb\n") << locale;
  }
}

TEST_F(SortCollate, TellsOfACollationThatIsNotUsed) {
  const auto message = [&](const std::string& variable, Words words) {
    words.insert(words.begin(), {"sort", file("in", "b\na\n")});
    const ProgramResult result = run_spillway(words, {.environment = {"LC_ALL=", "LC_COLLATE=", variable}});
    EXPECT_EQ(result.out, "a\nb\n");
    return result.err;
  };
  const std::string note = message("LC_ALL=de_DE.UTF-8", {});
  EXPECT_EQ(note,
            "spillway: sort: note: lines are compared by their bytes, and not as LC_ALL=de_DE.UTF-8 has it; --collate "
            "de_DE.UTF-8 does that, and --collate C ends this note\n");
  EXPECT_NE(message("LC_COLLATE=sv", {"-s"}).find("LC_COLLATE=sv"), std::string::npos);
  EXPECT_NE(message("LC_ALL=de_DE.ISO-8859-1", {}).find("has it; --collate takes UTF-8 alone, and"), std::string::npos);
  for (const std::string variable : {"LC_ALL=C", "LC_ALL=C.UTF-8", "LC_COLLATE=POSIX", "LANG=de_DE.UTF-8"}) {
    EXPECT_EQ(message(variable, {}), "") << variable;
  }
  EXPECT_EQ(message("LC_ALL=de_DE", {"--collate=de_DE"}), "");
  EXPECT_EQ(message("LC_ALL=de_DE", {"--collate=C"}), "");
  std::filesystem::create_symlink(testing::program_path(), scratch_ / "sort");
  EXPECT_EQ(run_program({scratch_ / "sort", scratch_ / "in"}, {.environment = {"LC_ALL=de_DE"}}).err, "");
}

TEST_F(SortCollate, KeepsItsMemory) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string text = joined(random_lines(200'000));
  const std::string in = file("in", text + text + text + text + text);
  for (const std::string locale : {"en_US", "zh"}) {
    const ProgramResult result =
        run_spillway({"sort", "--memory=32M", "--collate", locale, "-T", scratch_.path(), in, "-o", scratch_ / "out"},
                     {.measure_memory = true});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(std::filesystem::file_size(scratch_ / "out"), 5 * text.size());
    EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105) << locale;
  }
}

}  // namespace
}  // namespace spillway
