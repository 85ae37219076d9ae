#include "page_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace carom::app {
namespace {

constexpr int wait_ms = 200;
constexpr std::size_t longest_request = 16'384;

std::string_view phrase_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Internal Server Error";
    }
}

/// Everything up to the empty line, or what came of it in a second.
std::string read_request(int connection)
{
    const timeval patience{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::string request;
    std::array<char, 4096> part{};
    while (request.find("\r\n\r\n") == std::string::npos && request.size() < longest_request) {
        const auto got = ::recv(connection, part.data(), part.size(), 0);
        if (got <= 0) break;
        request.append(part.data(), static_cast<std::size_t>(got));
    }
    return request;
}

void send_all(int connection, std::string_view text)
{
    while (!text.empty()) {
        const auto sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;  // the reader has gone away
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

}  // namespace

Expected<PageServer> PageServer::listen(int port)
{
    const auto refused = [&](int socket) {
        const std::string reason = std::strerror(errno);
        if (socket >= 0) ::close(socket);
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = fmt::format("--port {}", port),
                     .message = fmt::format("the port cannot be had: {}", reason),
                     .hint = "give another one, or leave it out",
                     .excerpt = {}};
    };
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return refused(socket);
    const int again = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);

    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket, general, size) != 0 || ::listen(socket, 16) != 0 ||
        ::getsockname(socket, general, &size) != 0) {
        return refused(socket);
    }
    return PageServer(socket, ntohs(address.sin_port));
}

PageServer::PageServer(PageServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_)
{
}

PageServer::~PageServer()
{
    if (socket_ >= 0) ::close(socket_);
}

bool PageServer::is_for_us(const std::string& request) const
{
    // header names are written in any case
    for (const char* name : {"127.0.0.1", "localhost"}) {
        for (const char* key : {"Host", "host"}) {
            if (request.find(fmt::format("\r\n{}: {}:{}\r\n", key, name, port_)) != std::string::npos)
                return true;
        }
    }
    return false;
}

void PageServer::answer_one(int connection,
                            const std::function<Answer(const std::string& path)>& answer) const
{
    const std::string request = read_request(connection);
    const auto end = request.find(' ', 4);
    Answer reply;
    if (!request.starts_with("GET ") || end == std::string::npos)
        reply = {.status = 405, .body = "only GET\n"};
    else if (!is_for_us(request))
        reply = {.status = 403, .body = "this server answers its own address only\n"};
    else
        reply = answer(request.substr(4, end - 4));
    send_all(connection, fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                                     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                     "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
                                     reply.status, phrase_of(reply.status), reply.type, reply.body.size()));
    send_all(connection, reply.body);
}

void PageServer::serve(const std::function<Answer(const std::string& path)>& answer,
                       const std::function<bool()>& ended)
{
    while (!ended()) {
        pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, wait_ms) <= 0) continue;
        const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) continue;
        answer_one(connection, answer);
        ::close(connection);
    }
}

}  // namespace carom::app
