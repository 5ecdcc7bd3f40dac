// `spillway merge` against one `index` job over the same input: the same bytes, for any number of parts and any cuts,
// within its memory and descriptors.
#include <gtest/gtest.h>

#include "io/base/checksum.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index.hpp"
#include "io/index/verify.hpp"
#include "tests/end_to_end/merge_parts.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::Documents;
using testing::ProgramResult;
using testing::run_merge_job;
using testing::run_spillway;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

std::vector<ContentOptions> content_kinds() {
  std::vector<ContentOptions> kinds(4);
  kinds[1].tokenizer = Tokenizer::kAscii;
  kinds[1].store = StorePolicy::kNone;
  kinds[1].duplicate_ids = DuplicateIds::kKeep;
  kinds[2].positions = true;
  kinds[3].store = StorePolicy::kText;
  kinds[3].positions = true;
  kinds[3].stemmer = "english";
  return kinds;
}

std::span<const std::uint8_t> io_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_good(const std::string& index) {
  try {
    verify_index(IndexReader(posix_file_system(), index));
    return true;
  } catch (const Error&) {
    return false;
  }
}

class Merge : public testing::MergeParts {
 protected:
  // Cuts the documents at random places (parts may be empty), indexes and merges the parts.
  void expect_parts_merge(const std::vector<std::string>& records, std::size_t count, const ContentOptions& options,
                          CorpusFormat format, std::mt19937_64& random) {
    std::string whole;
    for (const std::string& record : records) whole += record;
    const auto expected = bytes_of(index("whole", whole, options, format));
    std::vector<std::size_t> cuts{0, records.size()};
    for (std::size_t i = 1; i < count; ++i) cuts.push_back(random() % (records.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    MergeOptions merge;
    for (std::size_t i = 0; i < count; ++i) {
      std::string part;
      for (std::size_t d = cuts[i]; d < cuts[i + 1]; ++d) part += records[d];
      merge.inputs.push_back(index("part" + std::to_string(i), part, options, format));
    }
    merge.output = scratch_ / "merged";
    merge.threads = 1 + static_cast<unsigned>(random() % 3);
    merge.memory_bytes = testing::tight_memory(100);
    merge.max_fan_in = random() % 2 == 0 ? 0 : 2 + random() % 3;
    const MergeReport report = run_merge_job(merge);
    EXPECT_TRUE(same_index(expected, merge.output)) << count << " parts";
    EXPECT_EQ(report.merge_passes > 1, merge.max_fan_in != 0 && count > merge.max_fan_in);
    for (const std::string& made : merge.inputs) fs::remove_all(made);
    fs::remove_all(merge.output);
    fs::remove_all(scratch_ / "whole");
  }
};

TEST_F(Merge, GivesTheBytesOfOneJobForEveryNumberOfParts) {
  const std::vector<ContentOptions> kinds = content_kinds();
  for (std::size_t count = 1; count <= 20; ++count) {
    SCOPED_TRACE(count);
    std::mt19937_64 random(count);
    testing::RandomDocuments shape;
    shape.count = random() % 120;
    shape.words = 30;
    shape.long_document_words = 500;
    std::vector<std::string> records;
    for (const auto& document : testing::random_corpus(count, shape, true)) {
      records.push_back(testing::jsonl_line(document));
    }
    expect_parts_merge(records, count, kinds[count % kinds.size()], CorpusFormat::kJsonl, random);
  }
}

TEST_F(Merge, NumbersLinesOnAsOneJobDoes) {
  for (const std::size_t count : {1U, 3U, 20U}) {
    std::mt19937_64 random(count);
    testing::RandomDocuments shape;
    shape.count = 200;
    shape.words = 12;
    std::vector<std::string> records;
    for (const auto& document : testing::as_lines(testing::random_documents(count, shape))) {
      records.push_back(document.text + "\n");
    }
    expect_parts_merge(records, count, {}, CorpusFormat::kLines, random);
  }
}

TEST_F(Merge, CanBeDoneStepByStepAndInPlace) {
  testing::RandomDocuments shape;
  shape.count = 60;
  std::string whole;
  std::vector<std::string> days(5);
  const Documents documents = testing::random_corpus(3, shape, true);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string line = testing::jsonl_line(documents[i]);
    whole += line;
    days[i * days.size() / documents.size()] += line;
  }
  const auto expected = bytes_of(index("whole", whole, {}));
  const std::string crawl = index("crawl", days[0], {});
  for (std::size_t day = 1; day < days.size(); ++day) {
    const std::string today = index("day" + std::to_string(day), days[day], {});
    const ProgramResult result = run_spillway({"merge", crawl, today, "-o", crawl, "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_TRUE(same_index(expected, crawl));
  EXPECT_FALSE(fs::exists(crawl + ".work"));
}

TEST_F(Merge, MayDropEverything) {
  testing::RandomDocuments shape;
  shape.count = 50;
  const Documents documents = testing::random_corpus(3, shape, true);
  std::string ids;
  for (const auto& document : documents) ids += document.id + "\n";
  const std::string all = index("all", testing::jsonl_of(documents), {});
  const std::string rest = index("rest",
                                 R"({"id":"kept","text":"one"})"
                                 "\n",
                                 {});
  write_bytes(scratch_ / "ids", ids);
  for (const auto& [inputs, kept] : std::vector<std::pair<std::vector<std::string>, std::uint64_t>>{
           {{all}, 0}, {{all, rest}, 1}, {{rest, all}, 1}}) {
    MergeOptions merge;
    merge.inputs = inputs;
    merge.output = scratch_ / "merged";
    merge.drop_ids.files = {scratch_ / "ids"};
    const MergeReport report = run_merge_job(merge);
    EXPECT_EQ(report.documents, kept);
    EXPECT_EQ(report.unknown_ids, 0U);
    {
      const IndexReader index(posix_file_system(), merge.output);
      EXPECT_EQ(index.counts().documents, kept);
      EXPECT_NO_THROW(verify_index(index));
    }
    // An index without any document merges, too.
    MergeOptions again;
    again.inputs = {merge.output, rest};
    again.output = scratch_ / "again";
    EXPECT_EQ(run_merge_job(again).documents, 1U);
    fs::remove_all(merge.output);
    fs::remove_all(again.output);
  }
}

TEST_F(Merge, SaysWhatItWillNotMerge) {
  const std::string line = R"({"id":"a","text":"one"})"
                           "\n";
  const std::string one = index("one", line, {});
  ContentOptions other_options;
  other_options.stop_words = "the\n";
  const std::string other = index("other", line, other_options);
  const auto expect_refused = [&](std::vector<std::string> words, int code, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "merge");
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
  };
  const std::string out = scratch_ / "out";
  expect_refused({one, other, "-o", out}, 2, {"--stop is none in " + one, "1 word in " + other});
  expect_refused({one, one, "-o", out}, 2, {"the same index"});
  fs::create_directory_symlink(one, scratch_ / "link");
  expect_refused({one, scratch_ / "link", "-o", out}, 2, {"the same index"});
  expect_refused({one, scratch_ / "missing", "-o", out}, 2, {"missing"});
  expect_refused({scratch_ / "one.in", "-o", out}, 5, {"one.in"});
  expect_refused({one, "-o", one}, 2, {"--force"});
  expect_refused({one, "-o", one + "/inner"}, 2, {"is inside the index"});
  expect_refused({one, "-o", out, "--drop", scratch_ / "no-list"}, 2, {"no-list"});
  expect_refused({one, "-o", out, "--memory", "10M"}, 4, {"64M"});
  expect_refused({one, "-o", out, "--json", out + "/report"}, 2, {"--json"});
  expect_refused({"-o", out}, 2, {"missing"});
}

TEST_F(Merge, RefusesADamagedInputNamingTheFile) {
  testing::RandomDocuments shape;
  shape.count = 300;
  const std::string good = index("good", testing::jsonl_of(testing::random_corpus(3, shape, false)), {});
  const std::string bad = index("bad", testing::jsonl_of(testing::random_corpus(4, shape, false)), {});
  for (const char* file : {"postings", "terms", "lengths", "ids", "fields", "manifest"}) {
    const std::string path = bad + "/" + file;
    const std::string whole = testing::read_bytes(path);
    std::string damaged = whole;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x40);
    write_bytes(path, damaged);
    const ProgramResult result = run_spillway({"merge", good, bad, "-o", scratch_ / "out"});
    EXPECT_EQ(result.exit_code, 5) << file << ": " << result.err;
    EXPECT_NE(result.err.find(path), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
    write_bytes(path, whole);
  }
}

// Every bit of a manifest, each with a hash that fits again: a merge accepts no index that `verify` rejects. Hashes of
// whole files are left out: a merge checks each page that it reads by its own checksum.
TEST_F(Merge, AcceptsNoManifestThatVerifyRejects) {
  ContentOptions options;
  options.positions = true;
  testing::RandomDocuments shape;
  shape.count = 20;
  const std::string part = index("part", testing::jsonl_of(testing::random_corpus(3, shape, true)), options);
  const std::string whole = testing::read_bytes(part + "/manifest");
  const std::size_t hashed = whole.size() - sizeof(Hash128);
  // The manifest ends with an entry for each file: a length and a name, 8 bytes, the hash of the file, 4 bytes.
  std::vector<bool> is_file_hash(whole.size());
  std::size_t entry = hashed;
  for (std::size_t i = kSectionCount; i-- > 0;) {
    entry -= 1 + kSectionNames[i].size() + 8 + sizeof(Hash128) + 4;
    const std::size_t hash = entry + 1 + kSectionNames[i].size() + 8;
    std::fill_n(is_file_hash.begin() + static_cast<std::ptrdiff_t>(hash), sizeof(Hash128), true);
  }
  int rejected = 0;
  for (std::size_t bit = 0; bit < hashed * 8; ++bit) {
    if (is_file_hash[bit / 8]) continue;
    std::string forged = whole;
    forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ (1 << bit % 8));
    const Hash128 hash = hash128(io_bytes(forged.substr(0, hashed)));
    std::copy(hash.begin(), hash.end(), forged.begin() + static_cast<std::ptrdiff_t>(hashed));
    write_bytes(part + "/manifest", forged);
    if (is_good(part)) continue;
    ++rejected;
    MergeOptions merge;
    merge.inputs = {part};
    merge.output = scratch_ / "out";
    merge.memory_bytes = testing::tight_memory(100);
    EXPECT_THROW(run_merge_job(merge), Error) << "bit " << bit % 8 << " of byte " << bit / 8;
    fs::remove_all(merge.output);
  }
  EXPECT_GT(rejected, 1000);
}

class LimitedMerge : public Merge {
 protected:
  // Parts of a corpus of lines; the bytes of one job over all of them.
  void make_parts(std::size_t count, std::size_t lines_each) {
    std::string whole;
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < count; ++i) {
      std::string part;
      for (std::size_t line = 0; line < lines_each; ++line) {
        for (int word = 0; word < 8; ++word) part += "w" + std::to_string(random() % 50000) + " ";
        part += "\n";
      }
      whole += part;
      parts_.push_back(index("part" + std::to_string(i), part, {}, CorpusFormat::kLines));
    }
    expected_ = bytes_of(index("whole", whole, {}, CorpusFormat::kLines));
  }

  // Runs the program in a shell that lowers the limit, so that the test itself keeps its own.
  nlohmann::json merge_with(unsigned descriptors, const std::string& memory) {
    std::string words = "ulimit -n " + std::to_string(descriptors) + "; exec \"$@\"";
    std::vector<std::string> command{"/bin/sh", "-c", words, "sh", testing::program_path(), "merge"};
    command.insert(command.end(), parts_.begin(), parts_.end());
    command.insert(command.end(), {"-o", scratch_ / "merged", "--memory", memory, "--threads", "2", "--json",
                                   scratch_ / "report", "--force"});
    const ProgramResult result = testing::run_program(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(same_index(expected_, scratch_ / "merged"));
    return nlohmann::json::parse(testing::read_bytes(scratch_ / "report"));
  }

  std::vector<std::string> parts_;
  std::map<std::string, std::string> expected_;
};

TEST_F(LimitedMerge, TakesManyPartsWithFewDescriptors) {
  make_parts(200, 20);
  merge_with(1024, "1G");
  merge_with(80, "64M");
  merge_with(40, "1G");
}

class SlowLimitedMerge : public LimitedMerge {};

TEST_F(SlowLimitedMerge, KeepsItsMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes more memory than the budget";
#endif
  make_parts(20, 150000);
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : expected_) bytes += content.size();
  ASSERT_GT(bytes, std::uint64_t{50} << 20);
  const auto report = merge_with(1024, "64M");
  EXPECT_LE(report.at("peak_resident_bytes"), (std::uint64_t{64} << 20) * 105 / 100);
}

class RealParts : public Merge, public ::testing::WithParamInterface<const char*> {};

TEST_P(RealParts, MergeToTheIndexOfTheWhole) {
  const std::string path = SPILLWAY_CORPORA_OR_SKIP() + "/retrieval/" + GetParam() + "/docs.jsonl.zst";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  std::mt19937_64 random(1);
  std::vector<std::string> records;
  const std::string text = testing::unpack_zstd(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    records.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  for (const ContentOptions& kind : content_kinds()) {
    expect_parts_merge(records, 2 + random() % 6, kind, CorpusFormat::kJsonl, random);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RealParts,
                         ::testing::Values("adi", "cacm", "cisi", "cranfield", "med", "scifact", "vaswani"));

}  // namespace
}  // namespace spillway
