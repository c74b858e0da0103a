import { ANYWHERE, AS_SHIPPED, type Scheme } from './scheme.js';

/** No isolation: the device as it comes. */
export const none: Scheme = {
  name: 'none',
  title: 'no isolation',
  refuses: () => null,
  device: () => AS_SHIPPED,
  place: () => ANYWHERE,
};
