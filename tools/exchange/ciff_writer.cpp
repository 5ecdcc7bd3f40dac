#include "tools/exchange/ciff_writer.hpp"

#include <bit>

#include "corpora/document/utf8.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/exchange/documents.hpp"

namespace spillway {

namespace {

using ciff::tag;
using ciff::WireType;

// The most bytes of a posting: tags, its length, and two numbers of 31 bits.
constexpr std::uint64_t kMaxPostingBytes = 2 + 2 * (1 + 5);

std::uint64_t int32_of(std::uint64_t value, std::string_view what) {
  if (value <= ciff::kMaxInt32) return value;
  throw UsageError("CIFF holds numbers up to 2147483647, and " + std::string(what) + " is " + std::to_string(value) +
                   "; index the input in parts (--part I/N), and export each");
}

// proto3 leaves out a number that is 0.
std::size_t number_bytes(std::uint64_t value) { return value == 0 ? 0 : 1 + varint_bytes(value); }

std::size_t string_bytes(std::string_view text) {
  return text.empty() ? 0 : 1 + varint_bytes(text.size()) + text.size();
}

std::size_t posting_body_bytes(std::uint64_t gap, std::uint64_t frequency) {
  return number_bytes(gap) + number_bytes(frequency);
}

class MessageWriter {
 public:
  explicit MessageWriter(const WriteBytes& write) : bytes_(write) {}

  void varint(std::uint64_t value) {
    std::uint8_t encoded[kMaxVarintBytes];
    const std::uint8_t* const end = write_varint(encoded, value);
    bytes_.append({reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(end - encoded)});
  }
  void number(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    bytes_.append_byte(tag(field, WireType::kVarint));
    varint(value);
  }
  void text(unsigned field, std::string_view value) {
    if (value.empty()) return;
    bytes_.append_byte(tag(field, WireType::kBytes));
    varint(value.size());
    bytes_.append(value);
  }
  void real(unsigned field, double value) {
    if (value == 0) return;
    bytes_.append_byte(tag(field, WireType::kFixed64));
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_.append_byte(static_cast<std::uint8_t>(bits >> shift));
  }
  void posting(std::uint64_t gap, std::uint64_t frequency) {
    bytes_.append_byte(tag(ciff::list::kPosting, WireType::kBytes));
    bytes_.append_byte(static_cast<std::uint8_t>(posting_body_bytes(gap, frequency)));
    number(ciff::posting::kDocument, gap);
    number(ciff::posting::kFrequency, frequency);
  }
  void finish() { bytes_.finish(); }

 private:
  BufferedBytes bytes_;
};

// Calls take(gap, frequency) for each posting of a list: the first gap counts from document 0.
template <typename Take>
void each_posting(const IndexReader& index, const TermEntry& entry, DocumentOrder& order, const ExportContext& context,
                  const Take& take) {
  OrderedPostings cursor(index, entry, order, context.check);
  std::uint32_t previous = 0;
  for (std::uint64_t block = 0; cursor.next_block(); ++block) {
    if (block % 256 == 0) context.check();
    const auto documents = cursor.documents(), frequencies = cursor.frequencies();
    for (std::size_t i = 0; i < documents.size(); ++i) {
      take(documents[i] - previous, frequencies[i]);
      previous = documents[i];
    }
  }
}

std::uint64_t list_message_bytes(const IndexReader& index, const TermEntry& entry, DocumentOrder& order,
                                 const ExportContext& context) {
  std::uint64_t bytes =
      string_bytes(entry.term) + number_bytes(entry.document_count) + number_bytes(entry.occurrence_count);
  each_posting(index, entry, order, context,
               [&](std::uint32_t gap, std::uint32_t frequency) { bytes += 2 + posting_body_bytes(gap, frequency); });
  return bytes;
}

class CiffWriter {
 public:
  CiffWriter(const IndexReader& index, DocumentOrder& order, const WriteBytes& write, const ExportContext& context,
             std::uint64_t most_message_bytes)
      : index_(index), order_(order), context_(context), most_message_bytes_(most_message_bytes), out_(write) {}

  void write() {
    check();
    write_header();
    context_.stage("lists");
    write_lists();
    context_.stage("documents");
    write_documents();
    out_.finish();
  }

 private:
  // Refuses what the format cannot hold before anything is written.
  void check() {
    int32_of(index_.counts().terms, "the number of terms");
    if (index_.counts().documents * kMaxPostingBytes < most_message_bytes_) return;  // no list can be too long
    context_.stage("sizes of lists");
    TermTableCursor terms(index_, "");
    while (terms.next()) {
      context_.check();
      const TermEntry& entry = terms.entry();
      if (entry.document_count * kMaxPostingBytes + 2 * kMaxTermBytes < most_message_bytes_) continue;
      const std::uint64_t bytes = list_message_bytes(index_, entry, order_, context_);
      if (bytes <= most_message_bytes_) continue;
      throw UsageError("the list of '" + printable(entry.term) + "' with " + std::to_string(entry.document_count) +
                       " documents takes " + std::to_string(bytes) + " bytes in CIFF, whose messages have at most " +
                       std::to_string(most_message_bytes_) +
                       "; index the input in parts (--part I/N) and export each, or leave out the word with --stop");
    }
  }

  void write_header() {
    const IndexCounts& counts = index_.counts();
    const double mean =
        counts.documents == 0 ? 0 : static_cast<double>(counts.occurrences) / static_cast<double>(counts.documents);
    const std::string description = std::string("Spillway ") + kVersion;
    out_.varint(number_bytes(ciff::kVersion) + 2 * number_bytes(counts.terms) + 2 * number_bytes(counts.documents) +
                number_bytes(counts.occurrences) + (mean == 0 ? 0 : 9) + string_bytes(description));
    out_.number(ciff::header::kVersion, ciff::kVersion);
    out_.number(ciff::header::kLists, counts.terms);
    out_.number(ciff::header::kDocuments, counts.documents);
    out_.number(ciff::header::kTotalLists, counts.terms);
    out_.number(ciff::header::kTotalDocuments, counts.documents);
    out_.number(ciff::header::kTotalTerms, counts.occurrences);
    out_.real(ciff::header::kAverageLength, mean);
    out_.text(ciff::header::kDescription, description);
  }

  void write_lists() {
    TermTableCursor terms(index_, "");
    std::uint64_t done = 0;
    while (terms.next()) {
      context_.check();
      write_list(terms.entry());
      context_.postings_done(done += terms.entry().document_count);
    }
  }

  void write_list(const TermEntry& entry) {
    if (!is_valid_utf8(entry.term)) {
      throw UsageError("the term '" + printable(entry.term) + "' is not UTF-8: CIFF cannot hold it");
    }
    out_.varint(list_message_bytes(index_, entry, order_, context_));
    out_.text(ciff::list::kTerm, entry.term);
    out_.number(ciff::list::kDocumentCount, entry.document_count);
    out_.number(ciff::list::kOccurrences, entry.occurrence_count);
    each_posting(index_, entry, order_, context_, [&](std::uint32_t gap, std::uint32_t frequency) {
      out_.posting(gap, int32_of(frequency, "a frequency"));
    });
  }

  void write_documents() {
    each_ordered_document(index_, order_, context_.check, [this](const OrderedDocument& document) {
      check_exported_id(document.number, document.id, "", "CIFF");
      const std::uint64_t length = int32_of(document.length, "the length of a document");
      out_.varint(number_bytes(document.number) + string_bytes(document.id) + number_bytes(length));
      out_.number(ciff::record::kDocument, document.number);
      out_.text(ciff::record::kId, document.id);
      out_.number(ciff::record::kLength, length);
    });
  }

  const IndexReader& index_;
  DocumentOrder& order_;
  const ExportContext& context_;
  std::uint64_t most_message_bytes_;
  MessageWriter out_;
};

}  // namespace

void write_ciff(const IndexReader& index, DocumentOrder& order, const WriteBytes& write, const ExportContext& context,
                std::uint64_t most_message_bytes) {
  CiffWriter(index, order, write, context, most_message_bytes).write();
}

}  // namespace spillway
