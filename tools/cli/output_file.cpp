#include "tools/cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "indexer/job/output.hpp"
#include "io/file/system_error.hpp"
#include "io/file/unique_name.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPathBytes = 4096;

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Opening a FIFO waits for its reader; a signal on any thread ends the wait.
int open_for_writing(const std::string& path, FileType type, const std::atomic<int>& signal_number) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

void refuse_input(FileSystem& files, const std::string& option, const std::string& path,
                  const std::vector<std::string>& inputs) {
  const auto status = files.status(path);
  if (path == "-" || (status && status->type != FileType::kRegular)) return;
  const std::string resolved = files.resolve(path);
  for (const std::string& input : inputs) {
    if (input == "-" || !is_inside(resolved, files.resolve(input.starts_with('@') ? input.substr(1) : input))) continue;
    throw UsageError(option + " '" + printable(path, kPathBytes) + "' is, or is inside, the input " +
                     printable(input, kPathBytes) + "; name a file outside of it");
  }
}

OutputFile::OutputFile(Session& session, const std::string& option, std::string path, IfThere if_there)
    : session_(session), path_(std::move(path)), if_there_(if_there) {
  const std::string named = option + " '" + printable(path_, kPathBytes) + "'";
  if (path_.empty()) throw UsageError(option + " names no file");
  if (path_ == "-") {
    if (!session.out.is_open()) throw UsageError(named + ": standard output is closed; name a file");
    return;
  }
  const auto status = session.files.status(path_);
  if (status) type_ = status->type;
  if (type_ == FileType::kDirectory || type_ == FileType::kSocket) {
    throw UsageError(named + " is " + std::string(name_of(type_)) + "; name a file");
  }
  if (type_ != FileType::kRegular) return;
  if (status && if_there == IfThere::kRefuse) throw UsageError(named + " exists; --force replaces it");
  if (!status && session.files.is_link(path_)) throw UsageError(named + " is a link to nothing; name a file");
  if (status && session.files.is_link(path_)) path_ = session.files.resolve(path_);  // the link stays
  const auto parent = session.files.status(directory_of(path_));
  if (!parent || parent->type != FileType::kDirectory) throw UsageError(named + ": there is no such directory");
  if (looks_like_index(session.files, directory_of(path_))) {
    throw UsageError(named + " is inside an index; name a file outside of it");
  }
  temporary_path_ = unique_name(path_);
  file_ = session.files.create(temporary_path_);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (file_ == nullptr || is_whole_) return;
  file_.reset();
  try {
    session_.files.remove(temporary_path_);
  } catch (const Error& error) {
    // The first error is the one to report.
    static_cast<void>(error);
  }
}

Output& OutputFile::stream() {
  if (path_ == "-") return session_.out;
  if (device_ == nullptr) {
    descriptor_ = open_for_writing(path_, type_, session_.signal_number);
    struct stat status = {};
    if (fstat(descriptor_, &status) != 0 || S_ISREG(status.st_mode)) {
      throw IoError("cannot write to " + printable(path_, kPathBytes) + ": expected " + std::string(name_of(type_)) +
                    " as before, found a regular file, which is not overwritten; name another file");
    }
    device_ = std::make_unique<Output>(descriptor_, printable(path_, kPathBytes));
  }
  return *device_;
}

void OutputFile::write(std::string_view bytes) {
  if (file_ == nullptr) return stream().write(bytes);
  file_->append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void OutputFile::finish() {
  if (file_ == nullptr) return stream().flush();
  file_->sync();
  file_->close();
  is_whole_ = true;
  try {
    give_name();
  } catch (const Error& error) {
    throw IoError(std::string(error.what()) + "; what was to be written is in " +
                  printable(temporary_path_, kPathBytes));
  }
  session_.files.sync_directory(directory_of(path_));
}

void OutputFile::give_name() {
  if (if_there_ == IfThere::kReplace) return session_.files.rename(temporary_path_, path_);
  if (session_.files.rename_to_new(temporary_path_, path_)) return;
  throw IoError(printable(path_, kPathBytes) + " was made by something else meanwhile, and is left as it is");
}

}  // namespace spillway
