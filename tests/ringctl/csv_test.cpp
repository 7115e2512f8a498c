// SPDX-License-Identifier: MIT
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "input/csv.hpp"
#include "input/fleet_file.hpp"
#include "model/error.hpp"
#include "model/suggest.hpp"
#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/terminal.hpp"
#include "output/text_output.hpp"

namespace csv_test {

using Catch::Matchers::Message;
using ringctl::InputError;
using namespace std::string_literals;

namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> parse(std::string_view text) {
  ringctl::CsvReader reader(text, "f.csv");
  std::vector<Fields> records;
  for (ringctl::CsvRecord record; reader.next(record);) records.push_back(record.fields);
  return records;
}

std::vector<std::size_t> lines_of(std::string_view text) {
  ringctl::CsvReader reader(text, "f.csv");
  std::vector<std::size_t> lines;
  for (ringctl::CsvRecord record; reader.next(record);) lines.push_back(record.line);
  return lines;
}

}  // namespace

TEST_CASE("fields") {
  CHECK(parse("") == std::vector<Fields>{});
  CHECK(parse("a") == std::vector<Fields>{{"a"}});
  CHECK(parse("a,b\nc,d\n") == std::vector<Fields>{{"a", "b"}, {"c", "d"}});
  CHECK(parse("a,,\n,\n") == std::vector<Fields>{{"a", "", ""}, {"", ""}});
  CHECK(parse("\xef\xbb\xbf"
              "a\n") == std::vector<Fields>{{"a"}});
  CHECK(parse("\"a\0b\",\xff\n"s) == std::vector<Fields>{{"a\0b"s, "\xff"}});
}

TEST_CASE("line ends, blank lines and comments") {
  CHECK(parse("a,b\r\nc\r\n") == std::vector<Fields>{{"a", "b"}, {"c"}});
  CHECK(parse("a,b\r") == std::vector<Fields>{{"a", "b"}});
  CHECK(parse("\n  \n\r\n\t\na\n\n") == std::vector<Fields>{{"a"}});
  CHECK(parse("# one\n  # two, \"\na\n#") == std::vector<Fields>{{"a"}});
  CHECK(parse("a,#b\n") == std::vector<Fields>{{"a", "#b"}});
  CHECK(parse("\"#a\"\n") == std::vector<Fields>{{"#a"}});
}

TEST_CASE("quotes and blanks") {
  CHECK(parse(" a b\t, c \n") == std::vector<Fields>{{"a b", "c"}});
  CHECK(parse("\" a \", \"b\" ,c") == std::vector<Fields>{{" a ", "b", "c"}});
  CHECK(parse("\"a,b\",\"c\"\"d\",\"\"\n") == std::vector<Fields>{{"a,b", "c\"d", ""}});
  CHECK(parse("\"a\nb\r\nc\",d\n") == std::vector<Fields>{{"a\nb\r\nc", "d"}});
  CHECK(parse("\"\"\"\"") == std::vector<Fields>{{"\""}});
}

TEST_CASE("lines are counted through quoted line ends, comments and blank lines") {
  CHECK(lines_of("a\n\n# c\n\"b\n\n\"\nc\r\nd") == std::vector<std::size_t>{1, 4, 7, 8});
}

TEST_CASE("invalid CSV") {
  CHECK_THROWS_MATCHES(parse("a\n\"b\nc\n"), InputError, Message("f.csv:2: unterminated quote"));
  CHECK_THROWS_MATCHES(parse("a\n\"b\"c\n"), InputError,
                       Message("f.csv:2: text after a closing quote; a quote inside a quoted field "
                               "is written twice"));
  CHECK_THROWS_MATCHES(parse("a\nb\"c\"\n"), InputError,
                       Message("f.csv:2: a quote inside a field that does not begin with one"));
  CHECK_THROWS_MATCHES(parse("a\rb\n"), InputError,
                       Message("f.csv:1: a carriage return without a line feed; quote the field if "
                               "it belongs there"));
  CHECK_THROWS_MATCHES(parse("\xff\xfe"
                             "a\0"s),
                       InputError, Message("f.csv:1: this is UTF-16; save it as UTF-8"));
  CHECK_THROWS_MATCHES(
      parse("a\nb,\x1b[2J\n"), InputError,
      Message("f.csv:2:3: control character \\x1b outside quotes; this is not CSV"));
  CHECK_THROWS_MATCHES(
      parse("\"\n\",c\0"s), InputError,
      Message("f.csv:2:4: control character \\x00 outside quotes; this is not CSV"));
  CHECK_THROWS_MATCHES(parse("\x1f\x8b\x08"), InputError,
                       Message("f.csv:1: this is compressed by gzip; decompress it"));
  CHECK_THROWS_MATCHES(parse("PK\x03\x04"), InputError,
                       Message("f.csv:1: this is a spreadsheet or ZIP archive; save it as CSV"));
}

TEST_CASE("fields survive a round trip") {
  std::mt19937 random(7);
  constexpr std::string_view alphabet("a,\"\n\r #\t\0\xc3\xa9\xff", 12);
  for (int round = 0; round < 20000; ++round) {
    Fields fields(1 + random() % 4);
    std::string text;
    for (std::string& field : fields) {
      for (std::size_t n = random() % 6; n > 0; --n) field += alphabet[random() % alphabet.size()];
      text += (text.empty() ? "" : ",") + ringctl::csv_field(field);
    }
    if (fields == Fields{""} || fields[0].empty()) continue;  // a blank line is not a record
    INFO(text);
    REQUIRE(parse(text + '\n') == std::vector<Fields>{fields});
    REQUIRE(parse(text + "\r\n#\n") == std::vector<Fields>{fields});
  }
}

TEST_CASE("any bytes give a fleet or an error that names the file") {
  std::mt19937 random(11);
  const std::vector<std::string> pieces{
      "id",  "weight", "a", "b",   "\"",           ",",    ",",  "\n", "\r", "1",    "-1",
      "1e9", "#",      " ", "nan", "\xef\xbb\xbf", "\xff", "\t", "\n", "0",  "rack", "\"\""};
  int fleets = 0;
  int errors = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (std::size_t n = random() % 14; n > 0; --n) text += pieces[random() % pieces.size()];
    try {
      const auto fleet = ringctl::parse_fleet(text, "f.csv");
      ++fleets;
      REQUIRE(!fleet.nodes.empty());
      for (const auto& node : fleet.nodes) {
        REQUIRE(!node.id.empty());
        REQUIRE(node.line >= 1);
        REQUIRE(node.options.weight >= 0);
      }
    } catch (const InputError& error) {
      ++errors;
      INFO(error.what());
      REQUIRE(std::string_view(error.what()).starts_with("f.csv:"));
    }
  }
  CHECK(fleets > 1000);  // both outcomes occur
  CHECK(errors > 1000);
}

TEST_CASE("header: columns in any order and case") {
  const auto fleet = ringctl::parse_fleet("# fleet\nID,Rack,weight\na,r1,2\nb,,\n", "f.csv");
  REQUIRE(fleet.nodes.size() == 2);
  CHECK(fleet.nodes[0].id == "a");
  CHECK(fleet.nodes[0].options.rack == "r1");
  CHECK(fleet.nodes[0].options.weight == 2);
  CHECK(fleet.nodes[0].line == 3);
  CHECK(fleet.nodes[1].options.rack.empty());
  CHECK(fleet.nodes[1].options.weight == 1);
}

TEST_CASE("without a header the columns are id, weight, rack, datacenter") {
  const auto fleet = ringctl::parse_fleet("a,0.5,r1,east\nb", "f.csv");
  REQUIRE(fleet.nodes.size() == 2);
  CHECK(fleet.nodes[0].options.weight == 0.5);
  CHECK(fleet.nodes[0].options.rack == "r1");
  CHECK(fleet.nodes[0].options.datacenter == "east");
  CHECK(fleet.nodes[1].id == "b");
  CHECK(fleet.nodes[1].options.weight == 1);
}

TEST_CASE("ids that look like another form are ids if a header or quotes say so") {
  CHECK(ringctl::parse_fleet("[2001:db8::1]:6379,1\nid 1,1\nrack 2\n", "f").nodes.size() == 3);
  CHECK(ringctl::parse_fleet("id,weight\n<a>,1\n[b],1\n{c},1\n", "f").nodes[2].id == "{c}");
  CHECK(ringctl::parse_fleet("\"<a>\",1\n\"[b]\"\n\"id weight\"\n\"c|d\"\n", "f").nodes.size() ==
        4);
}

TEST_CASE("utf8_length recognises UTF-8") {
  using ringctl::utf8_length;
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\0"s) == 1);
  CHECK(utf8_length("\xc3\xa9x") == 2);
  CHECK(utf8_length("\xe2\x82\xac") == 3);
  CHECK(utf8_length("\xf0\x9f\x98\x80") == 4);
  for (const std::string bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x28\xa1"}) {
    CHECK(utf8_length(bad) == 0);
  }
}

TEST_CASE("shown text cannot control a terminal") {
  CHECK(ringctl::shown("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(ringctl::shown("a\x1b[2J\n\x7f\xff") == "a\\x1b[2J\\x0a\\x7f\\xff");
  CHECK(ringctl::shown("\xc2\x9b"
                       "2J") == "\\xc2\\x9b2J");
  // Characters that reorder or hide text: U+202E, U+2066, U+200B, U+00AD, U+FEFF, U+2028, U+E0041.
  CHECK(ringctl::shown("a\u202eb\u2066c") == "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c");
  CHECK(ringctl::shown("\u200b\u00ad") == "\\xe2\\x80\\x8b\\xc2\\xad");
  CHECK(ringctl::shown("\ufeff\u2028") == "\\xef\\xbb\\xbf\\xe2\\x80\\xa8");
  CHECK(ringctl::shown("\U000e0041") == "\\xf3\\xa0\\x81\\x81");
  for (const std::string text : {"a\x1b[2J\xff", "\u202e", "caf\u00e9 \u65e5\u672c e\u0301"}) {
    CHECK(ringctl::shown(ringctl::shown(text)) == ringctl::shown(text));
  }
  CHECK(ringctl::shown("\u65e5\u672c e\u0301 \U0001f600") == "\u65e5\u672c e\u0301 \U0001f600");
}

TEST_CASE("width is counted in a terminal's columns") {
  using ringctl::cells;
  CHECK(cells("") == 0);
  CHECK(cells("cache") == 5);
  CHECK(cells("caf\u00e9") == 4);
  CHECK(cells("e\u0301") == 1);       // with a combining accent
  CHECK(cells("\u65e5\u672c") == 4);  // CJK
  CHECK(cells("\U0001f600") == 2);    // an emoji
  CHECK(cells("\uff76\uff9e") == 2);  // half-width katakana
}

TEST_CASE("a text is cut to its two ends, between characters") {
  using ringctl::cells;
  using ringctl::fitted;
  CHECK(fitted("cache-01", 8) == "cache-01");
  for (const std::string text : {"cache-01.example.org", "\u65e5\u672c\u8a9e\u306e\u30ad\u30fc",
                                 "e\u0301e\u0301e\u0301e\u0301"}) {
    for (std::size_t width = 1; width < cells(text); ++width) {
      const std::string cut = fitted(text, width);
      CAPTURE(text, width, cut);
      CHECK(cells(cut) <= width);
      CHECK(cells(cut) + 2 >= width);  // a wide character can fail to fit at either end
      CHECK(ringctl::shown(cut) == cut);
    }
  }
  CHECK(fitted("anything", 0) == "");
}

TEST_CASE("lines are wrapped at blanks, with their indentation") {
  using ringctl::wrapped;
  CHECK(wrapped("short", 10) == "short");
  CHECK(wrapped("one two three", 8) == "one two\nthree");
  CHECK(wrapped("  --key KEY   a key, or many", 20) == "  --key KEY   a key,\n  or many");
  CHECK(wrapped("  -k K   a key, or many", 20) == "  -k K   a key, or\n         many");
  CHECK(wrapped("abcdefgh", 3) == "abc\ndef\ngh");
  CHECK(wrapped("\u65e5\u672c\u8a9e", 4) == "\u65e5\u672c\n\u8a9e");
}

TEST_CASE("the likely name is suggested") {
  const std::vector<std::string_view> commands{"route", "shares", "diff", "plan", "compare"};
  const auto near = [&](std::string_view word) {
    return std::string(ringctl::nearest(word, commands));
  };
  CHECK(near("rout") == "route");
  CHECK(near("ruote") == "route");
  CHECK(near("share") == "shares");
  CHECK(near("comp") == "compare");
  CHECK(near("DIFF") == "diff");
  CHECK(near("frobnicate") == "");
  CHECK(near("x") == "");
  CHECK(near("") == "");
  CHECK(near(std::string(1000000, 'r')) == "");
  CHECK(ringctl::did_you_mean("rout", commands) == "; did you mean \"route\"?");
}

TEST_CASE("numbers") {
  using namespace ringctl;
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(18446744073709551615u) == "18,446,744,073,709,551,615");
  CHECK(percent(0.0588, percent_decimals(0.0588)) == "5.88%");
  CHECK(percent(1.0, percent_decimals(1.0)) == "100.00%");
  CHECK(percent(0.000123, percent_decimals(0.000123)) == "0.0123%");
  CHECK(percent(0, percent_decimals(0)) == "0.00%");
  CHECK(exact(0.1) == "0.1");
  CHECK(counted(1, "node") == "1 node");
  CHECK(counted(2000, "node") == "2,000 nodes");
}

}  // namespace csv_test
