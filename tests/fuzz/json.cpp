// One JSON record: the fast parser agrees with simdjson and with the scanner, whichever instructions unescape strings,
// and the scanner does not see where its fragments end.
#include <simdjson.h>

#include "corpora/json/fast_parser.hpp"
#include "corpora/json/scanner.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

const FieldTable& table() {
  static const FieldTable kTable{FieldNames{}};
  return kTable;
}

struct Values {
  bool good = false;
  std::vector<ValueKind> kinds;
  std::vector<std::string> texts;
  bool operator==(const Values&) const = default;
};

Values parse_fast(std::string_view record, UnescapeFunction unescape) {
  FastJsonParser parser(table(), unescape);
  const std::string bytes = std::string(record) + "\n" + std::string(kRecordPadding, '"');
  std::string scratch(record.size() + kRecordPadding, '\0');
  Values result;
  result.good = parser.parse(std::string_view(bytes).substr(0, record.size()), scratch.data()) == record.size();
  if (!result.good) return result;
  for (std::size_t i = 0; i < table().name_count(); ++i) {
    result.kinds.push_back(parser.values()[i].kind);
    const bool has_text = result.kinds[i] == ValueKind::kString || result.kinds[i] == ValueKind::kNumber;
    result.texts.emplace_back(has_text ? parser.text(i) : "");
  }
  return result;
}

struct Scan {
  explicit Scan(std::string_view record, std::size_t fragment_bytes) : scanner(table()) {
    scanner.reset();
    while (!record.empty() && scanner.good()) {
      scanner.feed(record.substr(0, fragment_bytes));
      record.remove_prefix(std::min(record.size(), fragment_bytes));
    }
    good = scanner.finish();
  }
  JsonScanner scanner;
  bool good = false;
};

void expect_same_scans(const Scan& found, const Scan& expected) {
  ASSERT_EQ(found.good, expected.good);
  EXPECT_EQ(found.scanner.error_offset(), expected.scanner.error_offset());
  EXPECT_EQ(found.scanner.error_detail(), expected.scanner.error_detail());
  if (!found.good) return;
  EXPECT_EQ(found.scanner.repaired(), expected.scanner.repaired());
  for (std::size_t i = 0; i < table().name_count(); ++i) {
    const FieldValue &a = found.scanner.values()[i], &b = expected.scanner.values()[i];
    EXPECT_TRUE(a.kind == b.kind && a.begin == b.begin && a.end == b.end && a.text_bytes == b.text_bytes);
  }
}

// Requires: both accepted the record.
void expect_same_values(const Values& fast, const Scan& slow, std::string_view record) {
  ASSERT_TRUE(slow.good) << slow.scanner.error_detail();
  ASSERT_FALSE(slow.scanner.repaired());
  for (std::size_t i = 0; i < table().name_count(); ++i) {
    const FieldValue& value = slow.scanner.values()[i];
    ASSERT_EQ(fast.kinds[i], value.kind);
    if (value.kind == ValueKind::kNumber) {
      EXPECT_EQ(fast.texts[i], record.substr(value.begin, value.end - value.begin));
    }
    if (value.kind == ValueKind::kNumber || value.kind == ValueKind::kString) {
      EXPECT_EQ(fast.texts[i].size(), value.text_bytes);
    }
  }
}

// simdjson refuses numbers that fit no double; all else it judges as the fast parser does.
void expect_as_simdjson(const Values& fast, std::string_view record) {
  simdjson::dom::parser parser;
  ASSERT_EQ(parser.allocate(std::max<std::size_t>(64, record.size()), kMaxJsonDepth), simdjson::SUCCESS);
  simdjson::dom::element element;
  const auto error = parser.parse(simdjson::padded_string(record)).get(element);
  if (error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR) return;
  ASSERT_EQ(fast.good, error == simdjson::SUCCESS && element.is_object()) << simdjson::error_message(error);
  if (!fast.good) return;
  std::vector<std::string_view> last(table().name_count());
  for (const auto field : element.get_object()) {
    const std::size_t name = table().find(field.key);
    if (name != FieldTable::kNoName) last[name] = field.value.is_string() ? field.value.get_string().value() : "";
  }
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (fast.kinds[i] == ValueKind::kString) {
      EXPECT_EQ(fast.texts[i], last[i]);
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  if (record.find('\n') != std::string_view::npos) return 0;  // ends a record
  const Scan whole(record, record.size() + 1);
  expect_same_scans(Scan(record, 1), whole);
  expect_same_scans(Scan(record, 3), whole);
  if (!is_valid_utf8(record)) return 0;
  const Values fast = parse_fast(record, unescape_string_sse2);
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_TRUE(parse_fast(record, unescape_string_avx2) == fast);
  }
  if (has_unescape_avx512()) {
    EXPECT_TRUE(parse_fast(record, unescape_string_avx512) == fast);
  }
  if (fast.good) {
    expect_same_values(fast, whole, record);
  } else if (whole.good) {
    EXPECT_TRUE(whole.scanner.repaired()) << "only a record that is repaired may be refused by the fast parser alone";
  }
  expect_as_simdjson(fast, record);
  return 0;
}
