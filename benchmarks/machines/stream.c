/* What the memory gives: GB/s of a = b + s c over 3 x 64 MB, best of ten, on every rank at once.
   mpicc -O3 -march=native stream.c -o stream && mpirun -n 1 ./stream && mpirun -n 2 ./stream */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long n = 8L << 20;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    for (long i = 0; i < n; ++i) {
        a[i] = 0;
        b[i] = 1;
        c[i] = 2;
    }
    double best = 1e9;
    for (int again = 0; again < 10; ++again) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
        MPI_Barrier(MPI_COMM_WORLD);
        const double taken = MPI_Wtime() - begin;
        if (taken < best) best = taken;
    }
    if (rank == 0) printf("%d ranks: %.2f GB/s a rank (%g)\n", ranks, 24e-9 * n / best, a[n - 1]);
    MPI_Finalize();
    return 0;
}
