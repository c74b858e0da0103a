import { connectTcp } from '../../../src/cli/perftest/tcp-channel.js';
import { serveFiPingPong } from '../../../src/services/index.js';
import { check, OWN } from '../bench.js';
import { GUEST_TOOL_PORT, HOST_IN_GUEST } from '../virtual-machine.js';
import type { InteropCase } from './case.js';
import { listenOnce, untilListening } from './listening.js';

const SIZES = [64, 4096, 65_536];
const ITERATIONS = 20;
const ENDPOINT = `-p verbs -e msg -I ${ITERATIONS}`;

const NO_IPV6 = 'it speaks of IPv4 unless its TCP is over IPv6, which the user network of QEMU is not';

/** With a name to tell, `askFiPingPong` would be its client. */
const linuxServes: InteropCase = {
  group: 'Not possible on the peer’s side',
  name: 'fi_pingpong -p verbs -e msg as a server: its fi_getinfo finds nothing to listen with on rxe0',
  requester: 'Kelpie',
  ipv4Alone: NO_IPV6,
  async run({ machine }, signal) {
    const command = `timeout 20 fi_pingpong ${ENDPOINT} -B ${GUEST_TOOL_PORT}`;
    const guest = machine.exec(`${command} 2>&1`, signal);
    guest.catch(() => {});
    await untilListening(machine, GUEST_TOOL_PORT, signal);
    const channel = await connectTcp('127.0.0.1', machine.toolPort, signal);
    const told = await channel.read(1).then(() => 'an address', String);
    const { code, output } = await guest;
    check(
      code !== 0 && /fi_getinfo.*No data available/.test(output),
      `it told ${told} and ended with ${code}: ${output}`,
    );
    return output.trim().split('\n').pop();
  },
};

const linuxAsks: InteropCase = {
  group: 'Stock programs',
  name: 'fi_pingpong -p verbs -e msg, Linux is the client',
  requester: 'Linux',
  ipv4Alone: NO_IPV6,
  async run({ context, manager, machine, ip }, signal) {
    for (const size of SIZES) {
      const { port, channel } = await listenOnce(signal, { speaksFirst: true });
      const serving = channel.then((each) => serveFiPingPong(context, manager, each, OWN[ip], { signal }));
      const served = serving.catch(String);
      const command = `timeout 20 fi_pingpong ${ENDPOINT} -S ${size} -P ${port} ${HOST_IN_GUEST}`;
      const { code, output } = await machine.exec(`${command} 2>&1`, signal);
      check(code === 0, `fi_pingpong ended with ${code}: ${output}`);
      const messages = await served;
      check(messages === ITERATIONS + 1, `Kelpie sent ${messages} messages back`);
    }
  },
};

/** libfabric's ping-pong over connected endpoints of its verbs provider. */
export const libfabricCases: readonly InteropCase[] = [linuxServes, linuxAsks];
