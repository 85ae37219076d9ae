/* Two ranks that answer each other: seconds one way for messages of 8 bytes to 4 MB, and for a gather of 8
   bytes a rank. mpicc -O2 ping.c -o ping && mpirun -n 2 ./ping */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* data = calloc(1, 4 << 20);
    for (int bytes = 8; bytes <= 4 << 20 && ranks > 1; bytes *= 8) {
        const int times = bytes < 65536 ? 2000 : 100;
        double best = 1;
        for (int again = 0; again < 5; ++again) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            for (int k = 0; k < times; ++k) {
                if (rank == 0) {
                    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                    MPI_Recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else if (rank == 1) {
                    MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                }
            }
            const double one_way = (MPI_Wtime() - begin) / times / 2;
            if (one_way < best) best = one_way;
        }
        if (rank == 0)
            printf("message %8d bytes %10.2f us %8.3f GB/s\n", bytes, best * 1e6, bytes / best * 1e-9);
    }
    double mine = rank, *all = calloc((size_t)ranks, sizeof(double)), best = 1;
    for (int again = 0; again < 5; ++again) {
        const double begin = MPI_Wtime();
        for (int k = 0; k < 2000; ++k) {
            MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        }
        const double each = (MPI_Wtime() - begin) / 2000;
        if (each < best) best = each;
    }
    if (rank == 0) printf("gather         8 bytes %10.2f us\n", best * 1e6);
    MPI_Finalize();
    return 0;
}
