#pragma once

#include "carom/expression/vocabulary.hpp"
#include "expression/graph.hpp"
#include "functions.hpp"
#include "lexer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// What a formula may name where it stands.
enum class Allowed { Everything, ConstantsOnly };

/// Reads a formula into a graph, one member per line of the grammar (EX-1).
///
/// The first mistake is kept and moves the reader to the end of the text; from there every member returns
/// at once, so that no member has to look for mistakes of the members it calls.
class Parser {
public:
    Parser(std::string_view text, const Vocabulary& vocabulary, std::string_view where, Allowed allowed);

    /// The node of the whole formula in graph().
    [[nodiscard]] Expected<int> parse();
    [[nodiscard]] Graph& graph() noexcept { return graph_; }

private:
    /// A part that has been read: a number, or a condition (true or false).
    struct Part {
        int node = 0;
        bool condition = false;
        std::size_t position = 0;
    };

    [[nodiscard]] Part disjunction();
    [[nodiscard]] Part conjunction();
    [[nodiscard]] Part negation();
    [[nodiscard]] Part comparison();
    [[nodiscard]] Part sum();
    [[nodiscard]] Part product();
    [[nodiscard]] Part signed_power();
    [[nodiscard]] Part power();
    [[nodiscard]] Part primary();
    [[nodiscard]] Part bracket();
    [[nodiscard]] Part name();
    [[nodiscard]] Part call(const Function& function, const Token& name);
    [[nodiscard]] Part lookup(const Token& name);

    [[nodiscard]] int meaning(const Token& name);
    [[nodiscard]] int coordinate(const Token& name, const Vocabulary::Meaning& meaning);
    [[nodiscard]] int apply(const Function& function, const Token& name, const std::vector<Part>& arguments);
    [[nodiscard]] int number(const Part& part);     ///< its node; a condition is a mistake here
    [[nodiscard]] int condition(const Part& part);  ///< its node; a number is a mistake here

    void advance();
    void check_size();
    void check_end_of_factor();
    bool expect(std::string_view sign, std::string_view message, std::string_view hint);
    bool enter(const Token& at);
    void leave() noexcept { --depth_; }

    void fail(ErrorCode code, std::size_t position, std::string message, std::string hint);
    void fail_unexpected();
    void fail_unknown(const Token& name);
    /// How what other programs call so is written here; nothing where we do not know.
    [[nodiscard]] std::optional<std::string> other_way_of_writing(const Token& name) const;
    void fail_no_function(const Token& name);
    void fail_no_table(const Token& name);
    void fail_arguments(const Function& function, const Token& name, std::size_t given);

    std::string_view text_;
    const Vocabulary& vocabulary_;
    std::string where_;
    Allowed allowed_;
    Graph graph_;
    Token token_;               ///< the word in front of the reader
    std::size_t position_ = 0;  ///< behind that word
    int depth_ = 0;
    std::optional<Error> error_;
};

}  // namespace carom::detail
