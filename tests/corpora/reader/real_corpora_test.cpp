// Reads real collections as they are stored.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "io/base/checksum.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

std::string unpack_all(const std::string& path) {
  const std::string stored = read_file(posix_file_system(), path);
  ReadSetup setup = setup_of(CorpusFormat::kText, std::size_t{64} << 20);
  std::string bytes;
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  std::string buffer(1 << 20, '\0');
  while (in.pos < in.size) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) != 0) throw std::runtime_error("zstd");
    bytes.append(buffer, 0, out.pos);
    if (out.pos == 0 && in.pos == in.size) break;
  }
  ZSTD_freeDCtx(context);
  return bytes;
}

TEST(RealCorpora, CollectionsHaveTheDocumentsThatTheyShould) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  const std::pair<std::string, std::size_t> collections[] = {{"adi", 82},         {"cacm", 3204}, {"cisi", 1460},
                                                             {"cranfield", 1400}, {"med", 1033},  {"scifact", 5183},
                                                             {"vaswani", 11429}};
  for (const auto& [name, count] : collections) {
    const std::filesystem::path directory = corpora + "/retrieval";
    const auto result = read_corpus({(directory / name / "docs.jsonl.zst").string()},
                                    setup_of(CorpusFormat::kAuto, std::size_t{256} << 10, 2));
    EXPECT_EQ(result.documents.size(), count) << name;
    EXPECT_TRUE(result.skips.empty()) << name;
    const auto ids = result.ids();
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), count) << name;
  }
}

// Compressed or not, in one task or many, by the fast parser or the scanner.
TEST(RealCorpora, EveryWayToReadACollectionGivesTheSame) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  for (const char* const name : {"/retrieval/cisi/docs.jsonl.zst", "/text/pkgdesc_ja.jsonl.zst"}) {
    const auto expected = read_corpus({corpora + name});
    EXPECT_GT(expected.documents.size(), 1000u);
    const std::string plain = unpack_all(corpora + name);
    expect_same_documents(read_input(plain), expected);
    expect_same_documents(read_input(plain, setup_of(CorpusFormat::kAuto, 300, 3, 10000)), expected);
    expect_same_documents(read_input(gzip_member(plain), setup_of(CorpusFormat::kAuto, 4096, 3)), expected);
  }
}

TEST(RealCorpora, BadBytesAreRepairedOrSkipped) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  const std::string tar = unpack_all(corpora + "/broken/rfc_bad_bytes.tar.zst");
  const ScratchDirectory directory;
  // A tar file is 512-byte blocks: a header with name and octal size, then the contents.
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const std::string name =
        std::filesystem::path(std::string(tar.c_str() + at, strnlen(tar.c_str() + at, 100))).filename();
    const std::size_t size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    if (tar[at + 156] == '0') write_input(directory / name, std::string_view(tar).substr(at + 512, size));
    at += 512 + (size + 511) / 512 * 512;
  }
  const auto result = read_corpus({directory.path()});
  EXPECT_EQ(result.documents.size() + result.skips.size(), 37u);
  std::size_t repaired = 0;
  for (const auto& document : result.documents) repaired += document.repaired ? 1 : 0;
  EXPECT_GE(repaired, 20u);
  EXPECT_GE(result.skips.size(), 1u);
  for (const auto& skip : result.skips) EXPECT_EQ(skip.reason, SkipReason::kBinary);
  expect_same_documents(read_corpus({directory.path()}, setup_of(CorpusFormat::kAuto, 1000, 3)), result);
}

TEST(RealCorpora, AClippedGzipKeepsWhatIsThere) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  const auto result = read_corpus({corpora + "/broken/resiliparse__clipped.warc.gz"}, setup_of(CorpusFormat::kLines));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kGzipTruncated});
  EXPECT_GT(result.documents.size(), 100u);
}

}  // namespace
}  // namespace spillway
