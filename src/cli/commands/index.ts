import type { CommandSpec } from '../command.js';
import { advise } from './advise.js';
import { capture } from './capture.js';
import { conform } from './conform.js';
import { doctor } from './doctor.js';
import { hunt } from './hunt.js';
import { isolate } from './isolate.js';
import { bw, lat } from './perftest.js';
import { pingPong } from './ping-pong.js';
import { reproduce } from './reproduce.js';
import { rping } from './rping.js';
import { run } from './run.js';

/** Every command of `kelpie`, in the order of the help page. */
export const commands: readonly CommandSpec[] = [
  hunt,
  isolate,
  advise,
  run,
  bw,
  lat,
  pingPong,
  rping,
  capture,
  reproduce,
  conform,
  doctor,
];
