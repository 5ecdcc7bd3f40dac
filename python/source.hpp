// Arrow streams whose batches Python makes.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>
#include <memory>

#include "corpora/arrow/interface.hpp"

namespace spillway::python {

class PythonSource {
 public:
  // All members are called with the interpreter's lock. What they throw fails the stream.
  virtual ~PythonSource() = default;
  virtual void schema(ArrowSchema& out) = 0;
  // The next batch; its release is null at the end.
  virtual void next(ArrowArray& out) = 0;
};

// Takes each exception of a source. The engine sees a text in its place.
using KeepException = std::function<void(std::exception_ptr)>;

// The stream takes the lock for each call. `keep` may be empty.
ArrowArrayStream stream_of(std::unique_ptr<PythonSource> source, KeepException keep);

// Moves the struct out of a capsule of the Arrow PyCapsule interface. Throws nb::python_error for another capsule.
template <typename Struct>
Struct take_from_capsule(nanobind::handle capsule, const char* name) {
  auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw nanobind::python_error();
  Struct taken = *held;
  held->release = nullptr;
  return taken;
}

}  // namespace spillway::python
