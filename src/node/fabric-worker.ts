import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from '../jobs/pool/index.js';
import { obey, type TeamCommand, TeamMember, type TeamPlan } from '../models/fabric/index.js';
import type { WorkerReply } from './thread-pool.js';

// One member of a team: it makes its parts of the fabric, says so, and carries out commands.
const port = parentPort!;
const { plan, index } = workerData as { plan: TeamPlan; index: number };

function answer(work: () => unknown): void {
  let reply: WorkerReply;
  try {
    reply = { answer: work() };
  } catch (error) {
    reply = { failure: failureOf(error) };
  }
  port.postMessage(reply);
}

let member: TeamMember;
answer(() => {
  member = new TeamMember(plan, index);
  return null;
});
port.on('message', (command: TeamCommand) => answer(() => obey(member, command)));
