// Makes lists in fragments as the input of a PostingsConcatenator, and reads its output back.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/run/postings_decoder.hpp"
#include "merge/run/postings_concatenator.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway::testing {

using List = std::map<std::uint32_t, std::uint64_t>;  // document -> frequency
using Lists = std::map<std::string, List>;

// List fragments with the bytes that they view.
struct Parts {
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<ListFragment> parts;

  // Postings in source numbering, written as counted from `base`.
  void add(const std::vector<SamplePosting>& postings, std::uint32_t base) {
    std::vector<SamplePosting> local = postings;
    ListFragment part;
    for (SamplePosting& posting : local) {
      part.last_document = posting.document;
      part.occurrence_count += posting.frequency;
      posting.document -= base;
    }
    part.document_count = static_cast<std::uint32_t>(postings.size());
    part.base = base;
    bytes.push_back(encode_postings(local));
    parts.push_back(part);
  }
  std::vector<ListFragment>& view() {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].postings = bytes[i];
    return parts;
  }
};

inline List list_of(const std::vector<SamplePosting>& postings) {
  List list;
  for (const SamplePosting& posting : postings) list[posting.document] += posting.frequency;
  return list;
}

// The blocks that a PostingsConcatenator wrote, read back by the layout of io/format/run.hpp.
class ConcatenatedLists {
 public:
  explicit ConcatenatedLists(std::size_t block_bytes = kMinRunBlockBytes)
      : concatenator_(
            block_bytes, false, [this](TermBlock&& block) { blocks.push_back(std::move(block)); },
            [this](const RunEntry& run_entry) { seen_.push_back(decode(run_entry)); }) {}

  PostingsConcatenator& concatenator() { return concatenator_; }
  void finish() { concatenator_.finish(); }

  Lists read() const {
    Lists lists;
    std::size_t entries = 0;
    std::string last_term;
    for (const TermBlock& block : blocks) {
      const std::uint8_t* at = block.payload.data();
      const std::uint8_t* const end = at + block.payload.size();
      const std::size_t first_entry = entries;
      std::uint64_t postings = 0, occurrences = 0;
      std::string term;
      while (at != end) {
        const RunEntry run_entry = read_entry(&at, end, term);
        EXPECT_LE(last_term, term);
        last_term = term;
        const Entry entry = decode(run_entry);
        List& list = lists[term];
        for (const auto& [document, frequency] : entry.second) {
          EXPECT_TRUE(list.empty() || list.rbegin()->first < document) << "document " << document << " again";
          list[document] = frequency;
        }
        EXPECT_LT(entries, seen_.size());
        EXPECT_EQ(seen_.at(entries), entry) << "the entry that was shown";
        postings += run_entry.document_count;
        occurrences += run_entry.occurrence_count;
        ++entries;
      }
      EXPECT_EQ(block.entry_count, entries - first_entry);
      EXPECT_EQ(block.posting_count, postings);
      EXPECT_EQ(block.occurrence_count, occurrences);
    }
    EXPECT_EQ(entries, seen_.size());
    return lists;
  }
  std::size_t entry_count() const { return seen_.size(); }

  std::vector<TermBlock> blocks;

 private:
  using Entry = std::pair<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

  static std::uint64_t read_number(const std::uint8_t** at, const std::uint8_t* end) {
    std::uint64_t number = 0;
    if (!read_varint(at, end, &number)) throw FormatError("a block ends inside a number");
    return number;
  }

  static RunEntry read_entry(const std::uint8_t** at, const std::uint8_t* end, std::string& term) {
    term.resize(read_number(at, end));
    const std::uint64_t suffix_bytes = read_number(at, end);
    term.append(reinterpret_cast<const char*>(*at), suffix_bytes);
    *at += suffix_bytes;
    RunEntry run_entry;
    run_entry.term = term;
    run_entry.document_count = static_cast<std::uint32_t>(read_number(at, end));
    run_entry.occurrence_count = run_entry.document_count + read_number(at, end);
    run_entry.last_document = static_cast<std::uint32_t>(read_number(at, end));
    const std::uint64_t bytes = read_number(at, end);
    run_entry.postings = {*at, bytes};
    *at += bytes;
    return run_entry;
  }

  static Entry decode(const RunEntry& run_entry) {
    std::vector<std::uint32_t> documents, frequencies;
    decode_postings(run_entry, "entry", documents, frequencies);
    Entry entry{std::string(run_entry.term), {}};
    for (std::size_t i = 0; i < documents.size(); ++i) entry.second.emplace_back(documents[i], frequencies[i]);
    return entry;
  }

  std::vector<Entry> seen_;
  PostingsConcatenator concatenator_;
};

}  // namespace spillway::testing
