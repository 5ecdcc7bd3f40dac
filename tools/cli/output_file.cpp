#include "tools/cli/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "io/file/system_error.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Opening a FIFO waits for its reader; a signal on any thread ends the wait.
int open_for_writing(const std::string& path, FileType type, const std::atomic<int>& signal_number) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) {
      fcntl(descriptor, F_SETFL, O_WRONLY);
      return descriptor;
    }
    const bool has_no_reader = errno == ENXIO && type == FileType::kFifo;
    if (!has_no_reader && errno != EINTR) throw_system_error(errno, "open", path);
    throw_if_interrupted(signal_number);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

OutputFile::OutputFile(Session& session, const std::string& option, std::string path, IfThere if_there)
    : session_(session), path_(std::move(path)), temporary_path_(path_ + ".spillway-tmp") {
  if (path_ == "-") return;
  const std::string named = option + " '" + printable(path_, 4096) + "'";
  const auto status = session.files.status(path_);
  if (path_.empty()) throw UsageError(option + " names no file");
  if (status && status->type == FileType::kDirectory) throw UsageError(named + " is a directory; name a file");
  type_ = status ? status->type : FileType::kRegular;
  if (status && is_regular() && if_there == IfThere::kRefuse) throw UsageError(named + " exists; --force replaces it");
  const auto parent = session.files.status(directory_of(path_));
  if (!parent || parent->type != FileType::kDirectory) throw UsageError(named + ": there is no such directory");
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (file_ == nullptr || is_finished_) return;
  file_.reset();
  try {
    session_.files.remove(temporary_path_);
  } catch (const Error& error) {
    // The first error is the one to report.
    static_cast<void>(error);
  }
}

void OutputFile::open() {
  if (is_regular() && file_ == nullptr) {
    if (session_.files.status(temporary_path_)) session_.files.remove(temporary_path_);  // left by a killed run
    file_ = session_.files.create(temporary_path_);
  } else if (path_ != "-" && !is_regular() && device_ == nullptr) {
    descriptor_ = open_for_writing(path_, type_, session_.signal_number);
    device_ = std::make_unique<Output>(descriptor_, printable(path_, 4096));
  }
}

void OutputFile::write(std::string_view bytes) {
  open();
  if (file_ != nullptr) {
    file_->append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  } else {
    (device_ != nullptr ? *device_ : session_.out).write(bytes);
  }
}

void OutputFile::finish() {
  open();
  if (file_ == nullptr) return (device_ != nullptr ? *device_ : session_.out).flush();
  file_->sync();
  file_->close();
  session_.files.rename(temporary_path_, path_);
  is_finished_ = true;
  session_.files.sync_directory(directory_of(path_));
}

}  // namespace spillway
