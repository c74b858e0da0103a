#!/usr/bin/env node
import { runProgram } from './program.js';
import { processTerminal } from './terminal.js';

// The first Ctrl-C asks the command to stop and print what it has; the second ends the process.
const interrupt = new AbortController();
process.once('SIGINT', () => {
  interrupt.abort();
  process.once('SIGINT', () => process.exit(130));
});
// A reader that closes the pipe early (`kelpie … | head`) is not an error; a full disk is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  processTerminal.err(`kelpie: cannot write output: ${error.message} [CANNOT_RUN]\n`);
  process.exit(3);
});
// Nobody reads progress and errors any more: the results still count.
process.stderr.on('error', () => {});
process.exitCode = await runProgram(process.argv.slice(2), processTerminal, interrupt.signal);
