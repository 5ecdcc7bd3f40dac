// Members of structs as fields, by names such as "doc.body.text".
#include <gtest/gtest.h>

#include <deque>

#include "corpora/arrow/stream.hpp"
#include "io/base/error.hpp"

namespace spillway {
namespace {

// A schema and its children, which stay where they are.
class Tree {
 public:
  const ArrowSchema& add(const char* format, const char* name, std::vector<const ArrowSchema*> children = {}) {
    std::vector<ArrowSchema*>& pointers = pointers_.emplace_back();
    for (const ArrowSchema* child : children) pointers.push_back(const_cast<ArrowSchema*>(child));
    ArrowSchema schema{};
    schema.format = format;
    schema.name = name;
    schema.n_children = static_cast<std::int64_t>(children.size());
    schema.children = pointers.data();
    return schemas_.emplace_back(schema);
  }

 private:
  std::deque<std::vector<ArrowSchema*>> pointers_;
  std::deque<ArrowSchema> schemas_;
};

FieldNames names_of(const std::string& id, const std::string& text) {
  FieldNames names;
  names.id = {id};
  names.text = {text};
  return names;
}

// id, doc: {lang, body: {html, text}}
const ArrowSchema& nested_schema(Tree& tree) {
  const auto& body = tree.add("+s", "body", {&tree.add("z", "html"), &tree.add("u", "text")});
  const auto& doc = tree.add("+s", "doc", {&tree.add("u", "lang"), &body});
  return tree.add("+s", "", {&tree.add("u", "id"), &doc});
}

std::vector<std::size_t> path_of(const ArrowSchema& schema, const std::string& text) {
  const ArrowFields found = find_arrow_fields(schema, names_of("id", text), "rows");
  for (const auto& field : found.fields) {
    if (field && field->name == text) return field->path;
  }
  return {};
}

std::string refusal_of(const ArrowSchema& schema, const std::string& text) {
  try {
    path_of(schema, text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(NestedArrowColumns, NamesLeadThroughStructs) {
  Tree tree;
  EXPECT_EQ(path_of(nested_schema(tree), "doc.body.text"), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(path_of(nested_schema(tree), "doc.lang"), (std::vector<std::size_t>{1, 0}));
}

TEST(NestedArrowColumns, AColumnOfThatNameComesFirst) {
  Tree tree;
  const auto& inner = tree.add("+s", "a", {&tree.add("u", "b.c"), &tree.add("u", "b")});
  const auto& schema = tree.add("+s", "", {&tree.add("u", "id"), &inner, &tree.add("u", "a.b")});
  EXPECT_EQ(path_of(schema, "a.b"), (std::vector<std::size_t>{2}));
  EXPECT_EQ(path_of(schema, "a.b.c"), (std::vector<std::size_t>{1, 0}));
}

TEST(NestedArrowColumns, RefusalsNameTheMembers) {
  Tree tree;
  EXPECT_NE(refusal_of(nested_schema(tree), "doc")
                .find("found format '+s'; name one of its members: 'doc.lang', "
                      "'doc.body.html', 'doc.body.text'"),
            std::string::npos);
  EXPECT_NE(refusal_of(nested_schema(tree), "doc.text").find("found 'id', 'doc.lang', 'doc.body.html'"),
            std::string::npos);
  const auto& twins = tree.add("+s", "doc", {&tree.add("u", "text"), &tree.add("u", "text")});
  EXPECT_NE(refusal_of(tree.add("+s", "", {&tree.add("u", "id"), &twins}), "doc.text").find("two columns named"),
            std::string::npos);
  const auto& list = tree.add("+l", "doc", {&tree.add("u", "text")});
  EXPECT_NE(refusal_of(tree.add("+s", "", {&tree.add("u", "id"), &list}), "doc.text").find("name it with --text-field"),
            std::string::npos);
}

ArrowArray array_of(std::int64_t length, std::int64_t offset, std::vector<const void*>& buffers,
                    std::vector<ArrowArray*> children, std::vector<ArrowArray*>& kept) {
  kept = std::move(children);
  ArrowArray array{};
  array.length = length;
  array.null_count = -1;
  array.offset = offset;
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = buffers.data();
  array.n_children = static_cast<std::int64_t>(kept.size());
  array.children = kept.data();
  return array;
}

// Six texts a..f. The struct around them skips one and has a null; the struct of columns skips one more.
TEST(NestedArrowColumns, OffsetsAndNullsOfStructsCount) {
  const std::int32_t offsets[] = {0, 1, 2, 3, 4, 5, 6};
  const std::uint8_t of_texts[] = {0b101111}, of_struct[] = {0b110111};  // e is null; so is row 3 of the struct
  std::vector<const void*> text_buffers{of_texts, offsets, "abcdef"}, struct_buffers{of_struct}, root_buffers{nullptr};
  std::vector<ArrowArray*> none, inner, outer;
  ArrowArray texts = array_of(6, 0, text_buffers, {}, none);
  ArrowArray doc = array_of(5, 1, struct_buffers, {&texts}, inner);
  const ArrowArray root = array_of(4, 1, root_buffers, {&doc}, outer);
  const ArrowField field{.path = {0, 0}, .type = ArrowType::kText, .name = "doc.text"};
  const auto column = ArrowColumn::at_path(field, root, 4, "rows");
  ArrowColumn::Digits digits;
  EXPECT_EQ(column->text(0, digits), "c");
  EXPECT_TRUE(column->is_null(1));  // the struct: bit 3
  EXPECT_EQ(column->text(1, digits), "");
  EXPECT_TRUE(column->is_null(2));  // the text
  EXPECT_EQ(column->text(3, digits), "f");
  EXPECT_EQ(column->bytes(0, 4), 4u);
  EXPECT_THROW(ArrowColumn::at_path({.path = {0, 1}, .type = ArrowType::kText, .name = "x"}, root, 4, "rows"),
               FormatError);
  EXPECT_THROW(ArrowColumn::at_path(field, root, 5, "rows"), FormatError);
}

}  // namespace
}  // namespace spillway
