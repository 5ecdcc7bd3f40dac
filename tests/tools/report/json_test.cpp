#include "tools/report/json.hpp"

#include <gtest/gtest.h>

#include "io/format/cursors.hpp"
#include "tools/cli/terminal.hpp"

namespace spillway {
namespace {

TEST(JsonLine, IsOneLineOfValidUtf8) {
  EXPECT_EQ(json_line({{"a", "x\ny"}, {"b", 1}}), "{\"a\":\"x\\ny\",\"b\":1}\n");
  EXPECT_EQ(json_line({{"path", "in\xff"}}), "{\"path\":\"in\xEF\xBF\xBD\"}\n");
}

TEST(JsonLine, HoldsNoControlCharacterOfAnyKind) {
  std::string all;
  for (char c = 1; c < ' '; ++c) all += c;
  all += "\x7F";
  for (char c = '\x80'; c < '\xA0'; ++c) all.append("\xC2").push_back(c);
  for (const std::string& json : {json_line({{"a", all}}), json_text({{"a", all}})}) {
    EXPECT_EQ(printable_lines(json), json);
    EXPECT_NE(json.find("\\u001b"), std::string::npos) << json;
    EXPECT_NE(json.find("\\u009b"), std::string::npos) << json;
    EXPECT_EQ(nlohmann::json::parse(json)["a"], all);
  }
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
