/* The classic counter of n queens: columns and slanting rows as bits, one recursion a row. */

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

long queens(int n)
{
    return place((1u << n) - 1, 0, 0, 0);
}
