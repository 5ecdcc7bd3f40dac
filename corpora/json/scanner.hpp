// Reads one JSON record in fragments, in constant memory and without recursion. It says whether the record is valid
// (RFC 8259), or where and why it is not, and finds the values of the named members. The slow and exact counterpart of
// FastJsonParser, for records too long for memory, whose text a second pass reads, and for records that the fast parser
// doubts. Time O(record).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/field_table.hpp"
#include "corpora/json/string_decoder.hpp"

namespace spillway {

class JsonScanner {
 public:
  explicit JsonScanner(const FieldTable& table);

  void reset();
  // Returns false if the record is bad (see error_offset() and error_detail()). Then further fragments are ignored.
  bool feed(std::string_view fragment);
  // Ends the record. Returns false if it is bad.
  bool finish();
  // Whether all of the record so far is valid.
  bool good() const { return state_ != State::kFailed; }

  std::uint64_t error_offset() const { return offset_; }
  const std::string& error_detail() const { return error_detail_; }
  // Whether a string of the record has broken UTF-8 or lone surrogates.
  bool repaired() const { return repaired_; }
  // Returns the values, indexed by FieldTable::find().
  std::span<const FieldValue> values() const { return values_; }

 private:
  enum class State : std::uint8_t {
    kRecord,     // before the object
    kNameOrEnd,  // after {
    kName,       // after a comma in an object
    kInName,
    kColon,
    kValue,
    kValueOrEnd,  // after [
    kInString,
    kInNumber,
    kInLiteral,
    kCommaOrEnd,
    kDone,  // after the object
    kFailed
  };
  enum class NumberState : std::uint8_t { kMinus, kZero, kInteger, kPoint, kFraction, kE, kESign, kExponent };
  // Keeps enough of a member's name to compare it with the names of the table.
  class NameBuffer final : public TextOutput {
   public:
    explicit NameBuffer(std::size_t longest) : longest_(longest) {}
    void append(std::string_view fragment) override { name.append(fragment.substr(0, longest_ + 1 - name.size())); }
    std::string name;

   private:
    std::size_t longest_;
  };

  std::size_t feed_string(std::string_view fragment);
  bool feed_number(char c);
  bool feed_literal(char c);
  bool feed_structure(char c);
  bool start_value(char c);
  bool start_literal(std::string_view word, ValueKind kind);
  bool open_container(bool is_object);
  bool close_container(char c);
  void start_string(State state);
  void end_string();
  bool end_number();
  void end_value();
  FieldValue* member();
  bool fail(std::string detail);
  bool fail_expected(std::string_view expected, char found);

  const FieldTable& table_;
  std::vector<FieldValue> values_;
  JsonStringDecoder decoder_;
  NameBuffer name_;
  TextCounter counter_;
  State state_ = State::kRecord;
  NumberState number_ = NumberState::kMinus;
  std::string_view literal_;  // the rest of a literal that is being read
  std::size_t name_index_ = FieldTable::kNoName;
  std::uint64_t offset_ = 0;  // of the byte being read
  std::uint64_t value_begin_ = 0;
  std::uint64_t counted_before_ = 0;
  std::uint64_t objects_ = 0;  // one bit per open container, 1: object
  unsigned depth_ = 0;
  bool repaired_ = false;
  std::string error_detail_;
};

}  // namespace spillway
