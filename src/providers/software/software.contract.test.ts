import { describe, it } from 'vitest';
import { contractSuite } from '../../verbs/contract/index.js';
import { loopbackAddress } from './loopback-address.js';
import { SoftwareProvider } from './provider.js';

const provider = new SoftwareProvider();
const open = async () => {
  const [left, right] = await Promise.all([
    provider.open(loopbackAddress(1)),
    provider.open(loopbackAddress(2)),
  ]);
  const close = async () => void (await Promise.all([left.close(), right.close()]));
  return { left, right, lossless: true, close };
};
contractSuite({ name: 'software, one process', open, describe, it });
