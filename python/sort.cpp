// Sorts: lines of files, as `spillway sort` does, and strings in memory.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "corpora/arrow/stream.hpp"
#include "io/file/posix_file_system.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/job_thread.hpp"
#include "python/names.hpp"
#include "python/object_files.hpp"
#include "python/source.hpp"
#include "sort/library/sort.hpp"
#include "tools/commands/commands.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// Returns whether the input is sorted, where the words ask for that (--check); otherwise true.
bool sort_files(const std::vector<std::string>& words) {
  bool is_sorted = true;
  JobThread().run([&](std::atomic<int>& signal_number) {
    Output out(-1, "standard output");  // the words name a file
    ObjectFileSystem files(posix_file_system(), signal_number);
    Session session{files, out, signal_number};
    is_sorted = sort_lines(words, session) == ExitCode::kDone;
  });
  return is_sorted;
}

NumpyArray<std::uint32_t> order_of(const std::vector<std::string_view>& strings, unsigned threads, bool descending) {
  std::vector<std::uint32_t> order;
  StringSortOptions options;
  options.threads = threads;
  options.is_descending = descending;
  JobThread().run([&](std::atomic<int>&) { order = order_strings(strings, options); });
  return to_numpy(std::move(order));
}

// str and bytes may be mixed: a str counts as its UTF-8.
NumpyArray<std::uint32_t> order_sequence(const nb::list& strings, unsigned threads, bool descending) {
  std::vector<std::string_view> views;
  views.reserve(nb::len(strings));
  for (const nb::handle string : strings) {
    Py_ssize_t size = 0;
    if (PyBytes_Check(string.ptr())) {
      views.emplace_back(PyBytes_AsString(string.ptr()), static_cast<std::size_t>(PyBytes_Size(string.ptr())));
    } else if (PyUnicode_Check(string.ptr())) {
      const char* const text = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
      if (text == nullptr) throw nb::python_error();
      views.emplace_back(text, static_cast<std::size_t>(size));
    } else {
      throw nb::type_error(("string " + std::to_string(views.size()) + ": expected str or bytes").c_str());
    }
  }
  return order_of(views, threads, descending);
}

struct ImportedArray {
  ArrowSchema schema;
  ArrowArray array;
  ~ImportedArray() {
    if (array.release != nullptr) array.release(&array);
    if (schema.release != nullptr) schema.release(&schema);
  }
};

// An array of text (formats u U vu z Z vz). A null counts as an empty string.
NumpyArray<std::uint32_t> order_arrow(const nb::object& input, unsigned threads, bool descending) {
  const nb::tuple capsules = nb::cast<nb::tuple>(input.attr(interned("__arrow_c_array__"))());
  const ImportedArray held{take_from_capsule<ArrowSchema>(capsules[0], "arrow_schema"),
                           take_from_capsule<ArrowArray>(capsules[1], "arrow_array")};
  const auto type = arrow_type(held.schema.format);
  if (!type || !is_text(*type) || held.schema.dictionary != nullptr) {
    throw nb::type_error(("expected an Arrow array of text or binary, found format '" +
                          std::string(held.schema.format) + "'; cast it to a string first")
                             .c_str());
  }
  const auto rows = static_cast<std::uint64_t>(held.array.length);
  const ArrowColumn column({.type = *type, .name = "strings"}, held.array, 0, rows, "the Arrow array");
  std::vector<std::string_view> views;
  views.reserve(rows);
  ArrowColumn::Digits digits;
  for (std::uint64_t row = 0; row < rows; ++row) views.push_back(column.text(row, digits));
  return order_of(views, threads, descending);
}

}  // namespace

void bind_sort(nb::module_& module) {
  module.def("sort_files", sort_files, nb::arg("words"));
  module.def("order_sequence", order_sequence);
  module.def("order_arrow", order_arrow);
}

}  // namespace spillway::python
