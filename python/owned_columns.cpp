#include "python/owned_columns.hpp"

#include <utility>

namespace spillway::python {

void OwnedColumns::set(std::size_t column, std::string_view value) {
  Column& to = columns_[column];
  if (to.is_set) return;  // a tuple whose names are one
  to.text.insert(to.text.end(), value.begin(), value.end());
  to.is_set = true;
  text_bytes_ += value.size();
}

void OwnedColumns::end_row() {
  for (Column& column : columns_) {
    if (rows_ % 8 == 0) column.validity.push_back(0);
    if (column.is_set) {
      column.validity.back() = static_cast<std::uint8_t>(column.validity.back() | 1U << rows_ % 8);
    } else {
      ++column.nulls;
    }
    column.offsets.push_back(static_cast<std::int64_t>(column.text.size()));
    column.is_set = false;
  }
  ++rows_;
}

// An exported array points to this.
struct OwnedColumns::Exported {
  std::vector<Column> columns;
  std::vector<ArrowArray> arrays;
  std::vector<ArrowArray*> children;
  std::vector<const void*> buffers;
  const void* no_validity = nullptr;
};

void OwnedColumns::export_to(ArrowArray& out) && {
  auto* const owned = new Exported;
  owned->columns = std::move(columns_);
  const std::size_t count = owned->columns.size();
  owned->arrays.resize(count);
  owned->buffers.resize(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Column& column = owned->columns[i];
    const void** const buffers = &owned->buffers[3 * i];
    buffers[0] = column.validity.data();
    buffers[1] = column.offsets.data();
    buffers[2] = column.text.data();
    owned->arrays[i] = {.length = static_cast<std::int64_t>(rows_),
                        .null_count = column.nulls,
                        .offset = 0,
                        .n_buffers = 3,
                        .n_children = 0,
                        .buffers = buffers,
                        .children = nullptr,
                        .dictionary = nullptr,
                        .release = [](ArrowArray* array) { array->release = nullptr; },  // the parent owns it
                        .private_data = nullptr};
    owned->children.push_back(&owned->arrays[i]);
  }
  out = {.length = static_cast<std::int64_t>(rows_),
         .null_count = 0,
         .offset = 0,
         .n_buffers = 1,
         .n_children = static_cast<std::int64_t>(count),
         .buffers = &owned->no_validity,
         .children = owned->children.data(),
         .dictionary = nullptr,
         .release =
             [](ArrowArray* array) {
               delete static_cast<Exported*>(array->private_data);
               array->release = nullptr;
             },
         .private_data = owned};
}

namespace {

struct OwnedSchema {
  std::vector<std::string> names;
  std::vector<ArrowSchema> schemas;
  std::vector<ArrowSchema*> children;
};

}  // namespace

void export_text_schema(const std::vector<std::string>& names, ArrowSchema& out) {
  constexpr std::int64_t kNullable = 2;
  auto* const owned = new OwnedSchema{names, std::vector<ArrowSchema>(names.size()), {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    ArrowSchema& column = owned->schemas[i];
    column.format = "U";
    column.name = owned->names[i].c_str();
    column.flags = kNullable;
    column.release = [](ArrowSchema* schema) { schema->release = nullptr; };  // the parent owns it
    owned->children.push_back(&column);
  }
  out = {};
  out.format = "+s";
  out.name = "";
  out.n_children = static_cast<std::int64_t>(names.size());
  out.children = owned->children.data();
  out.private_data = owned;
  out.release = [](ArrowSchema* schema) {
    delete static_cast<OwnedSchema*>(schema->private_data);
    schema->release = nullptr;
  };
}

}  // namespace spillway::python
