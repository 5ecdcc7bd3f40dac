// Python's own rows as an Arrow stream: mappings from names to values, or tuples (id, text) and (id, title, text).
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "corpora/arrow/interface.hpp"

namespace spillway::python {

// Values: str, bytes, int and float (their text), None and NaN (absent). `columns`: names that are looked up in
// mappings; the first three are those of id, title and text for tuples. get_next() takes the interpreter's lock; what
// Python raises goes to `keep`, and get_next() fails. Batches hold about 1 MiB of text and at most 65,536 rows.
ArrowArrayStream stream_of_rows(nanobind::object iterator, const std::vector<std::string>& columns,
                                std::function<void(std::exception_ptr)> keep);

}  // namespace spillway::python
