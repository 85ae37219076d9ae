#include "report/page_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace carom {
namespace {

using ServerClock = std::chrono::steady_clock;

constexpr int wait_ms = 200;
constexpr std::size_t longest_request = 16'384, longest_body = 8'000'000, max_connections = 100;
/// A request has so long to arrive as a whole, and an answer to be fetched.
constexpr std::chrono::seconds request_time{3}, answer_time{60};

std::string_view phrase_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Internal Server Error";
    }
}

std::string_view without_blanks(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

/// Header names do not tell large letters from small ones; `key` is small.
bool is_key(std::string_view name, std::string_view key)
{
    return std::ranges::equal(name, key, {}, [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
}

/// Calls for every line of the head but the first: name and value.
template <class Visit>
void visit_headers(std::string_view request, const Visit& visit)
{
    std::string_view head = request.substr(0, request.find("\r\n\r\n"));
    for (auto end = head.find("\r\n"); end != std::string_view::npos; end = head.find("\r\n")) {
        head.remove_prefix(end + 2);
        const std::string_view line = head.substr(0, head.find("\r\n"));
        const auto colon = line.find(':');
        if (colon != std::string_view::npos)
            visit(line.substr(0, colon), without_blanks(line.substr(colon + 1)));
    }
}

/// Bytes that follow the head; more than `longest_body` when that is too much, or not said as it should be.
std::size_t body_size(std::string_view request)
{
    std::size_t size = 0;
    visit_headers(request, [&](std::string_view name, std::string_view value) {
        if (is_key(name, "transfer-encoding")) size = longest_body + 1;
        if (!is_key(name, "content-length")) return;
        std::size_t number = 0;
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool sound = problem == std::errc{} && end == value.data() + value.size();
        size = std::max(size, sound ? std::min(number, longest_body + 1) : longest_body + 1);
    });
    return size;
}

/// One conversation: a request comes in, an answer goes out.
struct Connection {
    int socket = -1;
    std::string request = {};
    std::string answer = {};
    std::size_t sent = 0;
    ServerClock::time_point deadline = ServerClock::now() + request_time;

    [[nodiscard]] bool is_answering() const { return !answer.empty(); }
};

std::string text_of(const Answer& reply)
{
    return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                       "Content-Security-Policy: frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n"
                       "Referrer-Policy: no-referrer\r\n"
                       "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n{}",
                       reply.status, phrase_of(reply.status), reply.type, reply.body.size(), reply.body);
}

using Handler = std::function<Answer(const Request&)>;

/// `request` is whole: its head, and as many bytes after it as it says.
Answer reply_to(std::string_view request, int port, bool posts, const Handler& answer)
{
    // GET PATH HTTP/1.x
    const std::string_view line = request.substr(0, request.find("\r\n"));
    const bool is_post = posts && line.starts_with("POST ");
    const std::size_t start = is_post ? 5 : 4;
    const auto end = line.find(' ', start);
    if (!(is_post || line.starts_with("GET ")) || end == std::string_view::npos)
        return {.status = 405, .body = posts ? "only GET and POST\n" : "only GET\n"};
    if (!line.substr(end + 1).starts_with("HTTP/1.")) return {.status = 400, .body = "only HTTP/1\n"};
    if (!is_for_port(request, port))
        return {.status = 403, .body = "this server answers its own address only\n"};
    const auto head = request.find("\r\n\r\n");
    return answer({.path = std::string(line.substr(start, end - start)),
                   .posts = is_post,
                   .body = std::string(is_post ? request.substr(head + 4) : std::string_view{})});
}

/// Takes what has come in; false when the other side has gone away.
bool receive(Connection& connection)
{
    std::array<char, 65536> part{};
    const auto got = ::recv(connection.socket, part.data(), part.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.request.append(part.data(), static_cast<std::size_t>(got));
    return true;
}

/// Sends what the other side takes; false when it has all, or has gone away.
bool send_some(Connection& connection)
{
    const std::string_view left = std::string_view(connection.answer).substr(connection.sent);
    const auto sent = ::send(connection.socket, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    connection.sent += static_cast<std::size_t>(sent);
    return connection.sent < connection.answer.size();
}

}  // namespace

bool is_for_port(std::string_view request, int port)
{
    std::string_view host;
    int hosts = 0;
    visit_headers(request, [&](std::string_view name, std::string_view value) {
        if (!is_key(name, "host")) return;
        host = value;
        ++hosts;
    });
    const auto names = [&](std::string_view name) {
        return host == fmt::format("{}:{}", name, port) || (port == 80 && host == name);
    };
    return hosts == 1 && (names("127.0.0.1") || names("localhost"));
}

Expected<PageServer> PageServer::listen(int port)
{
    const auto refused = [&](int socket) {
        const std::string reason = std::strerror(errno);
        if (socket >= 0) ::close(socket);
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = fmt::format("--port {}", port),
                     .message = fmt::format("the port cannot be used: {}", reason),
                     .hint = "give another one, or leave it out",
                     .excerpt = {}};
    };
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return refused(socket);
    const int again = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);

    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket, general, size) != 0 || ::listen(socket, 64) != 0 ||
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

void PageServer::serve(const Handler& answer, const std::function<bool()>& ended, bool posts)
{
    std::vector<Connection> connections;
    const auto accept_one = [&] {
        const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0) return;
        // too many at once: the one that has been here longest makes room
        if (connections.size() >= max_connections) {
            ::close(connections.front().socket);
            connections.erase(connections.begin());
        }
        connections.push_back({.socket = socket});
    };
    // false: this conversation is over
    const auto proceed = [&](Connection& connection, bool ready) {
        if (ServerClock::now() >= connection.deadline) return false;
        if (!ready) return true;
        if (connection.is_answering()) return send_some(connection);
        if (!receive(connection)) return false;
        const auto head = connection.request.find("\r\n\r\n");
        if (head == std::string::npos) return connection.request.size() < longest_request;
        const std::size_t body = posts ? body_size(connection.request) : 0;
        if (body > longest_body) return false;
        if (connection.request.size() < head + 4 + body) {
            connection.deadline = ServerClock::now() + request_time;  // it is still sending
            return true;
        }
        connection.answer = text_of(reply_to(connection.request, port_, posts, answer));
        connection.deadline = ServerClock::now() + answer_time;
        return send_some(connection);
    };

    std::vector<pollfd> watched;
    while (!ended()) {
        watched.assign(1, {.fd = socket_, .events = POLLIN, .revents = 0});
        for (const Connection& connection : connections) {
            watched.push_back({.fd = connection.socket,
                               .events = static_cast<short>(connection.is_answering() ? POLLOUT : POLLIN),
                               .revents = 0});
        }
        if (::poll(watched.data(), watched.size(), wait_ms) < 0) continue;
        std::vector<Connection> left;
        for (std::size_t i = 0; i < connections.size(); ++i) {
            if (proceed(connections[i], watched[i + 1].revents != 0))
                left.push_back(std::move(connections[i]));
            else
                ::close(connections[i].socket);
        }
        connections = std::move(left);
        if ((watched[0].revents & POLLIN) != 0) accept_one();
    }
    for (const Connection& connection : connections)
        ::close(connection.socket);
}

}  // namespace carom
