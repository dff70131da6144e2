// Scenes: parsed and, where they are small, made into a world; one in sixteen is stepped, which is the torture's part.
// Mutations are made in the text, or are random scenes by the schema.
#include <sinew/scene.h>
#include <string.h>

#include "../torture/random_scene.h"
#include "fuzz.h"
#include "world/world.h"

void fuzz_scene(const uint8_t* bytes, size_t size);
size_t fuzz_mutate_scene(uint8_t* bytes, size_t size, size_t most, unsigned seed);

enum { NODES = 100, ITERATIONS = 2, ONE_IN = 16 };

static void make_world(SnScene* scene, bool step)
{
    SnWorldDef* def = sn_scene_world_def(scene);
    SnWorld* world;
    def->threads = 1, def->contact.parts = 1;
    if (def->solver.iterations > ITERATIONS) def->solver.iterations = ITERATIONS;
    if (sn_scene_create_world(scene, &world) != SN_OK) {
        FUZZ_CHECK(*sn_last_error());
        return;
    }
    if (step && sn_world_node_count(world) < NODES) sn_world_step(world, NULL);
    sn_world_destroy(world);
}

// The same for the same text.
static unsigned number_of(const uint8_t* bytes, size_t size)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash >> 8;
}

void fuzz_scene(const uint8_t* bytes, size_t size)
{
    SnBudget budget;
    SnScene* scene;
    fuzz_begin(&budget);
    SnStatus status = sn_scene_parse((const char*)bytes, size, "/nowhere/fuzz.yaml", NULL, 0, &scene);
    for (int i = 0; i < sn_scene_problem_count(scene); i++) FUZZ_CHECK(*sn_scene_problem(scene, i).message);
    if (status == SN_OK)
        make_world(scene, number_of(bytes, size) % ONE_IN == 0);
    else
        FUZZ_CHECK(*sn_last_error());
    sn_scene_destroy(scene);
    fuzz_end(&budget);
}

// Pieces of a scene, and what YAML is made of.
static const char* const words[] = {"bodies: ", "[",       "]",     "{",        "}",          ": ",       ", ",
                                    "- ",       "mesh: ",  "box: ", "&a ",      "*a",         "!!str ",   "| \n",
                                    "\n  ",     "null",    "1/0",   "1e999",    "-1",         "max-0.01", "\"",
                                    "'",        "<<: ",    "? ",    "---\n",    "material: ", "type: ",   "newton",
                                    "copies: ", "where: ", "all",   "handles: "};

size_t fuzz_mutate_scene(uint8_t* bytes, size_t size, size_t most, unsigned seed)
{
    static char text[RANDOM_SCENE_SIZE];
    SnRandom random = {seed};
    if (seed % 16 == 0 || size == 0) {
        random_scene(&random, (Wildness)(sn_random_bits(&random) % 3), text);
        size = strlen(text) < most ? strlen(text) : most;
        memcpy(bytes, text, size);
        return size;
    }
    for (uint64_t edits = 1 + sn_random_bits(&random) % 3; edits; edits--) {
        const char* word = words[sn_random_bits(&random) % (sizeof words / sizeof *words)];
        size_t length = strlen(word), at = sn_random_bits(&random) % (size + 1);
        if (seed % 16 < 8 && size + length <= most) { // puts in
            memmove(bytes + at + length, bytes + at, size - at);
            memcpy(bytes + at, word, length);
            size += length;
        } else if (size > at) { // takes out, or doubles a stretch
            size_t gone = 1 + sn_random_bits(&random) % 20;
            if (gone > size - at) gone = size - at;
            memmove(bytes + at, bytes + at + gone, size - at - gone);
            size -= gone;
        }
    }
    return size;
}
