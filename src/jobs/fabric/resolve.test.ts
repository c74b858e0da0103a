import { expect, it } from 'vitest';
import { fabricJsonSchema } from './resolve.js';

it('the published schema of a fabric is up to date', async () => {
  await expect(`${JSON.stringify(fabricJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../../docs/schema/fabric.schema.json',
  );
});
