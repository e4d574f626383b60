# Runs every example of R's base package, and of Matrix where it is installed, and writes a line per topic: its name and what came of it.
# Environment: SUITE_RESULTS names the file to write.
results <- file(Sys.getenv("SUITE_RESULTS"), "w")
# These want a terminal, the network or another process.
left.out <- c("browser", "connections", "curlGetHeaders", "dcf", "debug", "file.show", "gctorture", "gzcon", "help", "nsl", "quit", "readline",
              "regmatches", "shell", "socket", "Startup", "Sys.sleep", "system", "system2", "taskCallback", "url")
options(warn = -1, device = function(...) pdf(NULL))
folder <- tempfile("examples"); dir.create(folder); setwd(folder)
for (package in c("base", "Matrix")) {
  if (!requireNamespace(package, quietly = TRUE)) {
    writeLines(paste0(package, "\tmissing"), results)
    next
  }
  for (page in tools::Rd_db(package)) {
    name <- tools:::.Rd_get_name(page)
    if (name %in% left.out) next
    script <- tempfile(fileext = ".R")
    tools::Rd2ex(page, script)
    if (!file.exists(script)) next
    set.seed(1)
    suppressPackageStartupMessages(library(package, character.only = TRUE))
    sink(tempfile())
    outcome <- tryCatch({
      source(script, local = new.env(parent = globalenv()), echo = FALSE)
      "passed"
    }, error = function(e) paste("failed:", gsub("[\t\n]", " ", conditionMessage(e))))
    while (sink.number() > 0) sink()
    writeLines(paste0(package, "::", name, "\t", outcome), results)
  }
}
close(results)
