import { KelpieError } from '../../../error.js';
import { parsePath, SourceDocument } from '../../../schema/index.js';
import { answerOf, Fabric, type FabricAnswer, parseFabric, runFabric, runMixed } from '../../fabric/index.js';
import { eventTurn } from '../../pool/index.js';
import type { CampaignPoint } from '../axis.js';
import { CAMPAIGN } from '../description.js';
import type { CampaignKind, TaskOptions } from '../kind.js';

/** A fabric with the text of every file that it names. */
interface FabricBase {
  readonly file: string;
  readonly description: unknown;
  readonly texts: Readonly<Record<string, string>>;
}

/** A fabric over ranges of its fields, named by their path: `control`, `workload[0].load`. */
export const fabric: CampaignKind<FabricBase> = {
  required: ['fabric'],
  optional: ['vary'],
  keepsAll: false,
  metrics: [
    'finished',
    'drops',
    'lost',
    'pauseFrames',
    'meanSlowdown',
    'p99Slowdown',
    'p99CompletionNs',
    'lastEndNs',
  ],
  plan({ fabric: given, vary = {} }, reader) {
    const described = reader.described('fabric', given!);
    const axes = reader.axes(vary);
    if (described === null) return null;
    const { text, file } = described;
    const texts: Record<string, string> = {};
    const readText = (name: string, field: string) => {
      texts[name] ??= reader.readText(name, field);
      return texts[name];
    };
    const description = reader.attempt(['fabric'], () => {
      parseFabric(text, file, readText);
      return SourceDocument.ofText(text, file, CAMPAIGN).value;
    });
    if (description === null) return null;
    const base = { file, description, texts };
    // A value may name another file.
    reader.attemptVaried(axes, { seed: 1 }, (point) =>
      parseFabric(JSON.stringify(changed(base, point)), file, readText),
    );
    return { axes, base };
  },
  async run(base, point, options) {
    const answer = await simulate(base, point, options);
    const { finished, flows, drops, lost, pauseFrames, slowdown, completionNs, lastEndNs } = answer;
    return {
      metrics: {
        ...{ finished, drops, lost, pauseFrames, lastEndNs },
        meanSlowdown: slowdown?.mean ?? null,
        p99Slowdown: slowdown?.p99 ?? null,
        p99CompletionNs: completionNs?.p99 ?? null,
      },
      says: `${finished} of ${flows} flows, ${drops} drops`,
      found: finished < flows || drops > 0,
      ...(options.keepsAll ? { detail: answer } : {}),
    };
  },
};

async function simulate(base: FabricBase, point: CampaignPoint, { run }: TaskOptions): Promise<FabricAnswer> {
  const { file, texts } = base;
  const text = JSON.stringify(changed(base, point));
  const { spec, stopNs, full } = parseFabric(text, file, (name) => texts[name] ?? '');
  if (full !== null) {
    const mixed = await runMixed({ spec, stopNs, full }, { ...run, onSlice: eventTurn });
    return answerOf(mixed.fabric, mixed.recorder, !mixed.whole);
  }
  const simulated = new Fabric(spec);
  const { recorder, whole } = await runFabric(simulated, stopNs, async () => {
    await eventTurn();
    return run.signal?.aborted !== true;
  });
  return answerOf(simulated, recorder, !whole);
}

/** The description with the values of a point. */
function changed({ description }: FabricBase, { seed, ...varied }: CampaignPoint): unknown {
  const copy = structuredClone(description) as Record<string, unknown>;
  for (const [name, value] of Object.entries(varied)) {
    const path = parsePath(name);
    let at: Record<string | number, unknown> = copy;
    for (const step of path.slice(0, -1)) {
      const inner = Object.hasOwn(at, step) ? at[step] : undefined;
      if (typeof inner !== 'object' || inner === null)
        throw new KelpieError('CAMPAIGN_UNKNOWN_FIELD', 'the fabric has no such field', {
          field: name,
          given: String(step),
          allowed: 'a path such as control or workload[0].load',
        });
      at = inner as Record<string | number, unknown>;
    }
    at[path[path.length - 1]] = value;
  }
  return { ...copy, seed };
}
