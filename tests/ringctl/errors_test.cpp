// SPDX-License-Identifier: MIT
// Invalid input: code 2, the place and the reason on standard error, and nothing on standard
// output.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <clockwise/version.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sandbox.hpp"

namespace errors_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

namespace {

void check_refused(const Sandbox& sandbox, const std::string& command, const std::string& message) {
  INFO(command);
  const Result result = sandbox.run(command);
  CHECK(result.code == 2);
  CHECK(result.out == "");
  CHECK_THAT(result.err, Equals("ringctl: " + message + "\n"));
}

}  // namespace

TEST_CASE("fleet files") {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases{
      {"", "f.csv: no nodes listed"},
      {"id,weight\n# none\n", "f.csv: no nodes listed"},
      {"a,0\nb,0\n", "f.csv: every node has weight 0, so no node owns a key"},
      {"a,1\nb,x\n", "f.csv:2: weight \"x\" is not a number"},
      {"a,1 2\n", "f.csv:1: weight \"1 2\" is not a number"},
      {"a,\"1,5\"\n", "f.csv:1: weight \"1,5\" is not a number"},
      {"a,0x10\n", "f.csv:1: weight \"0x10\" is not a number"},
      {"a,-1\n", "f.csv:1: weight must be finite and not negative, got \"-1\""},
      {"a,nan\n", "f.csv:1: weight must be finite and not negative, got \"nan\""},
      {"a,inf\n", "f.csv:1: weight must be finite and not negative, got \"inf\""},
      {"a,1e999\n", "f.csv:1: weight \"1e999\" is out of range"},
      {"a\n\nb,1e9\n",
       "f.csv:3: weight 1000000000 needs more than 16,777,216 vnodes at --vnodes 200; "
       "--relative-weights scales weights to a mean of 1"},
      {"a,80000\nb,80000\nc,80000\nd,80000\ne,80000\n",
       "f.csv: weights of 400000 in all need 80,000,000 vnodes at --vnodes 200, about 2,560 MB; "
       "--relative-weights scales weights to a mean of 1, --max-vnodes 80000000 allows this many"},
      {"a\n# a\nb\na\n", "f.csv:4: node \"a\" is already on line 1"},
      {"a\n,1\n", "f.csv:2: the id is empty"},
      {"a,1,r,d,e\n", "f.csv:1: 5 fields, but only 4 columns"},
      {"id,weight\na,1,r\n", "f.csv:2: 3 fields, but only 2 columns"},
      {"id,wieght\na,1\n",
       "f.csv:1: unknown column \"wieght\"; did you mean \"weight\"?; the columns are id, weight, "
       "rack and datacenter, and "
       "for some engines tokens, slots, replica_of and server_id"},
      {"id,rack,rack\na,1\n", "f.csv:1: column \"rack\" is listed twice"},
      {"a\n\"b\n", "f.csv:2: unterminated quote"},
      {"rack,weight\nr1,2\n",
       "f.csv:1: this line names columns, but none of them \"id\"; quote it if it is a node"},
      {"host,weight\na,2\n",
       "f.csv:1: unknown column \"host\"; the columns are id, weight, rack and datacenter, and for "
       "some engines tokens, slots, replica_of and server_id"},
      {"a;1\nb;2\n",
       "f.csv:1: fields are separated by commas, unless a header such as id;weight says otherwise; "
       "quote \"a;1\" if it is an id"},
      {"a\t1\n",
       "f.csv:1: fields are separated by commas, unless a header such as id;weight says otherwise; "
       "quote \"a\\x091\" if it is an id"},
      {"a|1\nb|2\n",
       "f.csv:1: fields are separated by commas, unless a header such as id;weight says otherwise; "
       "quote \"a|1\" if it is an id"},
      {"id weight\na 1\n",
       "f.csv:1: fields are separated by commas, unless a header such as id;weight says otherwise; "
       "quote \"id weight\" if it is an id"},
      {"Weight | ID\n1 | a\n",
       "f.csv:1: fields are separated by commas, unless a header such as id;weight says otherwise; "
       "quote \"Weight | ID\" if it is an id"},
      {"<!DOCTYPE html><html></html>\n",
       "f.csv:1: this is not CSV; quote \"<!DOCTYPE html><html></html>\" if it is an id"},
      {"a\n[b]\nweight = 1\n", "f.csv:2: this is not CSV; quote \"[b]\" if it is an id"},
      {"[1, 2]\n", "f.csv:1: this is not CSV; quote \"[1\" if it is an id"},
      {"a\nb\x01\n", "f.csv:2:2: control character \\x01 outside quotes; this is not CSV"},
  };
  const Sandbox sandbox;
  for (const auto& [text, message] : cases) {
    sandbox.write("f.csv", text);
    check_refused(sandbox, "ringctl route f.csv --key k", message);
    check_refused(sandbox, "ringctl shares f.csv --format csv", message);
  }
  sandbox.write("good.csv", "a\n");
  sandbox.write("f.csv", "a,x\n");
  check_refused(sandbox, "ringctl diff good.csv f.csv", "f.csv:1: weight \"x\" is not a number");
}

TEST_CASE("files that cannot be read") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  sandbox.write("k", "key\n");
  check_refused(sandbox, "ringctl shares no.csv", "cannot read no.csv: No such file or directory");
  check_refused(sandbox, "ringctl shares .", "cannot read .: Is a directory");
  check_refused(sandbox, "ringctl route f.csv k nokeys",
                "cannot read nokeys: No such file or directory; if it is a key, use --key nokeys");
  check_refused(sandbox, "ringctl route f.csv k /", "cannot read /: Is a directory");
  check_refused(sandbox, "ringctl diff f.csv f.csv nokeys",
                "cannot read nokeys: No such file or directory; if it is a key, use --key nokeys");
  check_refused(sandbox, "ringctl route f.csv <&-",
                "cannot read standard input: Bad file descriptor");
  check_refused(sandbox, "ringctl route - <f.csv", "standard input (-) can be read only once");
  check_refused(sandbox, "ringctl diff - - <f.csv", "standard input (-) can be read only once");
  check_refused(sandbox, "head -c 300000000 /dev/zero | ringctl shares -",
                "standard input: larger than 256 MiB, the limit for fleet files");
}

TEST_CASE("arguments") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  check_refused(
      sandbox, "ringctl",
      "no command given; the commands are route, shares, diff, plan, durability, compare, "
      "fingerprint and convert; see ringctl --help");
  check_refused(sandbox, "ringctl route", "FLEET is required; see ringctl route --help");
  check_refused(sandbox, "ringctl diff f.csv", "AFTER is required; see ringctl diff --help");
  for (const std::string value :
       {"0", "-1", "+1", "1.5", "x", "''", "16777217", "99999999999999999999"}) {
    const Result result = sandbox.run("ringctl shares f.csv --vnodes=" + value);
    INFO(value);
    CHECK(result.code == 2);
    CHECK(result.out == "");
    CHECK_THAT(result.err, ContainsSubstring("--vnodes"));
  }
  check_refused(
      sandbox, "ringctl route f.csv --replicas 0",
      "--replicas must be a whole number from 1 to 1,000, got \"0\"; see ringctl route --help");
  check_refused(sandbox, "ringctl route f.csv --hash md5",
                "--hash must be xxh3 or xxh64, got \"md5\"; see ringctl route --help");
  check_refused(sandbox, "ringctl route f.csv --hash xxh3:",
                "the seed of --hash must be a whole number from 0 to "
                "18,446,744,073,709,551,615, got \"\"; see ringctl route --help");
  check_refused(sandbox, "ringctl route f.csv --format xml",
                "--format must be text, csv or json, got \"xml\"; see ringctl route --help");
  check_refused(
      sandbox, "ringctl route f.csv --spread rows",
      "--spread must be nodes, racks or racks_only, got \"rows\"; see ringctl route --help");
  check_refused(sandbox, "ringctl route f.csv --key k --dead a,c",
                "--dead: no node \"c\" in f.csv");
}

TEST_CASE("the likely meaning is suggested") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "cache-01\ncache-02\n");
  check_refused(sandbox, "ringctl rout f.csv",
                "unknown command \"rout\"; did you mean \"route\"? See ringctl --help");
  check_refused(sandbox, "ringctl frobnicate",
                "unknown command \"frobnicate\"; the commands are route, shares, diff, plan, "
                "durability, compare, fingerprint and convert; see ringctl --help");
  check_refused(sandbox, "ringctl help durabilty",
                "unknown command \"durabilty\"; did you mean \"durability\"? See ringctl --help");
  check_refused(
      sandbox, "ringctl --format json shares f.csv",
      "unknown option \"--format\"; the options of a command follow it; see ringctl --help");
  check_refused(sandbox, "ringctl shares f.csv --vnode 3",
                "unknown option \"--vnode\"; did you mean \"--vnodes\"? See ringctl shares --help");
  check_refused(sandbox, "ringctl shares f.csv -vnodes 3",
                "unknown option \"-vnodes\"; did you mean \"--vnodes\"? See ringctl shares --help");
  check_refused(sandbox, "ringctl shares f.csv --frobnicate=1",
                "unknown option \"--frobnicate\"; see ringctl shares --help");
  check_refused(sandbox, "ringctl shares f.csv -x",
                "unknown option \"-x\"; see ringctl shares --help");
  check_refused(sandbox, "ringctl shares f.csv --vnodes",
                "--vnodes needs a value: --vnodes N; see ringctl shares --help");
  check_refused(sandbox, "ringctl shares f.csv --vnodes 1 --vnodes=2",
                "--vnodes is given twice; see ringctl shares --help");
  check_refused(sandbox, "ringctl route f.csv --null=x",
                "--null takes no value, got \"x\"; see ringctl route --help");
  check_refused(sandbox, "ringctl shares f.csv g.csv",
                "unexpected argument \"g.csv\"; see ringctl shares --help");
  check_refused(sandbox, "ringctl route f.csv --scheme ketma",
                "--scheme must be a scheme, got \"ketma\"; did you mean \"ketama\"? "
                "See ringctl route --help");
  check_refused(sandbox, "ringctl convert f.csv",
                "--to is required: --to FORM; see ringctl convert --help");
  check_refused(sandbox, "ringctl convert f.csv --to jsno",
                "--to must be csv, json or wire, got \"jsno\"; did you mean \"json\"? "
                "See ringctl convert --help");
  check_refused(sandbox, "ringctl route f.csv --key k --dead cache-1",
                "--dead: no node \"cache-1\" in f.csv; did you mean \"cache-01\"?");
  check_refused(
      sandbox, "ringctl route f.csv user:42",
      "cannot read user:42: No such file or directory; if it is a key, use --key user:42");
  check_refused(
      sandbox, "ringctl diff f.csv f.csv user:42",
      "cannot read user:42: No such file or directory; if it is a key, use --key user:42");
  check_refused(sandbox, "ringctl route f.csv --dead cache-01 cache-02",
                "cannot read cache-02: No such file or directory; --dead takes one list of ids, as "
                "in --dead a,b");
  check_refused(sandbox, "ringctl durability f.csv --dead cache-01 cache-02",
                "unexpected argument \"cache-02\"; --dead takes one list of ids, as in --dead a,b; "
                "see ringctl durability --help");
  check_refused(
      sandbox, "ringctl route f.csv --key k --vnodes 3 --scheme ketama",
      "--vnodes applies only to --scheme clockwise, not ketama; see ringctl route --help");
}

TEST_CASE("arguments are taken literally") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  sandbox.write("[x,y]", "k\n");
  const auto keys = [&](const std::string& arguments) {
    const Result result = sandbox.run("ringctl route --format json -r 1 " + arguments);
    CHECK(result.code == 0);
    CHECK(result.err == "");
    std::vector<std::string> found;
    for (const std::string& line : split(result.out)) {
      found.push_back(nlohmann::json::parse(line)["key"]);
    }
    return found;
  };
  using Keys = std::vector<std::string>;
  CHECK(keys("f.csv -k= --key=--help --key -k -kx") == Keys{"=", "--help", "-k", "x"});
  CHECK(keys("--key= f.csv") == Keys{""});
  CHECK(keys("-0k a -k [b,c] -- f.csv") == Keys{"a", "[b,c]"});
  CHECK(keys("f.csv '[x,y]' -k '[]'") == Keys{"[]", "k"});
  CHECK(sandbox.run("ringctl fingerprint '[x,y]' '[x,y]'").code == 0);
  CHECK_THAT(sandbox.run("ringctl help route").out, ContainsSubstring("Usage: ringctl route"));
  CHECK(sandbox.run("ringctl route --help --frobnicate").out ==
        sandbox.run("ringctl help route").out);
}

TEST_CASE("a leading zero does not mean octal") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\n");
  CHECK_THAT(sandbox.run("ringctl shares f.csv --vnodes 010").out, ContainsSubstring("10 vnodes"));
}

TEST_CASE("a result that cannot be written is an error") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  sandbox.write("k", lines(make_keys(20000)));
  for (const std::string command :
       {"route f.csv k", "route f.csv --key k", "shares f.csv", "shares f.csv --format json",
        "diff f.csv f.csv", "diff f.csv f.csv --format csv", "--help", "--version"}) {
    INFO(command);
    const Result full = sandbox.run("ringctl " + command + " >/dev/full");
    CHECK(full.code == 2);
    CHECK(full.err == "ringctl: cannot write to standard output: No space left on device\n");
    const Result closed = sandbox.run("ringctl " + command + " >&-");
    CHECK(closed.code == 2);
    CHECK(closed.err == "ringctl: cannot write to standard output: Bad file descriptor\n");
  }
}

TEST_CASE("an unwritable result is reported before the work, and no file changes") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  sandbox.write("old.svg", "kept");
  const std::string slow = "ringctl compare f.csv --keys 100000000 --svg ";  // would take minutes
  CHECK(sandbox.run(slow + "new.svg >&-").code == 2);
  CHECK(sandbox.run("test -e new.svg").code == 1);
  const Result folder = sandbox.run(slow + "no/chart.svg");
  CHECK(folder.code == 2);
  CHECK(folder.out == "");
  CHECK(folder.err == "ringctl: cannot write no/chart.svg: No such file or directory\n");
  CHECK(sandbox.run(slow + ". ").err == "ringctl: cannot write .: Is a directory\n");
  // A job that is stopped creates no file and does not change an existing one.
  CHECK(sandbox.run("timeout 1 " + slow + "old.svg").code == 124);
  CHECK(sandbox.read("old.svg") == "kept");
  CHECK(sandbox.run("timeout 1 " + slow + "new.svg").code == 124);
  CHECK(sandbox.run("test -e new.svg").code == 1);
  CHECK(sandbox.run("ringctl compare f.csv --keys 10 --svg old.svg 2>&-").code == 0);
  CHECK(sandbox.read("old.svg").substr(0, 5) == "<svg ");
}

TEST_CASE("a closed pipe ends the program without a message") {
  const Sandbox sandbox;
  sandbox.write("f.csv", "a\nb\n");
  sandbox.write("k", lines(make_keys(100000)));
  // It notices by the signal or, if that is ignored, by the error.
  for (const std::string trap : {"", "trap '' PIPE; "}) {
    INFO(trap);
    const Result result = sandbox.run(
        "{ " + trap + "ringctl route f.csv k --format csv; echo $? >code; } | head -n 1");
    CHECK(result.out == "key,owner,replica1,replica2,replica3,substitutes\n");
    CHECK(result.err == "");
    CHECK(sandbox.read("code") == (trap.empty() ? "141\n" : "2\n"));
  }
}

TEST_CASE("help and version") {
  const Sandbox sandbox;
  CHECK(sandbox.run("ringctl --version").out ==
        "ringctl " + std::to_string(CLOCKWISE_VERSION_MAJOR) + '.' +
            std::to_string(CLOCKWISE_VERSION_MINOR) + '.' +
            std::to_string(CLOCKWISE_VERSION_PATCH) + " (placement contract 1)\n");
  for (const std::string command :
       {"", "route", "shares", "diff", "plan", "durability", "compare", "fingerprint", "convert"}) {
    const Result result = sandbox.run("ringctl " + command + " --help");
    CHECK(result.code == 0);
    CHECK(result.err == "");
    CHECK_THAT(result.out, ContainsSubstring("Usage: ringctl"));
    for (const std::string& line : split(result.out)) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}

}  // namespace errors_test
