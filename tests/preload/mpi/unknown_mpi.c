// An MPI library with nothing but a beginning.
int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) { return argc == 0 || argv == 0; }
