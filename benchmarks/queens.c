/* The classic counter of n queens: columns and slanting rows as bits, one recursion a row. Prints the number, seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    if (columns == all)
        return 1;
    long found = 0;
    for (unsigned free = all & ~(columns | left | right); free;) {
        unsigned queen = free & -free;
        free ^= queen;
        found += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return found;
}

int main(int arguments, char **words)
{
    if (arguments != 2)
        return 2;
    clock_t started = clock();
    long found = place((1u << atoi(words[1])) - 1, 0, 0, 0);
    printf("%ld %.6f\n", found, (double)(clock() - started) / CLOCKS_PER_SEC);
    return 0;
}
