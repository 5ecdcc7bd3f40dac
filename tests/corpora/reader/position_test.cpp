// Reading on from a place between two tasks, with any limits, gives what comes after it: the promise of resumable jobs.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/corpora/tar/tar_files.hpp"
#include "tests/corpora/unpack/zip_files.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

// What comes before the end of a task, and that end.
struct Read {
  ReadResult before;
  InputPosition end;
};

// Reads from `start` on, task by task.
std::vector<Read> read_from(const std::string& input, const ReadSetup& setup, const InputPosition& start) {
  const CorpusPlan plan = plan_corpus(posix_file_system(), {input}, setup.options);
  MemoryBudget budget(std::size_t{1} << 30);
  CorpusReader reader({posix_file_system(), plan, setup.options, setup.limits, start}, budget, shared_temp_space());
  TaskParser parser(reader, budget);
  std::vector<Read> reads{{{}, start}};
  for (CorpusTask task; reader.next(task);) {
    EXPECT_EQ(task.number, reads.back().end.task);
    CollectingSink sink;
    parser.parse(task, sink);
    Read next{reads.back().before, task.end};
    next.before.add(std::move(sink.result));
    reads.push_back(std::move(next));
  }
  return reads;
}

void expect_same_skips(const ReadResult& found, const ReadResult& expected) {
  ASSERT_EQ(found.skips, expected.skips);
  ASSERT_EQ(found.documents, expected.documents);
}

// Goes on from each place of each kind of reader with each other kind.
void expect_places_hold(const std::string& input, CorpusFormat format) {
  const ReadSetup setups[] = {setup_of(format, 64, 1, 100), setup_of(format, 300, 1, 700),
                              setup_of(format, std::size_t{1} << 20, 2)};
  const ReadResult expected = read_from(input, setups[2], {}).back().before;
  ASSERT_FALSE(expected.documents.empty());
  for (const ReadSetup& first : setups) {
    const std::vector<Read> reads = read_from(input, first, {});
    expect_same_skips(reads.back().before, expected);
    for (std::size_t i = 0; i < reads.size(); i += 1 + reads.size() / 40) {
      for (const ReadSetup& second : setups) {
        SCOPED_TRACE("place " + std::to_string(i) + ": file " + std::to_string(reads[i].end.file) + ", offset " +
                     std::to_string(reads[i].end.offset) + ", buffers of " + std::to_string(first.limits.buffer_bytes) +
                     " and " + std::to_string(second.limits.buffer_bytes));
        ReadResult whole = reads[i].before;
        whole.add(read_from(input, second, reads[i].end).back().before);
        expect_same_skips(whole, expected);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

std::string jsonl(int first, int count) {
  std::string lines;
  for (int i = first; i < first + count; ++i) {
    const std::string text(i % 9 == 0 ? 500 : static_cast<std::size_t>(i % 40), 'x');
    lines += i % 13 == 5 ? "no record\n" : "{\"id\":\"" + std::to_string(i) + "\",\"text\":\"" + text + "\"}\n";
  }
  return lines;
}

std::string lines(const std::string& newline) {
  std::string text = "\xEF\xBB\xBF";
  for (int i = 0; i < 100; ++i) text += std::string(i % 10 == 0 ? 400 : static_cast<std::size_t>(i % 7), 'y') + newline;
  return text + "the last";
}

std::string trec() {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += "<DOC><DOCNO>" + std::to_string(i) + "</DOCNO>" + std::string(i % 8 == 0 ? 600 : 20, 'z') + "</DOC>\n";
    if (i % 11 == 3) text += "between\n";
  }
  return text;
}

// With records that no option asks for, a wrong length, and bytes that belong to no record.
std::string warc() {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    const std::string id = std::to_string(i);
    std::string record = i % 3 == 0 ? archived_text(id, "text " + id + std::string(i % 8 == 0 ? 600 : 20, 'z'))
                                    : archived_page(id, "<p>page " + id, "", i % 7 == 4 ? "404 Not Found" : "200 OK");
    if (i % 13 == 6) record.insert(record.size() - 2, "longer than its header says");
    text += record;
    if (i % 11 == 3) text += "between";
    if (i % 5 == 2) text += archived("request", "q" + id, "GET / HTTP/1.1\r\n\r\n");
  }
  return text;
}

// Damaged headers, lengths that lie, zeros and junk between members.
std::string tar() {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "page" + std::to_string(i) + ".html";
    std::string member = tar_member(name, "<p>page " + name + std::string(static_cast<std::size_t>(i % 9) * 200, 'x'));
    if (i % 13 == 6) member[0] = 'P';
    if (i % 17 == 4) text += tar_header("lying.html", 1 << 20);
    if (i % 11 == 3) text += tar_end() + "between";
    if (i % 19 == 5) text += std::string(kTarBlockBytes, '\0');
    if (i % 5 == 2) text += tar_member("link", "", '2');
    text += member;
  }
  return text + tar_end();
}

// Members that are cut, damaged, and followed by bytes that belong to none.
std::string faulty_gzip(const std::string& text) {
  std::string damaged = gzip_member(text);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  return gzip_member(text) + damaged + gzip_member(text) + "garbage";
}

class Places : public ::testing::Test {
 protected:
  std::string input_ = shared_directory() / "places";
  void SetUp() override {
    std::filesystem::remove_all(input_);
    std::filesystem::create_directory(input_);
  }
};

TEST_F(Places, HoldInPlainFiles) {
  write_input(input_ + "/a", jsonl(0, 100));
  write_input(input_ + "/b", "");
  write_input(input_ + "/c", jsonl(100, 50));
  expect_places_hold(input_, CorpusFormat::kJsonl);
}

TEST_F(Places, HoldInCompressedFiles) {
  write_input(input_ + "/a.gz", gzip_member(jsonl(0, 60)) + gzip_member(jsonl(60, 40)));
  write_input(input_ + "/b.zst", zstd_frame(jsonl(100, 50)));
  write_input(input_ + "/c.gz", gzip_member(""));
  write_input(input_ + "/d", jsonl(200, 50));
  expect_places_hold(input_, CorpusFormat::kAuto);
}

TEST_F(Places, HoldInFaultyContainersOfEveryFormat) {
  const struct {
    CorpusFormat format;
    std::string text;
  } kinds[] = {{CorpusFormat::kJsonl, jsonl(0, 80)},  {CorpusFormat::kLines, lines("\n")},
               {CorpusFormat::kLines, lines("\r\n")}, {CorpusFormat::kTrec, trec()},
               {CorpusFormat::kTar, tar()},           {CorpusFormat::kWarc, warc()}};
  for (const auto& [format, text] : kinds) {
    SCOPED_TRACE(corpus_format_name(format));
    write_input(input_ + "/a.gz", faulty_gzip(text));
    const std::string packed = gzip_member(text);
    write_input(input_ + "/b.gz", packed.substr(0, packed.size() * 2 / 3));
    write_input(input_ + "/c", text);
    expect_places_hold(input_, format);
  }
}

TEST_F(Places, HoldInsideOfAWacz) {
  write_input(input_ + "/a.wacz", zip_of({{"archive/a.warc.gz", faulty_gzip(warc())},
                                          {"archive/b.warc", warc(), true},
                                          {"archive/c.warc.gz", gzip_member(warc())},
                                          {"pages/pages.jsonl", jsonl(0, 3)}}));
  write_input(input_ + "/b.warc", warc());
  expect_places_hold(input_, CorpusFormat::kWarc);
}

TEST_F(Places, HoldBetweenTexts) {
  for (int i = 0; i < 30; ++i) {
    write_input(input_ + "/" + std::to_string(i), "text " + std::string(static_cast<std::size_t>(i * 20), 'x'));
    write_input(input_ + "/" + std::to_string(i) + ".gz", gzip_member("packed " + std::to_string(i)));
  }
  write_input(input_ + "/binary", std::string(10, '\0'));
  expect_places_hold(input_, CorpusFormat::kText);
}

}  // namespace
}  // namespace spillway
