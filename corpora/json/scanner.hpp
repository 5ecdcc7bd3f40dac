// Reads one JSON record piece by piece, in constant memory and without recursion: says whether it is what RFC 8259
// wants, and where the values of the named members stand. The slow and exact twin of FastJsonParser: for long records
// (a second pass over the places then yields the text), and for all that the fast one doubts.
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
  // False: the record is bad, see error_offset and error_detail. Further pieces are ignored.
  bool feed(std::string_view piece);
  // The record ends here. False: it is bad.
  bool finish();
  // So far all is valid, perhaps unfinished.
  bool good() const { return state_ != State::kFailed; }

  std::uint64_t error_offset() const { return offset_; }
  const std::string& error_detail() const { return error_detail_; }
  // Broken UTF-8 or lone surrogates stand in some string of the record.
  bool repaired() const { return repaired_; }
  // By name index of the table; places are offsets in the record.
  std::span<const JsonValue> values() const { return values_; }

 private:
  enum class State : std::uint8_t {
    kRecord,     // before the object
    kNameOrEnd,  // behind {
    kName,       // behind a comma in an object
    kInName,
    kColon,
    kValue,
    kValueOrEnd,  // behind [
    kInString,
    kInNumber,
    kInLiteral,
    kCommaOrEnd,
    kDone,  // behind the object
    kFailed
  };
  enum class NumberState : std::uint8_t { kMinus, kZero, kInteger, kPoint, kFraction, kE, kESign, kExponent };
  // The start of a member's name: enough to tell whether it is one of the table's.
  class NameBuffer final : public TextOutput {
   public:
    explicit NameBuffer(std::size_t longest) : longest_(longest) {}
    void append(std::string_view piece) override { name.append(piece.substr(0, longest_ + 1 - name.size())); }
    std::string name;

   private:
    std::size_t longest_;
  };

  std::size_t feed_string(std::string_view piece);
  bool feed_number(char c);
  bool feed_literal(char c);
  bool feed_structure(char c);
  bool start_value(char c);
  bool start_literal(std::string_view word, JsonKind kind);
  bool open_container(bool is_object);
  bool close_container(char c);
  void start_string(State state);
  void end_string();
  bool end_number();
  void end_value();
  JsonValue* member();
  bool fail(std::string detail);
  bool fail_expected(std::string_view expected, char found);

  const FieldTable& table_;
  std::vector<JsonValue> values_;
  JsonStringDecoder decoder_;
  NameBuffer name_;
  TextCounter counter_;
  State state_ = State::kRecord;
  NumberState number_ = NumberState::kMinus;
  std::string_view literal_;  // what of a literal is still to come
  std::size_t name_index_ = FieldTable::kNoName;
  std::uint64_t offset_ = 0;  // of the byte being read
  std::uint64_t value_begin_ = 0;
  std::uint64_t counted_before_ = 0;
  std::uint64_t objects_ = 0;  // a bit for each open container, 1: object
  unsigned depth_ = 0;
  bool repaired_ = false;
  std::string error_detail_;
};

}  // namespace spillway
