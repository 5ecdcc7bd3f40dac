#include "tools/options/index.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/commands/commands.hpp"

namespace spillway {
namespace {

IndexOptions parse(std::vector<std::string> words) {
  words.insert(words.begin(), {"input.jsonl", "-o", "out.index"});
  return index_options(parse_arguments(index_command(), words), posix_file_system());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(IndexOptions, DefaultsAreThoseOfTheHelp) {
  const IndexOptions options = parse({});
  EXPECT_EQ(options.inputs, std::vector<std::string>{"input.jsonl"});
  EXPECT_EQ(options.output, "out.index");
  EXPECT_EQ(options.content, ContentOptions{});
  EXPECT_EQ(options.mode, IndexMode::kAuto);
  EXPECT_EQ(options.memory_bytes, 0u);
  EXPECT_EQ(options.threads, 0u);
  EXPECT_EQ(options.corpus.format, CorpusFormat::kAuto);
  EXPECT_EQ(options.record_sorter, "auto");
  EXPECT_EQ(options.max_error_rate, 0.01);
  EXPECT_FALSE(options.force);
}

TEST(IndexOptions, EveryOptionReachesItsField) {
  const IndexOptions options = parse({"--memory",
                                      "256M",
                                      "--threads",
                                      "3",
                                      "--mode",
                                      "cpu",
                                      "--record-sorter",
                                      "cpu-quick",
                                      "--string-sorter",
                                      "cpu-multikey",
                                      "--tokenizer",
                                      "ascii",
                                      "--stem",
                                      "porter",
                                      "--max-term-bytes",
                                      "64",
                                      "--max-document-bytes",
                                      "1M",
                                      "--duplicate-ids",
                                      "keep",
                                      "--store",
                                      "none",
                                      "--temp-dir",
                                      "/tmp",
                                      "--temp-dir",
                                      "/",
                                      "--temp-limit",
                                      "10GB",
                                      "--block-bytes",
                                      "8K",
                                      "--max-error-rate",
                                      "5%",
                                      "--force",
                                      "--part",
                                      "2/4",
                                      "--format",
                                      "jsonl",
                                      "--id-field",
                                      "a,b",
                                      "--title-field",
                                      "c",
                                      "--text-field",
                                      "d",
                                      "--url-field",
                                      "e",
                                      "--date-field",
                                      "f"});
  EXPECT_EQ(options.memory_bytes, 256u << 20);
  EXPECT_EQ(options.threads, 3u);
  EXPECT_EQ(options.mode, IndexMode::kCpu);
  EXPECT_EQ(options.record_sorter, "cpu-quick");
  EXPECT_EQ(options.string_sorter, "cpu-multikey");
  EXPECT_EQ(options.content.tokenizer, Tokenizer::kAscii);
  EXPECT_EQ(options.content.stemmer, "porter");
  EXPECT_EQ(options.content.max_term_bytes, 64u);
  EXPECT_EQ(options.content.max_document_bytes, 1u << 20);
  EXPECT_EQ(options.corpus.max_document_bytes, 1u << 20);
  EXPECT_EQ(options.content.duplicate_ids, DuplicateIds::kKeep);
  EXPECT_EQ(options.content.store, StorePolicy::kNone);
  EXPECT_EQ(options.temp_directories, (std::vector<std::string>{"/tmp", "/"}));
  EXPECT_EQ(options.temp_limit_bytes, 10'000'000'000u);
  EXPECT_EQ(options.block_bytes, 8192u);
  EXPECT_DOUBLE_EQ(options.max_error_rate, 0.05);
  EXPECT_TRUE(options.force);
  EXPECT_EQ(options.corpus.part_number, 2u);
  EXPECT_EQ(options.corpus.part_count, 4u);
  EXPECT_EQ(options.corpus.format, CorpusFormat::kJsonl);
  EXPECT_EQ(options.corpus.fields.id, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.corpus.fields.title, std::vector<std::string>{"c"});
  EXPECT_EQ(options.corpus.fields.text, std::vector<std::string>{"d"});
  EXPECT_EQ(options.corpus.fields.url, std::vector<std::string>{"e"});
  EXPECT_EQ(options.corpus.fields.date, std::vector<std::string>{"f"});
}

TEST(IndexOptions, DedupNeedsStoredUrls) {
  EXPECT_EQ(parse({}).dedup, Dedup::kNone);
  EXPECT_EQ(parse({"--dedup", "url"}).dedup, Dedup::kUrl);
  EXPECT_EQ(parse({"--dedup", "exact", "--store", "none"}).dedup, Dedup::kExact);
  EXPECT_NE(refusal({"--dedup", "url", "--store", "none"}).find("--store"), std::string::npos);
}

TEST(IndexOptions, SinceIsADateOfRecords) {
  EXPECT_FALSE(parse({}).corpus.crawl.since);
  EXPECT_EQ(parse({"--since", "1970-01-02"}).corpus.crawl.since, std::chrono::sys_seconds(std::chrono::days(1)));
  EXPECT_NE(refusal({"--since", "2024", "--format", "jsonl"}).find("--since"), std::string::npos);
}

TEST(IndexOptions, RevisitsAreRecordsOfCrawls) {
  EXPECT_EQ(parse({}).corpus.crawl.revisits, Revisits::kSkip);
  EXPECT_EQ(parse({"--revisits", "skip", "--format", "jsonl"}).corpus.crawl.revisits, Revisits::kSkip);
  EXPECT_EQ(parse({"--revisits", "follow"}).corpus.crawl.revisits, Revisits::kFollow);
  EXPECT_NE(refusal({"--revisits", "follow", "--format", "jsonl"}).find("--revisits"), std::string::npos);
  EXPECT_NE(refusal({"--revisits", "read"}).find("skip, follow"), std::string::npos);
}

TEST(IndexOptions, OptionsOfGpusReachTheirFields) {
  EXPECT_EQ(parse({}).gpu.chunks, GpuChunks::kAuto);
  EXPECT_EQ(parse({"--gpu-chunks", "tables"}).gpu.chunks, GpuChunks::kTables);
  EXPECT_EQ(parse({}).gpu.merge, GpuMerge::kAuto);
  EXPECT_EQ(parse({"--gpu-merge", "always"}).gpu.merge, GpuMerge::kAlways);
  EXPECT_EQ(parse({"--gpu-merge", "never"}).gpu.merge, GpuMerge::kNever);
  const GpuOptions gpu = parse({"--gpu", "2,0", "--gpu-memory", "3G", "--gpu-chunks", "tokens", "--require-gpu"}).gpu;
  EXPECT_EQ(gpu.ids, (std::vector<int>{2, 0}));
  EXPECT_EQ(gpu.memory_bytes, std::uint64_t{3} << 30);
  EXPECT_EQ(gpu.chunks, GpuChunks::kTokens);
  EXPECT_TRUE(gpu.required);
  EXPECT_NE(refusal({"--gpu-chunks", "token"}).find("auto, tables, tokens"), std::string::npos);
}

TEST(IndexOptions, EnglishStopWordsAreTheThirtyThreeOfTheReference) {
  const std::string stop = parse({"--stop", "english"}).content.stop_words;
  EXPECT_EQ(std::count(stop.begin(), stop.end(), '\n'), 33);
  EXPECT_TRUE(stop.starts_with("a\nan\nand\n"));
  EXPECT_TRUE(stop.ends_with("was\nwill\nwith\n"));
}

TEST(IndexOptions, StopFileIsSortedLowerCasedAndDistinct) {
  const testing::ScratchDirectory scratch;
  std::ofstream(scratch / "stop") << "zebra\r\nThe\nthe\n\n  a  \nlast";
  EXPECT_EQ(parse({"--stop", scratch / "stop"}).content.stop_words, "a\nlast\nthe\nzebra\n");
}

TEST(IndexOptions, StopFileThatIsMissingOrEmptyIsRefused) {
  const testing::ScratchDirectory scratch;
  std::ofstream(scratch / "empty") << "\n \n";
  EXPECT_NE(refusal({"--stop", scratch / "missing"}).find("none, english or a file"), std::string::npos);
  EXPECT_NE(refusal({"--stop", scratch / "empty"}).find("no word"), std::string::npos);
}

TEST(IndexOptions, UnknownStemmerGetsTheList) {
  const std::string message = refusal({"--stem", "englisch"});
  EXPECT_NE(message.find("did you mean english?"), std::string::npos) << message;
  for (const char* name : {"none", "porter", "german", "turkish"}) {
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
  EXPECT_NE(refusal({"--stem", "en"}), "accepted");
}

TEST(IndexOptions, ValuesOutOfRangeAreRefusedByName) {
  const std::pair<const char*, const char*> cases[] = {{"--max-term-bytes", "0"},
                                                       {"--max-term-bytes", "65536"},
                                                       {"--threads", "0"},
                                                       {"--threads", "-2"},
                                                       {"--memory", "lots"},
                                                       {"--memory", "64Q"},
                                                       {"--part", "3"},
                                                       {"--part", "0/4"},
                                                       {"--part", "5/4"},
                                                       {"--part", "1/0"},
                                                       {"--part", "a/b"},
                                                       {"--max-error-rate", "2"},
                                                       {"--max-error-rate", "101%"},
                                                       {"--mode", "tpu"},
                                                       {"--gpu", "0,0"},
                                                       {"--gpu", "x"},
                                                       {"--format", "csv"},
                                                       {"--store", "all"},
                                                       {"--duplicate-ids", "last"},
                                                       {"--record-sorter", "bogo"},
                                                       {"--string-sorter", ""},
                                                       {"--tokenizer", "utf8"},
                                                       {"--temp-dir", "/nowhere"},
                                                       {"--temp-limit", "50%"},
                                                       {"--id-field", "a,,b"},
                                                       {"--block-bytes", "0"},
                                                       {"--since", "yesterday"}};
  for (const auto& [option, value] : cases) {
    EXPECT_NE(refusal({option, value}).find(option), std::string::npos) << option << " " << value;
  }
}

TEST(IndexOptions, ContradictionsAreRefused) {
  EXPECT_NE(refusal({"--strict", "--max-error-rate", "0.5"}).find("contradict"), std::string::npos);
  EXPECT_NE(refusal({"-q", "-v"}).find("contradict"), std::string::npos);
  EXPECT_NE(refusal({"-q", "--progress"}).find("contradict"), std::string::npos);
  EXPECT_NE(refusal({"--format", "lines", "--id-field", "x"}).find("--id-field"), std::string::npos);
  EXPECT_NE(refusal({"--format", "tsv", "--id-field", "x"}).find("--id-field"), std::string::npos);
}

TEST(IndexOptions, OutputMustBeNamed) {
  const Arguments arguments = parse_arguments(index_command(), {"input.jsonl"});
  EXPECT_THROW(index_options(arguments, posix_file_system()), UsageError);
}

}  // namespace
}  // namespace spillway
