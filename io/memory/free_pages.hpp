// Tells whether a hypervisor takes back the memory that this machine has free.
#pragma once

#include <filesystem>

namespace spillway {

// Returns whether a hypervisor takes back memory that is free, and gives it again at the first use (free page reporting
// of the virtio balloon; OASIS Virtual I/O Device 1.2, section 5.5.3, bit 5). It takes whole large pages only: on a
// machine of 2 processors the first use of large pages then took 1.7 to 2.5 s of CPU a GB, and that of small pages 0.4
// s. `devices` is where the system lists virtio devices.
bool hypervisor_takes_free_pages(const std::filesystem::path& devices = "/sys/bus/virtio/devices");

}  // namespace spillway
