#include "tools/exchange/pisa_writer.hpp"

#include <span>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "tools/exchange/documents.hpp"

namespace spillway {

namespace {

class NumberFile {
 public:
  explicit NumberFile(WritableFile& file)
      : bytes_([&file](std::string_view bytes) {
          file.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
        }) {}
  template <typename Number>
  void number(Number value) {
    std::uint8_t bytes[sizeof value];
    store_le(bytes, value);
    text({reinterpret_cast<const char*>(bytes), sizeof bytes});
  }
  void numbers(std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) number(value);
  }
  void text(std::string_view bytes) { bytes_.append(bytes); }
  void finish() { bytes_.finish(); }

 private:
  BufferedBytes bytes_;
};

class PisaWriter {
 public:
  PisaWriter(const IndexReader& index, DocumentOrder& order, ExportDirectory& out, const ExportContext& context)
      : index_(index), order_(order), out_(out), context_(context) {}

  void write() {
    context_.stage("lists");
    write_lists();
    write_sizes();
    context_.stage("terms");
    write_lexicon("fwd.terms", "fwd.termlex", index_.counts().terms, [this](const auto& take) { each_term(take); });
    context_.stage("documents");
    write_lexicon("fwd.documents", "fwd.doclex", index_.counts().documents,
                  [this](const auto& take) { each_id(take); });
    if (index_.options().store != StorePolicy::kNone) write_urls();
  }

 private:
  // A sequence is its length and its values. The first one of the documents has their number.
  void write_lists() {
    NumberFile documents(out_.create("inv.docs")), frequencies(out_.create("inv.freqs"));
    documents.number(std::uint32_t{1});
    documents.number(static_cast<std::uint32_t>(index_.counts().documents));
    TermTableCursor terms(index_, "");
    std::uint64_t done = 0;
    while (terms.next()) {
      context_.check();
      const TermEntry& entry = terms.entry();
      documents.number(static_cast<std::uint32_t>(entry.document_count));
      frequencies.number(static_cast<std::uint32_t>(entry.document_count));
      OrderedPostings cursor(index_, entry, order_, context_.check);
      for (std::uint64_t block = 0; cursor.next_block(); ++block) {
        if (block % 256 == 0) context_.check();
        documents.numbers(cursor.documents());
        frequencies.numbers(cursor.frequencies());
      }
      context_.postings_done(done += entry.document_count);
    }
    documents.finish();
    frequencies.finish();
  }

  void write_sizes() {
    NumberFile sizes(out_.create("inv.sizes"));
    sizes.number(static_cast<std::uint32_t>(index_.counts().documents));
    for (std::uint32_t number = 0; number < index_.counts().documents; ++number) {
      if (number % kPostingsBlock == 0) context_.check();
      sizes.number(index_.document_length(order_.old_number(number)));
    }
    sizes.finish();
  }

  template <typename Take>
  void each_term(const Take& take) {
    TermTableCursor terms(index_, "");
    while (terms.next()) {
      context_.check();
      const std::string& term = terms.entry().term;
      if (term.find_first_of("\r\n") != std::string::npos) {
        throw UsageError("the term '" + printable(term) + "' holds a line break: PISA's files cannot hold it");
      }
      take(term);
    }
  }

  template <typename Take>
  void each_id(const Take& take) {
    each_ordered_document(index_, order_, context_.check, [&](const OrderedDocument& document) {
      check_exported_id(document.number, document.id, "\r\n", "PISA's list of documents");
      take(document.id);
    });
  }

  // Names, one on a line, and the same as a table: how many, where each begins and the last ends, and their bytes.
  template <typename Each>
  void write_lexicon(const char* lines_name, const char* table_name, std::uint64_t count, const Each& each) {
    NumberFile lines(out_.create(lines_name)), table(out_.create(table_name));
    table.number(count);
    std::uint64_t end = 0;
    table.number(end);
    each([&](const std::string& name) {
      lines.text(name);
      lines.text("\n");
      table.number(end += name.size());
    });
    each([&](const std::string& name) { table.text(name); });
    lines.finish();
    table.finish();
  }

  void write_urls() {
    NumberFile lines(out_.create("fwd.urls"));
    each_ordered_document(index_, order_, context_.check, [&](const OrderedDocument& document) {
      if (document.url.find_first_of("\r\n") != std::string::npos) {
        throw UsageError("document '" + printable(document.id) + "' has the URL '" + printable(document.url) +
                         "' with a line break: PISA's list of URLs cannot hold it");
      }
      lines.text(document.url);
      lines.text("\n");
    });
    lines.finish();
  }

  const IndexReader& index_;
  DocumentOrder& order_;
  ExportDirectory& out_;
  const ExportContext& context_;
};

}  // namespace

void write_pisa(const IndexReader& index, DocumentOrder& order, ExportDirectory& out, const ExportContext& context) {
  PisaWriter(index, order, out, context).write();
}

}  // namespace spillway
