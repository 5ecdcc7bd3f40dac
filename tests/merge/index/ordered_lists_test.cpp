#include "merge/index/ordered_lists.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr std::size_t kDocuments = 3;

// A batch with one list of all documents.
ListBatch batch_of(const std::string& term, ListEncoder& encoder) {
  const std::vector<std::uint32_t> documents{0, 1, 2}, frequencies{1, 1, 1};
  encoder.begin(term);
  encoder.add(documents, frequencies);
  encoder.end();
  return encoder.take();
}

class OrderedListsTest : public ::testing::Test {
 protected:
  std::string term(std::size_t range, std::size_t place) const {
    char text[32];
    std::snprintf(text, sizeof text, "%04zu-%04zu", range, place);
    return text;
  }
  const std::vector<std::uint8_t> codes_ = std::vector<std::uint8_t>(kDocuments);
  testing::ScratchDirectory scratch_;
  IndexWriter writer_{posix_file_system(), scratch_ / "index", ContentOptions()};
};

// The writer refuses terms out of order, so if the test ends without an error, the order was right.
TEST_F(OrderedListsTest, WritesRangesInOrderInWhateverOrderTheyAreReady) {
  constexpr std::size_t kRanges = 40, kThreads = 5;
  OrderedLists lists(writer_, kRanges, 1);  // at most one batch may wait
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ListEncoder encoder(codes_);
    for (std::size_t range = next++; range < kRanges; range = next++) {
      const std::size_t batches = random() % 20;
      for (std::size_t i = 0; i < batches; ++i) lists.put(range, batch_of(term(range, i), encoder));
      lists.finish(range);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_NO_THROW(lists.check_complete());
}

TEST_F(OrderedListsTest, KeepsWhatIsAheadWithinTheLimit) {
  OrderedLists lists(writer_, 2, 3000);
  std::thread ahead([&] {
    ListEncoder encoder(codes_);
    for (std::size_t i = 0; i < 200; ++i) lists.put(1, batch_of(term(1, i), encoder));
    lists.finish(1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  ListEncoder encoder(codes_);
  for (std::size_t i = 0; i < 5; ++i) lists.put(0, batch_of(term(0, i), encoder));
  lists.finish(0);
  ahead.join();
  lists.check_complete();
  EXPECT_LE(lists.peak_bytes(), 3000u);
  EXPECT_GT(lists.peak_bytes(), 0u);
}

TEST_F(OrderedListsTest, GivesTheMemoryOfABatchOnceItIsWritten) {
  OrderedLists lists(writer_, 1, 1, std::size_t{5} << 19);  // two of the batches below, and not three
  EXPECT_EQ(lists.take_used(std::size_t{1} << 30).postings.capacity(), 0U);
  writer_.start_list_helpers(std::size_t{4} << 20);
  ListEncoder encoder(codes_);
  for (std::size_t i = 0; i < 4; ++i) {
    // The batch is so large that it is not copied. Its postings belong to no list.
    ListBatch batch = batch_of(term(0, i), encoder);
    batch.postings.resize(1 << 20);
    batch.entries.back().posting_bytes = batch.postings.size();
    lists.put(0, std::move(batch));
  }
  lists.finish(0);
  writer_.end_list_helpers();
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_GE(lists.take_used(std::size_t{1} << 30).postings.capacity(), std::size_t{1} << 20);
  EXPECT_EQ(lists.take_used(std::size_t{1} << 30).postings.capacity(), 0U);
}

// The capacity of a vector counts, not its size: batches with few bytes in large vectors once exceeded the limit many
// times over.
TEST_F(OrderedListsTest, CountsTheRoomOfBatches) {
  constexpr std::size_t kRoom = 10000, kFit = 3;
  OrderedLists lists(writer_, 2, kFit * (kRoom + 1000));
  std::atomic<std::size_t> put{0};
  std::thread ahead([&] {
    ListEncoder encoder(codes_);
    for (std::size_t i = 0; i < 20; ++i) {
      ListBatch batch = batch_of(term(1, i), encoder);
      batch.postings.reserve(kRoom);
      lists.put(1, std::move(batch));
      ++put;
    }
    lists.finish(1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_LE(put.load(), kFit);
  lists.finish(0);
  ahead.join();
  lists.check_complete();
  EXPECT_LE(lists.peak_bytes(), kFit * (kRoom + 1000));
  EXPECT_GE(lists.peak_bytes(), kRoom);
}

TEST_F(OrderedListsTest, WakesThoseWhoWaitWhenOneFails) {
  OrderedLists lists(writer_, 3, 1);
  std::atomic<int> stopped{0};
  const auto wait = [&](std::size_t range) {
    ListEncoder encoder(codes_);
    try {
      for (std::size_t i = 0; i < 1000; ++i) lists.put(range, batch_of(term(range, i), encoder));
    } catch (const OrderStopped&) {
      ++stopped;
    }
  };
  std::thread first(wait, 1), second(wait, 2);
  lists.fail(std::make_exception_ptr(FormatError("first")));
  lists.fail(std::make_exception_ptr(FormatError("second")));
  first.join();
  second.join();
  EXPECT_EQ(stopped, 2);
  try {
    lists.check_complete();
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST_F(OrderedListsTest, NoticesMissingRanges) {
  OrderedLists lists(writer_, 2, 100);
  lists.finish(0);
  EXPECT_THROW(lists.check_complete(), std::logic_error);
}

}  // namespace
}  // namespace spillway
