// Arithmetic by recursive descent:
//   sum = product {(+|-) product}   product = sign {(*|/) sign}   sign = {-|+} power   power = atom [^ sign]
//   atom = number | name | name ( sum ) | ( sum )
#include "core/expression.h"

#include "core/status.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pi.h"
#include "core/plain.h"

enum { MOST_DEPTH = 100 };

typedef struct Reader {
    const char* at;
    const SnVariable* variables;
    int variable_count, depth;
    char* error; // filled once
    size_t error_size;
    bool failed;
} Reader;

static double sine(double degrees)
{
    return sin(degrees * SN_PI / 180);
}

static double cosine(double degrees)
{
    return cos(degrees * SN_PI / 180);
}

static double tangent(double degrees)
{
    return tan(degrees * SN_PI / 180);
}

static const struct {
    const char* name;
    double (*function)(double);
} functions[] = {{"sqrt", sqrt}, {"sin", sine}, {"cos", cosine}, {"tan", tangent}};

static const SnVariable constants[] = {{"pi", SN_PI}, {"inf", INFINITY}, {".inf", INFINITY}};

#define FAIL(reader, ...) (fail(reader) ? (void)snprintf((reader)->error, (reader)->error_size, __VA_ARGS__) : (void)0)

// True the first time, when the message is to be written.
static bool fail(Reader* reader)
{
    bool first = !reader->failed;
    reader->failed = true;
    return first;
}

static void skip_space(Reader* reader)
{
    while (*reader->at == ' ' || *reader->at == '\t') reader->at++;
}

static bool take(Reader* reader, char c)
{
    skip_space(reader);
    if (*reader->at != c) return false;
    reader->at++;
    return true;
}

static double read_sum(Reader* reader);
static double read_sign(Reader* reader);

static double read_number(Reader* reader)
{
    char digits[128];
    size_t n = strspn(reader->at, "0123456789.");
    if ((reader->at[n] == 'e' || reader->at[n] == 'E')) {
        size_t sign = reader->at[n + 1] == '-' || reader->at[n + 1] == '+';
        size_t exponent = strspn(reader->at + n + 1 + sign, "0123456789");
        if (exponent > 0) n += 1 + sign + exponent;
    }
    if (n >= sizeof digits) {
        FAIL(reader, "a number of more than %zu digits", sizeof digits - 1);
        return 0;
    }
    memcpy(digits, reader->at, n);
    digits[n] = 0;
    char* end;
    double value = sn_plain_real(digits, &end);
    if (*end) FAIL(reader, "'%.20s' is not a number", digits);
    if (isinf(value)) FAIL(reader, "'%.20s' is too large", digits);
    reader->at += n;
    return value;
}

static double call(Reader* reader, double (*function)(double), const char* name)
{
    if (!take(reader, '(')) {
        FAIL(reader, "'%s' needs parentheses, as in %s(2)", name, name);
        return 0;
    }
    double value = read_sum(reader);
    if (!take(reader, ')')) FAIL(reader, "a ')' is missing after %s(", name);
    return function(value);
}

static void unknown_name(Reader* reader, const char* name)
{
    char known[160] = "pi, sqrt, sin, cos, tan";
    for (int i = 0; i < reader->variable_count; i++) sn_append(known, sizeof known, ", %s", reader->variables[i].name);
    bool range = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    FAIL(reader, "'%.30s' is not known%s (known are %s)", name, range ? " here, only in the ranges of 'where'" : "",
         known);
}

static double read_name(Reader* reader)
{
    char name[32];
    size_t n = *reader->at == '.';
    while (isalnum((unsigned char)reader->at[n]) || reader->at[n] == '_') n++;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), reader->at);
    reader->at += n;
    for (int i = 0; i < reader->variable_count; i++)
        if (strcmp(name, reader->variables[i].name) == 0) return reader->variables[i].value;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0) return constants[i].value;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0) return call(reader, functions[i].function, functions[i].name);
    unknown_name(reader, name);
    return 0;
}

static double read_atom(Reader* reader)
{
    skip_space(reader);
    const char* at = reader->at;
    if (take(reader, '(')) {
        double value = read_sum(reader);
        if (!take(reader, ')')) FAIL(reader, "a ')' is missing");
        return value;
    }
    if (isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1]))) return read_number(reader);
    if (isalpha((unsigned char)at[0]) || (at[0] == '.' && isalpha((unsigned char)at[1]))) return read_name(reader);
    if (*at)
        FAIL(reader, "'%.10s' was not expected", at);
    else
        FAIL(reader, "a number is missing at the end");
    return 0;
}

static double read_power(Reader* reader)
{
    double base = read_atom(reader);
    return take(reader, '^') ? pow(base, read_sign(reader)) : base;
}

static double read_sign(Reader* reader)
{
    double value = 0;
    if (++reader->depth > MOST_DEPTH)
        FAIL(reader, "nested more than %d deep", MOST_DEPTH);
    else if (take(reader, '-'))
        value = -read_sign(reader);
    else if (take(reader, '+'))
        value = read_sign(reader);
    else
        value = read_power(reader);
    reader->depth--;
    return value;
}

static double read_product(Reader* reader)
{
    double value = read_sign(reader);
    while (!reader->failed) {
        if (take(reader, '*')) {
            value *= read_sign(reader);
        } else if (take(reader, '/')) {
            double divisor = read_sign(reader);
            if (divisor == 0) FAIL(reader, "division by zero");
            value /= divisor;
        } else {
            break;
        }
    }
    return value;
}

static double read_sum(Reader* reader)
{
    double value = read_product(reader);
    while (!reader->failed) {
        if (take(reader, '+'))
            value += read_product(reader);
        else if (take(reader, '-'))
            value -= read_product(reader);
        else
            break;
    }
    return value;
}

bool sn_expression(const char* text, const SnVariable* variables, int variable_count, double* value, char* error,
                   size_t error_size)
{
    Reader reader = {text, variables, variable_count, 0, error, error_size, false};
    double result = read_sum(&reader);
    skip_space(&reader);
    if (*reader.at) FAIL(&reader, "'%.10s' was not expected", reader.at);
    if (isnan(result)) FAIL(&reader, "the result is not a number");
    if (!reader.failed) *value = result;
    return !reader.failed;
}
