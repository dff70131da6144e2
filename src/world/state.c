// The state's members as a table, by which they are made, freed, saved and restored: what is in it cannot be forgotten.
#include "world/state.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/definitions.h"

enum { MOST_COUNT = 1 << 20 }; // of halvings and of steps without parts, in a state that can be right

// What an array has entries for.
typedef enum Per {
    ONE,
    COORDINATE,
    COORDINATE_BEFORE,
    COORDINATE_SPEED,
    COORDINATE_FORCE,
    PIN_COORDINATE,
    ACCOUNT,
    WORK,
    TIED,
    SHIFT,
    CHAMBER,
    BODY,
    PER_COUNT
} Per;
_Static_assert((int)PER_COUNT == (int)SN_STATE_COUNTS, "one count for each kind");

// In the order in which they are saved.
#define STATE_LIST(NUMBER, ARRAY)      \
    NUMBER(step)                       \
    NUMBER(time)                       \
    NUMBER(step_length)                \
    NUMBER(last_length)                \
    NUMBER(origin_step)                \
    NUMBER(origin_time)                \
    NUMBER(force_known)                \
    NUMBER(numerical)                  \
    NUMBER(lag)                        \
    NUMBER(halvings)                   \
    NUMBER(rest)                       \
    NUMBER(resting)                    \
    ARRAY(accounts, ACCOUNT)           \
    ARRAY(works, WORK)                 \
    ARRAY(torn, TIED)                  \
    ARRAY(out, BODY)                   \
    ARRAY(rest_time, BODY)             \
    ARRAY(asleep, BODY)                \
    ARRAY(shifts, SHIFT)               \
    ARRAY(chambers, CHAMBER)           \
    ARRAY(pin_force, PIN_COORDINATE)   \
    ARRAY(force, COORDINATE_FORCE)     \
    ARRAY(before_x, COORDINATE_BEFORE) \
    ARRAY(before_v, COORDINATE_SPEED)  \
    ARRAY(x, COORDINATE)               \
    ARRAY(v, COORDINATE)

typedef struct Field {
    size_t offset, size; // in SnState; of the number, or of one entry of the array
    Per per;
} Field;

#define MEMBER(member) (((SnState*)0)->member)
#define NUMBER_FIELD(member) {offsetof(SnState, member), sizeof MEMBER(member), ONE},
#define ARRAY_FIELD(member, per) {offsetof(SnState, member), sizeof *MEMBER(member), per},
static const Field fields[] = {STATE_LIST(NUMBER_FIELD, ARRAY_FIELD)};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

// Whoever adds a member has to add it above. Constraints are saved by their keys (world/checkpoint.c).
#define NUMBER_SIZE(member) +sizeof MEMBER(member)
#define ARRAY_SIZE(member, per) NUMBER_SIZE(member)
enum { LISTED = STATE_LIST(NUMBER_SIZE, ARRAY_SIZE) + sizeof MEMBER(constraints) + sizeof MEMBER(counts) };
_Static_assert(sizeof(SnState) - LISTED < sizeof(double), "a member of SnState is not in its table");

static int64_t count_of(const SnModel* model, Per per)
{
    int64_t coordinates = 3 * (int64_t)model->node_count;
    switch (per) {
    case ONE: return 1;
    case COORDINATE: return coordinates;
    case COORDINATE_BEFORE: return model->integrator->remembers ? coordinates : 0;
    case COORDINATE_SPEED: return model->integrator->stages[0].alpha > 0 ? coordinates : 0;
    case COORDINATE_FORCE: return sn_keeps_force(model) ? coordinates : 0;
    case PIN_COORDINATE: return 3 * (int64_t)model->pin_count;
    case ACCOUNT: return SN_ACCOUNT_LOSS + model->loss_count;
    case WORK: return model->work_count;
    case TIED: return model->tied_count;
    case SHIFT: return model->shift_count;
    case CHAMBER: return sn_model_has_chambers(model) ? model->load_count : 0;
    case BODY: return model->body_count;
    case PER_COUNT: break;
    }
    return 0;
}

static SnStatePer kind_of(Per per)
{
    switch (per) {
    case COORDINATE:
    case COORDINATE_BEFORE:
    case COORDINATE_SPEED:
    case COORDINATE_FORCE: return SN_PER_NODE;
    case PIN_COORDINATE: return SN_PER_PIN;
    case SHIFT: return SN_PER_SHIFT;
    default: return SN_PER_WORLD;
    }
}

int sn_state_arrays(const SnModel* model, SnState* state, SnStateArray arrays[SN_STATE_ARRAYS])
{
    int count = 0;
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (fields[i].per == ONE) continue;
        SnStatePer per = kind_of(fields[i].per);
        int width = per == SN_PER_WORLD ? (int)(fields[i].size / sizeof(double)) : per == SN_PER_SHIFT ? 1 : 3;
        int64_t entries = count_of(model, fields[i].per) / (per == SN_PER_WORLD ? 1 : width);
        double** values = (double**)((char*)state + fields[i].offset);
        arrays[count++] = (SnStateArray){values, per, entries, width};
    }
    return count;
}

void sn_state_copy_numbers(const SnState* from, const SnModel* model, SnState* to)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (fields[i].per == ONE)
            memcpy((char*)to + fields[i].offset, (const char*)from + fields[i].offset, fields[i].size);
    memmove(to->accounts, from->accounts, (size_t)count_of(model, ACCOUNT) * sizeof *to->accounts);
}

static int64_t count_before(const SnState* state, Per per)
{
    return per < PER_COUNT ? state->counts[per] : 0;
}

static SnStatus resize(void** array, int64_t count, size_t size)
{
    void* grown = count > 0 ? sn_reallocate(*array, (size_t)count, size, "the state") : NULL;
    if (count == 0) sn_free(*array);
    if (count > 0 && !grown) return SN_ERROR_MEMORY;
    *array = grown;
    return SN_OK;
}

// What grows comes first, so that nothing is gone where there is no memory for it; what shrinks is of an integrator
// that another one has taken over from.
SnStatus sn_state_grow(SnState* state, const SnModel* model)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < FIELD_COUNT; i++) {
            int64_t count = count_of(model, fields[i].per), before = count_before(state, fields[i].per);
            if (fields[i].per == ONE || count == before || (count < before) != (pass == 1)) continue;
            SN_TRY(resize((void**)((char*)state + fields[i].offset), count, fields[i].size));
        }
    for (int per = 0; per < PER_COUNT; per++) state->counts[per] = count_of(model, (Per)per);
    return SN_OK;
}

void sn_state_free(SnState* state)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (fields[i].per != ONE) sn_free(*(void**)((char*)state + fields[i].offset));
    sn_constraint_set_free(&state->constraints);
    *state = (SnState){0};
}

static size_t bytes_of(const SnModel* model, const Field* field)
{
    return (size_t)count_of(model, field->per) * field->size;
}

// Each is saved where a double may begin.
static size_t place_of(const SnModel* model, const Field* field)
{
    size_t unit = sizeof(double);
    return (bytes_of(model, field) + unit - 1) / unit * unit;
}

size_t sn_state_size(const SnModel* model)
{
    size_t size = 0;
    for (int i = 0; i < FIELD_COUNT; i++) size += place_of(model, &fields[i]);
    return size;
}

void sn_state_save(const SnModel* model, const SnState* state, char* bytes)
{
    memset(bytes, 0, sn_state_size(model));
    for (int i = 0; i < FIELD_COUNT; bytes += place_of(model, &fields[i++])) {
        const char* member = (const char*)state + fields[i].offset;
        size_t size = bytes_of(model, &fields[i]);
        if (size > 0) memcpy(bytes, fields[i].per == ONE ? member : *(const char* const*)member, size);
    }
}

static bool is_number_sound(const SnState* s)
{
    const double numbers[] = {s->time, s->origin_time, s->last_length, s->lag, s->numerical};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i])) return false;
    return s->step >= 0 && s->origin_step >= 0 && s->origin_step <= s->step && s->halvings >= 0 &&
           s->halvings <= MOST_COUNT && s->rest >= 0 && s->rest <= MOST_COUNT && s->resting >= 0 &&
           s->resting <= MOST_COUNT;
}

// Of the doubles that an array is made of: the first beyond what can be reckoned with; -1: none.
static int64_t first_unsound(const char* bytes, size_t size, double* value)
{
    for (size_t k = 0; k < size / sizeof(double); k++) {
        double vector[3] = {0};
        memcpy(vector, bytes + k * sizeof(double), sizeof(double));
        if (sn_first_beyond(1, vector) >= 0) return *value = vector[0], (int64_t)k;
    }
    return -1;
}

static SnStatus check_sums(const char* bytes, size_t size)
{
    double value;
    for (size_t k = 0; k < size / sizeof value; k++) {
        memcpy(&value, bytes + k * sizeof value, sizeof value);
        if (!isfinite(value)) return sn_fail(SN_ERROR_FORMAT, "the saved state is damaged: a sum is %g", value);
    }
    return SN_OK;
}

static bool is_sum(Per per)
{
    return per == ACCOUNT || per == WORK || per == CHAMBER;
}

static SnStatus check_numbers(const SnState* numbers)
{
    if (!is_number_sound(numbers)) return sn_fail(SN_ERROR_FORMAT, "the saved state is damaged: its times or counts");
    SnStatus status = sn_check_time_step(numbers->step_length);
    double ratio = numbers->last_length > 0 ? numbers->step_length / numbers->last_length : 0;
    if (!isfinite(ratio * ratio))
        return sn_fail(SN_ERROR_FORMAT, "the saved state is damaged: its last step was %g s long",
                       numbers->last_length);
    return status == SN_OK ? SN_OK : sn_fail_prefix(SN_ERROR_FORMAT, "the saved state is damaged");
}

SnStatus sn_state_check_numbers(const SnModel* model, const SnState* state)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (is_sum(fields[i].per))
            SN_TRY(check_sums(*(char* const*)((const char*)state + fields[i].offset), bytes_of(model, &fields[i])));
    return check_numbers(state);
}

SnStatus sn_state_check(const SnModel* model, const char* bytes)
{
    SnState numbers = {0};
    double value;
    for (int i = 0; i < FIELD_COUNT; bytes += place_of(model, &fields[i++])) {
        const Field* f = &fields[i];
        if (f->per == ONE) memcpy((char*)&numbers + f->offset, bytes, f->size);
        int64_t at = f->per == COORDINATE ? first_unsound(bytes, bytes_of(model, f), &value) : -1;
        if (at >= 0)
            return sn_fail(SN_ERROR_FORMAT, "the saved state is damaged: node %lld has a place or velocity of %g",
                           (long long)at / 3, value);
        if (is_sum(f->per)) SN_TRY(check_sums(bytes, bytes_of(model, f)));
    }
    return check_numbers(&numbers);
}

int sn_state_pieces(const SnModel* model, SnState* state, SnStatePiece pieces[SN_STATE_PIECES])
{
    _Static_assert((int)FIELD_COUNT <= (int)SN_STATE_PIECES, "room for all members");
    int64_t first = 0;
    for (int i = 0; i < FIELD_COUNT; first += (int64_t)place_of(model, &fields[i++])) {
        char* member = (char*)state + fields[i].offset;
        SnStatePer per = kind_of(fields[i].per);
        pieces[i] = (SnStatePiece){first, (int64_t)bytes_of(model, &fields[i]), per, .width = 1};
        if (per == SN_PER_WORLD)
            pieces[i].bytes = fields[i].per == ONE ? member : *(char**)member;
        else
            pieces[i].values = (double**)member, pieces[i].width = per == SN_PER_SHIFT ? 1 : 3;
    }
    return FIELD_COUNT;
}

void sn_state_restore(const SnModel* model, SnState* state, const char* bytes)
{
    for (int i = 0; i < FIELD_COUNT; bytes += place_of(model, &fields[i++])) {
        char* member = (char*)state + fields[i].offset;
        size_t size = bytes_of(model, &fields[i]);
        if (size > 0) memcpy(fields[i].per == ONE ? member : *(char**)member, bytes, size);
    }
}
