#include "core/palette.hpp"
#include "core/text.hpp"
#include "system.hpp"
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// Reads one [[draw]].
class DrawingReader {
public:
    DrawingReader(const Node& item, const std::vector<Contact>& contacts, const Names& names,
                  Mistakes& mistakes)
        : item_(item), contacts_(contacts), names_(names), mistakes_(mistakes)
    {
    }

    std::optional<Drawing> read(std::size_t number)
    {
        const Node* kind = find(item_, "kind");
        if (kind == nullptr || kind->kind != Kind::Text || !read_kind(kind->text)) return std::nullopt;
        read_places();
        read_radius();
        read_contact();
        read_looks(number);
        return good_ ? std::optional(std::move(drawing_)) : std::nullopt;
    }

private:
    void refuse(const Place& place, ErrorCode code, std::string message, std::string hint)
    {
        mistakes_.add(place, code, std::move(message), std::move(hint));
        good_ = false;
    }

    bool read_kind(const std::string& name)
    {
        for (int i = 0; name_of(static_cast<DrawingKind>(i)) != "unknown"; ++i) {
            drawing_.kind = static_cast<DrawingKind>(i);
            if (name_of(drawing_.kind) == name) return true;
        }
        return false;
    }

    [[nodiscard]] bool has_several() const
    {
        return drawing_.kind == DrawingKind::Segment || drawing_.kind == DrawingKind::Polyline;
    }
    [[nodiscard]] const char* example() const
    {
        return has_several() ? "points = [[0, 0], [\"x\", \"y\"]]" : "at = [\"x\", \"y\"]";
    }

    /// `at` for what has one place, `points` for what has several.
    void read_places()
    {
        const char* key = has_several() ? "points" : "at";
        const char* other = has_several() ? "at" : "points";
        const Node* places = find(item_, key);
        if (const Node* wrong = find(item_, other)) {
            refuse(wrong->key_place, ErrorCode::NotAllowedHere,
                   fmt::format("a {} has no {}", name_of(drawing_.kind), other),
                   fmt::format("give {}, for example {}", key, example()));
        } else if (places == nullptr) {
            refuse(item_.place, ErrorCode::MissingKey,
                   fmt::format("a {} has no {}", name_of(drawing_.kind), key),
                   fmt::format("for example {}", example()));
        } else if (mistakes_.known_at(places->place)) {
            good_ = false;
        } else if (has_several()) {
            read_points(places->items, places->place);
        } else {
            Node one;
            one.items = places->items;
            read_points({one}, places->place);
        }
    }

    void read_points(const std::vector<Node>& rows, const Place& place)
    {
        const std::size_t dimension = rows.empty() ? 0 : rows[0].items.size();
        const bool enough = drawing_.kind == DrawingKind::Segment    ? rows.size() == 2
                            : drawing_.kind == DrawingKind::Polyline ? rows.size() >= 2
                                                                     : rows.size() == 1;
        const bool even =
            std::ranges::all_of(rows, [&](const Node& row) { return row.items.size() == dimension; });
        if (!enough || !even || dimension < 2 || dimension > 3) {
            refuse(place, ErrorCode::WrongSize,
                   fmt::format("these are not the points of a {}", name_of(drawing_.kind)),
                   fmt::format("a segment has two points, a polyline two or more; each is x, y or x, y, z: "
                               "for example {}",
                               example()));
            return;
        }
        drawing_.dimension = static_cast<int>(dimension);
        for (const Node& row : rows)
            read_list(row, drawing_.points);
    }

    void read_list(const Node& list, std::vector<Formula>& to)
    {
        for (const Node& entry : list.items) {
            auto formula = formula_of(&entry, names_, mistakes_);
            good_ = good_ && formula.has_value();
            to.push_back(formula.value_or(Formula()));
            if (formula && formula->depends_on(Variable::Kind::Velocity)) {
                refuse(entry.place, ErrorCode::NotAllowedHere, "a drawing uses a velocity",
                       "drawings can depend on coordinates, parameters and t");
            }
        }
    }

    void read_radius()
    {
        const Node* radius = find(item_, "radius_m");
        if (radius == nullptr) {
            if (drawing_.kind == DrawingKind::Circle)
                refuse(item_.place, ErrorCode::MissingKey, "a circle has no radius_m",
                       "for example radius_m = 0.05");
            return;
        }
        if (drawing_.kind != DrawingKind::Circle) {
            refuse(radius->key_place, ErrorCode::NotAllowedHere,
                   fmt::format("a {} has no radius_m", name_of(drawing_.kind)), "only circles have one");
            return;
        }
        Node list;
        list.items = {*radius};
        std::vector<Formula> formulas;
        read_list(list, formulas);
        drawing_.radius_m = formulas.front();
    }

    void read_contact()
    {
        const Node* contact = find(item_, "contact");
        const Node* normal = find(item_, "normal");
        const Node* tangent = find(item_, "tangent");
        if (contact != nullptr && contact->kind == Kind::Text) {
            const auto named = std::ranges::find(contacts_, contact->text, &Contact::name);
            drawing_.contact = static_cast<int>(named - contacts_.begin());
            if (named == contacts_.end()) {
                std::vector<std::string> known;
                for (const Contact& one : contacts_)
                    known.push_back(one.name);
                refuse(contact->place, ErrorCode::UnknownName,
                       fmt::format("there is no contact {}", carom::quoted(contact->text)),
                       nearest_or_all(contact->text, known));
            }
        }
        if (tangent != nullptr && normal == nullptr) {
            refuse(tangent->key_place, ErrorCode::NotAllowedHere, "a tangent without a normal shows nothing",
                   "add the normal: normal = [0, 1]");
        } else if (normal != nullptr && contact == nullptr) {
            refuse(normal->key_place, ErrorCode::NotAllowedHere, "a normal without a contact shows nothing",
                   "name the contact: contact = \"floor\"");
        } else {
            read_direction(normal, "normal", drawing_.normal);
            read_direction(tangent, "tangent", drawing_.tangent);
        }
    }

    void read_direction(const Node* direction, const char* name, std::vector<Formula>& to)
    {
        if (direction == nullptr) return;
        if (direction->items.size() == static_cast<std::size_t>(drawing_.dimension)) {
            read_list(*direction, to);
            return;
        }
        refuse(direction->place, ErrorCode::WrongSize,
               fmt::format("the {} has {} entries, but the position has {}", name, direction->items.size(),
                           drawing_.dimension),
               "give it as many entries as the position has");
    }

    void read_looks(std::size_t number)
    {
        // the yellow, last of the palette, is too pale to come by itself
        drawing_.colour = word_of(item_, "colour", palette[number % (palette.size() - 1)].name);
        drawing_.label = word_of(item_, "label");
        const Node* closed = find(item_, "closed");
        if (closed != nullptr && drawing_.kind != DrawingKind::Polyline) {
            refuse(closed->key_place, ErrorCode::NotAllowedHere,
                   fmt::format("a {} cannot be closed", name_of(drawing_.kind)), "only polylines can");
        }
        drawing_.closed = closed != nullptr && closed->kind == Kind::Boolean && closed->boolean;
    }

    const Node& item_;
    const std::vector<Contact>& contacts_;
    const Names& names_;
    Mistakes& mistakes_;
    Drawing drawing_;
    bool good_ = true;
};

}  // namespace

std::optional<Drawing> drawing_of(const Node& item, std::size_t number, const std::vector<Contact>& contacts,
                                  const Names& names, Mistakes& mistakes)
{
    return DrawingReader(item, contacts, names, mistakes).read(number);
}

}  // namespace carom::detail
