// Names of attributes that jobs and rows ask for again and again.
#pragma once

#include <nanobind/nanobind.h>

namespace spillway::python {

// The one object that Python keeps for a name. A string made for each question would stay in CPython's cache of the
// attributes of types, which holds up to 4,096 of them.
inline nanobind::object interned(const char* name) {
  nanobind::object found = nanobind::steal(PyUnicode_InternFromString(name));
  if (!found.is_valid()) throw nanobind::python_error();
  return found;
}

}  // namespace spillway::python
