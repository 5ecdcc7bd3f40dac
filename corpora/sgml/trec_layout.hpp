// The first pass over a `trec` record: finds where the document, its fields and text outside of it are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpora/document/field_table.hpp"
#include "corpora/sgml/scanner.hpp"

namespace spillway {

class TrecLayout final : public SgmlHandler {
 public:
  // The first element with an end tag of its name.
  struct Element {
    bool is_there = false;
    std::uint64_t begin = 0, end = 0;                  // range between its tags
    std::uint64_t content_begin = 0, content_end = 0;  // the same without surrounding white space
  };

  // `table` must outlive this object.
  explicit TrecLayout(const FieldTable& table);
  void reset();

  void characters(std::string_view bytes, std::uint64_t offset) override;
  void tag(const SgmlTag& tag) override;

  bool is_document() const { return is_document_; }  // whether the record starts with <DOC>
  bool has_end() const { return document_end_.has_value(); }
  std::uint64_t document_begin() const { return document_begin_; }  // after <DOC>
  std::optional<std::uint64_t> document_end() const { return document_end_; }
  // Offset of the first character outside of the document.
  std::optional<std::uint64_t> outside() const { return outside_; }
  // Returns the elements, indexed by FieldTable::find().
  const std::vector<Element>& elements() const { return elements_; }

 private:
  struct OpenElement {
    bool is_open = false;
    bool any = false;
    Element element;
  };
  const FieldTable& table_;
  bool is_document_ = false;
  std::uint64_t document_begin_ = 0;
  std::optional<std::uint64_t> document_end_, outside_;
  std::vector<Element> elements_;
  std::vector<OpenElement> open_;
};

}  // namespace spillway
