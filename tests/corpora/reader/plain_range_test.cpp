#include "corpora/reader/plain_range.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

// The definition of `lines`, written as plainly as possible.
std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> lines;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    std::string line(bytes.substr(0, newline));
    if (newline != std::string_view::npos && line.ends_with('\r')) line.pop_back();
    lines.push_back(repair_utf8(line));
    bytes.remove_prefix(newline == std::string_view::npos ? bytes.size() : newline + 1);
  }
  return lines;
}

std::string random_lines(std::mt19937_64& random, std::size_t most_lines, std::size_t longest) {
  std::string bytes;
  if (random() % 4 == 0) bytes = kByteOrderMark;
  for (std::size_t i = random() % (most_lines + 1); i > 0; --i) {
    const std::size_t length = random() % 4 == 0 ? 0 : random() % (random() % 3 == 0 ? longest : 20);
    for (std::size_t j = 0; j < length; ++j) {
      static const std::string kBytes = "abcdefgh \r\xC3\xA9";
      bytes += kBytes[random() % kBytes.size()];
    }
    if (i > 1 || random() % 2 == 0) bytes += random() % 3 == 0 ? "\r\n" : "\n";
  }
  return bytes;
}

TEST(Lines, AreDocumentsEmptyOnesToo) {
  const auto result = read_input("one\n\ntwo\r\n\r\nthree\rfour\nlast\r", setup_of(CorpusFormat::kLines));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "", "two", "", "three\rfour", "last\r"}));
  for (const auto& document : result.documents) EXPECT_EQ(document.id, "");
  EXPECT_EQ(result.documents[2].offset, 5u);
}

TEST(Lines, AnEmptyFileHasNone) {
  EXPECT_TRUE(read_input("", setup_of(CorpusFormat::kLines)).documents.empty());
  EXPECT_TRUE(read_input("\xEF\xBB\xBF", setup_of(CorpusFormat::kLines)).documents.empty());
}

TEST(Lines, KeepNulAndRepairUtf8) {
  const auto result = read_input(std::string_view("a\0b\n\xFFx\ngood\n", 12), setup_of(CorpusFormat::kLines));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{std::string("a\0b", 3), "\xEF\xBF\xBDx", "good"}));
  EXPECT_FALSE(result.documents[0].repaired);
  EXPECT_TRUE(result.documents[1].repaired);
  EXPECT_FALSE(result.documents[2].repaired);
}

TEST(Lines, TooLongOnesAreSkippedInAnyBuffer) {
  for (const std::size_t buffer_bytes : {64u, 1u << 20}) {
    ReadSetup setup = setup_of(CorpusFormat::kLines, buffer_bytes);
    setup.options.max_document_bytes = 100;
    const std::string fits(100, 'x'), longer(101, 'y'), huge((1 << 20) + 200, 'z');
    std::string bytes = fits;
    bytes.append("\r\n").append(longer).append("\n").append(huge).append("\n").append(fits);
    const auto result = read_input(bytes, setup);
    EXPECT_EQ(result.texts(), (std::vector<std::string>{fits, fits}));
    ASSERT_EQ(result.reasons(), (std::vector<SkipReason>{SkipReason::kDocumentTooLong, SkipReason::kDocumentTooLong}));
    EXPECT_EQ(result.skips[1].offset, 102u + 102u);
  }
}

// The lines do not depend on the cuts into tasks and buffers: a range has the records that start in it.
TEST(PlainRange, EveryCuttingGivesTheSameLines) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 30; ++round) {
    const std::string bytes = random_lines(random, 12, 300);
    const auto expected = lines_of(bytes);
    const auto whole = read_input(bytes, setup_of(CorpusFormat::kLines));
    ASSERT_EQ(whole.texts(), expected) << round;
    for (const std::size_t buffer_bytes : {64u, 100u, 1u << 16}) {
      for (const std::size_t task : {1u, 2u, 5u, 33u, 64u, 1000u}) {
        expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kLines, buffer_bytes, 1, task)), whole);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(PlainRange, ThreadsGiveTheSameLines) {
  std::mt19937_64 random(4);
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += random_lines(random, 12, 5000) + "\n";
  const auto whole = read_input(bytes, setup_of(CorpusFormat::kLines));
  EXPECT_GT(whole.documents.size(), 1000u);
  for (const unsigned threads : {2u, 4u, 8u}) {
    expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kLines, 1024, threads, 3000)), whole);
  }
}

TEST(PlainRange, ManyFilesGiveTheSameLinesAsOne) {
  const ScratchDirectory directory;
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string bytes = "line " + std::to_string(i) + "\n\nmore\n";
    write_input(directory / std::to_string(1000 + i), bytes);
    all += bytes;
  }
  EXPECT_EQ(read_corpus({directory.path()}, setup_of(CorpusFormat::kLines, 1 << 20, 3)).texts(), lines_of(all));
}

TEST(PlainRange, AFileThatShrinksIsAnError) {
  const ScratchDirectory directory;
  write_input(directory / "input", std::string(100000, 'x') + "\nend\n");
  FileSystem& files = posix_file_system();
  CorpusOptions options;
  options.format = CorpusFormat::kLines;
  const CorpusPlan plan = plan_corpus(files, {directory / "input"}, options);
  std::filesystem::resize_file(directory / "input", 50000);
  MemoryBudget budget(1 << 24);
  TempSpace temp(files, {}, directory.path(), 0);
  CorpusReader reader({files, plan, options, {1 << 20, 1 << 16, 1}}, budget, temp);
  TaskParser parser(reader, budget);
  CorpusTask task;
  CollectingSink sink;
  ASSERT_TRUE(reader.next(task));
  try {
    parser.parse(task, sink);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(directory / "input"), std::string::npos) << error.what();
  }
}

TEST(PlainRange, WhatIsAppendedWhileReadingIsNotRead) {
  const ScratchDirectory directory;
  write_input(directory / "input", "one\ntw");
  FileSystem& files = posix_file_system();
  CorpusOptions options;
  options.format = CorpusFormat::kLines;
  const CorpusPlan plan = plan_corpus(files, {directory / "input"}, options);
  std::ofstream(directory / "input", std::ios::app) << "o\nthree\n";
  MemoryBudget budget(1 << 24);
  TempSpace temp(files, {}, directory.path(), 0);
  CorpusReader reader({files, plan, options, {1 << 20, 1 << 16, 1}}, budget, temp);
  TaskParser parser(reader, budget);
  CorpusTask task;
  CollectingSink sink;
  while (reader.next(task)) parser.parse(task, sink);
  EXPECT_EQ(sink.result.texts(), (std::vector<std::string>{"one", "tw"}));
  EXPECT_THROW(check_unchanged(files, plan), IoError);
}

}  // namespace
}  // namespace spillway
