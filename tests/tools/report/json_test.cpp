#include "tools/report/json.hpp"
#include "io/format/cursors.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

TEST(JsonLine, IsOneLineOfValidUtf8) {
  EXPECT_EQ(json_line({{"a", "x\ny"}, {"b", 1}}), "{\"a\":\"x\\ny\",\"b\":1}\n");
  EXPECT_EQ(json_line({{"path", "in\xff"}}), "{\"path\":\"in\xEF\xBF\xBD\"}\n");
}

TEST(DocumentJson, LeavesOutWhatIsNotThere) {
  StoredDocument document;
  document.id = "7";
  document.length = 12;
  EXPECT_EQ(json_line(document_json(6, document)), "{\"document\":6,\"id\":\"7\",\"length\":12}\n");
  document.fields = RunDocument::kTitle | RunDocument::kDate;
  document.title = "";
  document.date = "2001";
  EXPECT_EQ(json_line(document_json(6, document)),
            "{\"document\":6,\"id\":\"7\",\"length\":12,\"title\":\"\",\"date\":\"2001\"}\n");
}

TEST(ContentJson, CountsTheStopList) {
  ContentOptions content;
  content.stop_words = "a\nthe\n";
  content.store = StorePolicy::kNone;
  const auto json = content_json(content);
  EXPECT_EQ(json["stop_words"], 2);
  EXPECT_EQ(json["store"], "none");
  EXPECT_EQ(json["duplicate_ids"], "first");
}

}  // namespace
}  // namespace spillway
