// What the writers of this room have in common: where their bytes go, and what an export is told about its
// surroundings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace spillway {

using WriteBytes = std::function<void(std::string_view bytes)>;

// Collects small writes and passes on large ones. finish() passes on the rest; destruction without it discards that.
class BufferedBytes {
 public:
  explicit BufferedBytes(WriteBytes write) : write_(std::move(write)) {}
  void append(std::string_view bytes) {
    pending_.append(bytes);
    if (pending_.size() >= kPortionBytes) finish();
  }
  void append_byte(std::uint8_t byte) { pending_.push_back(static_cast<char>(byte)); }
  void finish() {
    if (!pending_.empty()) write_(pending_);
    pending_.clear();
  }

 private:
  static constexpr std::size_t kPortionBytes = std::size_t{64} << 10;
  WriteBytes write_;
  std::string pending_;
};

struct ExportContext {
  std::function<void()> check;                       // throws to stop; called often
  std::function<void(const char*)> stage;            // a new stage of the work begins
  std::function<void(std::uint64_t)> postings_done;  // so far
};

}  // namespace spillway
