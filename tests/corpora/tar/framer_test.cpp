#include "corpora/tar/framer.hpp"

#include <gtest/gtest.h>

#include "tests/corpora/tar/tar_files.hpp"
#include "tests/corpora/warc/memory_pieces.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Kind = ArchivePiece::Kind;
using Kinds = std::vector<Kind>;

struct Found {
  Kinds kinds;
  std::vector<std::uint64_t> header_bytes, block_bytes;
  std::vector<std::string> held;
};

Found frame(std::string_view bytes, const MemoryPieces::Limits& limits = {}) {
  MemoryPieces input(bytes, limits);
  TarFramer framer(input);
  Found found;
  while (const auto piece = framer.next()) {
    found.kinds.push_back(piece->kind);
    found.header_bytes.push_back(piece->header_bytes);
    found.block_bytes.push_back(piece->block_bytes);
    found.held.push_back(input.piece);
    input.piece.clear();
  }
  EXPECT_TRUE(input.peek(1).empty());
  return found;
}

TEST(TarFramer, ReadsMembersOneAfterTheOther) {
  const Found found = frame(tar_member("a", "one") + tar_member("d/", "", '5') +
                            tar_member("b", std::string(512, 'b')) + tar_member("empty", "") + tar_end());
  EXPECT_EQ(found.kinds, Kinds(4, Kind::kRecord));
  EXPECT_EQ(found.block_bytes, (std::vector<std::uint64_t>{3, 0, 512, 0}));
  EXPECT_EQ(found.held[0].substr(512), "one");
}

TEST(TarFramer, DoesNotDependOnPieces) {
  std::string damaged = tar_member("lost", std::string(2000, 'l'));
  damaged[10] = 'x';
  const std::string file = tar_member("x", pax_line("path", "long"), 'x') + tar_member("a", "one") + damaged +
                           tar_member("b", "two") + std::string(512, '\0') + tar_member("c", "three") +
                           tar_header("huge", 1 << 20) + tar_member("d", "four") + tar_end() + "junk";
  const Found expected = frame(file);
  EXPECT_EQ(expected.kinds, (Kinds{Kind::kRecord, Kind::kBadHeader, Kind::kRecord, Kind::kJunk, Kind::kRecord,
                                   Kind::kWrongLength, Kind::kRecord, Kind::kJunk}));
  for (const std::size_t step : {1, 7, 512, 1000}) {
    const Found found = frame(file, {.step = step});
    EXPECT_EQ(found.kinds, expected.kinds) << step;
    EXPECT_EQ(found.block_bytes, expected.block_bytes) << step;
    EXPECT_EQ(found.held, expected.held) << step;
  }
}

TEST(TarFramer, TakesATarFileInATarFileAsOne) {
  const std::string inner = tar_member("x", "one") + tar_member("y", "two") + tar_end();
  const Found found = frame(tar_member("inner.tar", inner) + tar_member("b", "three") + tar_end());
  EXPECT_EQ(found.kinds, Kinds(2, Kind::kRecord));
  EXPECT_EQ(found.held[0].substr(512), inner);
}

TEST(TarFramer, GoesOnAfterBytesThatAreMissingOrTooMany) {
  const std::string file =
      tar_member("a", std::string(3000, 'a')) + tar_member("b", "two") + tar_member("c", "three") + tar_end();
  const Found more = frame(file.substr(0, 3584) + "inserted" + file.substr(3584));
  EXPECT_EQ(more.kinds, (Kinds{Kind::kRecord, Kind::kBadHeader, Kind::kRecord, Kind::kRecord}));
  const Found less = frame(file.substr(0, 1000) + file.substr(1100));
  EXPECT_EQ(less.kinds, (Kinds{Kind::kRecord, Kind::kBadHeader, Kind::kRecord}));
}

TEST(TarFramer, ReportsAnEndThatIsMissing) {
  EXPECT_EQ(frame(tar_member("a", "one") + tar_member("b", "two")).kinds, (Kinds{Kind::kRecord, Kind::kCorrected}));
  const std::string file = tar_member("a", std::string(600, 'a'));
  EXPECT_EQ(frame(file.substr(0, 1112)).kinds, Kinds{Kind::kCorrected}) << "only padding is missing";
  for (const std::size_t kept : {1, 511, 512, 513, 1111})
    EXPECT_EQ(frame(file.substr(0, kept)).kinds, Kinds{Kind::kCut}) << kept;
}

TEST(TarFramer, ReadsTarFilesThatFollowEachOther) {
  const std::string file = tar_member("a", "one") + tar_end();
  EXPECT_EQ(frame(file + file + file).kinds, Kinds(3, Kind::kRecord));
  const Found hole = frame(file + std::string(1 << 16, '\0') + file);
  EXPECT_EQ(hole.kinds, (Kinds{Kind::kRecord, Kind::kJunk, Kind::kRecord}));
  EXPECT_EQ(hole.block_bytes[1], 1024u + (1 << 16));
  EXPECT_EQ(frame(std::string(5000, '\0')).kinds, Kinds{});
}

TEST(TarFramer, PassesTheDataOfOtherMembers) {
  std::string sparse = tar_header("sparse", 600, 'S');
  sparse[482] = 1;
  sparse = with_checksum(sparse);
  std::string map(1024, '\0');
  map[504] = 1;
  const std::string file = tar_member("pax_global_header", pax_line("comment", "c"), 'g') + sparse + map +
                           std::string(1024, 's') + tar_header("hard", 600, '1') + tar_header("soft", 600, '2') +
                           tar_member("hard with data", "data", '1') + tar_member("a", "one") + tar_end();
  const Found found = frame(file);
  EXPECT_EQ(found.kinds, Kinds(6, Kind::kRecord));
  EXPECT_EQ(found.block_bytes.back(), 3u);
  const Found cut = frame(file.substr(0, 3000));
  EXPECT_EQ(cut.kinds, (Kinds{Kind::kRecord, Kind::kCut}));
}

TEST(TarFramer, RefusesExtendedHeadersWithoutEnd) {
  const std::string next = tar_member("a", "one") + tar_end();
  const Found large = frame(tar_header("x", 2 << 20, 'x') + next);
  EXPECT_EQ(large.kinds, (Kinds{Kind::kBadHeader, Kind::kRecord}));
  std::string many;
  for (int i = 0; i < 3000; ++i) many += tar_header("x", 0, 'L');
  const Found found = frame(many + next);
  EXPECT_EQ(found.kinds, (Kinds{Kind::kBadHeader, Kind::kRecord}));
  const Found alone = frame(tar_member("x", pax_line("path", "p"), 'x') + tar_end());
  EXPECT_EQ(alone.kinds, Kinds{Kind::kBadHeader});
}

TEST(TarFramer, TakesLinearTimeForSizesThatLie) {
  std::string file;
  for (int i = 0; i < 1000; ++i) file += tar_header("n" + std::to_string(i), std::uint64_t{1} << 40);
  const Found found = frame(file, {.credit = file.size()});
  EXPECT_FALSE(found.kinds.empty());
  for (const Kind kind : found.kinds) EXPECT_TRUE(kind == Kind::kWrongLength || kind == Kind::kCut);
}

}  // namespace
}  // namespace spillway
