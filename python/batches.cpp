#include "python/batches.hpp"

#include "python/names.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

constexpr const char* kMethod = "__spillway_batches__";

class Batches : public PythonSource {
 public:
  explicit Batches(const nb::object& input)
      : schema_(input.attr("schema")), iterator_(nb::iter(input.attr(interned(kMethod))())) {}

  void schema(ArrowSchema& out) override {
    out = take_from_capsule<ArrowSchema>(nb::object(schema_.attr(interned("__arrow_c_schema__"))()), "arrow_schema");
  }
  void next(ArrowArray& out) override {
    out.release = nullptr;
    const nb::object batch = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!batch.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return;
    }
    const nb::tuple capsules = nb::cast<nb::tuple>(batch.attr(array_method_)());
    out = take_from_capsule<ArrowArray>(capsules[1], "arrow_array");
  }

 private:
  const nb::object array_method_ = interned("__arrow_c_array__");
  const nb::object schema_;
  const nb::object iterator_;
};

}  // namespace

std::unique_ptr<PythonSource> batches_of(const nb::object& input) { return std::make_unique<Batches>(input); }

bool has_batches(const nb::object& input) { return nb::hasattr(input, interned(kMethod)); }

}  // namespace spillway::python
