#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace carom::detail {

/// Sets of bodies that are tied to each other, directly or through others.
class BodyIslands {
public:
    void clear(int bodies)
    {
        parent_.resize(static_cast<std::size_t>(bodies));
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    void join(int a, int b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

    /// The lowest body of its set.
    [[nodiscard]] int root(int body)
    {
        while (parent_[body] != body) {
            body = parent_[body] = parent_[parent_[body]];
        }
        return body;
    }

private:
    std::vector<int> parent_;
};

}  // namespace carom::detail
