#include "support.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

/// The page of a run, as a browser asks for it, and as those ask who are no browser.

using namespace carom::test;

namespace {

/// carom view of a small run; `port` is where it answers.
class Viewer {
public:
    explicit Viewer(const Folder& folder)
    {
        const std::string run = folder.path("run.h5");
        REQUIRE(
            carom_program({"run", folder.write("s.toml", ball), "-o", run, "--no-svg", "--quiet"}).status ==
            0);
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        process_ = fork();
        if (process_ == 0) {
            dup2(ends[1], 1);
            execl(CAROM_PROGRAM, CAROM_PROGRAM, "view", run.c_str(), nullptr);
            _exit(127);
        }
        close(ends[1]);
        std::string address;
        for (char letter = 0; read(ends[0], &letter, 1) == 1 && letter != '\n';)
            address += letter;
        close(ends[0]);
        port = std::atoi(address.substr(address.rfind(':') + 1).c_str());
    }
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;
    ~Viewer()
    {
        kill(process_, SIGINT);
        waitpid(process_, nullptr, 0);
    }

    [[nodiscard]] int connection() const
    {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        return socket;
    }

    [[nodiscard]] std::string answer_to(const std::string& request) const
    {
        const int socket = connection();
        REQUIRE(send(socket, request.data(), request.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(request.size()));
        std::string text;
        char part[4096];
        for (ssize_t got = 0; (got = recv(socket, part, sizeof part, 0)) > 0;)
            text.append(part, static_cast<std::size_t>(got));
        close(socket);
        return text;
    }

    [[nodiscard]] std::string get(const std::string& headers, const std::string& path = "/") const
    {
        return answer_to("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n");
    }

    int port = 0;

private:
    pid_t process_ = -1;
};

}  // namespace

TEST_CASE("clients that are slow or silent keep nobody waiting")
{
    const Folder folder;
    const Viewer viewer(folder);
    const std::string host = "Host: 127.0.0.1:" + std::to_string(viewer.port) + "\r\n";
    std::vector<int> slow;
    for (int i = 0; i < 30; ++i)
        slow.push_back(viewer.connection());
    for (int i = 0; i < 15; ++i)
        send(slow[static_cast<std::size_t>(i)], "GET / HT", 8, MSG_NOSIGNAL);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i)
        CHECK(contains(viewer.get(host), "200 OK"));
    // a second of patience for each of the thirty would have been half a minute
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(8));
    for (const int socket : slow)
        close(socket);
}

TEST_CASE("the page answers its own address only, in one Host line among the headers")
{
    const Folder folder;
    const Viewer viewer(folder);
    const std::string at = std::to_string(viewer.port), good = "Host: 127.0.0.1:" + at + "\r\n";
    CHECK(contains(viewer.get(good), "200 OK"));
    CHECK(contains(viewer.get("Accept: */*\r\nhOST:localhost:" + at + "  \r\n"), "200 OK"));
    CHECK(contains(viewer.get("Host: evil.example:" + at + "\r\n"), "403"));
    CHECK(contains(viewer.get("Host: evil.example\r\n" + good), "403"));
    CHECK(contains(viewer.get(good + good), "403"));
    CHECK(contains(viewer.get("X-Host: 127.0.0.1:" + at + "\r\n"), "403"));
    CHECK(contains(viewer.get("Host: 127.0.0.1\r\n"), "403"));
    CHECK(contains(viewer.get(""), "403"));
    CHECK(contains(viewer.answer_to("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + good + "\r\n"), "403"));
    CHECK(contains(viewer.answer_to("POST / HTTP/1.1\r\n" + good + "\r\n"), "405"));
    CHECK(contains(viewer.answer_to("GET /\r\n" + good + "\r\n"), "405"));
    CHECK(contains(viewer.get(good, "/../etc/passwd"), "404"));

    // the policy of the page names its one script by its hash, and nobody may put the page into a frame
    const std::string page = viewer.get(good, "/");
    CHECK(contains(page, "frame-ancestors 'none'"));
    CHECK(contains(page, "script-src 'sha256-"));
    CHECK_FALSE(contains(page, "script-src 'unsafe-inline'"));
}
