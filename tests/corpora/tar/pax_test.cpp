#include "corpora/tar/pax.hpp"

#include <gtest/gtest.h>

#include "tests/corpora/tar/tar_files.hpp"

namespace spillway {
namespace {

using testing::pax_line;

PaxReader read(const std::string& bytes, std::size_t step = 1000) {
  PaxReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += step) reader.feed(std::string_view(bytes).substr(at, step));
  reader.finish();
  return reader;
}

TEST(PaxReader, ReadsLinesInAnyPieces) {
  const std::string lines = pax_line("mtime", "1.5") + pax_line("path", "a\nb=c.html") +
                            pax_line("size", "12345678901") + pax_line("comment", std::string(100, 'x'));
  for (const std::size_t step : {1, 2, 3, 7, 1000}) {
    const PaxReader found = read(lines, step);
    EXPECT_EQ(found.path(), "a\nb=c.html");
    EXPECT_EQ(found.size(), 12345678901u);
    EXPECT_FALSE(found.is_broken());
    EXPECT_FALSE(found.is_sparse());
  }
}

TEST(PaxReader, TakesTheNameOfASparseFile) {
  const PaxReader found = read(pax_line("path", "GNUSparseFile.0/a") + pax_line("GNU.sparse.name", "a.html"));
  EXPECT_EQ(found.path(), "a.html");
  EXPECT_TRUE(found.is_sparse());
}

TEST(PaxReader, KeepsWhatComesBeforeALineThatIsNone) {
  const std::string good = pax_line("path", "kept");
  for (const char* const bad : {"x", "5", "99999999999999999999 a=b\n", "3 a", "7 path=x", "12 path=lostX", "0 a=b\n",
                                "30 size=5\n", "5 ab=\n", "12 size=-1x\n"}) {
    const PaxReader found = read(good + bad + pax_line("path", "after"));
    EXPECT_EQ(found.path(), "kept") << bad;
    EXPECT_TRUE(found.is_broken()) << bad;
  }
  EXPECT_TRUE(read(pax_line("size", "99999999999999999999")).is_broken());
  EXPECT_TRUE(read(pax_line("size", "-1")).is_broken());
}

TEST(PaxReader, KeepsTheStartOfAHugeName) {
  EXPECT_EQ(read(pax_line("path", std::string(1 << 20, 'p'))).path().size(), PaxReader::kMaxNameBytes);
}

}  // namespace
}  // namespace spillway
