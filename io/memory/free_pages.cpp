#include "io/memory/free_pages.hpp"

#include <fstream>
#include <string>
#include <system_error>

namespace spillway {

namespace {

std::string first_word(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

}  // namespace

bool hypervisor_takes_free_pages(const std::filesystem::path& devices) {
  constexpr std::size_t kReportingBit = 5;
  std::error_code error;
  for (std::filesystem::directory_iterator device(devices, error), end; !error && device != end;
       device.increment(error)) {
    if (first_word(device->path() / "device") != "0x0005") continue;  // a balloon
    const std::string features = first_word(device->path() / "features");
    if (features.size() > kReportingBit && features[kReportingBit] == '1') return true;
  }
  return false;
}

}  // namespace spillway
