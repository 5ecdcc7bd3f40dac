#include "corpora/parquet/row_group.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

// An exported array points to this.
struct Exported {
  std::vector<ParquetValues> columns;
  std::vector<std::vector<const void*>> buffers;  // of each column
  std::vector<ArrowArray> arrays;
  std::vector<ArrowArray*> children;
  const void* no_validity = nullptr;
};

std::vector<const void*> buffers_of(const ParquetValues& values, ParquetType type) {
  std::vector<const void*> buffers{values.validity.data(), values.values.data()};
  if (type != ParquetType::kText) return buffers;
  for (const PageBytes& page : values.pages) buffers.push_back(page.get());
  buffers.push_back(values.page_bytes.data());
  return buffers;
}

ArrowArray export_columns(std::vector<ParquetValues> columns, const std::vector<ParquetType>& types, std::size_t rows) {
  auto owned = std::make_unique<Exported>();
  owned->columns = std::move(columns);
  const std::size_t count = owned->columns.size();
  owned->arrays.resize(count);
  for (std::size_t i = 0; i < count; ++i) owned->buffers.push_back(buffers_of(owned->columns[i], types[i]));
  for (std::size_t i = 0; i < count; ++i) {
    owned->arrays[i] = {.length = static_cast<std::int64_t>(rows),
                        .null_count = static_cast<std::int64_t>(owned->columns[i].nulls),
                        .offset = 0,
                        .n_buffers = static_cast<std::int64_t>(owned->buffers[i].size()),
                        .n_children = 0,
                        .buffers = owned->buffers[i].data(),
                        .children = nullptr,
                        .dictionary = nullptr,
                        .release = [](ArrowArray* array) { array->release = nullptr; },  // the parent owns it
                        .private_data = nullptr};
    owned->children.push_back(&owned->arrays[i]);
  }
  ArrowArray out{};
  out.length = static_cast<std::int64_t>(rows);
  out.n_buffers = 1;
  out.n_children = static_cast<std::int64_t>(count);
  out.buffers = &owned->no_validity;
  out.children = owned->children.data();
  out.release = [](ArrowArray* array) {
    delete static_cast<Exported*>(array->private_data);
    array->release = nullptr;
  };
  out.private_data = owned.release();
  return out;
}

}  // namespace

ParquetRowGroup::ParquetRowGroup(std::unique_ptr<ReadableFile> file, std::vector<ParquetChunk> chunks,
                                 std::uint64_t rows, PagePools pools, std::string place)
    : file_(std::move(file)), place_(std::move(place)), pools_(std::move(pools)), left_(rows) {
  for (ParquetChunk& chunk : chunks) {
    types_.push_back(chunk.type);
    columns_.push_back(std::make_unique<ParquetColumn>(*file_, std::move(chunk), unpacker_, pools_, place_));
  }
}

ArrowArray ParquetRowGroup::next(std::size_t rows, std::uint64_t& bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows, left_));
  bytes = 0;
  if (count == 0) return {};
  std::vector<ParquetValues> columns;
  for (const auto& column : columns_) {
    columns.push_back(column->read(count));
    bytes += columns.back().text_bytes;
  }
  left_ -= count;
  if (left_ == 0) {
    for (const auto& column : columns_) column->finish();
  }
  return export_columns(std::move(columns), types_, count);
}

}  // namespace spillway
