// SPDX-License-Identifier: MIT

// A memcached client that places keys as libmemcached does, and its hit rate when a server joins:
// with ketama the rate falls to 1 - 1/(N + 1), with hash mod N to 1/(N + 1).
//
//   memcached_fleet                              starts five memcached processes
//   memcached_fleet 10.0.0.1:11211 10.0.0.2 ...  uses and FLUSHES these; the last one joins
//
// The parts to reuse are Connection and Client, about 100 lines.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <clockwise/compat/ketama.hpp>
#include <clockwise/mod_n.hpp>
#include <clockwise/movement.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// One server over memcached's text protocol.
class Connection {
 public:
  /// "host" or "host:port".
  explicit Connection(const std::string& server) {
    const std::size_t colon = server.rfind(':');
    const std::string host = server.substr(0, colon);
    const std::string port = colon == std::string::npos ? "11211" : server.substr(colon + 1);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
      throw std::runtime_error("no address for " + server);
    }
    for (const addrinfo* at = found; at != nullptr && fd_ < 0; at = at->ai_next) {
      fd_ = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
      if (fd_ >= 0 && connect(fd_, at->ai_addr, at->ai_addrlen) != 0) {
        close(fd_);
        fd_ = -1;
      }
    }
    freeaddrinfo(found);
    if (fd_ < 0) throw std::runtime_error("cannot connect to " + server);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }

  void set(const std::string& key, const std::string& value) {
    send("set " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n");
    expect("STORED");
  }

  std::optional<std::string> get(const std::string& key) {
    send("get " + key + "\r\n");
    const std::string head = line();  // VALUE <key> <flags> <bytes>, or END
    if (head == "END") return std::nullopt;
    if (head.rfind("VALUE ", 0) != 0) throw std::runtime_error("memcached said " + head);
    const std::string value = read(std::stoul(head.substr(head.rfind(' ') + 1)));
    expect("");
    expect("END");
    return value;
  }

  void flush_all() {
    send("flush_all\r\n");
    expect("OK");
  }

 private:
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw std::runtime_error("the server closed the connection");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void expect(std::string_view wanted) {
    const std::string got = line();
    if (got != wanted) throw std::runtime_error("memcached said " + got);
  }
  std::string line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) receive();
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }
  std::string read(std::size_t count) {
    while (buffer_.size() < count) receive();
    const std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
  }
  void receive() {
    char bytes[4096];
    const ssize_t count = recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) throw std::runtime_error("the server closed the connection");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }

  int fd_ = -1;
  std::string buffer_;
};

/// A cache over many servers. `Placement` is any partitioner of strings.
template <class Placement>
class Client {
 public:
  explicit Client(const std::vector<std::string>& servers) {
    for (const std::string& server : servers) join(server);
  }

  void join(const std::string& server) {
    connections_[server] = std::make_unique<Connection>(server);
    placement_.add(server);
  }
  void leave(const std::string& server) {
    placement_.remove(server);
    connections_.erase(server);
  }

  void set(const std::string& key, const std::string& value) { owner(key).set(key, value); }
  std::optional<std::string> get(const std::string& key) { return owner(key).get(key); }
  void flush_all() {
    for (auto& [server, connection] : connections_) connection->flush_all();
  }

  const Placement& placement() const { return placement_; }

 private:
  Connection& owner(const std::string& key) { return *connections_.at(placement_.lookup(key)); }

  Placement placement_;
  std::map<std::string, std::unique_ptr<Connection>> connections_;
};

/// memcached processes, which end with this object.
class OwnServers {
 public:
  explicit OwnServers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) start();
  }
  OwnServers(const OwnServers&) = delete;
  OwnServers& operator=(const OwnServers&) = delete;
  ~OwnServers() {
    for (const pid_t process : processes_) kill(process, SIGTERM);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  void start() {
    const std::string port = free_port();
    const pid_t process = fork();
    if (process < 0) throw std::runtime_error("fork failed");
    if (process == 0) {
      execlp("memcached", "memcached", "-l", "127.0.0.1", "-p", port.c_str(), "-U", "0", "-m", "64",
             "-t", "1", "-u", "root", static_cast<char*>(nullptr));
      _exit(127);
    }
    processes_.push_back(process);
    names_.push_back("127.0.0.1:" + port);
    for (int attempt = 0; attempt < 500; ++attempt) {
      try {
        const Connection connection(names_.back());
        return;
      } catch (const std::runtime_error&) {
        int status = 0;
        if (waitpid(process, &status, WNOHANG) == process) {
          processes_.pop_back();
          throw std::runtime_error("memcached did not start; is it installed?");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    throw std::runtime_error("memcached does not answer");
  }

  static std::string free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    const bool ok = bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    close(fd);
    if (!ok) throw std::runtime_error("no free port");
    return std::to_string(ntohs(address.sin_port));
  }

  std::vector<pid_t> processes_;
  std::vector<std::string> names_;
};

constexpr int key_count = 20000;
constexpr int window = 4000;

/// Reads all keys once, storing each miss from the origin; returns the hits in each window.
template <class Placement>
std::vector<int> read_through(Client<Placement>& client) {
  std::vector<int> hits(key_count / window);
  for (int i = 0; i < key_count; ++i) {
    const std::string key = "user:" + std::to_string(i);
    if (const auto value = client.get(key)) {
      if (*value != "profile of " + key) throw std::runtime_error("a wrong value for " + key);
      ++hits[static_cast<std::size_t>(i / window)];
    } else {
      client.set(key, "profile of " + key);
    }
  }
  return hits;
}

struct Run {
  std::vector<int> hits;  // window by window
  int after_join = 0;     // in the pass after the join
  int predicted = 0;      // by comparing the placements
};

/// Fills the cache, reads it, joins the last server, reads it twice.
template <class Placement>
Run run(const std::vector<std::string>& servers) {
  const std::vector<std::string> first(servers.begin(), servers.end() - 1);
  {
    Client<Placement>(servers).flush_all();
  }
  Client<Placement> client(first);
  read_through(client);
  Run run;
  const auto append = [&](const std::vector<int>& hits) {
    run.hits.insert(run.hits.end(), hits.begin(), hits.end());
  };
  append(read_through(client));

  const Placement before = client.placement();
  client.join(servers.back());
  clockwise::KeyMovement moved(before, client.placement());
  for (int i = 0; i < key_count; ++i) moved.observe("user:" + std::to_string(i));
  run.predicted = key_count - static_cast<int>(moved.moved());

  const std::vector<int> hits = read_through(client);
  append(hits);
  for (const int count : hits) run.after_join += count;
  append(read_through(client));
  return run;
}

std::string bar(double share) {
  std::string text(static_cast<std::size_t>(share * 24 + 0.5), '#');
  text.resize(24, '.');
  return text;
}

double share(int part, int whole) { return static_cast<double>(part) / whole; }

int show(const std::vector<std::string>& servers) {
  const Run ketama = run<clockwise::KetamaRing>(servers);
  const Run modulo = run<clockwise::ModN<clockwise::Xxh3, std::string>>(servers);
  const std::size_t count = servers.size() - 1;
  std::printf("%d keys on %zu servers; %s joins. Hit rates:\n\n", key_count, count,
              servers.back().c_str());
  std::printf("%9s  %-32s  %-32s\n", "requests", "ketama", "hash mod N");
  for (std::size_t i = 0; i < ketama.hits.size(); ++i) {
    if (i == ketama.hits.size() / 3) std::printf("%9s\n", "-- joins");
    const double one = share(ketama.hits[i], window);
    const double other = share(modulo.hits[i], window);
    std::printf("%9zu  %s %5.1f%%   %s %5.1f%%\n", (i + 1) * window, bar(one).c_str(), 100 * one,
                bar(other).c_str(), 100 * other);
  }
  const double n = static_cast<double>(count);
  const auto summary = [](const char* name, const Run& result, const char* rule, double expected) {
    std::printf("%-11s keeps %5.1f%% of the hits; predicted %5.1f%%; %s = %5.1f%%\n", name,
                100 * share(result.after_join, key_count), 100 * share(result.predicted, key_count),
                rule, 100 * expected);
    return result.after_join == result.predicted;
  };
  std::printf("\n");
  const bool one = summary("ketama", ketama, "1 - 1/(N + 1)", 1 - 1 / (n + 1));
  const bool other = summary("hash mod N", modulo, "    1/(N + 1)", 1 / (n + 1));
  if (one && other) return 0;
  std::fprintf(stderr, "memcached_fleet: the hits differ from the prediction\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> given(argv + 1, argv + argc);
    if (given.size() == 1) throw std::runtime_error("name at least two servers, or none");
    if (!given.empty()) return show(given);
    const OwnServers own(5);
    return show(own.names());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memcached_fleet: %s\n", error.what());
    return 2;
  }
}
