// Reads structs of Thrift's compact protocol, in which Parquet writes the headers of its pages.
#pragma once

#include <cstdint>
#include <span>

namespace spillway {

// Reads from bytes that may end anywhere. Every call after the end, or after bytes that are no struct, does nothing;
// ask is_whole() last.
class CompactReader {
 public:
  explicit CompactReader(std::span<const std::uint8_t> bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  // Moves to the next field of the open struct. Returns its number, and 0 after the last one.
  int next_field();
  // The value of the field. A field of another type is skipped, and gives 0, false.
  std::int64_t integer();
  bool boolean();
  // Whether the field is a struct. Its fields are next then; the end of them leads back.
  bool open_struct();
  void skip();

  // Whether all that was read was there.
  bool is_whole() const { return !is_broken_ && !is_short_; }
  // Whether the bytes ended: more of them may make a whole.
  bool is_short() const { return is_short_; }
  const std::uint8_t* position() const { return at_; }

 private:
  static constexpr int kMostDepth = 16;
  std::uint64_t varint();
  std::uint8_t byte();
  void advance(std::uint64_t bytes);
  void skip_value(int type, int depth);
  void skip_list(int depth);
  void skip_map(int depth);
  void skip_struct(int depth);

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  int type_ = 0;    // of the field
  int number_ = 0;  // of the last field of the open struct
  int outer_[kMostDepth] = {};
  int depth_ = 0;
  bool is_broken_ = false, is_short_ = false;
};

}  // namespace spillway
