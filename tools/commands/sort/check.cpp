#include "tools/commands/sort/check.hpp"

#include <cstring>

#include "sort/lines/keys/key_encoder.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

// Compares each line with the one before it.
class OrderChecker {
 public:
  explicit OrderChecker(const LineOrder& order) : order_(order), encoder_(order) {}

  bool takes(std::string_view line) {
    key_.clear();
    if (encoder_.has_keys()) encoder_.append(line, key_);
    const bool is_in_order = is_first_ || in_order(line);
    is_first_ = false;
    last_line_ = line;
    std::swap(key_, last_key_);
    return is_in_order;
  }

 private:
  bool in_order(std::string_view line) const {
    int difference = last_key_.compare(key_);
    if (difference == 0 && (!encoder_.has_keys() || order_.breaks_ties())) {
      difference = std::string_view(last_line_).compare(line);
    }
    if (order_.is_descending()) difference = -difference;
    return order_.is_unique ? difference < 0 : difference <= 0;
  }
  const LineOrder& order_;
  KeyEncoder encoder_;
  std::string key_, last_key_, last_line_;
  bool is_first_ = true;
};

}  // namespace

bool is_sorted(const std::string& path, const LineOrder& order, const InputOpener& opener, Session& session,
               const std::function<void(std::uint64_t, std::string_view)>& report) {
  LineInput input(session.files, {path}, order.format, interruption_check(session.signal_number), opener);
  OrderChecker checker(order);
  std::string text;
  std::uint64_t number = 0;
  for (std::size_t kept = 0;;) {
    text.resize(kept + kReadBytes);
    const std::size_t got = input.read({reinterpret_cast<std::uint8_t*>(text.data()) + kept, kReadBytes});
    if (got == 0) return true;
    const std::size_t size = kept + got;
    std::size_t begin = 0, scanned = kept;  // what was kept holds no line end
    for (;;) {
      const std::size_t end =
          order.format.after_line(reinterpret_cast<const std::uint8_t*>(text.data()), scanned, size);
      if (end == 0) break;
      const std::string_view line(text.data() + begin, end - order.format.end_bytes() - begin);
      ++number;
      if (!checker.takes(line)) {
        report(number, line);
        return false;
      }
      begin = scanned = end;
    }
    std::memmove(text.data(), text.data() + begin, size - begin);
    kept = size - begin;
  }
}

}  // namespace spillway
