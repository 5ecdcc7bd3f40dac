// Stands in for line_device.cu in a build without CUDA.
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/lines/line_device.hpp"

namespace spillway {

std::unique_ptr<LineDevice> make_line_device(const LineDeviceOptions&) { throw GpuError(find_gpus().detail); }

}  // namespace spillway
