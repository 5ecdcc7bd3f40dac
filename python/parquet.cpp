// Row groups of Parquet files, read by the engine for python/spillway/_columns.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corpora/parquet/row_group.hpp"
#include "io/file/posix_file_system.hpp"
#include "python/bindings.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// A struct array in the form that the Arrow PyCapsule interface gives, without a schema.
class RowBatch {
 public:
  RowBatch(ArrowArray array, std::uint64_t bytes) : array_(array), bytes_(bytes) {}
  ~RowBatch() {
    if (array_.release != nullptr) array_.release(&array_);
  }
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  std::uint64_t bytes() const { return bytes_; }

  // Hands the array out, once.
  nb::tuple capsules() {
    auto held = std::make_unique<ArrowArray>(std::exchange(array_, ArrowArray{}));
    nb::object capsule = nb::steal(PyCapsule_New(held.get(), "arrow_array", [](PyObject* self) {
      auto* const array = static_cast<ArrowArray*>(PyCapsule_GetPointer(self, "arrow_array"));
      if (array->release != nullptr) array->release(array);
      delete array;
    }));
    if (!capsule.is_valid()) throw nb::python_error();
    held.release();
    return nb::make_tuple(nb::none(), capsule);
  }

 private:
  ArrowArray array_;
  const std::uint64_t bytes_;
};

ParquetChunk chunk_of(const nb::tuple& given) {
  constexpr ParquetCodec kCodecs[] = {ParquetCodec::kNone, ParquetCodec::kGzip, ParquetCodec::kZstd,
                                      ParquetCodec::kSnappy, ParquetCodec::kBrotli};
  constexpr ParquetType kTypes[] = {ParquetType::kText, ParquetType::kInt32, ParquetType::kInt64};
  ParquetChunk chunk;
  chunk.name = nb::cast<std::string>(given[0]);
  chunk.type = kTypes[nb::cast<std::size_t>(given[1]) % std::size(kTypes)];
  chunk.codec = kCodecs[nb::cast<std::size_t>(given[2]) % std::size(kCodecs)];
  chunk.most_definition = nb::cast<unsigned>(given[3]);
  chunk.begin = nb::cast<std::uint64_t>(given[4]);
  chunk.stored_bytes = nb::cast<std::uint64_t>(given[5]);
  chunk.raw_bytes = nb::cast<std::uint64_t>(given[6]);
  return chunk;
}

// This belongs to one job.
struct Pages {
  PagePools pools;
};

// `chunks`: (name, type, codec, highest definition level, offset, stored bytes, raw bytes) of each column.
class RowGroup {
 public:
  RowGroup(const std::string& path, const nb::list& chunks, std::uint64_t rows, std::size_t batch_rows,
           const Pages& pages, const std::string& place)
      : group_(posix_file_system().open(path), chunks_of(chunks), rows, pages.pools, place), batch_rows_(batch_rows) {}

  // None at the end. The interpreter's lock is free meanwhile.
  nb::object next() {
    ArrowArray array{};
    std::uint64_t bytes = 0;
    {
      const nb::gil_scoped_release unlocked;
      array = group_.next(batch_rows_, bytes);
    }
    if (array.release == nullptr) return nb::none();
    return nb::cast(new RowBatch(array, bytes), nb::rv_policy::take_ownership);
  }

 private:
  static std::vector<ParquetChunk> chunks_of(const nb::list& chunks) {
    std::vector<ParquetChunk> result;
    for (const nb::handle chunk : chunks) result.push_back(chunk_of(nb::cast<nb::tuple>(chunk)));
    return result;
  }

  ParquetRowGroup group_;
  const std::size_t batch_rows_;
};

}  // namespace

void bind_parquet(nb::module_& module) {
  nb::class_<RowBatch>(module, "RowBatch")
      .def_prop_ro("nbytes", &RowBatch::bytes)
      .def(
          "__arrow_c_array__", [](RowBatch& self, const nb::object&) { return self.capsules(); },
          nb::arg("requested_schema") = nb::none());
  nb::class_<Pages>(module, "Pages").def(nb::init<>());
  nb::class_<RowGroup>(module, "RowGroup")
      .def(
          nb::init<const std::string&, const nb::list&, std::uint64_t, std::size_t, const Pages&, const std::string&>())
      .def("next", &RowGroup::next);
}

}  // namespace spillway::python
