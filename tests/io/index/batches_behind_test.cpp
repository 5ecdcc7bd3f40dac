// Tests that batches of lists wait for the threads that write them, in bounded memory, and that an error ends the wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

#include "io/base/error.hpp"
#include "io/index/writer.hpp"
#include "io/postings/list_encoder.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

using testing::FaultKind;
using testing::FaultyFileSystem;

constexpr std::uint32_t kDocuments = 100000;
constexpr std::size_t kMostOwned = std::size_t{256} << 10, kBatches = 100;

class BatchesBehind : public ::testing::Test {
 protected:
  BatchesBehind() {
    ListEncoder encoder(codes_);
    for (std::size_t i = 0; i < kBatches; ++i) batches_.push_back(batch_of(i, encoder));
  }
  // Makes a batch of one list in which gaps differ, so that a posting takes more than one byte.
  static ListBatch batch_of(std::size_t number, ListEncoder& encoder) {
    std::vector<std::uint32_t> documents, frequencies;
    for (std::uint32_t d = 0; d < kDocuments; d += 1 + d * 7 % 3) {
      documents.push_back(d);
      frequencies.push_back(1 + d % 200);
    }
    char term[16];
    std::snprintf(term, sizeof term, "%06zu", number);
    encoder.begin(term);
    encoder.add(documents, frequencies);
    encoder.end();
    return encoder.take();
  }
  // Appends a batch that counts as alive until its last owner is gone.
  void append(IndexWriter& writer, const ListBatch& batch) {
    const std::shared_ptr<const void> owner(&batch, [this](const void*) { --alive_; });
    most_alive_ = std::max(most_alive_, ++alive_);
    EXPECT_GT(batch.held_bytes(), kMostOwned / 4);
    EXPECT_LE(batch.held_bytes(), kMostOwned);
    writer.append_lists(batch, owner);
  }
  void append_all(IndexWriter& writer) {
    for (const ListBatch& batch : batches_) append(writer, batch);
    writer.end_list_helpers();
  }

  const std::vector<std::uint8_t> codes_ = std::vector<std::uint8_t>(kDocuments);
  std::vector<ListBatch> batches_;
  std::atomic<int> alive_ = 0;
  int most_alive_ = 0;
};

TEST_F(BatchesBehind, FitTheMemoryOfTheHelpers) {
  FaultyFileSystem files;
  IndexWriter writer(files, "/index", ContentOptions());
  writer.start_list_helpers(kMostOwned);
  append_all(writer);
  EXPECT_EQ(alive_, 0);
  // 16 batches of the largest size: each has a quarter of it or more. One more is not yet held.
  EXPECT_LE(most_alive_, 16 * 4 + 1);
  EXPECT_GT(most_alive_, 1);
}

TEST_F(BatchesBehind, EndTheirWaitWhereAWriterFails) {
  int failures = 0;
  for (std::uint64_t at = 0;; at += 3) {
    FaultyFileSystem files;
    IndexWriter writer(files, "/index", ContentOptions());
    writer.start_list_helpers(kMostOwned);
    files.inject({.kind = FaultKind::kNoSpace, .at = at, .sticky = true});
    bool failed = false;
    try {
      append_all(writer);
    } catch (const IoError&) {
      failed = true;
    }
    EXPECT_EQ(failed, files.faults_fired() != 0) << at;
    if (!failed) break;
    ++failures;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace spillway
