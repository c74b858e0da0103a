import { acceptTcp, type TcpChannel } from '../../../src/cli/perftest/tcp-channel.js';
import { check } from '../bench.js';
import type { VirtualMachine } from '../virtual-machine.js';

/** Waits until somebody listens at a TCP port of the guest: QEMU takes connections whether anybody does or not. */
export async function untilListening(
  machine: VirtualMachine,
  port: number,
  signal?: AbortSignal,
): Promise<void> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const wait = `for i in $(seq 400); do grep -q ":${hex} .* 0A " /proc/net/tcp /proc/net/tcp6 && exit 0; sleep 0.05; done; exit 1`;
  const { code } = await machine.exec(wait, signal);
  check(code === 0, `nobody listens at port ${port} of the guest`);
}

/** Takes one client at a TCP port of this machine; `speaksFirst` where it waits for the server's word. */
export async function listenOnce(
  signal: AbortSignal,
  { speaksFirst = false } = {},
): Promise<{ port: number; channel: Promise<TcpChannel> }> {
  let listening: (port: number) => void = () => {};
  const port = new Promise<number>((resolve) => {
    listening = resolve;
  });
  const channel = acceptTcp(0, signal, { onListening: listening, speaksFirst });
  channel.catch(() => {});
  return { port: await port, channel };
}
