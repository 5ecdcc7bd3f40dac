// CIFF files, raw or packed: each is read to its end or refused with a place, however it is packed. What was read keeps
// the promises of the sink, and makes an index that `verify` accepts.
#include <map>

#include "io/base/error.hpp"
#include "io/index/verify.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tools/exchange/ciff_reader.hpp"
#include "tools/exchange/import_job.hpp"

using namespace spillway;

namespace {

class CheckedSink final : public CiffSink {
 public:
  void header(const CiffHeader& header) override { header_ = header; }
  void begin_list(std::string_view term) override {
    EXPECT_FALSE(term.empty());
    EXPECT_LT(last_term_, term);
    last_term_ = term;
    postings_ = 0;
    ++lists_;
  }
  void posting(std::uint32_t document, std::uint32_t frequency) override {
    EXPECT_LT(document, header_.documents);
    EXPECT_GE(frequency, 1u);
    EXPECT_TRUE(postings_ == 0 || document > last_document_);
    last_document_ = document;
    ++postings_;
    sum_ += frequency;
    sums_[document] += frequency;
  }
  void end_list() override { EXPECT_GT(postings_, 0u); }
  void document(std::string_view id, std::uint32_t length) override {
    EXPECT_FALSE(id.empty());
    EXPECT_LE(id.size(), kMaxIdBytes);
    const auto sum = sums_.find(static_cast<std::uint32_t>(documents_));
    EXPECT_EQ(length, sum == sums_.end() ? 0 : sum->second);
    ++documents_;
  }
  void expect_whole() const {
    EXPECT_EQ(lists_, header_.lists);
    EXPECT_EQ(documents_, header_.documents);
    EXPECT_EQ(sum_, header_.occurrences);
  }

 private:
  CiffHeader header_;
  std::string last_term_;
  std::uint64_t lists_ = 0, documents_ = 0, postings_ = 0, sum_ = 0;
  std::map<std::uint32_t, std::uint64_t> sums_;  // of frequencies, by document
  std::uint32_t last_document_ = 0;
};

// Returns why the file is refused; empty if it is not.
std::string read(std::string_view bytes, const CiffRules& rules) {
  spillway::testing::FaultyFileSystem files;
  files.put("/job/file", bytes);
  MemoryBudget budget(std::size_t{64} << 20);
  try {
    WireReader in(files, "/job/file", budget, [] {});
    CheckedSink sink;
    read_ciff(in, sink, budget, rules);
    sink.expect_whole();
    return "";
  } catch (const FormatError& error) {
    return error.what();
  } catch (const BudgetError& error) {  // the window of a zstd frame
    return std::string("/job/file: byte 0: expected less, ") + error.what();
  }
}

void import_and_verify(std::string_view bytes, const CiffRules& rules) {
  spillway::testing::FaultyFileSystem files;
  files.put("/job/file", bytes);
  ImportOptions options;
  options.input = "/job/file";
  options.output = "/job/index";
  options.content.max_term_bytes = static_cast<std::uint32_t>(rules.max_term_bytes);
  options.memory_bytes = std::uint64_t{1} << 30;
  options.threads = 1;
  options.lengths = rules.lengths;
  options.max_error_rate = 1;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  ImportReport report;
  run_import(options, {files, signal_number, progress, ignore, ignore}, report);
  verify_index(IndexReader(files, "/job/index"));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  CiffRules rules;
  rules.max_term_bytes = (input.options & 1) != 0 ? 255 : 5;
  rules.lengths = (input.options & 4) != 0 ? CiffLengths::kPostings : CiffLengths::kStated;
  const std::string refusal = read(input.text, rules);
  if (refusal.empty()) import_and_verify(input.text, rules);
  if (!refusal.empty()) {
    EXPECT_NE(refusal.find("/job/file: byte "), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << "messages are safe for a terminal";
  }
  if ((input.options & 2) != 0) {
    const bool is_packed = !input.text.empty() && (input.text[0] == '\x1f' || input.text[0] == '\x28');
    if (is_packed) return 0;
    EXPECT_EQ(read(spillway::testing::gzip_member(input.text), rules).empty(), refusal.empty());
  }
  return 0;
}
