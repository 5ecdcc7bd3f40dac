#include "tools/exchange/ciff_reader.hpp"

#include <bit>
#include <cmath>
#include <optional>

#include "corpora/document/utf8.hpp"
#include "io/base/error.hpp"
#include "tools/exchange/ciff_format.hpp"
#include "tools/exchange/frequency_sums.hpp"

namespace spillway {

namespace {

using ciff::WireType;

std::string shown(std::uint64_t value) { return std::to_string(static_cast<std::int64_t>(value)); }

// One message, or a message in one: where it ends, and which of its fields came.
class Message {
 public:
  // Reads the length. `number`: of the message among those of its kind, for errors.
  Message(WireReader& in, const char* kind, std::optional<std::uint64_t> number, const Message* outer = nullptr)
      : in_(in), kind_(kind), number_(number) {
    const std::uint64_t at = in.offset(), bytes = in.varint("the length of a message");
    if (bytes > ciff::kMaxMessageBytes) {
      in.fail_at(at, "a length of " + name() + " below 2 GiB", std::to_string(bytes) + " bytes");
    }
    end_ = in.offset() + bytes;
    if (outer != nullptr && end_ > outer->end_) outside(at, *outer);
  }

  // Moves to the next field; false at the end of the message.
  bool next_field() {
    if (in_.offset() == end_) return false;
    check_place();
    tag_at_ = in_.offset();
    tag_ = in_.varint("a field");
    return true;
  }
  // Whether this is the field, which may come once.
  bool is(unsigned field, WireType type) {
    if (tag_ != ciff::tag(field, type)) return false;
    if ((seen_ >> field & 1) != 0) {
      in_.fail_at(tag_at_, "each field of " + name() + " once", "field " + std::to_string(field) + " again");
    }
    seen_ |= 1U << field;
    return true;
  }
  bool is_repeated(unsigned field) const { return tag_ == ciff::tag(field, WireType::kBytes); }
  [[noreturn]] void unknown() const {
    in_.fail_at(tag_at_, "a field of version 1 of " + name(),
                "field " + std::to_string(tag_ >> 3) + " of wire type " + std::to_string(tag_ & 7));
  }

  std::uint64_t number(const char* field, std::uint64_t most) {
    const std::uint64_t at = in_.offset(), value = in_.varint(field);
    check_place();
    if (value > most) in_.fail_at(at, label(field) + " from 0 to " + std::to_string(most), shown(value));
    return value;
  }
  double real(const char* field) {
    std::uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) bits |= std::uint64_t{in_.byte(field)} << shift;
    check_place();
    return std::bit_cast<double>(bits);
  }
  void text(const char* field, std::size_t most, std::string& to) {
    const std::uint64_t at = in_.offset(), bytes = in_.varint(field);
    if (bytes > most) {
      in_.fail_at(at, label(field) + " of at most " + std::to_string(most) + " bytes", std::to_string(bytes));
    }
    if (in_.offset() + bytes > end_) outside(at, *this);
    in_.read(to, static_cast<std::size_t>(bytes), field);
    if (!is_valid_utf8(to)) in_.fail_at(at, label(field) + " in UTF-8", "'" + printable(to) + "'");
  }
  std::string name() const { return number_ ? std::string(kind_) + " " + std::to_string(*number_) : kind_; }
  std::string label(const char* field) const { return std::string(field) + " of " + name(); }

 private:
  void check_place() const {
    if (in_.offset() > end_) in_.fail("the end of " + name() + " at byte " + std::to_string(end_), "a field beyond it");
  }
  [[noreturn]] void outside(std::uint64_t at, const Message& outer) const {
    in_.fail_at(at, "a field inside " + outer.name(), "one that ends after it");
  }

  WireReader& in_;
  const char* kind_;
  std::optional<std::uint64_t> number_;
  std::uint64_t end_ = 0, tag_ = 0, tag_at_ = 0;
  std::uint32_t seen_ = 0;
};

class CiffParser {
 public:
  CiffParser(WireReader& in, CiffSink& sink, MemoryBudget& budget, const CiffRules& rules)
      : in_(in), sink_(sink), rules_(rules), sums_(budget) {}

  void parse() {
    read_header();
    for (std::uint64_t i = 0; i < header_.lists; ++i) read_list(i);
    expect_sum();
    for (std::uint64_t i = 0; i < header_.documents; ++i) read_document(i);
    if (!in_.at_end()) {
      in_.fail("the end of the file after " + std::to_string(header_.documents) + " DocRecords", "more bytes");
    }
  }

 private:
  void read_header() {
    if (in_.at_end()) in_.fail("a CIFF Header", "an empty file");
    std::uint64_t version = 0, total_lists = 0, total_documents = 0;
    Message message(in_, "the Header", std::nullopt);
    while (message.next_field()) {
      using namespace ciff::header;
      if (message.is(ciff::header::kVersion, WireType::kVarint)) {
        version = message.number("version", ciff::kMaxInt32);
      } else if (message.is(kLists, WireType::kVarint)) {
        header_.lists = message.number("num_postings_lists", ciff::kMaxInt32);
      } else if (message.is(kDocuments, WireType::kVarint)) {
        header_.documents = message.number("num_docs", ciff::kMaxInt32);
      } else if (message.is(kTotalLists, WireType::kVarint)) {
        total_lists = message.number("total_postings_lists", ciff::kMaxInt32);
      } else if (message.is(kTotalDocuments, WireType::kVarint)) {
        total_documents = message.number("total_docs", ciff::kMaxInt32);
      } else if (message.is(kTotalTerms, WireType::kVarint)) {
        header_.occurrences = message.number("total_terms_in_collection", ciff::kMaxInt64);
      } else if (message.is(kAverageLength, WireType::kFixed64)) {
        header_.average_length = message.real("average_doclength");
      } else if (message.is(kDescription, WireType::kBytes)) {
        message.text("description", kMaxDescriptionBytes, header_.description);
      } else {
        message.unknown();
      }
    }
    check_header(version, total_lists, total_documents);
    sink_.header(header_);
  }

  void check_header(std::uint64_t version, std::uint64_t total_lists, std::uint64_t total_documents) const {
    if (version != ciff::kVersion) in_.fail_at(0, "a CIFF Header of version 1", "version " + std::to_string(version));
    if (header_.lists != total_lists || header_.documents != total_documents) {
      in_.fail_at(0, "a whole collection, as many lists and documents as the Header's totals",
                  std::to_string(header_.lists) + " of " + std::to_string(total_lists) + " lists, " +
                      std::to_string(header_.documents) + " of " + std::to_string(total_documents) +
                      " documents: a part cannot be an index, so export all of it");
    }
    if (!std::isfinite(header_.average_length) || header_.average_length < 0) {
      in_.fail_at(0, "average_doclength of the Header to be 0 or more", std::to_string(header_.average_length));
    }
  }

  void read_list(std::uint64_t number) {
    const std::uint64_t at = in_.offset();
    Message message(in_, "PostingsList", number);
    List list;
    while (message.next_field()) {
      using namespace ciff::list;
      if (message.is_repeated(kPosting)) {
        if (list.postings == 0) begin_list(at, number);
        read_posting(message, list);
      } else if (message.is(kTerm, WireType::kBytes)) {
        if (list.postings != 0)
          in_.fail("term of PostingsList " + std::to_string(number) + " first", "it after postings");
        message.text("term", rules_.max_term_bytes, term_);
      } else if (message.is(kDocumentCount, WireType::kVarint)) {
        list.document_count = message.number("df", ciff::kMaxInt64);
      } else if (message.is(kOccurrences, WireType::kVarint)) {
        list.occurrence_count = message.number("cf", ciff::kMaxInt64);
      } else {
        message.unknown();
      }
    }
    end_list(at, message, list);
  }

  struct List {
    std::uint64_t document_count = 0, occurrence_count = 0;  // df and cf, as the file says
    std::uint64_t postings = 0, frequencies = 0, last_document = 0;
  };

  // The first posting has come.
  void begin_list(std::uint64_t at, std::uint64_t number) {
    const std::string name = "term of PostingsList " + std::to_string(number);
    if (term_.empty()) in_.fail_at(at, name + " before its postings", "none");
    if (number != 0 && term_ <= last_term_) {
      in_.fail_at(at, name + " after '" + printable(last_term_) + "' in byte order", "'" + printable(term_) + "'");
    }
    sink_.begin_list(term_);
  }

  void end_list(std::uint64_t at, const Message& message, const List& list) {
    if (list.postings == 0) in_.fail_at(at, "postings of " + message.label("the term"), "none");
    if (list.document_count != list.postings) {
      in_.fail_at(at,
                  message.label("df") + " ('" + printable(term_) + "') to be the number of its postings, " +
                      std::to_string(list.postings),
                  std::to_string(list.document_count));
    }
    if (list.occurrence_count != list.frequencies) {
      in_.fail_at(at,
                  message.label("cf") + " ('" + printable(term_) + "') to be the sum of its frequencies, " +
                      std::to_string(list.frequencies),
                  std::to_string(list.occurrence_count));
    }
    frequencies_ += list.frequencies;
    sink_.end_list();
    last_term_.swap(term_);
    term_.clear();
  }

  void read_posting(const Message& outer, List& list) {
    const std::uint64_t at = in_.offset();
    std::uint64_t gap = 0, frequency = 0;
    Message message(in_, "a Posting", std::nullopt, &outer);
    while (message.next_field()) {
      if (message.is(ciff::posting::kDocument, WireType::kVarint)) {
        gap = message.number("docid", ciff::kMaxInt32);
      } else if (message.is(ciff::posting::kFrequency, WireType::kVarint)) {
        frequency = message.number("tf", ciff::kMaxInt32);
      } else {
        message.unknown();
      }
    }
    if (frequency == 0) in_.fail_at(at, "tf of a Posting of '" + printable(term_) + "' of at least 1", "0");
    if (list.postings != 0 && gap == 0) {
      in_.fail_at(at, "docid of a Posting of '" + printable(term_) + "', a gap to the one before, of at least 1", "0");
    }
    const std::uint64_t document = list.last_document + gap;
    if (document >= header_.documents) {
      in_.fail_at(
          at, "docid of a Posting of '" + printable(term_) + "' below num_docs, " + std::to_string(header_.documents),
          std::to_string(document));
    }
    sink_.posting(static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(frequency));
    sums_.add(static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(frequency));
    list.last_document = document;
    ++list.postings;
    list.frequencies += frequency;
  }

  void read_document(std::uint64_t number) {
    const std::uint64_t at = in_.offset();
    std::uint64_t document = 0, length = 0;
    id_.clear();
    Message message(in_, "DocRecord", number);
    while (message.next_field()) {
      using namespace ciff::record;
      if (message.is(kDocument, WireType::kVarint)) {
        document = message.number("docid", ciff::kMaxInt32);
      } else if (message.is(kId, WireType::kBytes)) {
        message.text("collection_docid", kMaxIdBytes, id_);
      } else if (message.is(kLength, WireType::kVarint)) {
        length = message.number("doclength", ciff::kMaxInt32);
      } else {
        message.unknown();
      }
    }
    if (document != number) {
      in_.fail_at(at, message.label("docid") + ", in order, to be " + std::to_string(number), std::to_string(document));
    }
    if (id_.empty()) in_.fail_at(at, message.label("collection_docid"), "none");
    sink_.document(id_, length_of(at, message, static_cast<std::uint32_t>(number), length));
  }

  std::uint32_t length_of(std::uint64_t at, const Message& message, std::uint32_t document,
                          std::uint64_t stated) const {
    const std::uint32_t sum = sums_.of(document);
    if (rules_.lengths == CiffLengths::kStated && stated != sum) {
      in_.fail_at(at, message.label("doclength") + " to be the sum of the document's frequencies, " + shown_sum(sum),
                  std::to_string(stated) +
                      " (Lucene rounds lengths; --lengths postings takes the sums of frequencies for lengths)");
    }
    if (sum > ciff::kMaxInt32) {
      in_.fail_at(at, "frequencies of " + message.name() + " of less than 2^31 together", shown_sum(sum));
    }
    return sum;
  }

  static std::string shown_sum(std::uint32_t sum) {
    return sum == FrequencySums::kTooLarge ? "2^32 or more" : std::to_string(sum);
  }

  void expect_sum() const {
    if (frequencies_ == header_.occurrences) return;
    in_.fail("the sum of all frequencies to be total_terms_in_collection, " + std::to_string(header_.occurrences),
             std::to_string(frequencies_));
  }

  WireReader& in_;
  CiffSink& sink_;
  CiffRules rules_;
  CiffHeader header_;
  std::string term_, last_term_, id_;
  std::uint64_t frequencies_ = 0;
  FrequencySums sums_;
};

}  // namespace

void read_ciff(WireReader& in, CiffSink& sink, MemoryBudget& budget, const CiffRules& rules) {
  CiffParser(in, sink, budget, rules).parse();
}

}  // namespace spillway
