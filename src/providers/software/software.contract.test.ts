import { describe, it } from 'vitest';
import { contractSuite } from '../../verbs/contract/index.js';
import { SoftwareProvider } from './provider.js';
import { ownAddress } from './testing/own-address.js';

const provider = new SoftwareProvider();
const open = async () => {
  const [left, right] = await Promise.all([provider.open(ownAddress(1)), provider.open(ownAddress(2))]);
  const close = async () => void (await Promise.all([left.close(), right.close()]));
  return { left, right, lossless: true, close };
};
contractSuite({ name: 'software, one process', open, describe, it });
