// Real archives: records, types and statuses as expected.jsonl lists them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "corpora/warc/framer.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/warc/memory_pieces.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

// gzip or plain, whole.
std::string unpack_file(const std::string& path) {
  const std::string stored = read_file(posix_file_system(), path);
  if (!stored.starts_with("\x1F\x8B")) return stored;
  std::string bytes, out(1 << 20, '\0');
  for (std::size_t at = 0; at < stored.size();) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + at));
    stream.avail_in = static_cast<uInt>(stored.size() - at);
    int status = Z_OK;
    while (status == Z_OK) {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      status = inflate(&stream, Z_NO_FLUSH);
      bytes.append(out, 0, out.size() - stream.avail_out);
    }
    at += stream.total_in;
    inflateEnd(&stream);
    if (status != Z_STREAM_END) break;
  }
  return bytes;
}

struct Found {
  std::map<std::string, std::uint64_t> types, versions, statuses, media;
  std::uint64_t records = 0, damaged = 0, block_bytes = 0, chunked = 0, coded = 0;
};

bool has_field(std::string_view head, std::string_view lower) {
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (starts_with_ignoring_case(head.substr(at + 1), lower)) return true;
  }
  return false;
}

Found read_archive(const std::string& bytes) {
  Found found;
  for (const FoundPiece& piece : find_pieces(bytes)) {
    ++found.records;
    found.damaged += piece.piece.kind != WarcPiece::Kind::kRecord ? 1 : 0;
    ++found.types[std::string(warc_type_name(piece.header.type))];
    ++found.versions["WARC/" + piece.header.version];
    found.block_bytes += piece.piece.block_bytes;
    if (piece.header.type != WarcType::kResponse) continue;
    ResponseHeadReader reader;
    reader.feed(piece.block);
    const ResponseHead& head = reader.head();
    ++found.statuses[head.is_http ? std::to_string(head.status) : "nohttp"];
    ++found.media[head.type.mime.empty() ? "-" : head.type.mime];
    // Common Crawl stores bodies decoded and renames the fields that said how they came.
    const std::string_view text = std::string_view(piece.block).substr(0, head.head_bytes);
    found.chunked += head.is_chunked || has_field(text, "x-crawler-transfer-encoding: chunked") ? 1 : 0;
    found.coded += !head.codings.empty() || has_field(text, "x-crawler-content-encoding: ") ? 1 : 0;
  }
  return found;
}

TEST(RealArchives, HaveTheRecordsThatTheyShould) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  std::ifstream lines(corpora + "/warc/expected.jsonl");
  std::size_t files = 0;
  for (std::string line; std::getline(lines, line); ++files) {
    const auto expected = nlohmann::json::parse(line);
    const std::string name = expected["file"];
    SCOPED_TRACE(name);
    const Found found = read_archive(unpack_file(corpora + "/warc/" + name));
    EXPECT_EQ(found.damaged, 0u);
    if (expected["format"] == "ARC") {
      if (!expected["gzip_members"].is_null()) {
        EXPECT_EQ(found.records, expected["gzip_members"]);
      }
      continue;
    }
    using Counts = std::map<std::string, std::uint64_t>;
    EXPECT_EQ(found.records, expected["records"]);
    EXPECT_EQ(found.types, expected["types"].get<Counts>());
    EXPECT_EQ(found.versions, expected["versions"].get<Counts>());
    EXPECT_EQ(found.statuses, expected["http_status"].get<Counts>());
    EXPECT_EQ(found.media, expected["content_types"].get<Counts>());
    EXPECT_EQ(found.block_bytes, expected["block_bytes"]);
    EXPECT_EQ(found.chunked, expected["chunked"]);
    EXPECT_EQ(found.coded, expected["content_encoded"]);
  }
  EXPECT_EQ(files, 32u);
}

// The reader sees as many records, through gzip and in small buffers.
TEST(RealArchives, EveryRecordIsADocumentOrSkipped) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  std::ifstream lines(corpora + "/warc/expected.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const auto expected = nlohmann::json::parse(line);
    const std::string name = expected["file"];
    SCOPED_TRACE(name);
    const auto result = read_corpus({corpora + "/warc/" + name});
    const std::uint64_t records = result.documents.size() + result.skips.size();
    if (expected.contains("records")) {
      EXPECT_EQ(records, expected["records"]);
    }
    for (const ReadSkip& skip : result.skips) EXPECT_TRUE(is_unasked(skip.reason)) << skip;
    if (expected["bytes"] < 1000000) {
      expect_same_documents(read_corpus({corpora + "/warc/" + name}, setup_of(CorpusFormat::kAuto, 3000, 2)), result);
    }
  }
}

TEST(RealArchives, BrokenOnesLoseOnlyWhatIsHit) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  const struct {
    const char* name;
    std::size_t records, errors;
  } files[] = {{"resiliparse__clipped.warc.gz", 1, 1},
               {"warcio__bad.arc", 4, 2},
               {"warcio__example-bad-non-chunked.warc.gz", 6, 0},
               {"warcio__example-bad.warc.gz.bad", 6, 0},
               {"warcio__example-space-in-target-uri.warc.gz", 2, 0},
               {"warcio__example-space-in-url.arc", 2, 1},
               {"warcio__example-trunc.warc", 4, 0},
               {"warcio__example-wget-bad-target-uri.warc.gz", 6, 0},
               {"warcio__example-wrong-chunks.warc.gz", 2, 0}};
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const auto result = read_corpus({corpora + "/broken/" + file.name});
    std::size_t errors = 0;
    for (const ReadSkip& skip : result.skips) errors += is_unasked(skip.reason) ? 0 : 1;
    EXPECT_EQ(result.documents.size() + result.skips.size(), file.records);
    EXPECT_EQ(errors, file.errors);
  }
}

}  // namespace
}  // namespace spillway
