import type { JobResult } from './backend.js';

/** What came of a job, in a sentence. */
export function sayingOf(result: JobResult): string {
  switch (result.job) {
    case 'run':
      return sentence(result.measurement.verdict.why);
    case 'explain':
      return sentence(result.explanation.conclusion);
    case 'hunt': {
      const { anomalies, experiments } = result.answer;
      return `${count(anomalies.length, 'anomaly', 'anomalies')} in ${experiments} experiments.`;
    }
    case 'reproduce': {
      const { id, ok, reason } = result.row;
      return ok
        ? `${id} comes out as the paper says.`
        : sentence(`${id} differs: ${reason ?? 'out of tolerance'}`);
    }
    case 'isolate': {
      const { pairs, scheme } = result.matrix;
      const violated = pairs.filter(({ outcome }) => outcome === 'violated').length;
      return `Under ${scheme} ${violated} of ${pairs.length} pairs violate the guarantee.`;
    }
    case 'sweep':
      return `${count(result.grid.points.length, 'point')} over ${result.grid.axes.map(({ parameter }) => parameter).join(', ')}.`;
    case 'compare':
      return `${count(result.comparison.points.length, 'point')} of ${result.comparison.variants.join(', ')}.`;
    case 'fabric': {
      const { finished, flows, drops } = result.answer;
      return `${finished} of ${flows} flows ended, ${count(drops, 'packet was', 'packets were')} dropped.`;
    }
    case 'ping': {
      const { findings, host } = result.answer;
      if (findings.length === 0) return `Nothing is wrong with ${host}.`;
      return sentence(findings.map(({ cause, links }) => `${cause} at ${links.join(' or ')}`).join('; '));
    }
  }
}

/** Whether only a part of a job was done. */
export function partialOf(result: JobResult): boolean {
  switch (result.job) {
    case 'run':
    case 'explain':
      return result.measurement.partial;
    case 'hunt':
    case 'fabric':
      return result.answer.partial;
    case 'isolate':
      return result.matrix.partial;
    case 'sweep':
      return result.grid.partial;
    case 'compare':
      return result.comparison.partial;
    default:
      return false;
  }
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function sentence(text: string): string {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
