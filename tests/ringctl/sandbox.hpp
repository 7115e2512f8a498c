// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_RINGCTL_SANDBOX_HPP
#define CLOCKWISE_TESTS_RINGCTL_SANDBOX_HPP

#include <stdlib.h>
#include <sys/wait.h>

#include <clockwise/hash_ring.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The result of a command.
struct Result {
  int code;  ///< 128 + the signal's number if a signal ended it.
  std::string out;
  std::string err;
};

/// A temporary folder in which a shell runs commands: `ringctl` is the program just built, the
/// locale is C, and standard input is empty.
class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ringctl-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
  }
  ~Sandbox() { std::filesystem::remove_all(folder_); }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
  }

  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Result run(const std::string& command) const {
    write(".command", "cd '" + folder_.string() +
                          "' && PATH='" RINGCTL_FOLDER "':\"$PATH\" && export LC_ALL=C\n" +
                          command + "\n");
    const std::string script = "'" + (folder_ / ".command").string() + "'";
    const int status = std::system(
        ("sh " + script + " </dev/null >" + script + ".out 2>" + script + ".err").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".command.out"),
            read(".command.err")};
  }

 private:
  std::filesystem::path folder_;
};

using FleetEntries = std::vector<std::pair<std::string, clockwise::NodeOptions>>;
template <class Hash = clockwise::Xxh3>
using FleetRing = clockwise::HashRing<Hash, std::string, std::uint32_t>;

/// cache01, cache02, … in four racks.
inline FleetEntries make_fleet(int nodes) {
  FleetEntries fleet;
  for (int i = 1; i <= nodes; ++i) {
    fleet.push_back({(i < 10 ? "cache0" : "cache") + std::to_string(i),
                     {1.0, "rack-" + std::to_string(i % 4), ""}});
  }
  return fleet;
}

/// Returns the fleet file, for ids and racks that need no quotes.
inline std::string fleet_file(const FleetEntries& fleet) {
  std::string text = "id,weight,rack,datacenter\n";
  for (const auto& [id, options] : fleet) {
    text += id + ',' + std::to_string(options.weight) + ',' + options.rack + ',' +
            options.datacenter + '\n';
  }
  return text;
}

/// user:0, user:1, …
inline std::vector<std::string> make_keys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back("user:" + std::to_string(i));
  return keys;
}

inline std::string lines(const std::vector<std::string>& keys, char end = '\n') {
  std::string text;
  for (const std::string& key : keys) text += key + end;
  return text;
}

inline std::vector<std::string> split(std::string_view text, char end = '\n') {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t size = text.find(end);
    parts.emplace_back(text.substr(0, size));
    text.remove_prefix(size == text.npos ? text.size() : size + 1);
  }
  return parts;
}

#endif  // CLOCKWISE_TESTS_RINGCTL_SANDBOX_HPP
