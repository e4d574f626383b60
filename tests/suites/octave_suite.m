% Runs Octave's own tests of matrices and writes a line per file: its name and how many of its tests pass.
% Environment: SUITE_RESULTS names the file to write.
root = fullfile (OCTAVE_HOME (), "share", "octave", OCTAVE_VERSION (), "etc", "tests");
core = {"__qp__", "chol", "conv2", "data", "det", "dot", "eig", "filter", "givens", "gsvd", "hess", "inv", "kron", ...
        "lu", "mappers", "matrix_type", "max", "mgorth", "ordqz", "ordschur", "pinv", "qr", "qz", "rcond", "schur", ...
        "sparse", "sparse-xpow", "sqrtm", "svd", "sylvester", "tril", "utils"};
files = strcat (fullfile (root, "libinterp", "corefcn"), filesep (), core, ".cc-tst");
fixed = {"diag-perm", "leftdiv", "transpose", "sparse", "index", "conv", "complex"};
files = [files, strcat(fullfile (root, "fixed"), filesep (), fixed, ".tst")];
algebra = {dir(fullfile (OCTAVE_HOME (), "share", "octave", OCTAVE_VERSION (), "m", "linear-algebra", "*.m")).name};
files = [files, strcat(fullfile (OCTAVE_HOME (), "share", "octave", OCTAVE_VERSION (), "m", "linear-algebra"), filesep (), algebra)];

results = fopen (getenv ("SUITE_RESULTS"), "w");
for i = 1:numel (files)
  [~, name] = fileparts (files{i});
  if (! exist (files{i}, "file"))
    fprintf (results, "%s\tmissing\n", files{i});
    continue;
  endif
  rand ("twister", 42); randn ("twister", 42);
  log = [tempname(), ".log"];
  fid = fopen (log, "w");
  [n, nmax, nxfail, nbug, nskip] = test (files{i}, "quiet", fid);
  fclose (fid);
  fprintf (results, "%s\t%d of %d\n", name, n, nmax);
  lines = strsplit (fileread (log), "\n");
  unlink (log);
  failed = lines(strncmp (lines, "!!!!!", 5));
  for k = 1:numel (failed)
    fprintf (results, "%s: %s\tfailed\n", name, strtrim (failed{k}));
  endfor
endfor
fclose (results);
