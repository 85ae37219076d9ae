#pragma once

#include "carom/core/expected.hpp"

#include <functional>
#include <string>

namespace carom::app {

/// What a server sends.
struct Answer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
};

/// A small HTTP server for one person at this machine: it listens on 127.0.0.1 only, takes one request after
/// the other, knows GET alone, and answers only requests that name this very address, so that pages from
/// elsewhere cannot ask it through a name of their own.
class PageServer {
public:
    /// Port 0: any free one. Errors: SettingOutOfRange when the port cannot be had.
    [[nodiscard]] static Expected<PageServer> listen(int port);

    PageServer(PageServer&& other) noexcept;
    PageServer& operator=(PageServer&&) = delete;
    ~PageServer();

    [[nodiscard]] int port() const noexcept { return port_; }

    /// Answers until `ended` says so; it is asked several times a second.
    void serve(const std::function<Answer(const std::string& path)>& answer,
               const std::function<bool()>& ended);

private:
    PageServer(int socket, int port) : socket_(socket), port_(port) {}
    void answer_one(int connection, const std::function<Answer(const std::string& path)>& answer) const;
    [[nodiscard]] bool is_for_us(const std::string& request) const;

    int socket_ = -1;
    int port_ = 0;
};

}  // namespace carom::app
