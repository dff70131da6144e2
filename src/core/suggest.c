// The nearest name by Damerau-Levenshtein distance (insert, delete, replace, swap neighbours).
#include "core/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 48 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const char* a, const char* b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

const char* sn_nearest_name(const char* word, const char* const* names, int count)
{
    int length = (int)strlen(word);
    int best = length / 3 + 1; // one slip in a short word, more in a longer one
    const char* nearest = NULL;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(word, names[i]);
        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
