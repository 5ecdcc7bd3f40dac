// Files of queries: topics, tables, JSON lines and plain lines, as recognised and as forced.
#include "tools/search/query_file.hpp"

#include "io/base/error.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/faulty_file_system.hpp"

using namespace spillway;

namespace {

struct Queries {
  std::vector<QueryLine> lines;
  std::string refusal;  // empty: all were read
};

Queries read(std::string_view bytes, QueryFile::Options options) {
  spillway::testing::FaultyFileSystem files;
  files.put("/job/queries", bytes);
  QueryFile file(files, "/job/queries", options);
  Queries result;
  try {
    while (auto line = file.next()) result.lines.push_back(std::move(*line));
    EXPECT_FALSE(file.next()) << "after the end";
  } catch (const UsageError& error) {
    result.refusal = error.what();
  }
  return result;
}

void expect_table(const Queries& found, std::string_view bytes) {
  for (const QueryLine& query : found.lines) {
    const std::string line = query.id + "\t" + query.text;
    const std::size_t at = bytes.find(line);
    ASSERT_NE(at, std::string_view::npos);
    bytes.remove_prefix(at + line.size());
  }
  EXPECT_TRUE(!found.refusal.empty() || bytes.find('\t') == std::string_view::npos) << "every line is a query";
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const auto topic_field = static_cast<TopicField>(input.options % 4);
  for (const QueryFormat format :
       {QueryFormat::kAuto, QueryFormat::kTsv, QueryFormat::kTrec, QueryFormat::kJsonl, QueryFormat::kLines}) {
    const Queries found = read(input.text, {format, topic_field});
    if (format == QueryFormat::kTsv) expect_table(found, input.text);
    for (const QueryLine& query : found.lines) {
      EXPECT_FALSE(query.id.empty());
      if (format != QueryFormat::kJsonl && format != QueryFormat::kAuto) {
        EXPECT_EQ(query.text.find('\n'), std::string::npos);
      }
    }
    if (found.refusal.empty()) continue;
    EXPECT_NE(found.refusal.find(", line "), std::string::npos) << found.refusal;
    EXPECT_EQ(found.refusal.find('\n'), std::string::npos) << "messages are safe for a terminal";
  }
  return 0;
}
