// The Common Index File Format, version 1: a file of messages of protocol buffers, each after its length as a varint:
// one Header, the PostingsLists in the order of their terms, the DocRecords in the order of their numbers.
// docs/exchange.md lists the fields. The wire format of these four messages takes a few lines, and a library for it
// builds each message in memory, where a list may take 2 GiB; so this room reads and writes it itself.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace spillway::ciff {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

// The tag of a field, of one byte for all fields of the format.
constexpr std::uint8_t tag(unsigned field, WireType type) {
  return static_cast<std::uint8_t>(field << 3 | static_cast<unsigned>(type));
}

// Protocol buffers end there: a message is shorter than 2 GiB, and an int32 is at most this.
inline constexpr std::uint64_t kMaxMessageBytes = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

inline constexpr std::uint64_t kVersion = 1;

namespace header {
inline constexpr unsigned kVersion = 1, kLists = 2, kDocuments = 3, kTotalLists = 4, kTotalDocuments = 5,
                          kTotalTerms = 6, kAverageLength = 7, kDescription = 8;
}
namespace list {
inline constexpr unsigned kTerm = 1, kDocumentCount = 2, kOccurrences = 3, kPosting = 4;
}
namespace posting {
inline constexpr unsigned kDocument = 1, kFrequency = 2;
}
namespace record {
inline constexpr unsigned kDocument = 1, kId = 2, kLength = 3;
}

}  // namespace spillway::ciff
