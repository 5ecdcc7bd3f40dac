#include "corpora/warc/date.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kNoon = sys_days(2024y / 5 / 17) + 12h + 30min;

TEST(CrawlDate, IsReadAsArchivesWriteIt) {
  for (const char* text : {"2024-05-17T12:30:00Z", "2024-05-17T12:30Z", "2024-05-17T12:30:00.987654Z",
                           "2024-05-17T12:30:00", "20240517123000", "202405171230", "20240517123000123",
                           "2024-05-17T14:30:00+02:00", "2024-05-17T10:00:00-0230"}) {
    EXPECT_EQ(parse_crawl_date(text), kNoon) << text;
  }
}

TEST(CrawlDate, MissingPartsAreTheFirst) {
  EXPECT_EQ(parse_crawl_date("2024"), sys_days(2024y / 1 / 1));
  EXPECT_EQ(parse_crawl_date("2024-05"), sys_days(2024y / 5 / 1));
  EXPECT_EQ(parse_crawl_date("2024-05-17"), sys_days(2024y / 5 / 17));
  EXPECT_EQ(parse_crawl_date("20240517"), sys_days(2024y / 5 / 17));
  EXPECT_EQ(parse_crawl_date("2024-05-17T12Z"), sys_days(2024y / 5 / 17) + 12h);
}

TEST(CrawlDate, OtherTextsAreNone) {
  for (const char* text :
       {"", "x", "24", "2024-", "2024-5-1", "2024-13", "2024-02-30", "2024-05-17 12:30:00", "2024-05-17T24:00:00Z",
        "2024-05-17T12:60Z", "2024-05-17T12:30:61Z", "2024-05-17T12:30:00Zx", "2024-05-17T12:30:00+2", "202405171",
        "2024-05-17T12:30:00+24:00", "Fri, 17 May 2024 12:30:00 GMT"}) {
    EXPECT_EQ(parse_crawl_date(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spillway
