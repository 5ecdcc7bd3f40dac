#include "tools/report/skipped.hpp"

#include <nlohmann/json.hpp>

#include "tools/cli/output.hpp"
#include "tools/report/file.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t kWriteBytes = std::size_t{64} << 10;

ordered_json known(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

ordered_json skipped_json(const SkippedRecord& record) {
  ordered_json object;
  if (record.path.empty()) {
    object["document"] = record.offset;
  } else {
    object["file"] = record.path;
    object["offset"] = record.offset;
  }
  object["id"] = known(record.id);
  object["url"] = known(record.url);
  object["reason"] = skip_reason_name(record.reason);
  object["detail"] = record.detail;
  return object;
}

}  // namespace

SkippedFile::SkippedFile(const Arguments& arguments, Session& session, const std::string& output) {
  file_ = report_output(arguments, session, "skipped", output);
}

std::function<void(const SkippedRecord&)> SkippedFile::listener() {
  if (file_ == nullptr) return {};
  return [this](const SkippedRecord& record) { add(record); };
}

void SkippedFile::add(const SkippedRecord& record) {
  if (error_ != nullptr) return;
  lines_ += json_line(skipped_json(record));
  if (lines_.size() >= kWriteBytes) write();
}

void SkippedFile::write() {
  try {
    file_->write(lines_);
    lines_.clear();
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error&) {
    error_ = std::current_exception();
  }
}

void SkippedFile::finish() {
  if (file_ == nullptr) return;
  if (error_ == nullptr) write();
  if (error_ != nullptr) std::rethrow_exception(error_);
  file_->finish();
}

void SkippedFile::finish_of_done() {
  finish_report("its list of skipped records is", [this] { finish(); });
}

void SkippedFile::finish_of_failed(const std::string& command) {
  try {
    finish();
  } catch (const Error& error) {
    print_message(command + ": the list of skipped records: " + error.what());
  }
}

}  // namespace spillway
