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
#include "model/text.hpp"
#include "output/csv.hpp"

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
  CHECK(parse("a\0b,\xff\n"s) == std::vector<Fields>{{"a\0b"s, "\xff"}});
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
                       Message("f.csv:1: a carriage return without a line feed; put the field in "
                               "quotes if it belongs"));
  CHECK_THROWS_MATCHES(parse("\xff\xfe"
                             "a\0"s),
                       InputError, Message("f.csv:1: this is UTF-16; save it as UTF-8"));
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

TEST_CASE("shown text cannot move a terminal's cursor") {
  CHECK(ringctl::shown("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(ringctl::shown("a\x1b[2J\n\x7f\xff") == "a\\x1b[2J\\x0a\\x7f\\xff");
  CHECK(ringctl::shown("\xc2\x9b"
                       "2J") == "\\xc2\\x9b2J");
  CHECK(ringctl::columns("caf\xc3\xa9") == 4);
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
