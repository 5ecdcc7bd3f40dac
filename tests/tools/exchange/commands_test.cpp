// `spillway export` and `spillway import`, as programs: what goes out comes back, and nothing half-made stays.
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "io/base/error.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitizer_sizes.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/tools/exchange/ciff_bytes.hpp"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using testing::ProgramResult;
using testing::read_bytes;
using testing::run_spillway;
using testing::ScratchDirectory;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasuresMemory = false;  // sanitizers take memory of their own
#else
constexpr bool kMeasuresMemory = true;
#endif

// JSON lines; with `fields`, also titles, URLs and dates, some of them empty or not there.
std::string records(std::size_t count, bool fields) {
  std::mt19937_64 random(11);
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) {
    lines += R"({"id":"id-)" + std::to_string(i * 7919 % 10007) + "\"";
    if (fields && i % 3 != 0) lines += R"(,"title":"Über )" + std::to_string(i % 7) + "\"";
    if (fields && i % 4 != 0) lines += R"(,"url":"https://example.org/)" + std::to_string(i * 31 % 1009) + "\"";
    if (fields && i % 5 == 0) lines += R"(,"date":"2026-01-02")";
    lines += R"(,"text":")";
    for (std::size_t words = random() % 80; words != 0; --words) {
      const std::uint64_t rank = random() % (random() % 400 + 1);
      lines += "w" + std::to_string(rank) + (rank % 13 == 0 ? "\\t" : rank % 17 == 0 ? "\\n\\\"größe\\\\ " : " ");
    }
    lines += "\"}\n";
  }
  return lines;
}

std::vector<std::string> names(const fs::path& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) found.push_back(entry.path().filename());
  std::sort(found.begin(), found.end());
  return found;
}

void expect_same_index(const std::string& a, const std::string& b) {
  ASSERT_EQ(names(a), names(b));
  for (const std::string& name : names(a)) {
    EXPECT_TRUE(read_bytes(a + "/" + name) == read_bytes(b + "/" + name)) << name;
  }
}

class Exchange : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return scratch_ / name; }
  void write(const std::string& name, const std::string& bytes) { testing::write_bytes(at(name), bytes); }
  // Expects success.
  ProgramResult run(const std::vector<std::string>& words) {
    ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 0) << words[0] << ": " << result.err;
    return result;
  }
  void index(const std::string& input, const std::string& output, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"index", at(input), "-o", at(output), "--mode", "cpu", "--memory", "128M", "-q"});
    run(more);
  }
  void make_index(bool fields = false, const std::vector<std::string>& more = {}) {
    write("docs.jsonl", records(700, fields));
    index("docs.jsonl", "docs.index", more);
  }
  std::string dumped(const std::string& index) {
    return run({"dump", at(index), "postings"}).out + run({"dump", at(index), "documents"}).out;
  }

  ScratchDirectory scratch_;
};

TEST_F(Exchange, ImportOfAnExportIsTheSameIndex) {
  make_index();
  run({"export", at("docs.index"), "--to", "ciff", "-o", at("docs.ciff"), "--memory", "64M"});
  run({"import", "--from", "ciff", at("docs.ciff"), "-o", at("again.index"), "--memory", "64M", "-q"});
  expect_same_index(at("docs.index"), at("again.index"));
  const std::string bytes = read_bytes(at("docs.ciff"));
  write("docs.ciff.gz", testing::gzip_member(bytes));
  write("docs.ciff.zst", testing::zstd_frame(bytes));
  for (const char* packed : {"docs.ciff.gz", "docs.ciff.zst"}) {
    run({"import", "--from", "ciff", at(packed), "-o", at("again.index"), "--force", "-q", "--threads", "1"});
    expect_same_index(at("docs.index"), at("again.index"));
  }
  EXPECT_EQ(names(scratch_.path()), (std::vector<std::string>{"again.index", "docs.ciff", "docs.ciff.gz",
                                                              "docs.ciff.zst", "docs.index", "docs.jsonl"}));
}

TEST_F(Exchange, PipesFromOneToTheOther) {
  make_index();
  const std::string ciff = run({"export", at("docs.index"), "--to", "ciff", "-o", "-"}).out;
  const ProgramResult result =
      run_spillway({"import", "--from", "ciff", "-", "-o", at("again.index")}, {.input = ciff});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("700 documents"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("'Spillway "), std::string::npos) << result.err;
  expect_same_index(at("docs.index"), at("again.index"));
}

// Positions, fields and texts stay behind; options of the text come from the command line.
TEST_F(Exchange, CarriesTermsPostingsLengthsAndIds) {
  make_index(true, {"--positions", "--store", "text", "--stem", "english", "--stop", "english"});
  run({"merge", at("docs.index"), "--drop", "/dev/null", "-o", at("merged.index"), "-q"});
  run({"export", at("merged.index"), "--to", "ciff", "-o", at("docs.ciff")});
  run({"import", "--from", "ciff", at("docs.ciff"), "-o", at("again.index"), "-q", "--stem", "english", "--stop",
       "english"});
  run({"verify", at("again.index")});
  EXPECT_EQ(run({"dump", at("again.index"), "postings"}).out, run({"dump", at("docs.index"), "postings"}).out);
  const std::vector<std::string> query{"--exhaustive", "--format", "trec", "w3 w5 Größe of"};
  std::vector<std::string> before{"search", at("docs.index")}, after{"search", at("again.index")};
  before.insert(before.end(), query.begin(), query.end());
  after.insert(after.end(), query.begin(), query.end());
  EXPECT_EQ(run(after).out, run(before).out);
  EXPECT_NE(run(after).out, "");
}

TEST_F(Exchange, GivesDocumentsWithoutIdsTheirNumbers) {
  write("lines", "one two\n\nthree\n");
  index("lines", "lines.index", {"--format", "lines"});
  run({"export", at("lines.index"), "--to", "ciff", "-o", at("lines.ciff")});
  run({"import", "--from", "ciff", at("lines.ciff"), "-o", at("again.index"), "-q"});
  EXPECT_EQ(dumped("again.index"), dumped("lines.index"));
}

TEST_F(Exchange, ImportsAllOrNothing) {
  const std::string good = testing::CiffFile().bytes();
  for (const std::string& bytes : {good.substr(0, good.size() - 1), good + "x", std::string("no CIFF at all")}) {
    write("bad.ciff", bytes);
    const ProgramResult result = run_spillway({"import", "--from", "ciff", at("bad.ciff"), "-o", at("bad.index")});
    EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::kCorrupt)) << result.err;
    EXPECT_NE(result.err.find("bad.ciff: byte "), std::string::npos) << result.err;
    EXPECT_EQ(names(scratch_.path()), std::vector<std::string>{"bad.ciff"});
  }
}

TEST_F(Exchange, TreatsRepeatedIdsAsIndexDoes) {
  testing::CiffFile file;
  file.records[2].id = "a";
  write("twice.ciff", file.bytes());
  const std::vector<std::string> import{"import", "--from", "ciff", at("twice.ciff"), "--force", "-o", at("t.index")};
  const auto with = [&](const char* policy) {
    std::vector<std::string> words = import;
    words.insert(words.end(), {"--duplicate-ids", policy, "--max-error-rate", "50%"});
    return run_spillway(words);
  };
  EXPECT_EQ(with("fail").exit_code, static_cast<int>(ExitCode::kBadInput));
  EXPECT_FALSE(fs::exists(at("t.index")));
  EXPECT_EQ(with("keep").exit_code, 0);
  EXPECT_EQ(run({"doc", at("t.index"), "a", "--json"}).out.find("\n") != std::string::npos, true);
  const ProgramResult first = with("first");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_NE(first.err.find("skipped 1 as duplicate_id"), std::string::npos) << first.err;
  EXPECT_NE(first.err.find("3 documents: 2 imported, 1 skipped"), std::string::npos) << first.err;
  run({"verify", at("t.index")});
  for (const char* const limit : {"--max-error-rate=0.1", "--strict", "-q"}) {
    std::vector<std::string> words = import;
    words.push_back(limit);
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::kBadInput)) << limit << result.err;
    EXPECT_NE(result.err.find("duplicate_id"), std::string::npos) << result.err;
  }
}

TEST_F(Exchange, TakesLengthsFromPostingsIfAsked) {
  testing::CiffFile file;
  write("exact.ciff", file.bytes());
  for (testing::CiffRecord& record : file.records) record.length = 24;
  write("rounded.ciff", file.bytes());
  run({"import", "--from", "ciff", at("exact.ciff"), "-o", at("exact.index"), "-q"});
  EXPECT_EQ(run_spillway({"import", "--from", "ciff", at("rounded.ciff"), "-o", at("rounded.index")}).exit_code,
            static_cast<int>(ExitCode::kCorrupt));
  run({"import", "--from", "ciff", at("rounded.ciff"), "-o", at("rounded.index"), "--lengths", "postings", "-q"});
  run({"verify", at("rounded.index")});
  expect_same_index(at("exact.index"), at("rounded.index"));
}

TEST_F(Exchange, ExportsWhatPisaReads) {
  write(
      "docs.jsonl",
      "{\"id\":\"d1\",\"url\":\"http://u\",\"text\":\"b a b\"}\n{\"id\":\"d2\",\"text\":\"\"}\n{\"id\":\"d3\",\"text\":"
      "\"b c\"}\n");
  index("docs.jsonl", "docs.index");
  run({"export", at("docs.index"), "--to", "pisa", "-o", at("pisa")});
  const auto numbers = [&](const char* name) {
    const std::string bytes = read_bytes(at(std::string("pisa/") + name));
    std::vector<std::uint32_t> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(numbers("inv.docs"), (Numbers{1, 3, 1, 0, 2, 0, 2, 1, 2}));
  EXPECT_EQ(numbers("inv.freqs"), (Numbers{1, 1, 2, 2, 1, 1, 1}));
  EXPECT_EQ(numbers("inv.sizes"), (Numbers{3, 3, 0, 2}));
  EXPECT_EQ(read_bytes(at("pisa/fwd.terms")), "a\nb\nc\n");
  EXPECT_EQ(read_bytes(at("pisa/fwd.documents")), "d1\nd2\nd3\n");
  EXPECT_EQ(read_bytes(at("pisa/fwd.urls")), "http://u\n\n\n");
  // 64-bit numbers: how many, and the ends; then the bytes.
  const std::string table = read_bytes(at("pisa/fwd.doclex"));
  const std::uint64_t head[] = {3, 0, 2, 4, 6};
  ASSERT_EQ(table.size(), sizeof head + 6);
  EXPECT_EQ(std::memcmp(table.data(), head, sizeof head), 0);
  EXPECT_EQ(table.substr(sizeof head), "d1d2d3");
  EXPECT_EQ(names(at("pisa")), (std::vector<std::string>{"fwd.doclex", "fwd.documents", "fwd.termlex", "fwd.terms",
                                                         "fwd.urls", "inv.docs", "inv.freqs", "inv.sizes"}));
}

// The order of URLs is that of an index of the records in this order.
TEST_F(Exchange, NumbersDocumentsByUrl) {
  write("docs.jsonl", records(700, true));
  index("docs.jsonl", "docs.index");
  std::vector<std::pair<std::string, std::string>> lines;  // URL and record
  std::istringstream input(records(700, true));
  for (std::string line; std::getline(input, line);) {
    const std::size_t url = line.find("\"url\":\""), begin = url + 7;
    lines.emplace_back(url == std::string::npos ? "" : line.substr(begin, line.find('"', begin) - begin), line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string sorted;
  for (const auto& line : lines) sorted += line.second + "\n";
  write("sorted.jsonl", sorted);
  index("sorted.jsonl", "sorted.index");
  const auto exported = [&](const char* from, const char* order) {
    return run({"export", at(from), "--to", "ciff", "-o", "-", "--order", order, "--memory", "64M"}).out;
  };
  const std::string expected = exported("sorted.index", "input");
  EXPECT_TRUE(exported("docs.index", "url") == expected);
  EXPECT_TRUE(exported("docs.index", "input") != expected);
  run({"export", at("docs.index"), "--to", "pisa", "-o", at("by-url"), "--order", "url"});
  run({"export", at("sorted.index"), "--to", "pisa", "-o", at("sorted"), "--order", "input"});
  expect_same_index(at("by-url"), at("sorted"));
}

TEST_F(Exchange, RefusesAnOrderThatIsNotKnown) {
  make_index(true, {"--store", "none"});
  const auto refusal = [&](const char* format) {
    const auto result = run_spillway({"export", at("docs.index"), "--to", format, "-o", at("out"), "--order", "url"});
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_NE(refusal("ciff").find("no URLs are stored"), std::string::npos);
  EXPECT_NE(refusal("pisa").find("no URLs are stored"), std::string::npos);
  EXPECT_NE(refusal("tsv").find("--to ciff or pisa"), std::string::npos);
  EXPECT_EQ(names(scratch_.path()), (std::vector<std::string>{"docs.index", "docs.jsonl"}));
}

// What was exported as records makes the same index.
TEST_F(Exchange, ExportsDocumentsAsJsonLines) {
  make_index(true, {"--store", "text", "--positions"});
  run({"export", at("docs.index"), "--to", "jsonl", "-o", at("again.jsonl"), "--memory", "64M"});
  index("again.jsonl", "again.index", {"--store", "text", "--positions"});
  expect_same_index(at("docs.index"), at("again.index"));
}

TEST_F(Exchange, ExportsDocumentsAsColumns) {
  make_index(true, {"--store", "text", "--positions"});
  run({"export", at("docs.index"), "--to", "tsv", "-o", at("again.tsv")});
  index("again.tsv", "again.index", {"--format", "tsv", "--store", "text", "--positions"});
  EXPECT_EQ(run({"dump", at("again.index"), "postings", "--positions"}).out,
            run({"dump", at("docs.index"), "postings", "--positions"}).out);
}

TEST_F(Exchange, ExportsNoTextsThatAreNotThere) {
  make_index();
  for (const char* format : {"jsonl", "tsv"}) {
    const ProgramResult result = run_spillway({"export", at("docs.index"), "--to", format, "-o", at("out")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("--store text"), std::string::npos) << result.err;
  }
  EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(Exchange, ReplacesNothingUnasked) {
  make_index();
  write("there", "precious");
  fs::create_directory(at("directory"));
  const auto refusal = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  const std::string index = at("docs.index");
  EXPECT_NE(refusal({"export", index, "--to", "ciff", "-o", at("there")}).find("--force"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "pisa", "-o", at("there")}).find("exists"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "pisa", "-o", at("directory")}).find("exists"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "pisa", "-o", at("p"), "--force"}).find("--force"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "pisa", "-o", "-"}).find("directory"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "pisa", "-o", index + "/p"}).find("inside"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "ciff", "-o", index + "/terms", "--force"}).find("inside"),
            std::string::npos);
  EXPECT_NE(refusal({"export", index, "-o", at("p")}).find("--to"), std::string::npos);
  EXPECT_NE(refusal({"export", index, "--to", "ciff"}).find("-o OUT"), std::string::npos);
  EXPECT_NE(refusal({"import", at("there"), "-o", at("p")}).find("--from"), std::string::npos);
  EXPECT_NE(refusal({"import", "--from", "ciff", at("missing"), "-o", at("p")}).find("not there"), std::string::npos);
  EXPECT_NE(refusal({"import", "--from", "ciff", at("there"), "-o", index}).find("--force"), std::string::npos);
  EXPECT_NE(refusal({"import", "--from", "ciff", index + "/terms", "-o", index, "--force"}).find("inside"),
            std::string::npos);
  EXPECT_EQ(read_bytes(at("there")), "precious");
  run({"export", index, "--to", "ciff", "-o", at("there"), "--force"});
  run({"verify", index});
}

TEST_F(Exchange, IsRefusedWithTooLittleMemory) {
  make_index();
  write("good.ciff", testing::CiffFile().bytes());
  for (const auto& words : {std::vector<std::string>{"export", at("docs.index"), "--to", "ciff", "-o", at("out")},
                            std::vector<std::string>{"import", "--from", "ciff", at("good.ciff"), "-o", at("out")}}) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--memory", "1M"});
    EXPECT_EQ(run_spillway(more).exit_code, static_cast<int>(ExitCode::kOverBudget));
  }
  EXPECT_FALSE(fs::exists(at("out")));
}

// 3 million documents: 60 MB of ids, 12 MB of lengths, a list of all documents.
TEST_F(Exchange, KeepsTheBudget) {
  constexpr std::uint32_t kDocuments = kMeasuresMemory ? 3'000'000 : 30'000;
  testing::CiffFile file;
  file.lists_count = file.total_lists = 1;
  file.documents_count = file.total_documents = file.terms = kDocuments;
  file.lists.clear();
  file.records.clear();
  std::string bytes = testing::delimited(file.header()), list = testing::proto_bytes(1, "word") +
                                                                testing::proto_number(2, kDocuments) +
                                                                testing::proto_number(3, kDocuments);
  for (std::uint32_t i = 0; i < kDocuments; ++i) list += i == 0 ? std::string("\x22\2\x10\1") : "\x22\4\x08\1\x10\1";
  bytes += testing::delimited(list);
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    const std::string id = "document " + std::to_string(std::uint64_t{i} * 2'654'435'761 % 10'000'000'019);
    bytes += testing::delimited(testing::CiffRecord{i, id, 1}.message());
  }
  write("large.ciff", bytes);
  constexpr std::size_t kMost = (std::size_t{64} << 20) / 100 * 105;
  for (const auto& words :
       {std::vector<std::string>{"import", "--from", "ciff", at("large.ciff"), "-o", at("large.index"), "-q"},
        std::vector<std::string>{"export", at("large.index"), "--to", "ciff", "-o", at("again.ciff"), "-q"},
        std::vector<std::string>{"export", at("large.index"), "--to", "pisa", "-o", at("pisa"), "-q"}}) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--memory", "64M"});
    const ProgramResult result = run_spillway(more, {.measure_memory = kMeasuresMemory});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LE(result.peak_resident_bytes, kMost) << words[0];
  }
  run({"verify", at("large.index")});
}

// A signal at many moments: the output is not there, or whole, and nothing else is.
TEST_F(Exchange, LeavesNothingAfterASignal) {
  make_index();
  run({"export", at("docs.index"), "--to", "ciff", "-o", at("docs.ciff")});
  fs::create_directory(at("place"));
  const std::vector<std::vector<std::string>> commands{
      {"export", at("docs.index"), "--to", "ciff", "-o", at("place/out")},
      {"export", at("docs.index"), "--to", "pisa", "-o", at("place/out")},
      {"import", "--from", "ciff", at("docs.ciff"), "-o", at("place/out"), "-q"}};
  for (const auto& words : commands) {
    const std::uint64_t operations = testing::count_file_operations(words);
    const std::vector<std::string> whole = names(at("place"));
    EXPECT_EQ(whole, std::vector<std::string>{"out"});
    fs::remove_all(at("place/out"));
    for (std::uint64_t number = 0; number < operations; number += 1 + operations / 12) {
      const auto result = testing::run_spillway_with_signal(words, {"any", number, SIGTERM});
      const std::vector<std::string> left = names(at("place"));
      EXPECT_TRUE(result.signal == SIGTERM ? left.empty() || left == whole : left == whole)
          << words[0] << " at " << number << ": " << left.size() << " " << result.err;
      fs::remove_all(at("place/out"));
    }
  }
}

// A killed export leaves a work directory, which the next one removes.
TEST_F(Exchange, CleansUpAfterAKilledExport) {
  make_index();
  const std::vector<std::string> words{"export", at("docs.index"), "--to", "pisa", "-o", at("out")};
  const auto killed = testing::run_spillway_with_signal(words, {"any", 40, SIGKILL});
  ASSERT_EQ(killed.signal, SIGKILL);
  ASSERT_TRUE(fs::exists(at("out.work"))) << "the test needs a later moment";
  run(words);
  EXPECT_FALSE(fs::exists(at("out.work")));
  EXPECT_TRUE(fs::exists(at("out/inv.docs")));
}

}  // namespace
}  // namespace spillway
