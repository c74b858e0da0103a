#!/usr/bin/env node
import { runProgram } from './program.js';
import { processTerminal } from './terminal.js';

// The first Ctrl-C asks the command to stop and print what it has; the second ends the process.
const interrupt = new AbortController();
process.once('SIGINT', () => {
  interrupt.abort();
  process.once('SIGINT', () => process.exit(130));
});
// A reader that closes the pipe early (`kelpie … | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 3));
process.exitCode = await runProgram(process.argv.slice(2), processTerminal, interrupt.signal);
