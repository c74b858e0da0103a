import { describe, expect, it } from 'vitest';
import { Random } from './random.js';

function draws(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.nextUint32());
}

describe('Random', () => {
  it('splits by name alone: draws and other splits change nothing', () => {
    const expected = draws(new Random(1).split('nic0/icm'), 8);
    const parent = new Random(1);
    draws(parent, 100);
    parent.split('nic1');
    expect(draws(parent.split('nic0/icm'), 8)).toEqual(expected);
    expect(draws(new Random(2).split('nic0/icm'), 8)).not.toEqual(expected);
  });

  it('goes on alike in a copy, and each by itself', () => {
    const random = new Random(4).split('a');
    random.nextNormal();
    const twin = random.copy();
    expect([twin.nextNormal(), ...draws(twin, 5)]).toEqual([random.nextNormal(), ...draws(random, 5)]);
    expect(draws(twin.split('b'), 3)).toEqual(draws(random.split('b'), 3));
    draws(twin, 7);
    expect(draws(random, 8).slice(7)).toEqual(draws(twin, 1));
  });

  it('gives unrelated numbers to similar names, seeds and depths', () => {
    const seen = new Set<number>();
    let streams = 0;
    for (let seed = 0; seed < 20; seed++) {
      for (const name of ['', 'a', 'b', 'ab', 'ba', 'a\0', 'nic0', 'nic1']) {
        seen.add(new Random(seed).split(name).nextUint32());
        seen.add(new Random(seed).split('x').split(name).nextUint32());
        streams += 2;
      }
    }
    expect(seen.size).toBe(streams);
    // Bits of two neighbouring streams agree half of the time.
    const [left, right] = [new Random(7).split('nic0'), new Random(7).split('nic1')];
    let agreeing = 0;
    for (let index = 0; index < 1000; index++) {
      let same = ~(left.nextUint32() ^ right.nextUint32());
      for (; same !== 0; same &= same - 1) agreeing++;
    }
    expect(Math.abs(agreeing - 16_000)).toBeLessThan(5 * Math.sqrt(32_000 / 4));
  });

  it('draws integers evenly and within the range', () => {
    const random = new Random(3);
    for (const n of [1, 2, 3, 10, 1000]) {
      const counts = new Array(n).fill(0);
      for (let index = 0; index < 1000 * Math.min(n, 100); index++) counts[random.nextInt(n)]++;
      expect(counts).toHaveLength(n);
    }
    // Two thirds of 2^32: a plain modulo would favour the lower half two to one.
    let low = 0;
    for (let index = 0; index < 10_000; index++) if (random.nextInt(2 ** 31 * 1.5) < 2 ** 30 * 1.5) low++;
    expect(Math.abs(low - 5000)).toBeLessThan(250);
    expect(random.nextInt(2 ** 32)).toBeLessThan(2 ** 32);
    for (const n of [0, -1, 1.5, Number.NaN, 2 ** 33]) {
      expect(() => random.nextInt(n)).toThrow(expect.objectContaining({ code: 'RANDOM_RANGE' }));
    }
  });

  it('draws floats in [0, 1) that use the low bits', () => {
    const random = new Random(4);
    let sum = 0;
    let fine = 0;
    for (let index = 0; index < 10_000; index++) {
      const value = random.nextFloat();
      if (value < 0 || value >= 1) expect(value).toBe('in [0, 1)');
      sum += value;
      if ((value * 2 ** 53) % 2 === 1) fine++;
    }
    expect(Math.abs(sum / 10_000 - 0.5)).toBeLessThan(0.02);
    expect(Math.abs(fine - 5000)).toBeLessThan(300);
  });

  it('draws exponentially: its own logarithm is that of Math.log to 1e-15', () => {
    const drawn = new Random(5);
    const uniform = new Random(5);
    let sum = 0;
    for (let index = 0; index < 20_000; index++) {
      const value = drawn.nextExponential(1);
      const expected = -Math.log(1 - uniform.nextFloat());
      if (Math.abs(value - expected) > 1e-15 * Math.max(1, expected)) expect(value).toBe(expected);
      sum += value;
    }
    expect(Math.abs(sum / 20_000 - 1)).toBeLessThan(0.04);
  });

  it('draws normally', () => {
    const random = new Random(6);
    let sum = 0;
    let squares = 0;
    let within = 0;
    for (let index = 0; index < 20_000; index++) {
      const value = random.nextNormal();
      sum += value;
      squares += value * value;
      if (Math.abs(value) < 1) within++;
    }
    expect(Math.abs(sum / 20_000)).toBeLessThan(0.04);
    expect(Math.abs(squares / 20_000 - 1)).toBeLessThan(0.06);
    expect(Math.abs(within / 20_000 - 0.6827)).toBeLessThan(0.02);
  });

  it('shuffles into every order and picks every item', () => {
    const random = new Random(8);
    const orders = new Map<string, number>();
    for (let index = 0; index < 6000; index++) {
      const order = random.shuffle(['a', 'b', 'c']).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(new Set(Array.from({ length: 100 }, () => random.pick([1, 2, 3])))).toEqual(new Set([1, 2, 3]));
    expect(() => random.pick([])).toThrow(expect.objectContaining({ code: 'RANDOM_RANGE' }));
  });

  it('refuses what is no seed', () => {
    for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => new Random(seed)).toThrow(expect.objectContaining({ code: 'RANDOM_SEED', given: seed }));
    }
  });

  it('gives the same bits on every machine', () => {
    const random = new Random(42);
    const split = random.split('nic0/icm');
    expect({
      words: draws(random, 4),
      large: new Random(Number.MAX_SAFE_INTEGER).nextUint32(),
      splitWords: draws(split, 4),
      float: split.nextFloat(),
      int: split.nextInt(1000),
      exponential: split.nextExponential(1000),
      normal: [split.nextNormal(), split.nextNormal()],
      shuffled: split.shuffle([1, 2, 3, 4, 5, 6]),
    }).toMatchInlineSnapshot(`
      {
        "exponential": 486.2248070687826,
        "float": 0.7919266457157877,
        "int": 350,
        "large": 3259311300,
        "normal": [
          0.010343346676094996,
          -0.9064633470618751,
        ],
        "shuffled": [
          5,
          2,
          4,
          3,
          6,
          1,
        ],
        "splitWords": [
          1617799708,
          1898177004,
          2223048197,
          1070840238,
        ],
        "words": [
          3401955791,
          3038702386,
          3342069912,
          3668127063,
        ],
      }
    `);
  });
});
