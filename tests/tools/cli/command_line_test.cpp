// The program as users see it: exit codes, standard output and standard error.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/cli/terminal.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_on_terminal;
using testing::run_spillway;
using testing::ScratchDirectory;

constexpr const char* kDocuments =
    R"({"id":"one","title":"Sorting","text":"external sorting of records","url":"http://a/"}
{"id":"two","title":"Merging","text":"merging sorted runs, and sorting them"}
{"id":"three","text":"nothing of the kind"}
)";

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_refused(const ProgramResult& result, int exit_code, const std::string& words) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

// One small index for all tests of a process.
class CommandLine : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    std::ofstream(*scratch_ / "docs.jsonl") << kDocuments;
    const ProgramResult made = run_spillway({"index", *scratch_ / "docs.jsonl", "-o", index(), "-q"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    EXPECT_EQ(made.out, "");
  }
  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
  }
  static std::string index() { return *scratch_ / "docs.index"; }
  static std::string documents() { return *scratch_ / "docs.jsonl"; }
  static ScratchDirectory* scratch_;
};
ScratchDirectory* CommandLine::scratch_ = nullptr;

TEST_F(CommandLine, ShowsHelpAndVersionOnStandardOutput) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"--version"},
                                                {"-V"},
                                                {"help"},
                                                {"help", "index"},
                                                {"help", "corpus"},
                                                {"help", "corpus", "generate", "text"},
                                                {"index", "--help"},
                                                {"index", "--version"},
                                                {"corpus", "generate", "-V"},
                                                {"corpus", "-h"},
                                                {"corpus", "generate", "text", "--help"},
                                                {"corpus", "--help"},
                                                {"search", "-h"}}) {
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 0) << words.front();
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("spillway"), std::string::npos);
  }
}

TEST_F(CommandLine, HasTheSameHelpForACommandInEveryForm) {
  const std::string of_index = run_spillway({"index", "--help"}).out;
  EXPECT_EQ(run_spillway({"help", "index"}).out, of_index);
  EXPECT_EQ(run_spillway({"index", "-h"}).out, of_index);
  EXPECT_EQ(run_spillway({"help", "corpus"}).out, run_spillway({"corpus", "--help"}).out);
  EXPECT_EQ(run_spillway({"help", "help"}).out, run_spillway({"--help"}).out);
  const std::string version = run_spillway({"--version"}).out;
  EXPECT_TRUE(version.starts_with("spillway ")) << version;
  for (const char* name : {"-V", "--version"}) EXPECT_EQ(run_spillway({"search", name}).out, version);
  expect_refused(run_spillway({"help", "serch"}), 2, "did you mean 'search'?");
  expect_refused(run_spillway({"help", "index", "docs.jsonl"}), 2, "'docs.jsonl' is one word too many");
}

TEST_F(CommandLine, RefusesWhatItDoesNotKnow) {
  expect_refused(run_spillway({}), 2, "no command given");
  expect_refused(run_spillway({"serch", "x"}), 2, "did you mean 'search'?");
  expect_refused(run_spillway({"corpus"}), 2, "corpus generate text");
  expect_refused(run_spillway({"index", "x", "--memroy", "1G"}), 2, "did you mean --memory?");
  expect_refused(run_spillway({"\x1b[31m"}), 2, "unknown command '\\x1B[31m'");
}

TEST_F(CommandLine, RefusesBeforeAnyWork) {
  const ScratchDirectory scratch;
  const std::string out = scratch / "out";
  expect_refused(run_spillway({"index", documents()}), 2, "-o DIR");
  expect_refused(run_spillway({"index", scratch / "missing", "-o", out}), 2, "missing");
  expect_refused(run_spillway({"index", documents(), "-o", out, "--memory", "99999999999G"}), 2, "--memory");
  expect_refused(run_spillway({"index", documents(), "-o", out, "--memory", "1M"}), 4, "--memory");
  expect_refused(run_spillway({"index", documents(), "-o", index()}), 2, "--force");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST_F(CommandLine, WritesTheReportAndRefusesToOverwriteIt) {
  const ScratchDirectory scratch;
  const std::string report_path = scratch / "report.json";
  const ProgramResult made =
      run_spillway({"index", documents(), "-o", scratch / "a", "--json", report_path, "--memory", "64M"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.err.find("indexed 3 documents"), std::string::npos) << made.err;
  const auto report = nlohmann::json::parse(read_text(report_path));
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_EQ(report["documents"], 3);
  EXPECT_EQ(report["memory_bytes"], 64 << 20);
  EXPECT_EQ(report["options"]["tokenizer"], "unicode");
  expect_refused(run_spillway({"index", documents(), "-o", scratch / "b", "--json", report_path}), 2, "--force");
  const ProgramResult to_stdout = run_spillway({"index", documents(), "-o", scratch / "b", "--json", "-", "-q"});
  EXPECT_EQ(nlohmann::json::parse(to_stdout.out)["terms"], report["terms"]);
}

TEST_F(CommandLine, EndsWithThreeAndAReportWhenTooMuchIsBad) {
  const ScratchDirectory scratch;
  std::ofstream(scratch / "bad.jsonl") << kDocuments << "{broken\n";
  const ProgramResult result =
      run_spillway({"index", scratch / "bad.jsonl", "-o", scratch / "out", "--json", scratch / "report.json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("bad_json"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
  const auto report = nlohmann::json::parse(read_text(scratch / "report.json"));
  EXPECT_EQ(report["exit_code"], 3);
  EXPECT_EQ(report["skipped"]["bad_json"], 1);
  EXPECT_EQ(report["examples"][0]["path"], scratch / "bad.jsonl");
  EXPECT_EQ(report["examples"][0]["offset"], std::string(kDocuments).size() + 1) << "where the record goes wrong";
}

TEST_F(CommandLine, SearchesForPeople) {
  const ProgramResult result = run_spillway({"search", index(), "sorting", "records"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("   1  "), std::string::npos) << result.out;
  EXPECT_LT(result.out.find("one  Sorting"), result.out.find("two  Merging")) << result.out;
}

TEST_F(CommandLine, SaysOnStandardErrorThatNothingMatches) {
  const ProgramResult one = run_spillway({"search", index(), "zebra"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, "");
  EXPECT_EQ(one.err, "spillway: search: no document matches the query\n");
  const ProgramResult many = run_spillway({"search", index(), "--queries", "-", "--threads", "2"},
                                          {.input = "a\tzebra\nb\x1B\tquagga\nc\tsorting\n"});
  EXPECT_TRUE(many.out.starts_with("query a: zebra\n\nquery b\\x1B: quagga\n\nquery c: sorting\n   1  ")) << many.out;
  EXPECT_EQ(many.err,
            "spillway: search: no document matches query a\nspillway: search: no document matches query b\\x1B\n");
}

// A snippet is bold on a terminal that can show it, and marked with ** otherwise.
TEST_F(CommandLine, IsBoldOnlyOnATerminalThatShowsIt) {
  const std::string stored = *scratch_ / "stored.index";
  ASSERT_EQ(run_spillway({"index", documents(), "-o", stored, "--store", "text", "-q"}).exit_code, 0);
  const std::vector<std::string> words{testing::program_path(), "search", stored, "records"};
  const ProgramResult bold = run_on_terminal(words);
  EXPECT_EQ(bold.exit_code, 0);
  EXPECT_NE(bold.out.find("sorting of \x1B[1mrecords\x1B[22m"), std::string::npos) << bold.out;
  for (const char* plain : {"TERM=dumb", "TERM=", "NO_COLOR=1"}) {
    const ProgramResult result = run_on_terminal(words, {.environment = {plain}});
    EXPECT_EQ(result.exit_code, 0) << plain;
    EXPECT_NE(result.out.find("sorting of **records**"), std::string::npos) << plain << result.out;
    EXPECT_EQ(result.out.find('\x1B'), std::string::npos) << plain << result.out;
  }
  EXPECT_NE(testing::run_program(words).out.find("sorting of **records**"), std::string::npos);
}

// Every command that shows what an index holds: ids, titles, texts, terms.
TEST_F(CommandLine, NeverWritesWhatATerminalWouldObey) {
  const ScratchDirectory scratch;
  const std::string hostile = scratch / "\x1B[31mdocs\xC2\x9B.jsonl", made = scratch / "made";
  std::ofstream(hostile)
      << R"({"id":"\u001b[1mid\u009b","title":"\u001b]0;title\u0007","text":"word \u007f\u001b[2J\u0085 moon"})"
      << "\n";
  const ProgramResult index = run_spillway({"index", hostile, "-o", made, "--store", "text"});
  ASSERT_EQ(index.exit_code, 0) << index.err;
  const std::string id = "\x1B[1mid\xC2\x9B";
  const std::vector<std::string> commands[] = {{"search", made, "moon"},
                                               {"search", made, "moon", "--format", "json"},
                                               {"search", made, "moon", "--format", "trec"},
                                               {"search", made, "moon", "--format", "msmarco"},
                                               {"dump", made, "documents"},
                                               {"dump", made, "documents", "--format", "json"},
                                               {"doc", made, id},
                                               {"doc", made, id, "--json", "--text"},
                                               {"doc", made, id, "--text"},
                                               {"stats", made},
                                               {"doc", made, id + "x"},
                                               {"dump", made, "postings", "--term", id},
                                               {"search", hostile, "moon"},
                                               {"verify", hostile},
                                               {"plan", hostile},
                                               {"index", hostile, "-o", made},
                                               {"index", id, "-o", scratch / "x"},
                                               {id},
                                               {"help", id},
                                               {"index", "--" + id},
                                               {"search", made, "x", "--format", id},
                                               {"doctor", "--quick", id}};
  for (const auto& words : commands) {
    const ProgramResult result = run_spillway(words);
    EXPECT_NE(result.out + result.err, "") << words[0];
    for (const std::string& shown : {result.out, result.err}) EXPECT_EQ(printable_lines(shown), shown) << words[0];
  }
  EXPECT_EQ(printable_lines(index.err), index.err);
}

TEST_F(CommandLine, KeepsTheTextOfAJsonSnippet) {
  const ScratchDirectory scratch;
  std::ofstream(scratch / "in.jsonl") << R"({"id":"1","text":"a \u001b[1m moon\u009b"})"
                                      << "\n";
  ASSERT_EQ(run_spillway({"index", scratch / "in.jsonl", "-o", scratch / "out", "--store", "text", "-q"}).exit_code, 0);
  const std::string json = run_spillway({"search", scratch / "out", "moon", "--format", "json"}).out;
  EXPECT_NE(json.find(R"("snippet":"a \u001b[1m **moon**\u009b")"), std::string::npos) << json;
}

TEST_F(CommandLine, SearchesForPrograms) {
  const ProgramResult trec = run_spillway({"search", index(), "--queries", "-", "--format", "trec", "--run-id", "r"},
                                          {.input = "q1\tsorting\nq2\tzebra\nq 3\tnothing\n"});
  EXPECT_EQ(trec.exit_code, 0) << trec.err;
  EXPECT_TRUE(trec.out.starts_with("q1 Q0 one 1 0.")) << trec.out;
  EXPECT_NE(trec.out.find("\nq\\x203 Q0 three 1 "), std::string::npos) << trec.out;
  EXPECT_EQ(std::count(trec.out.begin(), trec.out.end(), '\n'), 3);

  const ProgramResult json = run_spillway({"search", index(), "sorting", "-k", "1", "--format", "json"});
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["hits"].size(), 1u);
  EXPECT_EQ(object["hits"][0]["id"], "one");
  EXPECT_EQ(object["hits"][0]["title"], "Sorting");
  // Both formats print all digits of the double.
  EXPECT_EQ(object["hits"][0]["score"].get<double>(), std::stod(trec.out.substr(std::string("q1 Q0 one 1 ").size())));
}

TEST_F(CommandLine, SearchesWithOperatorsOnTheCommandLineAndInFilesIfAsked) {
  const auto hits = [&](const std::vector<std::string>& words, const std::string& input = "") {
    std::vector<std::string> all{"search", index(), "--format", "msmarco"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_spillway(all, {.input = input});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(hits({"sorting"}), "1\tone\t1\n1\ttwo\t2\n");
  EXPECT_EQ(hits({"sorting -sorting"}), "");
  EXPECT_EQ(hits({"+sorting +zebra"}), "");
  EXPECT_EQ(hits({"--queries", "-"}, "7\tsorting -sorting\n"), "7\tone\t1\n7\ttwo\t2\n") << "plain";
  EXPECT_EQ(hits({"--queries", "-", "--query-syntax", "operators"}, "7\tsorting -sorting\n"), "");
  EXPECT_EQ(hits({"sorting -sorting", "--query-syntax", "plain"}), "1\tone\t1\n1\ttwo\t2\n");
}

TEST_F(CommandLine, WritesTheSameForAnyNumberOfThreadsAndMethod) {
  std::string input;
  for (int i = 0; i < 500; ++i)
    input += std::to_string(i) + "\t" + (i % 3 == 0 ? "sorting nothing" : "records merging") + "\n";
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"search", index(), "--queries", "-", "--format", "trec"});
    return run_spillway(words, {.input = input});
  };
  const ProgramResult one = run({});
  EXPECT_GT(std::count(one.out.begin(), one.out.end(), '\n'), 500);
  for (const char* threads : {"2", "7"}) EXPECT_EQ(run({"--threads", threads}).out, one.out);
  EXPECT_EQ(run({"--exhaustive", "--threads", "3"}).out, one.out);
  input += "no tab\n";
  const ProgramResult broken = run({"--threads", "3"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(broken.out, one.out) << "the answers before the broken line";
}

TEST_F(CommandLine, TellsWhatSearchesTook) {
  const ProgramResult result =
      run_spillway({"search", index(), "--queries", "-", "--stats", "--stats-json", *scratch_ / "stats.json"},
                   {.input = "a\tsorting\nb\tzebra\n"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("queries          2\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("p99"), std::string::npos) << result.err;
  const auto stats = nlohmann::json::parse(read_text(*scratch_ / "stats.json"));
  EXPECT_EQ(stats["queries"], 2);
  EXPECT_LE(stats["scored_postings"], stats["query_postings"]);
  EXPECT_LE(stats["latency_ms"]["p50"], stats["latency_ms"]["max"]);
  expect_refused(run_spillway({"search", index(), "x", "--stats-json", *scratch_ / "stats.json"}), 2, "--force");
}

TEST_F(CommandLine, RefusesBadQueries) {
  expect_refused(run_spillway({"search", index()}), 2, "no query");
  expect_refused(run_spillway({"search", index(), "x", "--queries", "y"}), 2, "contradict");
  expect_refused(run_spillway({"search", index(), "--queries", "-"}, {.input = "\tno id\n"}), 2,
                 "standard input, line 1");
  expect_refused(run_spillway({"search", index(), "\"sorting records\""}), 2, "--positions");
  expect_refused(run_spillway({"search", index(), "\"sorting"}), 2, "closing quote");
  expect_refused(
      run_spillway({"search", index(), "--queries", "-", "--query-syntax", "operators"}, {.input = "7\t\"sorting\n"}),
      2, "query 7: the phrase");
  expect_refused(run_spillway({"search", index(), "x", "--threads", "2"}), 2, "--threads needs --queries");
  expect_refused(run_spillway({"search", index(), "x", "--query-syntax", "lucene"}), 2, "--query-syntax");
  expect_refused(run_spillway({"search", index(), "x", "--b", "2"}), 2, "--b '2'");
  expect_refused(run_spillway({"search", index(), "x", "-k", "0"}), 2, "-k");
}

TEST_F(CommandLine, ShowsStats) {
  const ProgramResult text = run_spillway({"stats", index()});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("documents                          3"), std::string::npos) << text.out;
  const auto json = nlohmann::json::parse(run_spillway({"stats", index(), "--json"}).out);
  EXPECT_EQ(json["documents"], 3);
  EXPECT_EQ(json["tokens"], 16);
  EXPECT_EQ(json["average_length"], 16.0 / 3);
  std::uint64_t bytes = 0;
  for (const auto& file : json["files"]) bytes += file["bytes"].get<std::uint64_t>();
  EXPECT_EQ(json["bytes"], bytes);
}

TEST_F(CommandLine, DumpsPositions) {
  const std::string positioned = *scratch_ / "positions.index";
  ASSERT_EQ(run_spillway({"index", documents(), "-o", positioned, "--positions", "-q"}).exit_code, 0);
  const auto dump = [&](const std::string& format) {
    return run_spillway({"dump", positioned, "postings", "--term", "sorting", "--positions", "--format", format}).out;
  };
  EXPECT_EQ(dump("text"), "sorting\t0\t2\t0 102\nsorting\t1\t1\t105\n");
  EXPECT_EQ(dump("json"), R"({"term":"sorting","df":2,"cf":3,"postings":[[0,2,[0,102]],[1,1,[105]]]})"
                          "\n");
  EXPECT_NE(run_spillway({"stats", positioned}).out.find("bits each"), std::string::npos);
  expect_refused(run_spillway({"dump", index(), "postings", "--positions"}), 2, "--positions");
  expect_refused(run_spillway({"dump", positioned, "terms", "--positions"}), 2, "--positions");
}

TEST_F(CommandLine, DumpsTermsPostingsAndDocuments) {
  EXPECT_EQ(run_spillway({"dump", index(), "terms", "--from", "s", "--to", "t"}).out, "sorted\t1\t1\nsorting\t2\t3\n");
  EXPECT_EQ(run_spillway({"dump", index(), "terms", "--from", "s", "--count", "1", "--format", "json"}).out,
            "{\"term\":\"sorted\",\"df\":1,\"cf\":1}\n");
  EXPECT_EQ(run_spillway({"dump", index(), "postings", "--term", "sorting"}).out, "sorting\t0\t2\nsorting\t1\t1\n");
  EXPECT_EQ(run_spillway({"dump", index(), "postings", "--term", "sorting", "--format", "json"}).out,
            "{\"term\":\"sorting\",\"df\":2,\"cf\":3,\"postings\":[[0,2],[1,1]]}\n");
  EXPECT_EQ(run_spillway({"dump", index(), "documents", "--count", "1"}).out, "0\tone\t5\tSorting\thttp://a/\t\n");
  EXPECT_EQ(run_spillway({"dump", index(), "documents", "--first", "2", "--format", "json"}).out,
            "{\"document\":2,\"id\":\"three\",\"length\":4}\n");
  expect_refused(run_spillway({"dump", index(), "postings", "--term", "zebra"}), 1, "no such term");
  expect_refused(run_spillway({"dump", index(), "documents", "--from", "a"}), 2, "--from");
  expect_refused(run_spillway({"dump", index(), "words"}), 2, "terms, postings, documents");
}

TEST_F(CommandLine, ShowsADocumentById) {
  EXPECT_EQ(run_spillway({"doc", index(), "two", "--json"}).out,
            "{\"document\":1,\"id\":\"two\",\"length\":7,\"title\":\"Merging\"}\n");
  EXPECT_NE(run_spillway({"doc", index(), "two"}).out.find("title   Merging\n"), std::string::npos);
}

TEST_F(CommandLine, TellsAnUnknownDocumentFromOneThatCannotBeRead) {
  expect_refused(run_spillway({"doc", index(), "four"}), 1, "no such document: no document has the id 'four'");
  expect_refused(run_spillway({"doc", *scratch_ / "missing", "four"}), 2, "missing");
}

TEST_F(CommandLine, TakesTheLastOfRepeatedOptions) {
  EXPECT_EQ(run_spillway({"search", index(), "sorting", "-k", "junk", "--format", "json", "-k", "2", "--format",
                          "msmarco", "--count", "1"})
                .out,
            "1\tone\t1\n");
  EXPECT_EQ(run_spillway({"stats", index(), "--json", "--json"}).exit_code, 0);
}

TEST_F(CommandLine, VerifyTellsGoodFromBad) {
  const ProgramResult good = run_spillway({"verify", index()});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_NE(good.out.find(": good\nchecked "), std::string::npos) << good.out;
  int damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(index())) {
    const std::string copy = *scratch_ / "copy.index";
    std::string bytes = read_text(entry.path());
    if (bytes.empty()) continue;
    ++damaged;
    std::filesystem::copy(index(), copy);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(copy + "/" + entry.path().filename().string(), std::ios::binary) << bytes;
    const ProgramResult bad = run_spillway({"verify", copy});
    EXPECT_EQ(bad.exit_code, 1) << entry.path();
    EXPECT_NE(bad.err.find("the index is bad: "), std::string::npos) << bad.err;
    EXPECT_FALSE(nlohmann::json::parse(run_spillway({"verify", copy, "--json"}).out)["good"].get<bool>());
    std::filesystem::remove_all(copy);
  }
  EXPECT_GE(damaged, 8) << "files of the index";
  EXPECT_EQ(run_spillway({"verify", *scratch_ / "missing"}).exit_code, 2);
}

TEST_F(CommandLine, GeneratesTheSameTextToAFileAndToStandardOutput) {
  const ScratchDirectory scratch;
  const std::vector<std::string> words{"corpus", "generate", "text",     "--documents", "50",
                                       "--seed", "3",        "--format", "lines"};
  const ProgramResult shown = run_spillway(words);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(std::count(shown.out.begin(), shown.out.end(), '\n'), 50);
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"-o", scratch / "text"});
  EXPECT_EQ(run_spillway(to_file).exit_code, 0);
  EXPECT_EQ(read_text(scratch / "text"), shown.out);
  expect_refused(run_spillway(to_file), 2, "exists; --force replaces it");
  to_file.push_back("--force");
  EXPECT_EQ(run_spillway(to_file).exit_code, 0);
  expect_refused(run_spillway({"corpus", "generate", "text", "--exponent", "-1"}), 2, "--exponent '-1'");
}

TEST_F(CommandLine, NoticesThatStandardOutputTakesNoMore) {
  const ProgramResult full = run_spillway({"stats", index()}, {.out_path = "/dev/full"});
  EXPECT_EQ(full.exit_code, 2) << full.err;
  EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
}

// As a program that does not know SIGPIPE, and as grep does.
TEST_F(CommandLine, EndsQuietlyWhenNobodyReadsItsOutput) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"dump", index(), "terms"},
                                                {"stats", index()},
                                                {"--help"},
                                                {"search", index(), "sorting"}}) {
    const ProgramResult closed = run_spillway(words, {.close_out = true});
    EXPECT_EQ(closed.signal, SIGPIPE) << words[0] << closed.exit_code;
    EXPECT_EQ(closed.err, "");
  }
  const std::string ignoring = "trap '' PIPE; \"$@\" | true";
  const ProgramResult ignored = testing::run_program(
      {"/bin/bash", "-o", "pipefail", "-c", ignoring, "sh", testing::program_path(), "corpus", "generate", "text"});
  EXPECT_EQ(ignored.exit_code, 2);
  EXPECT_NE(ignored.err.find("Broken pipe"), std::string::npos) << ignored.err;
}

TEST_F(CommandLine, KeepsTheIndexWhenNobodyReadsItsReportOrItsMessages) {
  const ScratchDirectory scratch;
  const ProgramResult report =
      run_spillway({"index", documents(), "-o", scratch / "a", "--json", "-"}, {.close_out = true});
  EXPECT_EQ(report.signal, SIGPIPE) << report.err;
  EXPECT_EQ(run_spillway({"verify", scratch / "a"}).exit_code, 0);
  const ProgramResult messages =
      testing::run_program({"/bin/bash", "-o", "pipefail", "-c", "\"$@\" 2>&1 | true", "sh", testing::program_path(),
                            "index", documents(), "-o", scratch / "b", "-v"});
  EXPECT_EQ(messages.exit_code, 0);
  EXPECT_EQ(run_spillway({"verify", scratch / "b"}).exit_code, 0);
}

// The address space has room for one stack, so a thread cannot be started while others already work.
TEST_F(CommandLine, TellsThatThereAreNoMoreThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space";
#endif
  const std::string limited = "ulimit -s 4000000 && ulimit -v 6000000 && exec \"$@\"";
  const ProgramResult result =
      testing::run_program({"/bin/sh", "-c", limited, "sh", testing::program_path(), "corpus", "generate", "text",
                            "--bytes", "4G", "--threads", "8", "-o", "/dev/null"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("give fewer --threads"), std::string::npos) << result.err;
}

// The input takes longer than the 200 ms after which progress is shown first.
TEST_F(CommandLine, RedrawsProgressOnlyOnATerminalThatTakesIt) {
  const ScratchDirectory scratch;
  ASSERT_EQ(mkfifo((scratch / "fifo.jsonl").c_str(), 0600), 0);
  const auto shown = [&](const std::string& variable) {
    std::thread writer([&] {
      std::ofstream fifo(scratch / "fifo.jsonl");
      fifo << kDocuments << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
    });
    const ProgramResult result =
        run_on_terminal({testing::program_path(), "index", scratch / "fifo.jsonl", "-o", scratch / "out", "--force"},
                        {.environment = {variable}});
    writer.join();
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(result.out.find('\x1B'), std::string::npos) << result.out;
    return result.out;
  };
  const std::string redrawn = shown("NO_COLOR=1");
  EXPECT_NE(redrawn.find("\rparse: "), std::string::npos) << redrawn;
  EXPECT_EQ(shown("TERM=dumb").find('\r'), std::string::npos);
}

}  // namespace
}  // namespace spillway
