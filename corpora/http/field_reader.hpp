// Reads the head of a WARC record or of an HTTP message: a first line, fields ("Name: value"), an empty line. The bytes
// arrive in pieces of any size. Lines may end in LF alone, and a line that begins with white space continues the field
// before it. Memory is bounded whatever the bytes are: of a longer line only the start is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

class FieldHandler {
 public:
  virtual ~FieldHandler() = default;
  // The first line, without its line end. Returns whether a head may begin so.
  virtual bool first_line(std::string_view line) = 0;
  // A field, without white space around name and value. The views are valid during the call.
  virtual void field(std::string_view name, std::string_view value) = 0;
  // A line that is no field. Returns whether reading may go on.
  virtual bool broken_line(std::string_view line) = 0;
};

class FieldReader {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{80} << 10;  // of a line
  static constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxHeadBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kMaxFields = 10000;

  enum class State : std::uint8_t { kOpen, kDone, kBad };

  explicit FieldReader(FieldHandler& handler) : handler_(handler) {}
  void reset();
  // Reads up to the end of the empty line and returns how many bytes that were. A head is bad if the handler refuses a
  // line or if it passes the limits above; the bytes up to the bad line count as read.
  std::size_t feed(std::string_view bytes);
  State state() const { return state_; }
  // Bytes read so far.
  std::uint64_t bytes() const { return bytes_; }
  // Whether a line ended without a CR.
  bool has_bare_line_feeds() const { return has_bare_line_feeds_; }

 private:
  void end_line();
  void end_field();
  void keep(std::string_view part);

  FieldHandler& handler_;
  std::string line_;   // being read
  std::string field_;  // complete, unless the next line continues it
  State state_ = State::kOpen;
  std::uint64_t bytes_ = 0, line_bytes_ = 0, fields_ = 0;
  bool has_first_line_ = false, has_bare_line_feeds_ = false;
};

// Without spaces, tabs and carriage returns around it.
std::string_view trimmed(std::string_view text);
// Equality of ASCII text in either case. Requires: `lower` has no capitals.
bool equals_ignoring_case(std::string_view text, std::string_view lower);
bool starts_with_ignoring_case(std::string_view text, std::string_view lower);
// A number below 10^18 of decimal digits; nullopt for anything else.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

}  // namespace spillway
