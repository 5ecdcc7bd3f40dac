#include "corpora/arrow/schema.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

std::string name_of(const ArrowSchema& column) { return column.name == nullptr ? "" : column.name; }

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + printable(name) + "'";
  return text.empty() ? "(no name given)" : text;
}

bool is_struct(const ArrowSchema& column) {
  return column.format != nullptr && std::string_view(column.format) == "+s" && column.dictionary == nullptr;
}

// Names of columns, and of the members of structs as "doc.body", until there are more than `most`.
void add_names(const ArrowSchema& schema, const std::string& before, std::size_t most,
               std::vector<std::string>& names) {
  for (std::int64_t i = 0; i < schema.n_children && names.size() <= most; ++i) {
    const ArrowSchema& column = *schema.children[i];
    const std::string name = before + name_of(column);
    is_struct(column) ? add_names(column, name + ".", most, names) : names.push_back(name);
  }
}

std::string columns_of(const ArrowSchema& schema) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> names;
  add_names(schema, "", kMost, names);
  const bool is_long = names.size() > kMost;
  if (is_long) names.resize(kMost);
  return quoted(names) + (is_long ? ", ..." : "");
}

[[noreturn]] void refuse_type(const ArrowSchema& column, const std::string& name, const std::string& source) {
  std::vector<std::string> members;
  if (is_struct(column)) add_names(column, name + ".", 20, members);
  throw UsageError(
      source + ": column '" + printable(name) +
      "': expected text, binary or integers (Arrow formats u U vu z Z vz c C s S i I l L), found format '" +
      printable(column.format == nullptr ? "" : column.format) + "'; " +
      (members.empty() ? "cast the column to a string" : "name one of its members: " + quoted(members)) +
      ", or name another one (--id-field, --title-field, --text-field, --url-field, --date-field)");
}

[[noreturn]] void refuse_twins(std::string_view name, const std::string& source) {
  throw UsageError(source + ": there are two columns named '" + printable(name) + "'; rename or drop one of them");
}

// Finds what `name` names below `schema`: a column, or a member of a struct. Appends the way to it to `path`. Returns
// nullptr if there is none.
const ArrowSchema* find_column(const ArrowSchema& schema, std::string_view name, std::vector<std::size_t>& path,
                               const std::string& source) {
  const ArrowSchema* found = nullptr;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (name_of(*schema.children[i]) != name) continue;
    if (found != nullptr) refuse_twins(name, source);
    found = schema.children[i];
    path.push_back(static_cast<std::size_t>(i));
  }
  for (std::int64_t i = 0; i < schema.n_children && found == nullptr; ++i) {
    const ArrowSchema& column = *schema.children[i];
    const std::string before = name_of(column) + ".";
    if (!is_struct(column) || !name.starts_with(before)) continue;
    path.push_back(static_cast<std::size_t>(i));
    found = find_column(column, name.substr(before.size()), path, source);
    if (found == nullptr) path.pop_back();
  }
  return found;
}

ArrowField field_of(const ArrowSchema& column, const std::string& name, std::vector<std::size_t> path,
                    const std::string& source) {
  const auto type_of = [&](const ArrowSchema& of) {
    const auto type = of.format == nullptr ? std::nullopt : arrow_type(of.format);
    if (!type) refuse_type(column, name, source);
    return *type;
  };
  ArrowField field{.path = std::move(path), .type = type_of(column), .name = name};
  if (column.dictionary == nullptr) return field;
  if (is_text(field.type) || field.type == ArrowType::kNull) refuse_type(column, name, source);
  if (column.dictionary->dictionary != nullptr) refuse_type(column, name, source);
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
  for (std::size_t name = 0; name < table.name_count(); ++name) {
    std::vector<std::size_t> path;
    const ArrowSchema* const column = find_column(schema, table.name(name), path, source);
    found.fields.push_back(column == nullptr ? std::nullopt
                                             : std::optional(field_of(*column, table.name(name), path, source)));
  }
  check_fields(found, table, names, schema, source);
  return found;
}

}  // namespace spillway
