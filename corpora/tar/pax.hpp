// The extended header of a member of a tar file (pax): lines such as "19 path=page.html", which replace what its header
// says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

class PaxReader {
 public:
  // Names are kept up to here: enough to notice that one is too long for an id.
  static constexpr std::size_t kMaxNameBytes = 65535 + 8;

  // Forgets everything.
  void reset();
  // Reads a part of an extended header. After a line that is none, the rest is left out.
  void feed(std::string_view bytes);
  // Ends an extended header; others may follow for the same member, and the last value of a name counts.
  void finish();

  // Empty: not given.
  std::string_view path() const { return sparse_path_.empty() ? path_ : sparse_path_; }
  std::optional<std::uint64_t> size() const { return size_; }
  bool is_sparse() const { return is_sparse_; }
  bool is_broken() const { return is_broken_; }

 private:
  enum class State : std::uint8_t { kLength, kKey, kValue, kBroken };
  void feed_length(char byte);
  void feed_key(char byte);
  std::size_t feed_value(std::string_view bytes);
  void end_line();
  void start_line();
  void refuse();

  State state_ = State::kLength;
  std::uint64_t length_ = 0, used_ = 0;  // of the line
  std::string key_, value_;
  std::string path_, sparse_path_;
  std::optional<std::uint64_t> size_;
  bool is_sparse_ = false, is_broken_ = false;
};

}  // namespace spillway
