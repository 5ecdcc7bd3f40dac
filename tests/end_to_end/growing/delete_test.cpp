// `spillway delete` against `merge --drop`: the same bytes, for documents named by id or URL, on the command line, in
// lists and on standard input.
#include <gtest/gtest.h>

#include "tests/end_to_end/growing/growing.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::Documents;
using testing::jsonl_of;
using testing::ProgramResult;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

class Delete : public testing::Growing {
 protected:
  // Documents with a URL each; one in five shares that of the one before it.
  Documents pages(std::size_t count) {
    Documents all = documents(21, count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i].url = "https://example.org/" + std::to_string(i % 5 == 4 ? i - 1 : i);
    }
    return all;
  }
  // The bytes of `merge --drop` with the ids of these documents.
  std::map<std::string, std::string> without(const std::string& index, const Documents& dropped) {
    std::string ids;
    for (const auto& document : dropped) ids += document.id + "\n";
    write_bytes(scratch_ / "dropped", ids);
    expect_done({"merge", index, "--drop", scratch_ / "dropped", "-o", scratch_ / "without", "--force", "-q"});
    return bytes_of(scratch_ / "without");
  }
};

TEST_F(Delete, GivesTheBytesOfAMergeThatDrops) {
  ContentOptions kind;
  kind.positions = true;
  kind.store = StorePolicy::kText;
  const Documents all = pages(60);
  const std::string whole = index("whole", jsonl_of(all), kind);
  const auto one = without(whole, {all[7]}), several = without(whole, {all[0], all[3], all[4], all[59]});
  using Words = std::vector<std::string>;
  const auto expect_left = [&](const Words& names, const std::map<std::string, std::string>& expected,
                               const std::string& input = "") {
    const std::string left = copy(whole, "left");
    Words words{"delete", left, "--memory", testing::kSmallMemory};
    words.insert(words.end(), names.begin(), names.end());
    expect_done(words, {.input = input});
    EXPECT_TRUE(same_index(expected, left)) << ::testing::PrintToString(names);
    EXPECT_FALSE(fs::exists(left + ".work"));
  };
  expect_left({"--id", all[7].id}, one);
  expect_left({"--url", all[7].url}, one);
  expect_left({"--id", all[7].id, "--url", all[7].url, "--id", all[7].id}, one);
  write_bytes(scratch_ / "list", all[0].id + "\r\n\n" + all[59].id);
  expect_left({"--id", "@" + (scratch_ / "list"), "--url", "-"}, several, all[3].url + "\n");
  expect_left({"--id", "-", "--url", all[4].url}, several, all[0].id + "\n" + all[59].id + "\n");
  write_bytes(scratch_ / "more", all[3].id + "\n" + all[4].id + "\n");
  expect_left({"--id", "@" + (scratch_ / "list"), "--id", "@" + (scratch_ / "more")}, several);
}

TEST_F(Delete, RefusesNamesOfNoDocument) {
  const Documents all = pages(10);
  const std::string whole = index("whole", jsonl_of(all), {});
  expect_refused({"delete", whole, "--id", "nobody", "--id", all[1].id, "--json", scratch_ / "report.json"}, 3,
                 {"1 of 2 names", "nobody", "--missing-ok", "unchanged"});
  EXPECT_EQ(report().at("command"), "delete");
  EXPECT_EQ(report().at("unknown_ids"), 1);
  std::string many;
  for (int i = 0; i < 9; ++i) many += "https://nowhere.example/" + std::to_string(i) + "\n";
  expect_refused({"delete", whole, "--url", "-"}, 3, {"9 of 9 names", "https://nowhere.example/0", "and 4 more"},
                 {.input = many});
  // An id is no URL.
  expect_refused({"delete", whole, "--url", all[1].id}, 3, {all[1].id});
  const ProgramResult done = expect_done({"delete", whole, "--id", "nobody", "--id", all[1].id, "--missing-ok",
                                          "--json", scratch_ / "report.json", "--force"});
  EXPECT_NE(done.err.find("deleted 1 document from"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("missing 1 of 2 names"), std::string::npos) << done.err;
  EXPECT_EQ(report().at("dropped_documents"), 1);
  EXPECT_EQ(report().at("documents"), 9);
  Documents left = all;
  left.erase(left.begin() + 1);
  testing::expect_equals_oracle(whole, left, {});
}

TEST_F(Delete, SaysWhatIsWrongWithItsWords) {
  const std::string whole = index("whole", jsonl_of(pages(10)), {});
  expect_refused({"delete", whole}, 2, {"--id or --url"});
  expect_refused({"delete", whole, "--id", ""}, 2, {"expected a name"});
  expect_refused({"delete", whole, "--id", "@" + (scratch_ / "no-list")}, 2, {"no-list", "there is no such file"});
  expect_refused({"delete", whole, "--id", "-", "--url", "-"}, 2, {"given twice"});
  expect_refused({"delete", whole, "--id", "a", "--memory", "1M"}, 4, {"64M"});
  ContentOptions kind;
  kind.store = StorePolicy::kNone;
  const std::string bare = index("bare", jsonl_of(pages(10)), kind);
  expect_refused({"delete", bare, "--url", "https://example.org/1"}, 2, {"stores no URLs"});
  EXPECT_EQ(testing::run_spillway({"delete", scratch_ / "nothing", "--id", "a"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(scratch_ / "nothing.work"));
}

TEST_F(Delete, TakesNumbersForIdsWhereNoneAreStored) {
  const Documents all = testing::as_lines(documents(22, 20));
  const std::string whole = index("whole", testing::lines_of(all), {}, CorpusFormat::kLines);
  expect_done({"delete", whole, "--id", "1", "--id", "20", "-q"});
  Documents left(all.begin() + 1, all.end() - 1);
  testing::expect_equals_oracle(whole, left, {});
}

TEST_F(Delete, ComesBeforeOrAfterAppendAlike) {
  const Documents all = pages(40);
  const std::string first = index("first", jsonl_of(testing::part_of(all, 0, 20)), {});
  const std::string second = copy(first, "second");
  const std::string more = scratch_ / "more.jsonl";
  write_bytes(more, jsonl_of(testing::part_of(all, 20, 40)));
  const std::vector<std::string> names{"--id", all[2].id, "--url", all[11].url, "-q"};
  for (const bool deletes_first : {true, false}) {
    const std::string& grown = deletes_first ? first : second;
    std::vector<std::string> words{"delete", grown};
    words.insert(words.end(), names.begin(), names.end());
    if (deletes_first) expect_done(words);
    expect_done({"append", grown, more, "-q"});
    if (!deletes_first) expect_done(words);
  }
  EXPECT_TRUE(same_index(bytes_of(first), second));
  // Deleted ids are no longer known.
  write_bytes(more, testing::jsonl_line(all[2]));
  expect_done({"append", first, more, "-q"});
  EXPECT_EQ(IndexReader(posix_file_system(), first).find_documents(all[2].id).size(), 1U);
  expect_done({"verify", first, "-q"});
}

}  // namespace
}  // namespace spillway
