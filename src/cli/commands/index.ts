import type { CommandSpec } from '../command.js';
import { conform } from './conform.js';
import { bw, lat } from './perftest.js';
import { reproduce } from './reproduce.js';
import { run } from './run.js';

/** Every command of `kelpie`, in the order of the help page. */
export const commands: readonly CommandSpec[] = [run, bw, lat, reproduce, conform];
