#include "corpora/reader/plan.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

class Plan : public ::testing::Test {
 protected:
  CorpusPlan plan(const std::vector<std::string>& inputs, const CorpusOptions& options = {}) {
    return plan_corpus(posix_file_system(), inputs, options);
  }
  CorpusFile plan_bytes(std::string_view bytes, CorpusFormat format = CorpusFormat::kAuto) {
    write_input(directory / "input", bytes);
    CorpusOptions options;
    options.format = format;
    return files_of(plan({directory / "input"}, options)).at(0);
  }
  static std::vector<CorpusFile> files_of(const CorpusPlan& made) {
    std::vector<CorpusFile> all;
    for (const CorpusFile& file : made.files) all.push_back(file);
    return all;
  }
  static std::vector<std::string> ids(const CorpusPlan& made) {
    std::vector<std::string> all;
    for (const CorpusFile& file : made.files) all.emplace_back(file.id());
    return all;
  }
  ScratchDirectory directory;
};

TEST_F(Plan, WalksDirectoriesInByteOrderOfThePath) {
  namespace fs = std::filesystem;
  for (const char* const name : {"b", "a", "a/sub", ".hidden", "a.d"}) fs::create_directories(directory / name);
  for (const char* const name : {"a/z", "a/sub/x", "a.d/y", "a.txt", "b/q", ".hidden/no", "b/.no", "Z", "\xC3\xA9"}) {
    write_input(directory / name, "text\n");
  }
  fs::create_symlink("a.txt", directory / "link");
  fs::create_directory_symlink("a", directory / "link_to_directory");
  EXPECT_EQ(ids(plan({directory.path()})),
            (std::vector<std::string>{"Z", "a.d/y", "a.txt", "a/sub/x", "a/z", "b/q", "\xC3\xA9"}));
  EXPECT_EQ(plan({directory.path() + "/"}).files.begin()->path, directory / "Z");
}

// Content decoders get memory for these.
TEST_F(Plan, CountsWhatMayBeAWebArchive) {
  const std::string record = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  const auto crawls = [&](std::string_view bytes, CorpusFormat format = CorpusFormat::kAuto) {
    write_input(directory / "input", bytes);
    CorpusOptions options;
    options.format = format;
    return plan({directory / "input"}, options).crawls;
  };
  EXPECT_EQ(crawls(record), 1u);
  EXPECT_EQ(crawls(gzip_member(record)), 1u);
  EXPECT_EQ(crawls(gzip_member("text")), 1u) << "its start is not read yet";
  EXPECT_EQ(crawls(zstd_frame(record), CorpusFormat::kWarc), 1u);
  EXPECT_EQ(crawls("text"), 0u);
  EXPECT_EQ(crawls("text", CorpusFormat::kWarc), 1u);
  EXPECT_EQ(crawls(gzip_member("text"), CorpusFormat::kText), 0u);
  EXPECT_EQ(crawls("{\"id\": 1}\n"), 0u);
  EXPECT_EQ(plan({"-"}).crawls, 1u);
}

TEST_F(Plan, ACrawlWithADamagedStartIsKnownByItsName) {
  const auto planned = [&](const std::string& name, std::string_view bytes) {
    write_input(directory / name, bytes);
    return files_of(plan({directory / name})).at(0);
  };
  const std::string record = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  const auto is = [](const CorpusFile& file, CorpusFormat format, Compression compression) {
    return file.format == format && file.compression == compression;
  };
  const std::string damaged = "X" + record + record, zeros(600, '\0');
  EXPECT_TRUE(is(planned("a.warc", damaged), CorpusFormat::kWarc, Compression::kNone));
  EXPECT_TRUE(is(planned("a.warc.gz", damaged), CorpusFormat::kWarc, Compression::kNone));
  EXPECT_TRUE(is(planned("a.txt", damaged), CorpusFormat::kText, Compression::kNone));
  EXPECT_TRUE(is(planned("b.arc.gz", zeros + gzip_member(record)), CorpusFormat::kWarc, Compression::kGzip));
  EXPECT_TRUE(is(planned("B.WARC.ZST", zeros + zstd_frame(record)), CorpusFormat::kWarc, Compression::kZstd));
  EXPECT_TRUE(is(planned("b.warc.wet.gz", zeros), CorpusFormat::kWarc, Compression::kGzip));
  EXPECT_EQ(planned("c.wacz", zeros).compression, Compression::kZip);
  EXPECT_TRUE(is(planned("c.gz", zeros), CorpusFormat::kText, Compression::kNone));
  EXPECT_TRUE(is(planned("d.warc", "<!doctype html>"), CorpusFormat::kHtml, Compression::kNone));
  EXPECT_TRUE(is(planned("module.wat", "(module)"), CorpusFormat::kText, Compression::kNone));
  EXPECT_TRUE(is(planned("blank_lines", "\r\n\n" + record), CorpusFormat::kWarc, Compression::kNone));
}

TEST_F(Plan, KeepsTheOrderOfTheArgumentsAndFollowsThem) {
  write_input(directory / "one", "1\n");
  write_input(directory / "two", "2\n");
  std::filesystem::create_symlink("one", directory / "link");
  EXPECT_EQ(ids(plan({directory / "two", directory / "link", directory / "one"})),
            (std::vector<std::string>{"two", "link", "one"}));
}

TEST_F(Plan, ReadsLists) {
  std::filesystem::create_directory(directory / "sub");
  write_input(directory / "one", "1\n");
  write_input(directory / "sub/two", "2\n");
  write_input(directory / "list", (directory / "one") + "\n\n" + (directory / "sub"));
  EXPECT_EQ(ids(plan({"@" + (directory / "list")})),
            (std::vector<std::string>{directory / "one", directory / "sub/two"}));
}

TEST_F(Plan, RefusesLinesThatAreNoPaths) {
  write_input(directory / "list", "\n" + std::string(100'000, 'x'));
  try {
    plan({"@" + (directory / "list")});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2 is longer"), std::string::npos) << error.what();
  }
  EXPECT_THROW(plan({"@/dev/zero"}), UsageError);
  write_input(directory / "one", "1\n");
  const std::string name = directory / "one";
  write_input(directory / "list", name + '\0' + name + '\0');  // as find -print0 writes it
  EXPECT_THROW(plan({"@" + (directory / "list")}), UsageError);
}

// A list that does not fit says how much memory would suffice, and that much does.
TEST_F(Plan, CountsListsThatDoNotFit) {
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    write_input(directory / ("file" + std::to_string(i)), "text\n");
    lines += (directory / ("file" + std::to_string(i))) + "\n";
  }
  write_input(directory / "list", lines);
  for (const std::string& input : {"@" + (directory / "list"), directory.path()}) {
    for (const std::uint32_t parts : {1U, 3U}) {
      CorpusOptions options;
      options.part_count = parts;
      const CorpusPlan refused = plan_corpus(posix_file_system(), {input}, options, {}, 1000);
      EXPECT_FALSE(refused.files.is_whole());
      EXPECT_GT(refused.list_bytes, 1000U);
      const CorpusPlan accepted = plan_corpus(posix_file_system(), {input}, options, {}, refused.list_bytes);
      EXPECT_TRUE(accepted.files.is_whole());
      EXPECT_LT(accepted.list_bytes, refused.list_bytes);
      EXPECT_EQ(accepted.list_bytes, accepted.files.memory_bytes());
      EXPECT_EQ(ids(accepted), ids(plan({input}, options)));
    }
  }
}

TEST_F(Plan, RefusesWhatCannotBeRead) {
  std::filesystem::create_directory(directory / "empty");
  write_input(directory / "list", "/does/not/exist\n");
  EXPECT_THROW(plan({}), UsageError);
  EXPECT_THROW(plan({directory / "missing"}), UsageError);
  EXPECT_THROW(plan({directory / "empty"}), UsageError);
  EXPECT_THROW(plan({"/dev/null"}), UsageError);
  EXPECT_THROW(plan({"@" + (directory / "list")}), UsageError);
  EXPECT_THROW(plan({"@" + (directory / "missing")}), IoError);
}

TEST_F(Plan, SaysWhoReadsUrls) {
  const auto words_of = [&](const std::string& input) -> std::string {
    try {
      plan({input});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(words_of("s3://bucket/a.jsonl").find("for the program 'spillway' of the Python package"),
            std::string::npos);
  EXPECT_EQ(words_of(directory / "a.jsonl").find("Python"), std::string::npos);
}

TEST_F(Plan, RefusesPartsThatAreNone) {
  write_input(directory / "one", "1\n");
  CorpusOptions options;
  for (const auto& [number, count] : {std::pair{0u, 1u}, {2u, 1u}, {1u, 0u}}) {
    options.part_number = number;
    options.part_count = count;
    EXPECT_THROW(plan({directory / "one"}, options), UsageError);
  }
  options.part_number = 1;
  options.part_count = 2;
  EXPECT_THROW(plan({"-"}, options), UsageError);
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(plan({directory / "fifo"}, options), UsageError);
}

TEST_F(Plan, KnowsStreams) {
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  const CorpusPlan made = plan({directory / "fifo", "-"});
  ASSERT_EQ(made.files.size(), 2u);
  for (const CorpusFile& file : made.files) EXPECT_TRUE(file.is_stream);
  EXPECT_EQ(made.total_bytes, 0u);
}

TEST_F(Plan, RecognisesFormatsByContent) {
  EXPECT_EQ(plan_bytes("{\"a\":1}\nnot json\n").format, CorpusFormat::kJsonl);
  EXPECT_EQ(plan_bytes(" \n\t{\"a\":1}").format, CorpusFormat::kJsonl);
  EXPECT_EQ(plan_bytes("\xEF\xBB\xBF{}\n").format, CorpusFormat::kJsonl);
  EXPECT_EQ(plan_bytes("{\"a\":1\n").format, CorpusFormat::kText);
  EXPECT_EQ(plan_bytes("{\"a\":1").format, CorpusFormat::kText);
  EXPECT_EQ(plan_bytes("{ some words }\n").format, CorpusFormat::kText);
  EXPECT_EQ(plan_bytes("[1]\n").format, CorpusFormat::kText);
  EXPECT_EQ(plan_bytes("words\n").format, CorpusFormat::kText);
  EXPECT_EQ(plan_bytes("words\n", CorpusFormat::kLines).format, CorpusFormat::kLines);
  EXPECT_EQ(plan_bytes("{\"a\":\"" + std::string(100000, 'x')).format, CorpusFormat::kJsonl);
  EXPECT_EQ(plan_bytes("{\"a\":\x01" + std::string(100000, 'x')).format, CorpusFormat::kText);
}

TEST_F(Plan, RecognisesCompressionByContent) {
  const CorpusFile gzip = plan_bytes(gzip_member("{}\n"));
  EXPECT_EQ(gzip.compression, Compression::kGzip);
  EXPECT_GT(gzip.unpack_bytes, 32768u);
  const CorpusFile zstd = plan_bytes(zstd_frame(std::string(100000, 'x'), {.window_log = 20, .content_size = false}));
  EXPECT_EQ(zstd.compression, Compression::kZstd);
  EXPECT_GE(zstd.unpack_bytes, 1u << 20);
  EXPECT_LT(zstd.unpack_bytes, 2u << 20);
  EXPECT_EQ(plan_bytes(zstd_skippable_frame("x")).compression, Compression::kZstd);
  EXPECT_EQ(plan_bytes("\x1F\x8B").compression, Compression::kNone);
}

TEST_F(Plan, RefusesHugeZstdWindowsAtOnce) {
  EXPECT_NO_THROW(plan_bytes(zstd_frame("abc", {.window_log = 27, .content_size = false})));
  EXPECT_THROW(plan_bytes(zstd_frame("abc", {.window_log = 28, .content_size = false})), BudgetError);
}

TEST_F(Plan, NoticesChanges) {
  write_input(directory / "one", "1\n");
  write_input(directory / "two", "2\n");
  const CorpusPlan made = plan({directory / "one", directory / "two"});
  EXPECT_NO_THROW(check_unchanged(posix_file_system(), made));
  write_input(directory / "two", "2\n3\n");
  try {
    check_unchanged(posix_file_system(), made);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(directory / "two"), std::string::npos);
  }
  std::filesystem::remove(directory / "one");
  EXPECT_THROW(check_unchanged(posix_file_system(), made), IoError);
}

TEST_F(Plan, NoticesARewriteOfTheSameSize) {
  write_input(directory / "one", "1\n");
  const CorpusPlan made = plan({directory / "one"});
  std::filesystem::last_write_time(directory / "one",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THROW(check_unchanged(posix_file_system(), made), IoError);
}

TEST(Part, SharesAreEvenAndComplete) {
  for (const std::uint64_t total : {0ull, 1ull, 7ull, 1000ull, ~0ull}) {
    for (const std::uint32_t count : {1u, 2u, 3u, 10u, 1000u}) {
      std::uint64_t end = 0;
      for (std::uint32_t number = 1; number <= count; ++number) {
        const ByteRange range = part_range(total, number, count);
        ASSERT_EQ(range.begin, end);
        ASSERT_LE(range.end - range.begin, total / count + (total % count != 0 ? 1 : 0));
        end = range.end;
      }
      ASSERT_EQ(end, total);
    }
  }
}

// All parts together contain every document once, in order, for all kinds of files and any number of parts.
TEST_F(Plan, PartsTogetherAreTheWhole) {
  std::string jsonl, lines;
  for (int i = 0; i < 40; ++i) {
    jsonl +=
        "{\"id\":" + std::to_string(i) + ",\"text\":\"" + std::string(static_cast<std::size_t>(i % 7), 'x') + "\"}\n";
  }
  std::filesystem::create_directory(directory / "in");
  write_input(directory / "in/a.jsonl", "\xEF\xBB\xBF" + jsonl);
  write_input(directory / "in/b.gz", gzip_member(jsonl));
  write_input(directory / "in/c.txt", "a text\n");
  write_input(directory / "in/d.empty", "");
  write_input(directory / "in/e.zst", zstd_frame(jsonl));
  write_input(directory / "in/f.bin", std::string(10, '\0'));
  write_input(directory / "in/g.txt", "another text\n");
  const ReadResult whole = read_corpus({directory / "in"});
  EXPECT_EQ(whole.documents.size(), 122u);
  EXPECT_EQ(whole.reasons(), std::vector<SkipReason>{SkipReason::kBinary});
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 50u, 1000u}) {
    ReadResult all;
    ReadSetup setup;
    setup.options.part_count = count;
    for (std::uint32_t number = 1; number <= count; ++number) {
      setup.options.part_number = number;
      all.add(read_corpus({directory / "in"}, setup));
    }
    expect_same_documents(all, whole);
    EXPECT_EQ(all.consumed, whole.consumed);
  }
}

}  // namespace
}  // namespace spillway
