// Reads a whole corpus into memory, as the indexer would, and keeps everything that the sink was told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "corpora/document/utf8.hpp"
#include "corpora/reader/task_parser.hpp"
#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway::testing {

struct ReadDocument {
  std::string id, title, text, url, date;
  bool has_title = false, has_url = false, has_date = false, repaired = false;
  std::string path;
  std::uint64_t offset = 0;
  friend bool operator==(const ReadDocument&, const ReadDocument&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const ReadDocument& document) {
  return out << "{id " << printable(document.id) << ", title " << printable(document.title) << ", text "
             << printable(document.text) << " (" << document.text.size() << " bytes), url " << printable(document.url)
             << ", date " << printable(document.date) << (document.repaired ? ", repaired" : "") << ", at "
             << document.offset << "}";
}

struct ReadSkip {
  SkipReason reason;
  std::string path;
  std::uint64_t offset;
  std::string detail;
  friend bool operator==(const ReadSkip&, const ReadSkip&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const ReadSkip& skip) {
  return out << "{" << skip_reason_name(skip.reason) << " at " << skip.offset << ": " << skip.detail << "}";
}

struct ReadResult {
  std::vector<ReadDocument> documents;
  std::vector<ReadSkip> skips;
  std::uint64_t consumed = 0;

  void add(ReadResult more) {
    std::move(more.documents.begin(), more.documents.end(), std::back_inserter(documents));
    std::move(more.skips.begin(), more.skips.end(), std::back_inserter(skips));
    consumed += more.consumed;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const auto& document : documents) all.push_back(document.text);
    return all;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const auto& document : documents) all.push_back(document.id);
    return all;
  }
  std::vector<SkipReason> reasons() const {
    std::vector<SkipReason> all;
    for (const auto& skip : skips) all.push_back(skip.reason);
    return all;
  }
};

// Checks the guarantees for every sink.
class CollectingSink final : public DocumentSink {
 public:
  void begin(const DocumentFields& fields, const SourcePlace& place) override {
    EXPECT_FALSE(open_);
    open_ = true;
    ReadDocument document{std::string(fields.id),
                          std::string(fields.title),
                          "",
                          std::string(fields.url),
                          std::string(fields.date),
                          fields.has_title,
                          fields.has_url,
                          fields.has_date,
                          fields.repaired,
                          std::string(place.path),
                          place.offset};
    for (const auto& text : {document.id, document.title, document.url, document.date}) {
      EXPECT_TRUE(is_valid_utf8(text)) << printable(text);
    }
    result.documents.push_back(std::move(document));
  }
  void text(std::string_view fragment) override {
    EXPECT_TRUE(open_);
    EXPECT_TRUE(is_valid_utf8(fragment)) << "a fragment ends inside a character";
    result.documents.back().text += fragment;
  }
  void end() override {
    EXPECT_TRUE(open_);
    open_ = false;
  }
  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) override {
    EXPECT_FALSE(open_);
    result.skips.push_back({reason, std::string(place.path), place.offset, std::string(detail)});
  }
  void consumed(std::uint64_t input_bytes) override { result.consumed += input_bytes; }

  ReadResult result;

 private:
  bool open_ = false;
};

struct ReadSetup {
  CorpusOptions options;
  ReaderLimits limits;
  std::size_t budget_bytes = std::size_t{1} << 30;
};

// One directory for a whole test program, because directories are slow to make and remove.
inline const ScratchDirectory& shared_directory() {
  static const ScratchDirectory directory;
  return directory;
}

inline TempSpace& shared_temp_space() {
  static TempSpace temp(posix_file_system(), {}, shared_directory().path(), 0);
  return temp;
}

// The place of a corpus and of scratch files.
struct ReadPlace {
  FileSystem& files = posix_file_system();
  TempSpace& temp = shared_temp_space();
};

// Everything in input order, whichever thread parsed it.
inline ReadResult read_corpus(const std::vector<std::string>& inputs, const ReadSetup& setup = {},
                              const ReadPlace& place = {}) {
  FileSystem& files = place.files;
  TempSpace& temp = place.temp;
  const CorpusPlan plan = plan_corpus(files, inputs, setup.options);
  MemoryBudget budget(setup.budget_bytes);
  std::map<std::uint64_t, ReadResult> by_task;
  std::exception_ptr error;
  {
    CorpusReader reader({files, plan, setup.options, setup.limits}, budget, temp);
    EXPECT_EQ(budget.used_bytes(), CorpusReader::memory_bytes(plan, setup.limits));
    std::mutex mutex;
    const auto work = [&] {
      try {
        TaskParser parser(reader, budget);
        CorpusTask task;
        while (reader.next(task)) {
          CollectingSink sink;
          parser.parse(task, sink);
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(by_task.emplace(task.number, std::move(sink.result)).second);
        }
      } catch (...) {
        reader.stop();
        const std::lock_guard lock(mutex);
        if (error == nullptr) error = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < setup.limits.threads; ++i) threads.emplace_back(work);
    work();
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(budget.used_bytes(), 0u);
  EXPECT_EQ(temp.used_bytes(), 0u);
  if (error != nullptr) std::rethrow_exception(error);
  ReadResult result;
  std::uint64_t expected = 0;
  for (auto& [number, part] : by_task) {
    EXPECT_EQ(number, expected++);
    result.add(std::move(part));
  }
  if (plan.streams == 0) {
    EXPECT_EQ(result.consumed, plan.total_bytes);
  }
  return result;
}

inline void write_input(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

// Reads a corpus of one file with these bytes.
inline ReadResult read_input(std::string_view bytes, const ReadSetup& setup = {}) {
  const std::string path = shared_directory() / "input";
  write_input(path, bytes);
  return read_corpus({path}, setup);
}

// Compares everything but paths, which differ if files were split or stored elsewhere.
inline void expect_same_documents(const ReadResult& found, const ReadResult& expected) {
  ASSERT_EQ(found.documents.size(), expected.documents.size());
  for (std::size_t i = 0; i < found.documents.size(); ++i) {
    ReadDocument document = found.documents[i];
    document.path = expected.documents[i].path;
    ASSERT_EQ(document, expected.documents[i]) << "document " << i;
  }
  ASSERT_EQ(found.skips.size(), expected.skips.size());
  for (std::size_t i = 0; i < found.skips.size(); ++i) {
    ReadSkip skip = found.skips[i];
    skip.path = expected.skips[i].path;
    ASSERT_EQ(skip, expected.skips[i]) << "skip " << i;
  }
}

inline ReadSetup setup_of(CorpusFormat format, std::size_t buffer_bytes = std::size_t{1} << 20, unsigned threads = 1,
                          std::size_t task_bytes = std::size_t{8} << 20) {
  ReadSetup setup;
  setup.options.format = format;
  setup.limits.task_bytes = task_bytes;
  setup.limits.buffer_bytes = buffer_bytes;
  setup.limits.threads = threads;
  return setup;
}

}  // namespace spillway::testing
