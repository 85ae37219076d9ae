#pragma once

#include "carom/core/expected.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace carom {

/// What a server sends.
struct Answer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
};

/// What a server is asked: a path, and what was sent with it.
struct Request {
    std::string path;
    bool posts = false;  ///< POST instead of GET
    std::string body;
};

/// The request is for this very server: one Host line among its headers, and that names 127.0.0.1 or
/// localhost with the port (port 80 may be left out). Pages from elsewhere cannot ask through a name of their
/// own.
[[nodiscard]] bool is_for_port(std::string_view request, int port);

/// A small HTTP server for one person at this machine: it listens on 127.0.0.1 only, knows GET, and POST of
/// up to 8 MB where it is wanted, and answers only requests that name this very address. Connections are
/// looked at in turn, whoever has something to say or to hear: one that is slow or silent keeps nobody
/// waiting, and is closed when its time is up.
class PageServer {
public:
    /// Port 0: any free one. Errors: SettingOutOfRange when the port cannot be had.
    [[nodiscard]] static Expected<PageServer> listen(int port);

    PageServer(PageServer&& other) noexcept;
    PageServer& operator=(PageServer&&) = delete;
    ~PageServer();

    [[nodiscard]] int port() const noexcept { return port_; }

    /// Answers until `ended` says so; it is asked several times a second. `posts`: POST is answered too.
    void serve(const std::function<Answer(const Request& request)>& answer,
               const std::function<bool()>& ended, bool posts = false);

private:
    PageServer(int socket, int port) : socket_(socket), port_(port) {}

    int socket_ = -1;
    int port_ = 0;
};

}  // namespace carom
