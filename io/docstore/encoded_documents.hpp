// Whole groups of documents, encoded in memory as the sections of an index hold them. Many threads encode them;
// DocumentSectionsWriter appends them in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/base/varint.hpp"
#include "io/docstore/document_encoder.hpp"

namespace spillway {

// Bytes in memory, as an output of DocumentEncoder.
class EncodedBytes {
 public:
  void append(std::span<const std::uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void append(std::string_view bytes) { append(bytes_of(bytes)); }
  template <typename T>
  void append_integer(T value) {
    std::uint8_t bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    append({bytes, sizeof value});
  }
  void append_varint(std::uint64_t value) {
    std::uint8_t bytes[kMaxVarintBytes];
    append({bytes, static_cast<std::size_t>(write_varint(bytes, value) - bytes)});
  }
  std::size_t size() const { return bytes_.size(); }
  std::uint64_t raw_size() const { return bytes_.size(); }
  std::span<const std::uint8_t> span() const { return bytes_; }
  std::size_t held_bytes() const { return bytes_.capacity(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Not thread-safe.
class EncodedDocuments {
 public:
  EncodedDocuments() = default;
  EncodedDocuments(const EncodedDocuments&) = delete;
  EncodedDocuments& operator=(const EncodedDocuments&) = delete;

  // Appends the next document, which has no text. The first one begins a group of the index. Throws FormatError for
  // fields that an index does not have.
  void append(const RunDocument& document) { encoder_.append(document); }

  std::uint64_t count() const { return encoder_.document_count(); }
  std::size_t held_bytes() const {
    return lengths_.held_bytes() + documents_.held_bytes() + groups_.held_bytes() + ids_.held_bytes() +
           fields_.held_bytes();
  }

 private:
  friend class DocumentSectionsWriter;
  EncodedBytes lengths_, documents_, groups_, ids_, fields_, text_;  // offsets in groups_ count from 0; text_ is empty
  DocumentEncoder<EncodedBytes, EncodedBytes> encoder_{{lengths_, documents_, groups_, ids_, fields_, text_}};
};

}  // namespace spillway
