// The packets of a simulated run as a pcapng file, for Wireshark or `tshark -r write.pcapng`.
import { closeSync, openSync, writeSync } from 'node:fs';
import { PacketRecorder } from 'kelpie/link';
import { openTestbed } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload } from 'kelpie/workload';

const file = openSync('write.pcapng', 'w');
const recorder = new PacketRecorder('simulated', (bytes) => writeSync(file, bytes), 1000);
const testbed = await openTestbed({ subsystem: 'collie-f', capture: recorder, seed: 1 });
await runWorkload(resolveWorkload({ opcode: 'WRITE', sizes: [10_000], iterations: 10 }), testbed);
await testbed.close();
closeSync(file);
console.log(`${recorder.packets} packets in write.pcapng`);
