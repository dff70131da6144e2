// A message to a page: a JSON text that says what follows, then arrays of numbers, little-endian.
//
//     bytes 0..3: how long the text is, padded by blanks to a multiple of four; the text; the arrays
//
// The text names arrays by where they begin, in bytes from the first one.
#pragma once
#include "core/status.h"

typedef struct SnMessage {
    SnStatus status; // the first failure; nothing is added after it
    char* text;
    int text_count, text_capacity;
    char* arrays;
    int array_count, array_capacity; // bytes
} SnMessage;

void sn_message_clear(SnMessage* message);
void sn_message_free(SnMessage* message);

void sn_message_print(SnMessage* message, const char* format, ...) __attribute__((format(printf, 2, 3)));
void sn_message_quote(SnMessage* message, const char* text);                  // "text", escaped
void sn_message_number(SnMessage* message, double value);                     // null: it is no number
void sn_message_numbers(SnMessage* message, int count, const double* values); // [1,2,null]
// Room for an array of so many bytes, a multiple of four, valid until the next one, and where it begins; NULL: failed.
void* sn_message_array(SnMessage* message, int64_t bytes, int* offset);

// The whole of it, behind `room` bytes that are the caller's; freed by sn_free.
SnStatus sn_message_pack(const SnMessage* message, size_t room, char** bytes, size_t* size);
