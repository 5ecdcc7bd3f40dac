// CIFF files, raw or packed: each is read to its end or refused with a place, however it is packed, and what was read
// keeps the promises of the sink.
#include "io/base/error.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tools/exchange/ciff_reader.hpp"

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
  }
  void end_list() override { EXPECT_GT(postings_, 0u); }
  void document(std::string_view id, std::uint32_t length) override {
    EXPECT_LE(id.size(), kMaxIdBytes);
    length_sum_ += length;
    ++documents_;
  }
  void expect_whole() const {
    EXPECT_EQ(lists_, header_.lists);
    EXPECT_EQ(documents_, header_.documents);
    EXPECT_EQ(sum_, header_.occurrences);
    EXPECT_EQ(length_sum_, header_.occurrences);
  }

 private:
  CiffHeader header_;
  std::string last_term_;
  std::uint64_t lists_ = 0, documents_ = 0, postings_ = 0, sum_ = 0, length_sum_ = 0;
  std::uint32_t last_document_ = 0;
};

// Returns why the file is refused; empty if it is not.
std::string read(std::string_view bytes, std::size_t max_term_bytes) {
  spillway::testing::FaultyFileSystem files;
  files.put("/job/file", bytes);
  MemoryBudget budget(std::size_t{64} << 20);
  try {
    WireReader in(files, "/job/file", budget, [] {});
    CheckedSink sink;
    read_ciff(in, sink, max_term_bytes);
    sink.expect_whole();
    return "";
  } catch (const FormatError& error) {
    return error.what();
  } catch (const BudgetError& error) {  // the window of a zstd frame
    return std::string("/job/file: byte 0: expected less, ") + error.what();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::size_t max_term_bytes = (input.options & 1) != 0 ? 255 : 5;
  const std::string refusal = read(input.text, max_term_bytes);
  if (!refusal.empty()) {
    EXPECT_NE(refusal.find("/job/file: byte "), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << "messages are safe for a terminal";
  }
  if ((input.options & 2) != 0) {
    const bool is_packed = !input.text.empty() && (input.text[0] == '\x1f' || input.text[0] == '\x28');
    if (is_packed) return 0;
    EXPECT_EQ(read(spillway::testing::gzip_member(input.text), max_term_bytes).empty(), refusal.empty());
  }
  return 0;
}
