#include "live/message.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

enum { MOST = 1 << 30 }; // bytes of either part

void sn_message_clear(SnMessage* message)
{
    message->status = SN_OK;
    message->text_count = message->array_count = 0;
}

void sn_message_free(SnMessage* message)
{
    SN_FREE(message->text, message->arrays);
    *message = (SnMessage){0};
}

// Room for so many bytes more of the text; NULL: there is none.
static char* text_room(SnMessage* m, int bytes)
{
    if (m->status != SN_OK) return NULL;
    if (!SN_GROW(m->text, m->text_capacity, (int64_t)m->text_count + bytes, "a message")) {
        m->status = SN_ERROR_MEMORY;
        return NULL;
    }
    return m->text + m->text_count;
}

void sn_message_print(SnMessage* message, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char* room = text_room(message, length + 1); // with the 0 that the next text overwrites
    if (!room) return;
    va_start(arguments, format);
    vsnprintf(room, (size_t)length + 1, format, arguments);
    va_end(arguments);
    message->text_count += length;
}

void sn_message_quote(SnMessage* message, const char* text)
{
    sn_message_print(message, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            sn_message_print(message, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f) // also bytes that are no UTF-8: the text may come from anybody's file
            sn_message_print(message, "\\u%04x", c);
        else
            sn_message_print(message, "%c", c);
    }
    sn_message_print(message, "\"");
}

void sn_message_number(SnMessage* message, double value)
{
    if (isfinite(value))
        sn_message_print(message, "%.9g", value);
    else
        sn_message_print(message, "null");
}

void sn_message_numbers(SnMessage* message, int count, const double* values)
{
    sn_message_print(message, "[");
    for (int i = 0; i < count; i++) {
        if (i) sn_message_print(message, ",");
        sn_message_number(message, values[i]);
    }
    sn_message_print(message, "]");
}

void* sn_message_array(SnMessage* message, int64_t bytes, int* offset)
{
    *offset = message->array_count;
    if (message->status != SN_OK) return NULL;
    int64_t needed = message->array_count + (bytes + 3) / 4 * 4;
    int64_t room = needed > 0 ? needed : 1; // an array of nothing is one, too
    if (needed > MOST || !SN_GROW(message->arrays, message->array_capacity, room, "a message")) {
        message->status = needed > MOST ? sn_fail(SN_ERROR_VALUE, "a message of over %d bytes", MOST) : SN_ERROR_MEMORY;
        return NULL;
    }
    message->array_count = (int)needed;
    return message->arrays + *offset;
}

SnStatus sn_message_pack(const SnMessage* message, size_t room, char** bytes, size_t* size)
{
    SN_TRY(message->status);
    uint32_t padded = ((uint32_t)message->text_count + 3) / 4 * 4;
    *size = 4 + padded + (size_t)message->array_count;
    if (!SN_NEW(*bytes, room + *size, "a message")) return SN_ERROR_MEMORY;
    char* at = *bytes + room;
    memcpy(at, &padded, 4);
    memset(at + 4, ' ', padded);
    if (message->text_count) memcpy(at + 4, message->text, (size_t)message->text_count);
    if (message->array_count) memcpy(at + 4 + padded, message->arrays, (size_t)message->array_count);
    return SN_OK;
}
