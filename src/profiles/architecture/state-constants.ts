import { type ConstantTable, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

const ns: readonly [number, number] = [0, 1e9];
const slots: readonly [number, number] = [1, 65536];

/** Reads of state that lies in host memory and is not on chip. */
const missConstants = {
  contextBytes: whole('Contexts and translation', 'B', [16, 4096], 'Bytes read over PCIe at a miss.'),
  contextMissSlots: whole(
    'Contexts and translation',
    'slots',
    slots,
    'Context and translation misses in flight on the requester side: for requests, and for the acknowledgements and READ data that answer them.',
  ),
  contextMissSlotsReceive: whole(
    'Contexts and translation',
    'slots',
    slots,
    'Context and translation misses in flight on the responder side.',
  ),
  contextMissNs: real('Contexts and translation', 'ns', ns, 'Time of a slot for the miss of a context.'),
  translationMissNs: real(
    'Contexts and translation',
    'ns',
    ns,
    'Time of a slot for the miss of a translation: a memory key, then its page entries.',
  ),
} satisfies ConstantTable;

/** Contexts in host memory, with a cache of them on chip. */
export const cachedContextConstants = {
  contextCacheEntries: whole(
    'Contexts and translation',
    'entries',
    [1, 2 ** 24],
    'QP and CQ contexts on chip (ICM cache).',
  ),
  ...missConstants,
} satisfies ConstantTable;

/** Translations in host memory, with a cache of them on chip. */
export const cachedTranslationConstants = {
  translationCacheEntries: whole(
    'Contexts and translation',
    'entries',
    [1, 2 ** 24],
    'Translations (MTT and MPT) on chip.',
  ),
  registrationEntries: whole(
    'Contexts and translation',
    'entries',
    [0, 2 ** 20],
    'Translations that registering a memory region puts into the cache.',
    '0: none',
  ),
  ...missConstants,
} satisfies ConstantTable;

/** The same with an entry for each page. */
export const pagedTranslationConstants = {
  translationCacheEntries: cachedTranslationConstants.translationCacheEntries,
  translationPageBytes: whole(
    'Contexts and translation',
    'B',
    [4096, 2 ** 30],
    'Page of host memory that one translation is of; huge pages have 2 MB or 1 GB.',
  ),
  ...missConstants,
} satisfies ConstantTable;

/** Contexts that are all on chip. */
export const residentContextConstants = {
  residentContexts: whole(
    'Contexts and translation',
    'QPs',
    [1, 2 ** 24],
    'Contexts that the chip has room for; maxQps is no more.',
  ),
  residentContextBytes: whole('Contexts and translation', 'B', [16, 4096], 'Bytes of a context on chip.'),
  residentBankContexts: whole(
    'Contexts and translation',
    'contexts',
    [1, 2 ** 20],
    'Contexts of a bank of that memory: there are whole banks only.',
  ),
  residentDeepBytes: whole(
    'Contexts and translation',
    'B',
    [0, 4096],
    'Bytes of a context that lie in deeper banks.',
    '0: none do',
  ),
  residentDeepBankContexts: whole(
    'Contexts and translation',
    'contexts',
    [1, 2 ** 20],
    'Contexts of such a bank.',
  ),
} satisfies ConstantTable;

/** Contexts on chip as far as they fit, and in host memory. */
export const spilledContextConstants = {
  contextCacheEntries: cachedContextConstants.contextCacheEntries,
  residentContextBytes: residentContextConstants.residentContextBytes,
  ...missConstants,
} satisfies ConstantTable;

/** The numbers that such reads need. */
export type MissConstants = DeviceConstants & Values<typeof missConstants>;

/** The numbers that such contexts read. */
export type CachedContextConstants = DeviceConstants & Values<typeof cachedContextConstants>;

/** The numbers that such translations read. */
export type CachedTranslationConstants = DeviceConstants & Values<typeof cachedTranslationConstants>;

/** The numbers that contexts on chip read. */
export type ResidentContextConstants = DeviceConstants & Values<typeof residentContextConstants>;

/** The numbers that translations by page read. */
export type PagedTranslationConstants = DeviceConstants & Values<typeof pagedTranslationConstants>;

/** The numbers that spilled contexts read. */
export type SpilledContextConstants = DeviceConstants & Values<typeof spilledContextConstants>;
