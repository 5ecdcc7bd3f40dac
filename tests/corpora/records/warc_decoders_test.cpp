// Bodies in codings whose decoders need more memory than a parsing thread has for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/warc_samples.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Reasons = std::vector<SkipReason>;

std::string page_of(std::size_t words, unsigned seed) {
  std::string page = "<title>Page " + std::to_string(seed) + "</title><p>";
  for (std::size_t i = 0; i < words; ++i) page += "wärd" + std::to_string(i * seed % 977) + " ";
  return page;
}

std::string zstd_8_mib(std::string_view page) { return zstd_frame(page, {.window_log = 23, .content_size = false}); }

std::string archived_zstd(std::string_view id, std::string_view page) {
  return archived_page(id, zstd_8_mib(page), "Content-Encoding: zstd\r\n");
}

// The last three need 16 MiB and more than 20 MiB.
std::string crawl() {
  std::string file;
  for (unsigned i = 1; i <= 6; ++i) {
    const std::string page = page_of(i * 2000, i), name = std::to_string(i);
    file += archived_page("plain" + name, page);
    file += archived_page("gzip" + name, gzip_member(page), "Content-Encoding: gzip\r\n");
    file += archived_page("br" + name, brotli_stored(page), "Content-Encoding: br\r\n");
    file += archived_zstd("zstd" + name, page);
    file += archived_page("both" + name, gzip_member(brotli_stored(page)), "Content-Encoding: br, gzip\r\n");
    file += archived_page("nested" + name, brotli_stored(brotli_stored(page)), "Content-Encoding: br, br\r\n");
    const std::string whole = zstd_8_mib(page);
    file += archived_page("cut" + name, whole.substr(0, whole.size() / 2), "Content-Encoding: zstd\r\n");
  }
  const std::string markup = page_of(100, 7) + "<!--" + std::string(17 << 20, 'x') + "-->" + page_of(100, 8);
  const std::string packed = brotli_stored(markup);
  file += archived_page("long", gzip_member(packed), "Content-Encoding: br, gzip\r\n");
  file += archived_page("two", gzip_member(brotli_stored(packed)), "Content-Encoding: br, br, gzip\r\n");
  return file;
}

ReadSetup setup_with(std::size_t decoder_bytes, std::size_t buffer_bytes, unsigned threads) {
  ReadSetup setup = setup_of(CorpusFormat::kWarc, buffer_bytes, threads);
  setup.limits.decoder_bytes = decoder_bytes;
  return setup;
}

TEST(WarcDecoders, TheSameBodiesAreDecodedWithAnyAllowance) {
  const std::string file = crawl();
  const auto expected = read_input(file, setup_with(kBodyDecoderBytes, 1 << 20, 1));
  EXPECT_EQ(expected.documents.size(), 43u);
  EXPECT_EQ(std::ranges::count_if(expected.documents, &ReadDocument::repaired), 6) << "those that are cut";
  EXPECT_EQ(expected.reasons(), Reasons{SkipReason::kContentCoding});
  for (const std::size_t decoder_bytes : {0, 50'000, 1'000'000}) {
    for (const std::size_t buffer_bytes : {70, 5000, 40'000, 1'000'000}) {
      SCOPED_TRACE(std::to_string(decoder_bytes) + " and " + std::to_string(buffer_bytes));
      expect_same_documents(read_input(file, setup_with(decoder_bytes, buffer_bytes, 3)), expected);
    }
  }
}

TEST(WarcDecoders, TextsInFilesKeepLimits) {
  const std::string page = page_of(20'000, 3);
  const std::string file = archived_zstd("a", page) + archived_page("b", page) + archived_page("c", "<p>short");
  ReadSetup setup = setup_with(0, 5000, 1);
  const std::size_t text_bytes = read_input(file, setup).documents[0].text.size();
  EXPECT_GT(text_bytes, 100'000u);
  setup.options.max_document_bytes = text_bytes - 1;
  EXPECT_EQ(read_input(file, setup).reasons(), Reasons(2, SkipReason::kDocumentTooLong));
}

// A text in a file takes disk space, which --temp-limit bounds; an error leaves the shared memory to others.
TEST(WarcDecoders, NoRoomForATextEndsTheJob) {
  TempSpace little(posix_file_system(), {}, shared_directory().path(), 10'000);
  const std::string path = shared_directory() / "input";
  std::string file;
  for (int i = 0; i < 8; ++i) file += archived_zstd("a" + std::to_string(i), page_of(20'000, 3));
  write_input(path, file);
  EXPECT_THROW(read_corpus({path}, setup_with(0, 10'000, 4), {posix_file_system(), little}), BudgetError);
}

// Two threads tell each other by this how far they are.
class Events {
 public:
  void tell(const std::string& event) {
    const std::lock_guard lock(mutex_);
    told_.insert(event);
    changed_.notify_all();
  }
  // Ends the test as failed, instead of waiting forever.
  void wait(const std::string& event) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(20), [&] { return told_.contains(event); });
    EXPECT_TRUE(came) << "waited in vain for: " << event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> told_;
};

// Blocks as the sink of a job does, which takes documents in the order of tasks.
class OrderedSink final : public DocumentSink {
 public:
  OrderedSink(Events& events, std::uint64_t task) : events_(events), task_(task) {}
  void begin(const DocumentFields& /*fields*/, const SourcePlace& /*place*/) override {
    if (task_ == 0) return;
    events_.tell("the second task has a document");
    events_.wait("the first task is done");
  }
  void text(std::string_view fragment) override { bytes += fragment.size(); }
  void end() override { ++documents; }
  void skip(SkipReason /*reason*/, const SourcePlace& /*place*/, std::string_view /*detail*/) override {
    if (task_ == 0) events_.wait("the second task has a document");
  }
  void consumed(std::uint64_t /*input_bytes*/) override {}
  std::size_t documents = 0, bytes = 0;

 private:
  Events& events_;
  std::uint64_t task_;
};

// The second task waits for the first with a document that needs the shared memory, as the document of the first does.
TEST(WarcDecoders, NobodyWaitsForEarlierDocumentsWithTheSharedMemory) {
  const std::string page = page_of(10'000, 3);
  const std::string a = archived("request", "r", "GET / HTTP/1.1\r\n\r\n") + archived_zstd("a", page);
  const std::string path = shared_directory() / "input";
  write_input(path, a + archived_zstd("b", page));
  const ReadSetup setup = setup_with(0, a.size() + 100, 2);
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, setup.options);
  MemoryBudget budget(std::size_t{1} << 30);
  CorpusReader reader({posix_file_system(), plan, setup.options, setup.limits}, budget, shared_temp_space());
  Events events;
  OrderedSink sinks[] = {{events, 0}, {events, 1}};
  CorpusTask tasks[2];
  for (CorpusTask& task : tasks) ASSERT_TRUE(reader.next(task));
  const auto parse = [&](std::size_t number) {
    TaskParser(reader, budget).parse(tasks[number], sinks[number]);
    if (number == 0) events.tell("the first task is done");
  };
  std::thread second(parse, 1);
  parse(0);
  second.join();
  for (const OrderedSink& sink : sinks) {
    EXPECT_EQ(sink.documents, 1u);
    EXPECT_GT(sink.bytes, a.size() + 100) << "texts are to be too long for the scratch memory";
  }
}

}  // namespace
}  // namespace spillway
