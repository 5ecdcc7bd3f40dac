// The columns of an Arrow stream that hold the fields of documents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "corpora/arrow/column_type.hpp"
#include "corpora/arrow/interface.hpp"
#include "corpora/document/corpus_options.hpp"
#include "corpora/document/field_table.hpp"

namespace spillway {

struct ArrowField {
  // Children from the struct of columns down to the values: one of a column, more of a member of nested structs.
  std::vector<std::size_t> path = {};
  ArrowType type = ArrowType::kNull;
  std::optional<ArrowType> dictionary = {};  // of the values, where `type` is that of the indices
  std::string name = {};
};

struct ArrowFields {
  std::size_t child_count = 0;
  // One for each name of a FieldTable, in its order; nothing where the stream has no such column.
  std::vector<std::optional<ArrowField>> fields;
};

// Finds the columns that `names` gives. A name that no column has leads through structs, member by member:
// "doc.body.text". `source` names the stream in messages. Throws UsageError, which names the column and a remedy: for a
// stream of anything but columns, a column of a type that cannot be a field, two columns of one name, and where no
// column holds ids, or none a title or text.
ArrowFields find_arrow_fields(const ArrowSchema& schema, const FieldNames& names, const std::string& source);

}  // namespace spillway
