/* Opens a plug-in that looks into its own libraries first, and calls it: `deep_host PLUGIN [arguments of two_threads]`. If the variable
   APART is set, the plug-in gets a namespace of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  void* plugin = 0;
  if (argc > 1) {
    plugin = getenv("APART") != 0 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
  }
  int (*two_threads)(int, char**) = 0;
  *(void**)&two_threads = plugin != 0 ? dlsym(plugin, "two_threads") : 0;
  if (two_threads == 0) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return two_threads(argc - 1, argv + 1);
}
