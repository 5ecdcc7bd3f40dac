// Record batches that Python reads from files of columns (python/spillway/_columns.py) as a source of an Arrow stream.
#pragma once

#include "python/source.hpp"

namespace spillway::python {

// `input`: an object with `schema`, which has __arrow_c_schema__, and `__spillway_batches__()`, which returns an
// iterator over objects with __arrow_c_array__. When the source is destroyed, so is the iterator: a generator ends.
std::unique_ptr<PythonSource> batches_of(const nanobind::object& input);
bool has_batches(const nanobind::object& input);

}  // namespace spillway::python
