/* Opens a plug-in that looks into its own libraries first, and calls it: `deep_host PLUGIN [arguments of two_threads]`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND) : 0;
  int (*two_threads)(int, char**) = 0;
  *(void**)&two_threads = plugin != 0 ? dlsym(plugin, "two_threads") : 0;
  if (two_threads == 0) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return two_threads(argc - 1, argv + 1);
}
