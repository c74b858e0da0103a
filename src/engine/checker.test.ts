import { describe, expect, it } from 'vitest';
import { Checker, Ledger } from './checker.js';

describe('Checker', () => {
  it('counts what holds and throws what does not, by name', () => {
    const checker = new Checker();
    checker.check(true, 'psn order');
    expect(checker.passed).toBe(1);
    expect(() => checker.check(false, 'psn order', 'psn', 7, 8)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', field: 'psn', given: 7, allowed: '8' }),
    );
    expect(() => checker.check(false, 'psn order')).toThrow(/psn order/);
    expect(checker.passed).toBe(1);
  });
});

describe('Ledger', () => {
  it('settles when every account balances', () => {
    const checker = new Checker();
    const ledger = new Ledger(checker);
    for (let index = 0; index < 20; index++) {
      const account = ledger.open(`queue ${index}`);
      ledger.debit(account, 4096);
      ledger.credit(account, 1024);
      expect(ledger.outstanding(account)).toBe(3072);
      ledger.credit(account, 3072);
      expect([ledger.outstanding(account), ledger.total(account)]).toEqual([0, 4096]);
    }
    ledger.settle();
    expect(checker.passed).toBe(60);
  });

  it('names the account that does not balance', () => {
    const ledger = new Ledger(new Checker());
    ledger.open('pauses');
    const bytes = ledger.open('bytes on the link');
    ledger.debit(bytes, 10);
    ledger.credit(bytes, 9);
    expect(() => ledger.settle()).toThrow(/bytes on the link/);
    expect(() => ledger.settle()).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', field: 'outstanding', given: 1 }),
    );
  });

  it('refuses a credit before its debit at once', () => {
    const ledger = new Ledger(new Checker());
    const pauses = ledger.open('pauses');
    expect(() => ledger.credit(pauses, 1)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', given: 1, allowed: '0' }),
    );
  });

  it('refuses strange accounts and amounts', () => {
    const ledger = new Ledger(new Checker());
    const account = ledger.open('bytes');
    expect(() => ledger.open('bytes')).toThrow(expect.objectContaining({ code: 'LEDGER_ACCOUNT' }));
    for (const strange of [-1, 1, 0.5, Number.NaN]) {
      expect(() => ledger.debit(strange, 1)).toThrow(
        expect.objectContaining({ code: 'LEDGER_ACCOUNT', given: strange }),
      );
    }
    for (const amount of [-1, 0.5, Number.NaN]) {
      expect(() => ledger.debit(account, amount)).toThrow(
        expect.objectContaining({ code: 'LEDGER_AMOUNT', given: amount }),
      );
      expect(() => ledger.credit(account, amount)).toThrow(
        expect.objectContaining({ code: 'LEDGER_AMOUNT', given: amount }),
      );
    }
  });
});
