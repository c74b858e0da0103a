import { describe, expect, it } from 'vitest';
import { SendAccount } from './send-account.js';

const makeAccount = (rnrWaitedPs: (nowPs: number) => number = () => 0) => new SendAccount({ rnrWaitedPs });

describe('the idle time of a send queue', () => {
  it('runs while nothing that was announced waits to be sent', () => {
    const account = makeAccount();
    expect(account.idleUntilPs(10)).toBe(10);
    account.announce(2, 10);
    expect(account.idleUntilPs(25)).toBe(10);
    account.served(30);
    expect(account.idleUntilPs(40)).toBe(10);
    account.served(50);
    expect([account.pending, account.idleUntilPs(60)]).toEqual([0, 20]);
    account.announce(1, 70);
    account.announce(1, 80);
    expect([account.pending, account.idleUntilPs(90)]).toEqual([2, 30]);
  });

  it('does not go below nothing pending', () => {
    const account = makeAccount();
    account.served(10);
    expect([account.pending, account.idleUntilPs(20)]).toEqual([0, 20]);
  });

  it('leaves out what the recovery of a loss took', () => {
    const account = makeAccount();
    account.announce(1, 0);
    account.served(10);
    account.repeated(100);
    expect(account.idleUntilPs(130)).toBe(30);
    account.announce(1, 140);
    account.repeated(150);
    expect(account.idleUntilPs(160)).toBe(40);
  });

  it('has the waits for receives of the peer in it, once', () => {
    // It waits from 200 to 700.
    const account = makeAccount((nowPs) => Math.min(500, Math.max(0, nowPs - 200)));
    account.announce(2, 0);
    expect([account.idleUntilPs(200), account.idleUntilPs(400)]).toEqual([0, 200]);
    account.served(100);
    account.served(400);
    expect([account.idleUntilPs(700), account.idleUntilPs(900)]).toEqual([500, 700]);
    account.announce(1, 1000);
    expect(account.idleUntilPs(2000)).toBe(800);
  });
});
