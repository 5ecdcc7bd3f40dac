#include "corpora/reader/corpus_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <random>

#include "corpora/unpack/zstd_codec.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

std::string records(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i)
    lines += "{\"id\":" + std::to_string(i) + ",\"text\":\"text " + std::to_string(i) + "\"}\n";
  return lines;
}

ReadResult read_stream(std::string_view stored, const ReadSetup& setup) {
  const ScratchDirectory directory;
  const std::string fifo = directory / "fifo";
  EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::jthread writer([&] { write_input(fifo, stored); });
  return read_corpus({fifo}, setup);
}

TEST(CorpusReader, MixedInputsComeInOrder) {
  const ScratchDirectory directory;
  write_input(directory / "a.jsonl", records(0, 100));
  write_input(directory / "b.jsonl.gz", gzip_member(records(100, 200)));
  write_input(directory / "c.jsonl.zst", zstd_frame(records(200, 300)));
  write_input(directory / "d.jsonl", records(300, 400));
  write_input(directory / "e.jsonl.gz", gzip_member(records(400, 500)));
  for (const unsigned threads : {1u, 4u}) {
    const auto result = read_corpus({directory.path()}, setup_of(CorpusFormat::kAuto, 300, threads, 500));
    ASSERT_EQ(result.documents.size(), 500u);
    for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(result.documents[i].id, std::to_string(i));
  }
}

TEST(CorpusReader, StreamsAreRecognisedWhenTheyAreOpened) {
  const auto expected = read_input(records(0, 1000));
  for (const std::string& stored : {records(0, 1000), gzip_member(records(0, 1000)), zstd_frame(records(0, 1000))}) {
    expect_same_documents(read_stream(stored, setup_of(CorpusFormat::kAuto, 1000, 2)), expected);
  }
  EXPECT_EQ(read_stream("just text", {}).texts(), std::vector<std::string>{"just text"});
  EXPECT_TRUE(read_stream("", {}).documents.empty());
}

TEST(CorpusReader, KeepsMemoryForTheWindowOfAStream) {
  const std::string stored = zstd_frame("one\ntwo\n", {.window_log = 25, .content_size = false});
  ReadSetup setup = setup_of(CorpusFormat::kLines, 1000, 2);
  EXPECT_THROW(read_stream(stored, setup), BudgetError);
  setup.limits.unpack_bytes = ZstdCodec::share_of(std::size_t{255} << 20);
  EXPECT_THROW(read_stream(stored, setup), BudgetError);
  setup.limits.unpack_bytes = ZstdCodec::share_of(std::size_t{256} << 20);
  EXPECT_EQ(read_stream(stored, setup).texts(), (std::vector<std::string>{"one", "two"}));
}

TEST(CorpusReader, LongRecordsOfStreamsAreSpooled) {
  std::string lines = records(0, 10) + "{\"id\":\"long\",\"title\":\"t\",\"text\":\"";
  for (int i = 0; i < 20000; ++i) lines += "word\\n\\u20ac \xE2\x82\xAC ";
  lines += "\"}\r\n" + records(10, 20);
  const auto expected = read_input(lines);
  ASSERT_EQ(expected.documents.size(), 21u);
  for (const std::size_t buffer_bytes : {64u, 1000u, 65536u}) {
    expect_same_documents(read_input(lines, setup_of(CorpusFormat::kAuto, buffer_bytes)), expected);
    expect_same_documents(read_input(gzip_member(lines), setup_of(CorpusFormat::kAuto, buffer_bytes, 2)), expected);
    expect_same_documents(read_stream(lines, setup_of(CorpusFormat::kAuto, buffer_bytes, 2)), expected);
  }
}

TEST(CorpusReader, RecordsBeyondTheLimitAreNotSpooled) {
  const std::string lines =
      records(0, 1) + "{\"id\":\"huge\",\"text\":\"" + std::string(5 << 20, 'x') + "\"}\n" + records(1, 2);
  ReadSetup setup = setup_of(CorpusFormat::kJsonl, 1 << 16, 2);
  setup.options.max_document_bytes = 1000;
  const std::uint64_t written_before = shared_temp_space().written_bytes();
  for (const std::string& stored : {gzip_member(lines), lines}) {
    const auto result = read_input(stored, setup);
    EXPECT_EQ(result.ids(), (std::vector<std::string>{"0", "1"}));
    ASSERT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
    EXPECT_EQ(result.skips[0].offset, records(0, 1).size());
  }
  EXPECT_LT(shared_temp_space().written_bytes() - written_before, 2u << 20);
}

TEST(CorpusReader, ALongBlankLineIsNoRecord) {
  const std::string lines = records(0, 1) + std::string(1000, ' ') + "\n" + records(1, 2);
  for (const std::string& stored : {lines, gzip_member(lines)}) {
    const auto result = read_input(stored, setup_of(CorpusFormat::kJsonl, 64));
    EXPECT_EQ(result.ids(), (std::vector<std::string>{"0", "1"}));
    EXPECT_TRUE(result.skips.empty());
  }
}

TEST(CorpusReader, StopsInTheMiddle) {
  write_input(shared_directory() / "big.gz", gzip_member(records(0, 200000)));
  const CorpusPlan plan = plan_corpus(posix_file_system(), {shared_directory() / "big.gz"}, {});
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  for (const int taken : {0, 1, 3}) {
    CorpusReader reader({posix_file_system(), plan, options, {1 << 20, 1 << 12, 2}}, budget, shared_temp_space());
    CorpusTask task;
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(reader.next(task));
    reader.stop();
    EXPECT_FALSE(reader.next(task));
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
}

// Smaller tasks let all threads end together. Every byte is in one task.
TEST(CorpusReader, HandsOutSmallerTasksTowardsTheEnd) {
  const std::string lines = records(0, 20000);
  for (const char* name : {"first", "second"}) write_input(shared_directory() / name, lines);
  CorpusOptions options;
  options.format = CorpusFormat::kJsonl;
  const CorpusPlan plan =
      plan_corpus(posix_file_system(), {shared_directory() / "first", shared_directory() / "second"}, options);
  MemoryBudget budget(std::size_t{1} << 26);
  constexpr std::size_t kTask = 40000;
  constexpr unsigned kThreads = 4;
  CorpusReader reader(
      {posix_file_system(), plan, options, {.task_bytes = kTask, .buffer_bytes = 1 << 12, .threads = kThreads}}, budget,
      shared_temp_space());
  CorpusTask task;
  std::vector<std::uint64_t> sizes;
  std::uint64_t done = 0;
  while (reader.next(task)) {
    const auto& range = std::get<PlainRange>(task.work);
    EXPECT_EQ(range.begin + (range.file->id() == "first" ? 0 : lines.size()), done);
    sizes.push_back(range.end - range.begin);
    done += sizes.back();
  }
  EXPECT_EQ(done, 2 * lines.size());
  ASSERT_GT(sizes.size(), 4 * kThreads);
  EXPECT_EQ(sizes.front(), kTask);
  EXPECT_EQ(sizes[lines.size() / kTask + 1], kTask) << "the end of a file is not that of the input";
  for (std::size_t i = sizes.size() - kThreads; i < sizes.size(); ++i) EXPECT_LE(sizes[i], kTask / 8) << i;
}

TEST(CorpusReader, StopWakesThoseWhoWait) {
  const ScratchDirectory directory;
  const std::string fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const CorpusPlan plan = plan_corpus(posix_file_system(), {fifo}, {});
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  std::promise<void> end;
  std::thread writer([&] {
    std::ofstream out(fifo);
    end.get_future().wait();
  });
  {
    CorpusReader reader({posix_file_system(), plan, options, {1 << 20, 1 << 12, 2}}, budget, shared_temp_space());
    auto waiting = std::async(std::launch::async, [&] {
      CorpusTask task;
      return reader.next(task);
    });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    reader.stop();
    EXPECT_EQ(waiting.wait_for(std::chrono::seconds(10)), std::future_status::ready);
    EXPECT_FALSE(waiting.get());
    end.set_value();
  }
  writer.join();
}

TEST(CorpusReader, WhatTheReaderThreadMeetsComesOutOfNext) {
  write_input(shared_directory() / "gone.gz", gzip_member(records(0, 10)));
  const CorpusPlan plan = plan_corpus(posix_file_system(), {shared_directory() / "gone.gz"}, {});
  std::filesystem::remove(shared_directory() / "gone.gz");
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  CorpusReader reader({posix_file_system(), plan, options, {1 << 20, 1 << 12, 2}}, budget, shared_temp_space());
  CorpusTask task;
  EXPECT_THROW(reader.next(task), IoError);
  EXPECT_THROW(reader.next(task), IoError);
}

TEST(CorpusReader, APackedFileThatShrinksIsAnErrorNotATruncation) {
  const std::string path = shared_directory() / "shrinks.gz";
  write_input(path, gzip_member(records(0, 100000)));
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, {});
  std::filesystem::resize_file(path, plan.files.begin()->size - 1);
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  CorpusReader reader({posix_file_system(), plan, options, {1 << 20, 1 << 20, 1}}, budget, shared_temp_space());
  EXPECT_THROW(
      {
        CorpusTask task;
        while (reader.next(task)) continue;
      },
      IoError);
}

// A sink may end the work from inside a long record.
TEST(CorpusReader, ASinkMayThrowAnywhere) {
  class Impatient final : public DocumentSink {
   public:
    void begin(const DocumentFields&, const SourcePlace&) override {}
    void text(std::string_view) override {}
    void end() override {}
    void skip(SkipReason, const SourcePlace&, std::string_view) override {}
    void consumed(std::uint64_t) override {
      if (++calls == 5) throw InterruptedError(2);
    }
    int calls = 0;
  };
  const std::string path = shared_directory() / "long.jsonl";
  write_input(path, "{\"id\":1,\"text\":\"" + std::string(1 << 20, 'x') + "\"}\n");
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, {});
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  CorpusReader reader({posix_file_system(), plan, options, {1 << 20, 1 << 12, 1}}, budget, shared_temp_space());
  TaskParser parser(reader, budget);
  CorpusTask task;
  ASSERT_TRUE(reader.next(task));
  Impatient sink;
  EXPECT_THROW(parser.parse(task, sink), InterruptedError);
  EXPECT_EQ(sink.calls, 5);
}

// Adds up the input bytes that tasks report.
struct ProgressSink final : DocumentSink {
  void begin(const DocumentFields&, const SourcePlace&) override {}
  void text(std::string_view) override {}
  void end() override { ++documents; }
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t bytes) override {
    all += bytes;
    longest = std::max(longest, bytes);
  }
  std::uint64_t documents = 0, all = 0, longest = 0;
};

// The progress of each task of a file, in buffers of 4 KiB and ranges of 16 KiB.
std::vector<ProgressSink> progress_of(const std::string& path, CorpusFormat format) {
  CorpusOptions options;
  options.format = format;
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, options);
  MemoryBudget budget(std::size_t{1} << 26);
  CorpusReader reader({posix_file_system(), plan, options, {1 << 14, 1 << 12, 1}}, budget, shared_temp_space());
  TaskParser parser(reader, budget);
  std::vector<ProgressSink> progress;
  for (CorpusTask task; reader.next(task);) parser.parse(task, progress.emplace_back());
  return progress;
}

// Words that do not compress to nothing.
std::string random_words(std::size_t bytes) {
  std::mt19937_64 random(3);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random()) + " ";
  return text;
}

// A document of 4 MiB counts while it is read, for the task that parses it; other tasks only search their ranges.
TEST(TaskParser, CountsALongDocumentWhileItIsRead) {
  const std::string words = random_words(4 << 20);
  const std::pair<CorpusFormat, std::string> inputs[] = {
      {CorpusFormat::kJsonl, "{\"id\":1,\"text\":\"" + words + "\"}\n"},
      {CorpusFormat::kLines, words + "\n"},
      {CorpusFormat::kText, words},
      {CorpusFormat::kTrec, "<DOC>\n<DOCNO>1</DOCNO>\n" + words + "\n</DOC>\n"},
      {CorpusFormat::kTsv, "1\ttitle\t" + words + "\n"}};
  for (const auto& [format, bytes] : inputs) {
    for (const std::string& stored : {bytes, gzip_member(bytes)}) {
      const std::string path = shared_directory() / "long";
      write_input(path, stored);
      std::uint64_t all = 0, documents = 0;
      for (const ProgressSink& task : progress_of(path, format)) {
        all += task.all;
        documents += task.documents;
        EXPECT_LT(task.longest, stored.size() / 10) << corpus_format_name(format);
        EXPECT_TRUE(task.documents == 1 || task.all < stored.size() / 10) << corpus_format_name(format);
      }
      EXPECT_EQ(documents, 1u) << corpus_format_name(format);
      EXPECT_EQ(all, stored.size()) << corpus_format_name(format);
    }
  }
}

TEST(TaskParser, ReservesWhatItSays) {
  const std::string path = shared_directory() / "small.jsonl";
  write_input(path, records(0, 10));
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, {});
  MemoryBudget budget(std::size_t{1} << 26);
  const CorpusOptions options;
  const ReaderLimits limits{1 << 20, 1 << 18, 1};
  CorpusReader reader({posix_file_system(), plan, options, limits}, budget, shared_temp_space());
  EXPECT_EQ(budget.used_bytes(), 0u);
  TaskParser parser(reader, budget);
  EXPECT_EQ(budget.used_bytes(), TaskParser::memory_bytes(limits));
  EXPECT_LT(budget.used_bytes(), 1u << 20);
}

}  // namespace
}  // namespace spillway
