import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as profiles from '../src/profiles/index.js';
import { profilesPage, schemaDocuments, withoutPadding } from './document-profiles.js';

// Goal: the published schemas and tables are what the code says (else run node scripts/document-profiles.js).

/** The whole profiles among the examples of docs/profiles.md. */
function examples(): string[] {
  const blocks = readFileSync('docs/profiles.md', 'utf8').matchAll(/^( *)```yaml[^\n]*\n([^`]*)```/gm);
  const texts = [...blocks].map(([, indent, text]) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
  return texts.filter((text) => text.includes('profile: '));
}

describe('documents of profiles', () => {
  it.each(Object.entries(schemaDocuments(profiles)))('%s is current', (path, schema) => {
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(schema);
  });

  it('the tables in docs/profiles.md are current', () => {
    const page = readFileSync('docs/profiles.md', 'utf8');
    expect(withoutPadding(page)).toBe(withoutPadding(profilesPage(profiles, page)));
  });

  it('the example profiles of the page load together', () => {
    const library = new profiles.ProfileLibrary();
    for (const text of examples()) library.add(text, 'example.yaml');
    const mine = profiles.resolveSubsystem(library.find('subsystem', 'my-subsystem'), { library });
    expect(mine.device.constants).toMatchObject({ portGbps: 100, pcieLanes: 8, pcieGbps: 60 });
  });

  it('the example faults of the page are what the loader says', () => {
    const text = examples()[0].replace('pcieLanes', 'pcieLane').replace('value: 60,', 'value: 60000,');
    const message = readFileSync('docs/profiles.md', 'utf8').match(/```text\n([^`]*)\n```/)![1];
    expect(() => profiles.parseProfile(text, 'my-nic.yaml')).toThrow(expect.objectContaining({ message }));
  });

  it('notices a page that is not current', () => {
    const page = readFileSync('docs/profiles.md', 'utf8').replace('`portGbps`', '`portGigabits`');
    expect(withoutPadding(page)).not.toBe(withoutPadding(profilesPage(profiles, page)));
  });
});
