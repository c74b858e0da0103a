import { expect, it } from 'vitest';
import { junitOf, markdownOf } from './check-files.js';
import { parseThreshold } from './threshold.js';

const report = {
  title: 'sweep <of> "things"',
  outcome: '2 points',
  checks: [
    { name: 'goodputGbps>=90', passed: true, found: '97' },
    { name: 'p99<5', passed: false, found: 'a & b\u0000' },
  ],
  table: [
    ['qps', 'goodput'],
    ['a|b', '[x](http://evil)'],
  ],
};

it('writes JUnit XML of whatever names there are', () => {
  const text = junitOf(report);
  expect(text).toContain('tests="2" failures="1"');
  expect(text).toContain('name="sweep &lt;of&gt; &quot;things&quot;"');
  expect(text).toContain(
    '<testcase classname="sweep &lt;of&gt; &quot;things&quot;" name="p99&lt;5"><failure message="a &amp; b?"/>',
  );
});

it('writes Markdown in which names are no markup', () => {
  const text = markdownOf(report);
  expect(text).toContain('1 of 2 assertions hold.');
  expect(text).toContain('| a\\|b | \\[x\\](http://evil) |');
});

it('reads thresholds, and what is not known meets none', () => {
  const { metric, holds } = parseThreshold('tenant.rpc.latencyNs.p99 <= 5e3', 'x');
  expect([metric, holds(5000), holds(5001), holds(null)]).toEqual([
    'tenant.rpc.latencyNs.p99',
    true,
    false,
    false,
  ]);
  expect(() => parseThreshold('fast', 'goodputGbps')).toThrow('--assert');
});
