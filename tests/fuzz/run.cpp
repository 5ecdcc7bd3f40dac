// Runs whose checksums are made to match: every byte is read or refused with a FormatError, postings decode alike with
// and without vectors, ranges of terms agree with the whole, and what was read can be written and read again.
#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/layout.hpp"
#include "io/run/postings_decoder.hpp"
#include "io/run/term_cursor.hpp"
#include "io/run/text_cursor.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/run_forger.hpp"
#include "tests/support/sample_run.hpp"

using namespace spillway;
using namespace spillway::run_layout;

namespace {

struct Entry {
  std::string term;
  std::vector<std::uint8_t> postings, positions;
  bool operator==(const Entry&) const = default;
};

// Recomputes the checksums, as far as the bytes have the structure of a run.
std::vector<std::uint8_t> sealed(std::vector<std::uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes + kTrailerBytes) return bytes;
  const std::size_t trailer = bytes.size() - kTrailerBytes;
  const std::uint64_t footer = load_le<std::uint64_t>(bytes.data() + trailer + kFooterOffsetAt);
  if (footer < kHeaderBytes || footer > trailer) return bytes;
  for (std::uint64_t at = kHeaderBytes; at < footer;) {
    if (footer - at < kBlockHeaderBytes) return bytes;
    const std::uint32_t stored = load_le<std::uint32_t>(bytes.data() + at + kStoredAt);
    if (footer - at - kBlockHeaderBytes < stored) return bytes;
    at += kBlockHeaderBytes + stored;
  }
  if (trailer - footer < kFooterFixedBytes + 4) return bytes;
  spillway::testing::RunForger forger(std::move(bytes));
  forger.seal_header();
  return forger.bytes();
}

std::vector<Entry> entries_of(const RunReader& run, const std::string& first, const std::string& last) {
  std::vector<Entry> entries;
  RunTermCursor cursor(run, first, last);
  while (cursor.next()) {
    const RunEntry& entry = cursor.entry();
    entries.push_back({std::string(entry.term),
                       {entry.postings.begin(), entry.postings.end()},
                       {entry.positions.begin(), entry.positions.end()}});
  }
  return entries;
}

using Decode = decltype(&decode_postings);
struct Decoded {
  bool good = false;
  std::vector<std::uint32_t> documents, frequencies;
};
Decoded decoded(const RunEntry& entry, Decode decode) {
  Decoded result;
  try {
    decode(entry, "run", result.documents, result.frequencies);
    result.good = true;
  } catch (const FormatError&) {
  }
  return result;
}

void check_postings(const RunReader& run) {
  RunTermCursor cursor(run, "", "");
  while (cursor.next()) {
    const Decoded fast = decoded(cursor.entry(), decode_postings);
    const Decoded slow = decoded(cursor.entry(), decode_postings_portable);
    ASSERT_EQ(fast.good, slow.good);
    if (!fast.good) continue;
    EXPECT_EQ(fast.documents, slow.documents);
    EXPECT_EQ(fast.frequencies, slow.frequencies);
    EXPECT_EQ(fast.documents.size(), cursor.entry().document_count);
    EXPECT_EQ(fast.documents.back(), cursor.entry().last_document);
    EXPECT_TRUE(std::adjacent_find(fast.documents.begin(), fast.documents.end(), std::greater_equal<>()) ==
                fast.documents.end());
  }
}

// Requires: the whole run was read.
void check_ranges(const RunReader& run, const std::vector<Entry>& all) {
  if (all.empty()) return;
  const std::string &first = all[all.size() / 3].term, &last = all[all.size() * 2 / 3].term;
  std::vector<Entry> expected;
  for (const Entry& entry : all) {
    if (entry.term >= first && entry.term < last) expected.push_back(entry);
  }
  if (first < last) {
    EXPECT_TRUE(entries_of(run, first, last) == expected);
  }
}

void read_streams(const RunReader& run) {
  std::uint64_t documents = 0;
  RunDocumentCursor cursor(run);
  while (cursor.next()) ++documents;
  EXPECT_EQ(documents, run.summary().document_count);
  if (!run.identity().has_texts) return;
  RunTextCursor text(run);
  while (text.next()) {
  }
}

void check_round_trip(const spillway::testing::BytesFile& file, const RunIdentity& identity) {
  const spillway::testing::SampleRun run = spillway::testing::read_sample_run(file);
  if (identity.has_texts) return;  // the sample has no stream of texts
  MemoryBudget budget(std::size_t{1} << 28);
  MemoryFile again(budget, "run");
  spillway::testing::write_sample_run(run, {identity, kMinRunBlockBytes}, again);
  EXPECT_TRUE(spillway::testing::read_sample_run(again) == run);
}

template <typename Read>
bool succeeds(const Read& read) {
  try {
    read();
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::vector<std::uint8_t> bytes(input.text.begin(), input.text.end());
  const spillway::testing::BytesFile file(input.options % 8 == 0 ? std::move(bytes) : sealed(std::move(bytes)));
  std::unique_ptr<RunReader> run;
  if (!succeeds([&] { run = std::make_unique<RunReader>(file); })) return 0;
  std::vector<Entry> all;
  const bool has_terms = succeeds([&] { all = entries_of(*run, "", ""); });
  if (has_terms) {
    check_postings(*run);
    succeeds([&] { check_ranges(*run, all); });  // only these read the samples of the footer
  }
  succeeds([&] { entries_of(*run, "m", "n"); });
  if (succeeds([&] { read_streams(*run); }) && has_terms) {
    succeeds([&] { check_round_trip(file, run->identity()); });
  }
  return 0;
}
