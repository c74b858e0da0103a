import { describe, expect, it } from 'vitest';
import { CoreTurns } from './core-turns.js';

function user(wants = true) {
  return { wants, wantsCore: () => false as boolean };
}

describe('turns on the core of the workers', () => {
  const three = () => {
    const users = [user(), user(), user()];
    for (const each of users) each.wantsCore = () => each.wants;
    return { users, core: new CoreTurns<(typeof users)[number]>(100) };
  };

  it('one keeps the core while nobody else wants it, however long', () => {
    const { users, core } = three();
    users[1].wants = false;
    users[2].wants = false;
    expect(core.has(users[0])).toBe(true);
    expect(core.turn(users, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(core.has(users[0])).toBe(true);
    expect(core.has(users[1])).toBe(false);
  });

  it('passes it on in turn, a slice each, while several want it', () => {
    const { users, core } = three();
    core.has(users[0]);
    core.turn(users, 0);
    const holders = [];
    for (let now = 0; now < 600; now += 50) {
      core.turn(users, now);
      holders.push(users.findIndex((each) => core.has(each)));
    }
    expect(new Set(holders)).toEqual(new Set([0, 1, 2]));
    for (const each of [0, 1, 2]) expect(holders.filter((holder) => holder === each)).toHaveLength(4);
  });

  it('passes it on at once where its holder has nothing to do', () => {
    const { users, core } = three();
    core.has(users[0]);
    users[0].wants = false;
    expect(core.turn(users, 10)).toBe(10);
    expect(core.has(users[1])).toBe(true);
    expect(core.turn(users, 20)).toBe(110);
    users[1].wants = false;
    users[2].wants = false;
    core.turn(users, 30);
    expect(core.has(users[2])).toBe(true);
  });
});
