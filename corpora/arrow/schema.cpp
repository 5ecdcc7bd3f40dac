#include "corpora/arrow/schema.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

std::string name_of(const ArrowSchema& column) { return column.name == nullptr ? "" : column.name; }

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + printable(name) + "'";
  return text.empty() ? "(no name given)" : text;
}

std::string columns_of(const ArrowSchema& schema) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < schema.n_children; ++i) names.push_back(name_of(*schema.children[i]));
  const bool is_long = names.size() > kMost;
  if (is_long) names.resize(kMost);
  return quoted(names) + (is_long ? ", ..." : "");
}

[[noreturn]] void refuse_type(const ArrowSchema& column, const std::string& source) {
  throw UsageError(
      source + ": column '" + printable(name_of(column)) +
      "': expected text, binary or integers (Arrow formats u U vu z Z vz c C s S i I l L), found format '" +
      printable(column.format == nullptr ? "" : column.format) +
      "'; cast the column to a string, or name another one (--id-field, --title-field, --text-field, "
      "--url-field, --date-field)");
}

ArrowField field_of(const ArrowSchema& column, std::size_t child, const std::string& source) {
  const auto type_of = [&](const ArrowSchema& of) {
    const auto type = of.format == nullptr ? std::nullopt : arrow_type(of.format);
    if (!type) refuse_type(column, source);
    return *type;
  };
  ArrowField field{.child = child, .type = type_of(column), .name = name_of(column)};
  if (column.dictionary == nullptr) return field;
  if (is_text(field.type) || field.type == ArrowType::kNull) refuse_type(column, source);
  if (column.dictionary->dictionary != nullptr) refuse_type(column, source);
  field.dictionary = type_of(*column.dictionary);
  return field;
}

bool holds_any(const ArrowFields& found, const FieldTable& table, const std::vector<std::string>& names) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return found.fields[table.find(name)].has_value(); });
}

void check_fields(const ArrowFields& found, const FieldTable& table, const FieldNames& names, const ArrowSchema& schema,
                  const std::string& source) {
  if (!holds_any(found, table, names.id)) {
    throw UsageError(source + ": expected a column of ids named " + quoted(names.id) + ", found " + columns_of(schema) +
                     "; name it with --id-field");
  }
  if (holds_any(found, table, names.text) || holds_any(found, table, names.title)) return;
  throw UsageError(source + ": expected a column of text named " + quoted(names.text) + ", or of titles named " +
                   quoted(names.title) + ", found " + columns_of(schema) + "; name it with --text-field");
}

}  // namespace

ArrowFields find_arrow_fields(const ArrowSchema& schema, const FieldNames& names, const std::string& source) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s" || schema.n_children < 0) {
    throw UsageError(source + ": expected a stream of record batches (Arrow format +s), found format '" +
                     printable(schema.format == nullptr ? "" : schema.format) + "'; give a table, or a struct array");
  }
  const FieldTable table(names);
  ArrowFields found{static_cast<std::size_t>(schema.n_children), {}};
  found.fields.resize(table.name_count());
  for (std::size_t i = 0; i < found.child_count; ++i) {
    const ArrowSchema& column = *schema.children[i];
    const std::size_t name = table.find(name_of(column));
    if (name == FieldTable::kNoName) continue;
    if (found.fields[name]) {
      throw UsageError(source + ": there are two columns named '" + printable(name_of(column)) +
                       "'; rename or drop one of them");
    }
    found.fields[name] = field_of(column, i, source);
  }
  check_fields(found, table, names, schema, source);
  return found;
}

}  // namespace spillway
