// A NIC of your own: what would a ConnectX-6 with a quarter of its PCIe bandwidth do? Each constant says where it is from.
import { ProfileLibrary, resolveSubsystem } from 'kelpie/profiles';
import { openTestbed } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload } from 'kelpie/workload';

const device = `
profile: device
name: my-nic
extends: connectx-6-200g
title: ConnectX-6 in a short slot
constants:
  pcieLanes: { value: 4, evidence: documented, source: lspci on our server }
  pcieGbps: { value: 60, evidence: measured, source: our copy benchmark }
`;
const subsystem = `
profile: subsystem
name: my-subsystem
title: Our servers
device: my-nic
host: collie-f
fabric: lossless-switch
placement: { rnic: rnic0, memory: memory0 }
`;
const library = new ProfileLibrary();
library.add(device, 'my-nic.yaml'); // a ProfileError lists every fault with its line
library.add(subsystem, 'my-subsystem.yaml');
const measure = { minNs: 100_000, maxNs: 300_000 };
const workload = resolveWorkload({ qps: 4, sizes: [65_536], measure });
for (const name of ['collie-f', 'my-subsystem']) {
  const resolved = resolveSubsystem(library.find('subsystem', name), { library });
  const testbed = await openTestbed({ subsystem: resolved, seed: 1 });
  const { total } = await runWorkload(workload, testbed);
  console.log(`${name}: ${total.goodputGbps.toFixed(1)} Gb/s`);
  await testbed.close();
}
