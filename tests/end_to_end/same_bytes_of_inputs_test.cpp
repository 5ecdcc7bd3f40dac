// Tests that an input gives the same index however it is compressed, divided into files or into parts of a job, and all
// of these at once.
#include "tests/corpora/reader/packing.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/few_descriptors.hpp"

namespace spillway {
namespace {

using testing::Documents;
using testing::FewDescriptors;
using testing::RandomDocuments;
using testing::run_job;
using testing::same_index;
using testing::SameBytes;
using testing::ScratchDirectory;
using testing::write_bytes;
namespace fs = std::filesystem;

std::vector<std::string> write_files(const ScratchDirectory& scratch, const std::vector<std::string>& fragments) {
  const std::string directory = scratch / "fragments";
  fs::remove_all(directory);
  fs::create_directory(directory);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    paths.push_back(directory + "/" + std::to_string(10000 + i));
    write_bytes(paths.back(), fragments[i]);
  }
  return paths;
}

// Cuts the text after random line ends; some fragments are empty.
std::vector<std::string> cut_at_lines(const std::string& text, std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> cuts{0, text.size()};
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t line_end = text.find('\n', random() % (text.size() + 1));
    cuts.push_back(line_end == std::string::npos ? text.size() : line_end + 1);
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::string> fragments;
  for (std::size_t i = 1; i < cuts.size(); ++i) fragments.push_back(text.substr(cuts[i - 1], cuts[i] - cuts[i - 1]));
  return fragments;
}

TEST_F(SameBytes, ForOneFileOrManyOfJsonl) {
  set_random_corpus(7, 200);
  std::mt19937_64 random(7);
  for (const std::size_t count : {2, 10, 300}) {
    std::vector<std::string> fragments = cut_at_lines(content_, count, random);
    if (count == 10) fragments[0].pop_back();  // a last line without an end
    const std::vector<std::string> paths = write_files(scratch_, fragments);
    IndexOptions options = job(paths);
    options.threads = 3;
    expect_same(options);
    options = job({scratch_ / "fragments"});  // the directory
    expect_same(options);
    std::string list;
    for (const std::string& path : paths) list += path + "\n";
    write_bytes(scratch_ / "list", list);
    expect_same(job({"@" + (scratch_ / "list")}));
  }
}

TEST_F(SameBytes, ForOneFileOrManyOfLines) {
  RandomDocuments shape;
  shape.count = 500;
  shape.words = 10;
  const Documents documents = testing::as_lines(testing::random_documents(8, shape));
  set_corpus(testing::lines_of(documents), CorpusFormat::kLines);
  std::mt19937_64 random(8);
  for (const std::size_t count : {2, 50}) {
    IndexOptions options = job(write_files(scratch_, cut_at_lines(content_, count, random)));
    options.threads = 3;
    options.block_bytes = 5000;
    expect_same(options);
  }
}

TEST_F(SameBytes, ForPlainAndPackedInput) {
  set_random_corpus(9, 200);
  std::mt19937_64 random(9);
  const std::string& text = content_;
  const auto third = text.size() / 3, half = text.size() / 2;
  std::string members, frames;
  for (std::size_t at = 0; at < text.size(); at += 5000) {
    members += testing::gzip_member(std::string_view(text).substr(at, 5000));
    frames += testing::zstd_frame(std::string_view(text).substr(at, 5000));
  }
  const std::map<std::string, std::string> packings{
      {"gzip", testing::gzip_member(text)},
      {"gzip, two members cut inside a line",
       testing::gzip_member(text.substr(0, half)) + testing::gzip_member(text.substr(half))},
      {"gzip, many members", members},
      {"gzip, empty members", testing::gzip_member("") + testing::gzip_member(text) + testing::gzip_member("")},
      {"zstd", testing::zstd_frame(text)},
      {"zstd, two frames", testing::zstd_frame(text.substr(0, third)) + testing::zstd_frame(text.substr(third))},
      {"zstd, many frames", frames},
      {"zstd, skippable frame", testing::zstd_skippable_frame("x") + testing::zstd_frame(text)}};
  for (const auto& [name, bytes] : packings) {
    SCOPED_TRACE(name);
    write_bytes(scratch_ / "packed", bytes);
    IndexOptions options = job({scratch_ / "packed"});
    options.threads = 1 + static_cast<unsigned>(random() % 4);
    options.block_bytes = random() % 2 == 0 ? 0 : 20000;
    expect_same(options);
  }
  const std::vector<std::string> fragments = cut_at_lines(text, 3, random);
  expect_same(job(
      write_files(scratch_, {fragments[0], testing::gzip_member(fragments[1]), testing::zstd_frame(fragments[2])})));
}

class SameBytesOfParts : public SameBytes {
 protected:
  void expect_parts_join(const std::vector<std::string>& inputs, std::uint32_t count, std::uint64_t block_bytes) {
    std::vector<std::string> parts;
    std::uint64_t documents = 0;
    for (std::uint32_t i = 1; i <= count; ++i) {
      IndexOptions options = job(inputs);
      options.corpus.part_number = i;
      options.corpus.part_count = count;
      options.block_bytes = block_bytes;
      options.threads = 1 + i % 3;
      options.output = scratch_ / ("part" + std::to_string(i));
      documents += run_job(options).records_in;
      parts.push_back(options.output);
    }
    EXPECT_EQ(documents, report_.records_in);
    MergeOptions options;
    options.inputs = parts;
    options.output = scratch_ / "joined";
    options.threads = 1 + count % 3;
    options.memory_bytes = testing::tight_memory(100);
    options.max_fan_in = block_bytes == 0 ? 0 : 2 + count % 3;
    EXPECT_EQ(testing::run_merge_job(options).documents, report_.documents);
    EXPECT_TRUE(same_index(expected_, scratch_ / "joined")) << count << " parts";
    fs::remove_all(scratch_ / "joined");
    for (const std::string& part : parts) fs::remove_all(part);
  }
};

TEST_F(SameBytesOfParts, OfOneFile) {
  set_random_corpus(10, 150);
  for (const std::uint32_t count : {2U, 3U, 4U, 5U, 20U}) {
    expect_parts_join({scratch_ / "in"}, count, count % 2 == 0 ? 0 : 5000);
  }
}

TEST_F(SameBytesOfParts, WithPositions) {
  content_options_.positions = true;
  set_random_corpus(16, 150);
  for (const std::uint32_t count : {2U, 3U, 20U}) {
    expect_parts_join({scratch_ / "in"}, count, count % 2 == 0 ? 0 : 5000);
  }
}

TEST_F(SameBytesOfParts, OfManyFiles) {
  set_random_corpus(11, 120);
  std::mt19937_64 random(11);
  const std::vector<std::string> paths = write_files(scratch_, cut_at_lines(content_, 9, random));
  for (const std::uint32_t count : {2U, 5U, 20U}) expect_parts_join(paths, count, 0);
}

TEST_F(SameBytesOfParts, WithoutIds) {
  RandomDocuments shape;
  shape.count = 300;
  shape.words = 10;
  set_corpus(testing::lines_of(testing::as_lines(testing::random_documents(12, shape))), CorpusFormat::kLines);
  for (const std::uint32_t count : {2U, 7U}) expect_parts_join({scratch_ / "in"}, count, 3000);
}

TEST_F(SameBytesOfParts, WithStoredTexts) {
  set_corpus_with_texts(22);
  for (const std::uint32_t count : {2U, 5U}) expect_parts_join({scratch_ / "in"}, count, count == 2 ? 0 : 5000);
}

TEST_F(SameBytesOfParts, ThatAreMoreThanTheDocuments) {
  set_random_corpus(13, 6);
  expect_parts_join({scratch_ / "in"}, 20, 0);
}

TEST_F(SameBytesOfParts, WithStopWordsAndStems) {
  content_options_.stop_words = "ed\nni\n";
  content_options_.stemmer = "english";
  content_options_.store = StorePolicy::kNone;
  content_options_.duplicate_ids = DuplicateIds::kKeep;
  set_random_corpus(14, 100);
  expect_parts_join({scratch_ / "in"}, 3, 4000);
}

// Everything at once.
class SlowSameBytes : public SameBytes {};

TEST_F(SlowSameBytes, ForRandomCombinationsOfEverything) {
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    std::mt19937_64 random(seed);
    content_options_ = {};
    content_options_.tokenizer = random() % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
    content_options_.stemmer = random() % 3 == 0 ? "porter" : "none";
    content_options_.positions = random() % 2 == 0;
    content_options_.max_term_bytes = random() % 4 == 0 ? 8 : 255;
    content_options_.duplicate_ids = random() % 3 == 0 ? DuplicateIds::kKeep : DuplicateIds::kFirst;
    set_random_corpus(seed, 1 + random() % 300, random() % 2 == 0);
    for (int i = 0; i < 8; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", job " + std::to_string(i));
      std::vector<std::string> inputs{scratch_ / "in"};
      const auto packing = random() % 4;
      if (packing == 1) inputs = write_files(scratch_, cut_at_lines(content_, 1 + random() % 20, random));
      if (packing == 2) inputs = write_files(scratch_, {testing::gzip_member(content_)});
      if (packing == 3) inputs = write_files(scratch_, {testing::zstd_frame(content_)});
      IndexOptions options = job(inputs);
      options.threads = 1 + static_cast<unsigned>(random() % 8);
      options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(60 << (random() % 4)), 64 << 20);
      options.mode = random() % 2 == 0 ? IndexMode::kCpu : IndexMode::kCpuPlus;
      options.record_sorter = std::array{"auto", "cpu-chunk", "cpu-radix", "cpu-quick"}[random() % 4];
      options.string_sorter = std::array{"auto", "cpu-msd", "cpu-multikey"}[random() % 3];
      options.block_bytes = std::array<std::uint64_t, 4>{0, 200, 5000, 100000}[random() % 4];
      const FewDescriptors few(random() % 2 == 0 ? 110 : 1024);
      expect_same(options);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace spillway
