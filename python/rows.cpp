#include "python/rows.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "python/names.hpp"
#include "python/owned_columns.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

constexpr std::size_t kBatchBytes = std::size_t{1} << 20, kBatchRows = 65536;

// A str with lone surrogates: each becomes a byte that is no UTF-8, which the engine repairs and counts.
std::string with_broken_surrogates(nb::handle text) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
  if (!encoded.is_valid()) throw nb::python_error();
  const std::string_view bytes(PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr())));
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_surrogate =
        bytes[i] == '\xED' && i + 2 < bytes.size() && static_cast<std::uint8_t>(bytes[i + 1]) >= 0xA0;
    result += is_surrogate ? '\xFF' : bytes[i];
    i += is_surrogate ? 2 : 0;
  }
  return result;
}

class Rows : public PythonSource {
 public:
  Rows(nb::object iterator, std::vector<std::string> columns)
      : iterator_(std::move(iterator)), columns_(std::move(columns)) {
    for (const std::string& column : columns_) keys_.append(key(column));
    for (const std::string& column : columns_) steps_.push_back(steps_of(column));
  }

  void next(ArrowArray& out) override {
    OwnedColumns batch(columns_.size());
    while (batch.rows() < kBatchRows && batch.text_bytes() < kBatchBytes && add_row(batch)) continue;
    out.release = nullptr;
    if (batch.rows() != 0) std::move(batch).export_to(out);
  }
  void schema(ArrowSchema& out) override { export_text_schema(columns_, out); }

 private:
  // Returns false at the end.
  bool add_row(OwnedColumns& batch) {
    const nb::object row = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!row.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return false;
    }
    if (PyTuple_Check(row.ptr())) {
      nb::hasattr(row, fields_) ? add_named_tuple(row, batch) : add_tuple(row, batch);
    } else {
      add_mapping(row, batch);
    }
    batch.end_row();
    ++row_number_;
    return true;
  }

  void add_tuple(nb::handle row, OwnedColumns& batch) {
    const Py_ssize_t size = PyTuple_Size(row.ptr());
    if (size != 2 && size != 3) refuse("a tuple (id, text) or (id, title, text)", "a tuple of " + std::to_string(size));
    add_value(0, PyTuple_GetItem(row.ptr(), 0), batch);
    if (size == 3) add_value(1, PyTuple_GetItem(row.ptr(), 1), batch);
    add_value(2, PyTuple_GetItem(row.ptr(), size - 1), batch);
  }

  // A tuple of collections.namedtuple or typing.NamedTuple.
  void add_named_tuple(nb::handle row, OwnedColumns& batch) {
    if (!row.type().is(tuple_type_)) {
      tuple_type_ = nb::borrow(row.type());
      const nb::list names(row.attr(fields_));
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Py_ssize_t place = PySequence_Index(names.ptr(), keys_[i].ptr());
        if (place < 0) PyErr_Clear();  // ValueError: there is no such field
        places_.resize(columns_.size());
        places_[i] = place;
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (places_[i] >= 0) add_value(i, PyTuple_GetItem(row.ptr(), places_[i]), batch);
    }
  }

  void add_mapping(nb::handle row, OwnedColumns& batch) {
    if (!is_mapping(row)) refuse("a mapping or a tuple", "an object of type " + type_name(row));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const nb::object value = member(row, keys_[i], steps_[i]);
      add_value(i, value.ptr(), batch);
    }
  }

  static nb::str key(std::string_view name) { return nb::str(name.data(), name.size()); }

  // The keys of "doc.body" below a mapping; none for a name without a dot.
  static nb::list steps_of(std::string_view name) {
    nb::list steps;
    if (name.find('.') == std::string_view::npos) return steps;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
      steps.append(key(name.substr(0, dot)));
      name.remove_prefix(dot + 1);
    }
    steps.append(key(name));
    return steps;
  }

  bool is_mapping(nb::handle value) const {
    return PyDict_Check(value.ptr()) || (nb::hasattr(value, names_of_keys_) && nb::hasattr(value, getter_));
  }

  // Nothing if the mapping has no such key.
  static nb::object item(nb::handle mapping, nb::handle key) {
    if (PyDict_Check(mapping.ptr())) {
      PyObject* const value = PyDict_GetItemWithError(mapping.ptr(), key.ptr());
      if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
      return nb::borrow(value);
    }
    const int has = PySequence_Contains(mapping.ptr(), key.ptr());
    if (has < 0) throw nb::python_error();
    return has == 0 ? nb::object() : nb::object(mapping[key]);
  }

  nb::object member(nb::handle row, nb::handle key, const nb::list& steps) const {
    nb::object value = item(row, key);
    if (value.is_valid() || nb::len(steps) == 0) return value;
    value = nb::borrow(row);
    for (const nb::handle step : steps) {
      if (!is_mapping(value)) return {};
      value = item(value, step);
      if (!value.is_valid()) break;
    }
    return value;
  }

  void add_value(std::size_t column, PyObject* value, OwnedColumns& batch) {
    if (value == nullptr || value == Py_None) return;
    if (PyUnicode_Check(value)) {
      Py_ssize_t size = 0;
      const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
      if (text != nullptr) return batch.set(column, {text, static_cast<std::size_t>(size)});
      PyErr_Clear();
      return batch.set(column, with_broken_surrogates(value));
    }
    if (PyBytes_Check(value)) {
      return batch.set(column, {PyBytes_AsString(value), static_cast<std::size_t>(PyBytes_Size(value))});
    }
    if (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value))) return;  // pandas has it for what is absent
    if (PyBool_Check(value) || !(PyLong_Check(value) || PyFloat_Check(value) || PyIndex_Check(value))) {
      refuse("str, bytes, int, float or None as '" + columns_[column] + "'", "an object of type " + type_name(value));
    }
    const nb::object text = nb::steal(PyObject_Str(value));
    if (!text.is_valid()) throw nb::python_error();
    add_value(column, text.ptr(), batch);
  }

  static std::string type_name(nb::handle value) {
    return nb::cast<std::string>(nb::str(value.type().attr("__name__")));
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw nb::type_error(
        ("document " + std::to_string(row_number_) + " of the input: expected " + expected + ", found " + found)
            .c_str());
  }

  const nb::object fields_ = interned("_fields"), names_of_keys_ = interned("keys"), getter_ = interned("__getitem__");
  nb::object iterator_;
  const std::vector<std::string> columns_;
  nb::list keys_;                   // the columns' names
  std::vector<nb::list> steps_;     // of each column
  nb::object tuple_type_;           // of the last named tuple,
  std::vector<Py_ssize_t> places_;  // and where it has each column; negative: nowhere
  std::uint64_t row_number_ = 0;
};

}  // namespace

std::unique_ptr<PythonSource> rows_of(nb::object iterator, const std::vector<std::string>& columns) {
  return std::make_unique<Rows>(std::move(iterator), columns);
}

}  // namespace spillway::python
