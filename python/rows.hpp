// Python's own rows as a source of an Arrow stream: mappings from names to values, named tuples, and tuples (id, text)
// and (id, title, text).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "python/source.hpp"

namespace spillway::python {

// Values: str, bytes, int and float (their text), None and NaN (absent). `columns`: names that are looked up in
// mappings and named tuples; the first three are those of id, title and text for other tuples. A name with dots that a
// mapping has not leads through mappings in it: "doc.body". Batches hold about 1 MiB of text and at most 65,536 rows.
std::unique_ptr<PythonSource> rows_of(nanobind::object iterator, const std::vector<std::string>& columns);

}  // namespace spillway::python
