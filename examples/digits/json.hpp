// A small JSON reader, for what litz_executable_describe says. Escapes other than \" and \\ are kept as they are.
#ifndef DIGITS_JSON_HPP
#define DIGITS_JSON_HPP

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Json {
    std::string text; // a string's content, or a number's or a word's spelling
    std::vector<Json> items;
    std::map<std::string, Json> members;

    static Json parse(const std::string &text) {
        const char *at = text.c_str();
        return read(at);
    }
    const Json &operator[](const std::string &name) const { return members.at(name); }
    double number() const { return std::strtod(text.c_str(), nullptr); }

  private:
    static void space(const char *&at) {
        while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') ++at;
    }
    static std::string string(const char *&at) {
        std::string out;
        for (++at; *at != '"'; ++at) {
            if (*at == 0) throw std::runtime_error("an open string in the description");
            if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) ++at;
            out += *at;
        }
        ++at;
        return out;
    }
    static Json read(const char *&at) {
        Json value;
        space(at);
        if (*at == '"') {
            value.text = string(at);
        } else if (*at == '{' || *at == '[') {
            const char close = *at == '{' ? '}' : ']';
            for (++at, space(at); *at != close; space(at)) {
                if (*at == 0) throw std::runtime_error("the description ends early");
                if (*at == ',') {
                    ++at;
                } else if (close == ']') {
                    value.items.push_back(read(at));
                } else {
                    const std::string name = string(at);
                    space(at);
                    if (*at == ':') ++at;
                    value.members[name] = read(at);
                }
            }
            ++at;
        } else {
            while (*at != 0 && *at != ',' && *at != '}' && *at != ']' && *at != ' ') value.text += *at++;
            if (value.text.empty()) throw std::runtime_error("the description is no JSON");
        }
        return value;
    }
};

#endif
