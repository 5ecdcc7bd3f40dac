// Vectors of C++ as NumPy arrays, which own them: nothing is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace spillway::python {

template <typename Number>
using NumpyArray = nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>>;

template <typename Number>
NumpyArray<Number> to_numpy(std::vector<Number> numbers) {
  auto* const owned = new std::vector<Number>(std::move(numbers));
  const nanobind::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<Number>*>(held); });
  return NumpyArray<Number>(owned->data(), {owned->size()}, owner);
}

}  // namespace spillway::python
