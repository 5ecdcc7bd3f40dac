#include "tools/options/append.hpp"

#include "indexer/job/work_directory.hpp"
#include "io/format/content_difference.hpp"
#include "io/index/reader.hpp"
#include "tools/options/index.hpp"
#include "tools/options/job.hpp"

namespace spillway {

namespace {

ContentOptions content_of(FileSystem& files, const std::string& index) {
  put_back_replaced(files, index);
  if (!files.status(index)) {
    throw UsageError("the index " + printable(index, 4096) +
                     " does not exist: make it of the first input with `spillway index INPUT... -o " +
                     printable(index, 4096) + "`");
  }
  return IndexReader(files, index).options();
}

void refuse_other_content(const std::string& index, const ContentOptions& content, const ContentOptions& given) {
  std::string words;
  for (const ContentDifference& difference : content_differences(content, given)) {
    words += (words.empty() ? "" : "; ") + difference.option + " is " + difference.first + " in " +
             printable(index, 4096) + ", and " + difference.second + " was given";
  }
  if (words.empty()) return;
  throw UsageError(words + ". Leave out what differs: documents are added with the options of the index");
}

KnownIds known_ids(const Arguments& arguments, const std::string& index, const ContentOptions& content) {
  refuse_both(arguments, "replace", "skip-known");
  refuse_both(arguments, "replace-url", "skip-known");
  if (arguments.has("replace") && arguments.text("dedup").value_or("none") != "none") {
    throw UsageError(
        "--replace takes the new document, and --dedup keeps the old one with the same URL or text: give " +
        std::string("one of them, or --replace-url with --dedup"));
  }
  if (arguments.has("skip-known")) return KnownIds::kSkip;
  if (!arguments.has("replace")) return KnownIds::kRefuse;
  if (content.duplicate_ids != DuplicateIds::kKeep) return KnownIds::kReplace;
  throw UsageError("--replace needs an index in which an id names one document, and " + printable(index, 4096) +
                   " was made with --duplicate-ids keep: remove the old documents with `spillway delete` first");
}

}  // namespace

std::vector<boost::program_options::options_description> append_option_groups() {
  auto known = option_group("Known documents"), job = option_group("Interruption"), report = option_group("Report");
  add_flag(known, "replace", "a document whose id is in INDEX replaces the old one (default: it ends the job)");
  add_flag(known, "replace-url", "documents of INDEX make way for new ones with the same URL: pages fetched again");
  add_flag(known, "skip-known", "a document whose id is in INDEX is skipped, and counted as known_id");
  add_resume_options(job, "INDEX");
  add_report_options(report);
  add_value(report, "skipped", "FILE", "write each record that is not added, and why, as a line of JSON");
  add_flag(report, "force", "replace existing reports");
  std::vector<boost::program_options::options_description> groups{known};
  for (const auto& group : planned_option_groups()) groups.push_back(group);
  for (const auto& group : {job, bad_input_option_group(), report}) groups.push_back(group);
  return groups;
}

IndexOptions append_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check) {
  const std::string& index = arguments.operands().front();
  const ContentOptions content = content_of(files, index);
  IndexOptions result = plan_options(arguments, files, wait_check, content);
  refuse_other_content(index, content, result.content);
  result.inputs.erase(result.inputs.begin());
  result.output = index;
  result.append = known_ids(arguments, index, content);
  result.replace_urls = arguments.has("replace-url");
  if (result.replace_urls && content.store == StorePolicy::kNone) {
    throw UsageError("--replace-url compares stored URLs, and " + printable(index, 4096) +
                     " stores none (--store none): give --replace, which compares ids");
  }
  result.force = true;
  result.resume = resume_options(arguments);
  return result;
}

}  // namespace spillway
