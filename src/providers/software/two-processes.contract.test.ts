import { afterAll, describe, it } from 'vitest';
import { contractSuite } from '../../verbs/contract/index.js';
import { loopbackAddress } from './loopback-address.js';
import { SoftwareProvider } from './provider.js';
import { RemoteProcess } from './testing/remote/remote-device.js';

const provider = new SoftwareProvider();
const remote = await RemoteProcess.start();
afterAll(() => remote.stop());
const open = async () => {
  const right = await remote.open(loopbackAddress(2));
  const left = await provider.open(loopbackAddress(1));
  remote.follow(left);
  const close = async () => void (await Promise.all([left.close(), right.close()]));
  return { left, right, lossless: true, close };
};
contractSuite({ name: 'software, two processes', open, describe, it });
