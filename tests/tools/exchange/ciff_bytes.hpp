// Files of the Common Index File Format, field by field, good and bad ones; from the description of the format rather
// than by the program's writer.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace spillway::testing {

inline std::string proto_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string proto_number(unsigned field, std::uint64_t value) {
  return proto_varint(field << 3) + proto_varint(value);
}
inline std::string proto_bytes(unsigned field, const std::string& value) {
  return proto_varint(field << 3 | 2) + proto_varint(value.size()) + value;
}
inline std::string proto_real(unsigned field, double value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return proto_varint(field << 3 | 1) + bytes;
}
inline std::string delimited(const std::string& message) { return proto_varint(message.size()) + message; }

struct CiffList {
  std::string term;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> postings;  // gap, frequency
  std::uint64_t document_count, occurrence_count;
  std::string message() const {
    std::string bytes = proto_bytes(1, term) + proto_number(2, document_count) + proto_number(3, occurrence_count);
    for (const auto& [gap, frequency] : postings) {
      std::string posting;
      if (gap != 0) posting += proto_number(1, gap);
      bytes += proto_bytes(4, posting + proto_number(2, frequency));
    }
    return bytes;
  }
};

struct CiffRecord {
  std::uint64_t number;
  std::string id;
  std::uint64_t length;
  std::string message() const {
    return (number == 0 ? "" : proto_number(1, number)) + proto_bytes(2, id) +
           (length == 0 ? "" : proto_number(3, length));
  }
};

// A good file; tests change one thing.
struct CiffFile {
  std::uint64_t version = 1, lists_count = 3, documents_count = 3, total_lists = 3, total_documents = 3, terms = 9;
  double average_length = 3;
  std::string description = "made by a test";
  std::vector<CiffList> lists{
      {"head", {{0, 1}, {1, 1}, {1, 1}}, 3, 3}, {"tail", {{1, 3}}, 1, 3}, {"wörter", {{0, 2}, {2, 1}}, 2, 3}};
  std::vector<CiffRecord> records{{0, "a", 3}, {1, "b", 4}, {2, "c", 2}};
  std::string rest;

  std::string header() const {
    return proto_number(1, version) + proto_number(2, lists_count) + proto_number(3, documents_count) +
           proto_number(4, total_lists) + proto_number(5, total_documents) + proto_number(6, terms) +
           proto_real(7, average_length) + proto_bytes(8, description);
  }
  std::string bytes() const {
    std::string all = delimited(header());
    for (const CiffList& list : lists) all += delimited(list.message());
    for (const CiffRecord& record : records) all += delimited(record.message());
    return all + rest;
  }
};

}  // namespace spillway::testing
