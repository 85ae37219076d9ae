#include "law_numbers.hpp"

#include "carom/convex/sets.hpp"

#include <cmath>

namespace carom::detail {
namespace {

// places in the variants Law and FrictionShape are part of the format: new ones go to their ends
static_assert(std::is_same_v<std::variant_alternative_t<5, Law>, Resisting> && std::variant_size_v<Law> == 6);
static_assert(std::is_same_v<std::variant_alternative_t<4, FrictionShape>, FrictionRough>);
enum SetKind { IntervalSet, BoxSet, BallSet, EllipsoidSet };

class Writer {
public:
    std::vector<double> numbers;

    template <class... Values>
    void put(Values... values)
    {
        (numbers.push_back(static_cast<double>(values)), ...);
    }

    /// Files hold no infinities.
    void put_bound(double bound) { put(std::isfinite(bound), std::isfinite(bound) ? bound : 0.0); }

    void put(const Eigen::VectorXd& v) { numbers.insert(numbers.end(), v.begin(), v.end()); }
    void put_bounds(const Eigen::VectorXd& bounds)
    {
        for (const double bound : bounds)
            put_bound(bound);
    }
};

struct WriteShape {
    Writer& to;
    void operator()(const FrictionInterval& shape) const { to.put(shape.low, shape.high); }
    void operator()(const FrictionDisc&) const {}
    void operator()(const FrictionEllipse& shape) const
    {
        to.put(shape.half_axes[0], shape.half_axes[1], shape.angle_rad, shape.centre[0], shape.centre[1]);
    }
    void operator()(const FrictionPolygon& shape) const
    {
        for (const auto& vertex : *shape.vertices)
            to.put(vertex[0], vertex[1]);
    }
    void operator()(const FrictionRough& shape) const { to.put(shape.dimension); }
};

bool write_set(const ConvexSet& set, Writer& to)
{
    const int n = set.dimension();
    if (const auto* interval = dynamic_cast<const Interval*>(&set)) {
        to.put(IntervalSet, n);
        to.put_bound(interval->lower());
        to.put_bound(interval->upper());
    } else if (const auto* box = dynamic_cast<const Box*>(&set)) {
        to.put(BoxSet, n);
        to.put_bounds(box->lower());
        to.put_bounds(box->upper());
    } else if (const auto* ball = dynamic_cast<const Ball*>(&set)) {
        to.put(BallSet, n, ball->radius());
        to.put(ball->centre());
    } else if (const auto* ellipsoid = dynamic_cast<const Ellipsoid*>(&set)) {
        to.put(EllipsoidSet, n);
        to.put(ellipsoid->centre());
        const Eigen::MatrixXd E = ellipsoid->factor() * ellipsoid->factor().transpose();
        for (const double value : E.reshaped())
            to.put(value);
    } else {
        return false;
    }
    return true;
}

struct WriteLaw {
    Writer& to;
    bool operator()(const Unilateral& law) const { return to.put(law.restitution), true; }
    bool operator()(const Bilateral&) const { return true; }
    bool operator()(const Coulomb& law) const
    {
        to.put(law.friction, law.restitution, law.tangential_restitution, law.shape.index());
        std::visit(WriteShape{to}, law.shape);
        return true;
    }
    bool operator()(const Limited& law) const
    {
        to.put_bound(law.low);
        to.put_bound(law.high);
        to.put(law.rubs);
        return true;
    }
    bool operator()(const NonFirm& law) const
    {
        to.put(law.size, law.rubs);
        return write_set(*law.set, to);
    }
    bool operator()(const Resisting& law) const
    {
        to.put(law.flat, law.friction, law.rolling, law.spinning, law.restitution);
        return true;
    }
};

/// Numbers one after the other; what is asked for beyond their end makes the whole bad.
class Reader {
public:
    explicit Reader(std::span<const double> numbers) : rest_(numbers) {}

    double next()
    {
        if (rest_.empty()) good_ = false;
        if (!good_) return 0;
        const double value = rest_.front();
        rest_ = rest_.subspan(1);
        return value;
    }

    /// A count, from low to high.
    int count(int low, int high)
    {
        const double value = next();
        good_ = good_ && value >= low && value <= high && value == std::floor(value);
        return good_ ? static_cast<int>(value) : low;
    }
    bool flag() { return count(0, 1) == 1; }

    double bound(double infinity)
    {
        const bool is_finite = flag();
        const double value = next();
        return is_finite ? value : infinity;
    }

    Eigen::VectorXd vector(int n)
    {
        Eigen::VectorXd v(n);
        for (double& value : v)
            value = next();
        return v;
    }
    Eigen::VectorXd bounds(int n, double infinity)
    {
        Eigen::VectorXd v(n);
        for (double& value : v)
            value = bound(infinity);
        return v;
    }

    [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
    [[nodiscard]] bool is_good() const noexcept { return good_; }

private:
    std::span<const double> rest_;
    bool good_ = true;
};

std::optional<FrictionShape> read_shape(Reader& from)
{
    switch (from.count(0, 4)) {
    case 0: {
        const double low = from.next(), high = from.next();
        return FrictionInterval{low, high};
    }
    case 1: return FrictionDisc{};
    case 2: {
        FrictionEllipse shape;
        shape.half_axes = {from.next(), from.next()};
        shape.angle_rad = from.next();
        shape.centre = {from.next(), from.next()};
        return shape;
    }
    case 3: {
        std::vector<std::array<double, 2>> vertices(from.left() / 2);
        for (auto& vertex : vertices)
            vertex = {from.next(), from.next()};
        auto polygon = make_polygon(std::move(vertices));
        if (polygon) return std::move(*polygon);
        return {};
    }
    default: return FrictionRough{.dimension = from.count(1, 2)};
    }
}

template <class Set>
std::shared_ptr<const ConvexSet> shared(Expected<Set> set)
{
    if (!set) return nullptr;
    return std::make_shared<const Set>(std::move(*set));
}

std::shared_ptr<const ConvexSet> read_set(Reader& from)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const int kind = from.count(IntervalSet, EllipsoidSet), n = from.count(1, max_components);
    if (!from.is_good() || (kind == IntervalSet && n != 1)) return nullptr;
    if (kind == IntervalSet) {
        const double lower = from.bound(-infinity), upper = from.bound(infinity);
        return shared(Interval::make(lower, upper));
    }
    if (kind == BoxSet) {
        Eigen::VectorXd lower = from.bounds(n, -infinity), upper = from.bounds(n, infinity);
        return shared(Box::make(std::move(lower), std::move(upper)));
    }
    if (kind == BallSet) {
        const double radius = from.next();
        return shared(Ball::make(from.vector(n), radius));
    }
    Eigen::VectorXd centre = from.vector(n);
    const Eigen::MatrixXd E = from.vector(n * n).reshaped(n, n);
    return shared(Ellipsoid::make(std::move(centre), E));
}

std::optional<Law> read_law(int kind, Reader& from)
{
    switch (kind) {
    case 0: return Unilateral{.restitution = from.next()};
    case 1: return Bilateral{};
    case 2: {
        Coulomb law;
        law.friction = from.next();
        law.restitution = from.next();
        law.tangential_restitution = from.next();
        auto shape = read_shape(from);
        if (!shape) return {};
        law.shape = std::move(*shape);
        return law;
    }
    case 3: {
        Limited law;
        law.low = from.bound(law.low);
        law.high = from.bound(law.high);
        law.rubs = from.flag();
        return law;
    }
    case 4: {
        NonFirm law;
        law.size = from.next();
        law.rubs = from.flag();
        law.set = read_set(from);
        if (law.set == nullptr) return {};
        return law;
    }
    case 5: {
        Resisting law;
        law.flat = from.flag();
        law.friction = from.next();
        law.rolling = from.next();
        law.spinning = from.next();
        law.restitution = from.next();
        return law;
    }
    default: return {};
    }
}

}  // namespace

std::optional<LawNumbers> numbers_of(const Law& law)
{
    Writer writer;
    if (!std::visit(WriteLaw{writer}, law)) return {};
    return LawNumbers{.kind = static_cast<int>(law.index()), .numbers = std::move(writer.numbers)};
}

std::optional<Law> law_of_numbers(int kind, std::span<const double> numbers)
{
    Reader reader(numbers);
    auto law = read_law(kind, reader);
    if (!law || !reader.is_good() || reader.left() > 0 || !check(*law)) return {};
    return law;
}

}  // namespace carom::detail
