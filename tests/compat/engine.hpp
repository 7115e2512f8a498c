// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_COMPAT_ENGINE_HPP
#define CLOCKWISE_TESTS_COMPAT_ENGINE_HPP

// Starts an engine on loopback, talks to it, and always stops it. Every wait is bounded.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace clockwise_test {

inline constexpr std::chrono::seconds patience{15};

/// The program's path; empty if it is not installed.
inline std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream directories(std::string(path == nullptr ? "" : path) +
                                 ":/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string program = directory + "/" + name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

/// The program's path; if it is not installed, skips the test with that reason.
inline std::string require_program(const std::string& name, const std::string& package) {
  std::string program = find_program(name);
  if (program.empty()) SKIP(name << " was not found: install the package " << package);
  return program;
}

/// A temporary directory, removed with this object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "clockwise-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Ports that nothing listens on. They are below the ports of outgoing connections, which could
/// otherwise take one before the engine starts. Each process starts at another port, so that
/// parallel tests do not collide.
inline std::vector<std::uint16_t> free_ports(std::size_t count) {
  constexpr std::uint32_t first = 10'000;
  constexpr std::uint32_t range = 20'000;
  constexpr std::uint32_t apart = 64;  // ports per process
  const std::uint32_t start = static_cast<std::uint32_t>(getpid()) * apart;
  std::vector<std::uint16_t> ports;
  static std::uint32_t next = 0;  // the next port for this process
  for (const std::uint32_t end = next + range; ports.size() < count; ++next) {
    if (next == end) throw std::runtime_error("no free port");
    const auto port = static_cast<std::uint16_t>(first + (start + next) % range);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) ports.push_back(port);
    close(fd);
  }
  return ports;
}

/// A running program, with its output in a file. Stopped by the destructor, or by the kernel if the
/// test is killed.
class Process {
 public:
  Process(std::vector<std::string> arguments, std::string log)
      : name_(arguments[0]), log_(std::move(log)) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ > 0) return;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    const int output = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int input = open("/dev/null", O_RDONLY);
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Process(Process&& other) noexcept
      : name_(std::move(other.name_)),
        log_(std::move(other.log_)),
        pid_(std::exchange(other.pid_, -1)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < deadline) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  /// Throws, with the program's output, if it has ended.
  void check_runs() {
    if (waitpid(pid_, nullptr, WNOHANG) != pid_) return;
    pid_ = -1;
    throw std::runtime_error(name_ + " ended:\n" + contents(log_));
  }

 private:
  std::string name_;
  std::string log_;
  pid_t pid_ = -1;
};

/// A stream to a port, on loopback by default; reads and writes time out.
class Connection {
 public:
  explicit Connection(std::uint16_t port, const std::string& host = "127.0.0.1")
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    const timeval limit{patience.count(), 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close(fd_);
      throw std::runtime_error("nothing listens on " + host + ":" + std::to_string(port));
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw std::runtime_error(std::string("send: ") + std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Reads up to and including `end`.
  std::string read_until(std::string_view end) {
    std::size_t at = 0;
    while ((at = buffer_.find(end)) == std::string::npos) receive();
    return taken(at + end.size());
  }
  std::string read(std::size_t count) {
    while (buffer_.size() < count) receive();
    return taken(count);
  }

 private:
  void receive() {
    char bytes[16384];
    const ssize_t count = recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) {
      throw std::runtime_error("the other side sent no more than " + buffer_);
    }
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
  std::string taken(std::size_t count) {
    std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
  }

  int fd_;
  std::string buffer_;
};

/// Waits until done() returns true, while the program runs.
template <class Done>
void wait_for(Process& process, const std::string& what, Done done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    process.check_runs();
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited for " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

inline void wait_for_port(Process& process, std::uint16_t port,
                          const std::string& host = "127.0.0.1") {
  wait_for(process, host + ":" + std::to_string(port), [&] {
    try {
      const Connection connection(port, host);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
}

/// Returns the body of the response to GET `target` on a kept-alive connection. `headers` end in
/// \r\n.
inline std::string http_get(Connection& connection, const std::string& target,
                            const std::string& headers = {}) {
  connection.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  const std::string head = connection.read_until("\r\n\r\n");
  if (!head.starts_with("HTTP/1.1 200")) throw std::runtime_error("GET " + target + ": " + head);
  std::string lower;
  for (const char c : head) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t at = lower.find("content-length: ");
  if (at == std::string::npos) throw std::runtime_error("no length: " + head);
  return connection.read(std::strtoul(lower.c_str() + at + 16, nullptr, 10));
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_COMPAT_ENGINE_HPP
