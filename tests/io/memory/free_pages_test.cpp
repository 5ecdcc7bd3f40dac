#include "io/memory/free_pages.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class FreePages : public ::testing::Test {
 protected:
  // Adds a device as the system lists it; features are bits, the lowest first.
  void add(const std::string& name, const std::string& type, const std::string& features) {
    std::filesystem::create_directory(devices() / name);
    std::ofstream(devices() / name / "device") << type << '\n';
    std::ofstream(devices() / name / "features") << features << '\n';
  }
  std::filesystem::path devices() const { return scratch_.path(); }

  testing::ScratchDirectory scratch_;
};

TEST_F(FreePages, AreTakenByABalloonThatReportsThem) {
  EXPECT_FALSE(hypervisor_takes_free_pages(devices()));
  add("virtio0", "0x0002", "0010011001100100");  // a disk
  EXPECT_FALSE(hypervisor_takes_free_pages(devices()));
  add("virtio1", "0x0005", "1111101111111111");  // a balloon with all other features
  EXPECT_FALSE(hypervisor_takes_free_pages(devices()));
  add("virtio2", "0x0005", "0000010000000000");
  EXPECT_TRUE(hypervisor_takes_free_pages(devices()));
}

TEST_F(FreePages, AreKeptWhereNothingTellsOtherwise) {
  add("virtio0", "0x0005", "01100");
  add("virtio1", "", "");
  std::filesystem::create_directory(devices() / "virtio2");
  EXPECT_FALSE(hypervisor_takes_free_pages(devices()));
  EXPECT_FALSE(hypervisor_takes_free_pages(devices() / "nothing"));
}

}  // namespace
}  // namespace spillway
