// Members that are unpacked ahead on several threads: the same bytes as in a serial read, whatever the file holds.
#include "corpora/unpack/gzip_ahead.hpp"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/support/hooked_file_system.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using namespace std::string_literals;

// Letters that do not compress well, so that members are as long as those of pages.
std::string letters(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(count, ' ');
  for (char& c : text) c = "abcdefghijklmnop  <>\n&qrstuvwxyz"[random() % 32];
  return text;
}

std::string page(int number, std::size_t bytes) {
  return archived_page("urn:" + std::to_string(number), "<p>" + letters(bytes, static_cast<std::uint64_t>(number)));
}

// Members of many sizes: about 4 MiB.
std::vector<std::string> members() {
  std::vector<std::string> made;
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::size_t bytes = i % 100 == 99 ? 300'000 : random() % 12'000;
    made.push_back(gzip_member(page(i, bytes), i % 7 == 0 ? 0 : 6));
  }
  return made;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

ReadResult read_ahead(const std::string& path, unsigned threads, std::size_t buffer_bytes = std::size_t{1} << 20,
                      const GzipAhead::Size& size = GzipAhead::kShortMembers) {
  ReadSetup setup = setup_of(CorpusFormat::kAuto, buffer_bytes, std::max(threads, 1U));
  setup.limits.ahead_lanes = threads;
  setup.limits.ahead_size = size;
  return read_corpus({path}, setup);
}

void expect_serial_result(const std::string& bytes, std::size_t least_documents) {
  ASSERT_GT(bytes.size(), GzipAhead::kLeastFileBytes);
  const ScratchDirectory directory;
  const std::string path = directory / "in.warc.gz";
  write_input(path, bytes);
  const ReadResult expected = read_ahead(path, 0);
  EXPECT_GE(expected.documents.size(), least_documents);
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    SCOPED_TRACE(threads);
    for (const GzipAhead::Size& size : {GzipAhead::kShortMembers, GzipAhead::kAllMembers}) {
      SCOPED_TRACE(size.piece_bytes);
      expect_same_documents(read_ahead(path, threads, std::size_t{1} << 20, size), expected);
      expect_same_documents(read_ahead(path, threads, 5000, size), expected);
    }
  }
}

TEST(GzipAhead, GivesTheDocumentsOfASerialRead) { expect_serial_result(joined(members()), 500); }

// A page that was sent compressed stands in a member that could not be compressed further, as a member of its own.
TEST(GzipAhead, TakesNoMemberInsideOfAMemberForOneOfTheFile) {
  std::vector<std::string> all = members();
  for (std::size_t i = 3; i < all.size(); i += 10) {
    const std::string sent = gzip_member("<p>sent compressed " + letters(3000, i));
    all[i] = gzip_member(archived_page("urn:inner" + std::to_string(i), sent, "Content-Encoding: gzip\r\n"), 0);
    ASSERT_NE(all[i].find(sent), std::string::npos);
  }
  expect_serial_result(joined(all), 500);
}

TEST(GzipAhead, LosesWhatASerialReadLosesOfADamagedFile) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 4; ++round) {
    std::string bytes = joined(members());
    for (int i = 0; i < 20; ++i) bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    bytes.insert(random() % bytes.size(), 100'000, '\0');
    bytes.insert(random() % bytes.size(), "\x1F\x8B\x08\0 no member, but it begins like one"s);
    bytes.erase(random() % (bytes.size() - 70'000), 65'536);
    bytes.resize(bytes.size() - 1000);
    expect_serial_result(bytes, 300);
  }
}

// The CRC of a header (RFC 1952, FHCRC), which is wrong here, is compared by zlib and not by libdeflate.
std::string with_wrong_header_crc(std::string member) {
  member[3] = static_cast<char>(member[3] | 2);
  member.insert(10, "??");
  return member;
}

TEST(GzipAhead, JudgesMembersOfEveryLengthAsASerialReadDoes) {
  std::vector<std::string> all = members();
  for (const std::size_t bytes : {1'000U, 300'000U, 500'000U, 1'000'000U, 1'100'000U, 2'500'000U}) {
    const std::string text = "<p>" + std::string(bytes, 'a');
    const auto place = static_cast<std::ptrdiff_t>(all.size() / 2);
    const std::string id = std::to_string(bytes);
    all.insert(all.begin() + place, gzip_member(archived_page("urn:" + id, text)));
    all.insert(all.begin() + place, with_wrong_header_crc(gzip_member(archived_page("urn:bad" + id, text))));
  }
  expect_serial_result(joined(all), 500);
}

TEST(GzipAhead, ReadsOneLongMemberAndManyFalseOnes) {
  expect_serial_result(gzip_member(joined({page(1, 3'000'000), page(2, 3'000'000)})), 2);
  std::string bytes = joined(members());
  for (int i = 0; i < 100'000; ++i) bytes.append("\x1F\x8B\x08\0\0\0\0\0\0\3", 10);
  expect_serial_result(bytes, 500);
}

// A member of a page that unpacks to 500 KiB of one word, with a CRC of its header that is wrong.
std::string member_with_wrong_header(const std::string& id) {
  std::string text;
  while (text.size() < 500'000) text += "again ";
  std::string member = gzip_member(archived_page(id, "<p>" + text));
  member[3] = 2;  // FHCRC
  member.insert(10, "\x12\x34");
  return member;
}

// libdeflate checks no CRC of headers, zlib does: which of the two judges a member must not depend on the threads.
TEST(GzipAhead, LeavesTheSameLibraryToJudgeAMember) {
  std::vector<std::string> all = members();
  for (std::size_t i = 30; i < all.size(); i += 50) {
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), member_with_wrong_header("urn:w" + std::to_string(i)));
  }
  expect_serial_result(joined(all), 490);
}

TEST(GzipAhead, IsNotNeeded) {
  const ScratchDirectory directory;
  const std::string path = directory / "in.warc.gz";
  write_input(path, joined(members()));
  int opened = 0;
  HookedFileSystem files(posix_file_system(), [&](const std::string&) {
    if (++opened == 3) throw IoError("too many open files");  // after the plan and the reader
  });
  ReadSetup setup = setup_of(CorpusFormat::kAuto, std::size_t{1} << 20, 2);
  setup.limits.ahead_lanes = 2;
  expect_same_documents(read_corpus({path}, setup, {.files = files}), read_ahead(path, 0));
  EXPECT_EQ(opened, 3);
}

TEST(GzipAhead, TakesMemoryOnlyForLongFiles) {
  const ScratchDirectory directory;
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back(directory / std::to_string(i));
    write_input(paths.back(), std::string(gzip_member(page(i, 700'000), 0)));
  }
  const CorpusPlan plan = plan_corpus(posix_file_system(), paths, {});
  ASSERT_GT(plan.gzip_bytes, GzipAhead::kLeastFileBytes);
  ReaderLimits limits;
  const std::size_t alone = CorpusReader::memory_bytes(plan, limits);
  limits.ahead_lanes = 4;
  EXPECT_EQ(CorpusReader::memory_bytes(plan, limits), alone);
}

// A file whose members are unpacked ahead by threads of its own.
class HelpedFile {
 public:
  HelpedFile(const std::string& path, std::uint64_t bytes, unsigned lanes, const GzipAhead::Size& size)
      : memory_(GzipAhead::memory_bytes(lanes, size)),
        ahead_(posix_file_system().open(path), bytes, 0, size,
               {lanes, memory_,
                std::make_shared<UnpackBuffers>(GzipAhead::room_count(lanes), size.unpacked_bytes, budget_),
                [this] { ++wakes_; }}) {
    for (unsigned i = 0; i < lanes + 1; ++i) {
      threads_.emplace_back([this] {
        while (!is_done_) {
          if (!ahead_.help()) std::this_thread::yield();
        }
      });
    }
  }
  ~HelpedFile() {
    ahead_.stop();
    is_done_ = true;
  }
  HelpedFile(const HelpedFile&) = delete;
  HelpedFile& operator=(const HelpedFile&) = delete;

  GzipAhead& ahead() { return ahead_; }
  int wakes() const { return wakes_; }

 private:
  MemoryBudget budget_{std::size_t{1} << 30};
  std::vector<std::uint8_t> memory_;
  std::atomic<bool> is_done_{false};
  std::atomic<int> wakes_{0};
  GzipAhead ahead_;
  std::vector<std::jthread> threads_;
};

// Members that are on offer to a reader that asks for each.
std::size_t count_offers(const std::vector<std::string>& all, const GzipAhead::Size& size) {
  const ScratchDirectory directory;
  const std::string path = directory / "in.gz";
  write_input(path, joined(all));
  HelpedFile file(path, joined(all).size(), 2, size);
  GzipAhead& ahead = file.ahead();
  std::uint64_t position = 0;
  std::size_t offered = 0;
  for (const std::string& member : all) {
    const auto found = ahead.find(position);
    if (found) {
      ++offered;
      EXPECT_EQ(found->stored_bytes, member.size());
      std::uint32_t expected = 0;  // from the trailer
      std::memcpy(&expected, member.data() + member.size() - 8, sizeof expected);
      EXPECT_EQ(crc32(0, found->bytes.data(), static_cast<uInt>(found->bytes.size())), expected);
    }
    EXPECT_FALSE(ahead.find(position + 1));
    position += member.size();
  }
  EXPECT_FALSE(ahead.find(0)) << "left behind";
  EXPECT_GT(file.wakes(), 0);
  return offered;
}

TEST(GzipAhead, OffersWholeMembersWhereTheyBegin) {
  const std::vector<std::string> all = members();
  const auto are_small = [](const std::string& member) {
    return member.size() <= GzipAhead::kShortMembers.member_bytes;
  };
  const auto small = static_cast<std::size_t>(std::ranges::count_if(all, are_small));
  ASSERT_LT(small, all.size());
  EXPECT_EQ(count_offers(all, GzipAhead::kShortMembers), small);
  EXPECT_EQ(count_offers(all, GzipAhead::kAllMembers), all.size());
}

TEST(GzipAhead, OffersMembersThatUnpackToMuch) {
  std::vector<std::string> all = members();
  all.insert(all.begin() + 20, gzip_member(page(1000, 900'000)));
  all.insert(all.begin() + 40, gzip_member(archived_page("urn:long", "<p>" + std::string(7'000'000, 'a'))));
  const std::string too_long = gzip_member(archived_page("urn:longer", "<p>" + std::string(9'000'000, 'a')));
  all.insert(all.begin() + 60, too_long);
  EXPECT_EQ(count_offers(all, GzipAhead::kAllMembers), all.size() - 1);
  expect_serial_result(joined(all), 500);
}

TEST(GzipAhead, LosesWhatASerialReadLosesOfDamagedLongMembers) {
  std::mt19937_64 random(8);
  std::vector<std::string> all = members();
  for (std::size_t i = 5; i < all.size(); i += 25) {
    std::string member = gzip_member(page(1000 + static_cast<int>(i), 400'000 + i * 900));
    if (i % 2 == 0) member[random() % member.size()] ^= 1;
    if (i % 3 == 0) member.resize(member.size() - random() % 3000);
    if (i % 5 == 0) member.insert(random() % member.size(), "\x1F\x8B\x08\0 no member"s);
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), member);
  }
  expect_serial_result(joined(all), 480);
}

TEST(GzipAhead, SkipsPiecesThatTheReaderSkips) {
  const std::vector<std::string> all = members();
  const ScratchDirectory directory;
  const std::string path = directory / "in.gz";
  write_input(path, joined(all));
  constexpr GzipAhead::Size kSize = GzipAhead::kShortMembers;
  for (int round = 0; round < 20; ++round) {
    HelpedFile file(path, joined(all).size(), 1, kSize);
    const std::uint64_t last = joined(all).size() - all.back().size();
    EXPECT_TRUE(file.ahead().find(0));
    EXPECT_EQ(file.ahead().find(last).has_value(), all.back().size() <= kSize.member_bytes);
  }
}

TEST(GzipAhead, OffersNothingOnceItIsStopped) {
  const ScratchDirectory directory;
  const std::string path = directory / "in.gz";
  write_input(path, joined(members()));
  constexpr GzipAhead::Size kSize = GzipAhead::kShortMembers;
  MemoryBudget budget(std::size_t{1} << 30);
  std::vector<std::uint8_t> memory(GzipAhead::memory_bytes(1, kSize));
  const auto rooms = std::make_shared<UnpackBuffers>(GzipAhead::room_count(1), kSize.unpacked_bytes, budget);
  GzipAhead ahead(posix_file_system().open(path), joined(members()).size(), 0, kSize, {1, memory, rooms, [] {}});
  EXPECT_TRUE(ahead.help());
  EXPECT_TRUE(ahead.find(0));
  std::jthread stopping([&ahead] { ahead.stop(); });
  EXPECT_FALSE(ahead.find(2 * kSize.piece_bytes)) << "waits, because no thread helps, until it is stopped";
  EXPECT_FALSE(ahead.help());
}

// Whoever gives a room back may be the thread that asks for one.
TEST(GzipAhead, WaitsForNoRoom) {
  const ScratchDirectory directory;
  const std::string path = directory / "in.gz";
  write_input(path, joined(members()));
  constexpr GzipAhead::Size kSize = GzipAhead::kShortMembers;
  MemoryBudget budget(std::size_t{1} << 30);
  std::vector<std::uint8_t> memory(GzipAhead::memory_bytes(1, kSize));
  const auto rooms = std::make_shared<UnpackBuffers>(1, kSize.unpacked_bytes, budget);
  GzipAhead ahead(posix_file_system().open(path), joined(members()).size(), 0, kSize, {1, memory, rooms, [] {}});
  auto room = rooms->try_take();
  EXPECT_FALSE(ahead.help());
  room.reset();
  EXPECT_TRUE(ahead.help());
}

}  // namespace
}  // namespace spillway
