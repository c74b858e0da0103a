import { KelpieError } from '../error.js';

/**
 * Named invariants of a simulation. A check that holds costs a comparison and a count; one that fails ends the run.
 *
 * @example
 * const checker = new Checker();
 * checker.check(credits >= 0, 'credits never negative', 'credits', credits, '0 or more');
 */
export class Checker {
  /** How many checks have held so far: a test asserts that it is not 0. */
  passed = 0;

  /** Throws INVARIANT_BROKEN unless the condition holds; the rest names what was seen and what would have been right. */
  check(condition: boolean, name: string, field?: string, given?: unknown, allowed?: unknown): void {
    if (condition) {
      this.passed++;
      return;
    }
    throw new KelpieError('INVARIANT_BROKEN', `invariant broken: ${name}`, {
      field,
      given,
      allowed: allowed === undefined ? undefined : String(allowed),
    });
  }
}

/**
 * Conservation: what is debited to an account (bytes sent, credits handed out, pauses) must be credited (bytes
 * delivered, credits returned, resumes), never sooner than it was debited, and in full by the end.
 *
 * @example
 * const ledger = new Ledger(new Checker());
 * const bytes = ledger.open('bytes on the link');
 * ledger.debit(bytes, 4096);
 * ledger.credit(bytes, 4096);
 * ledger.settle();
 */
export class Ledger {
  private readonly checker: Checker;
  private readonly names: string[] = [];
  private debits = new Float64Array(8);
  private credits = new Float64Array(8);

  constructor(checker: Checker) {
    this.checker = checker;
  }

  /** Opens an account and returns its number. */
  open(name: string): number {
    if (this.names.includes(name)) {
      throw new KelpieError('LEDGER_ACCOUNT', 'this account is already open', {
        field: 'name',
        given: name,
        allowed: 'a new name',
      });
    }
    const account = this.names.length;
    if (account === this.debits.length) {
      this.debits = doubled(this.debits);
      this.credits = doubled(this.credits);
    }
    this.names.push(name);
    return account;
  }

  /** Something came in. */
  debit(account: number, amount: number): void {
    if (this.names[account] === undefined || !(amount >= 0 && Math.floor(amount) === amount))
      this.refuse(account, amount);
    this.debits[account] += amount;
  }

  /** Something went out again: no more than is outstanding. */
  credit(account: number, amount: number): void {
    if (this.names[account] === undefined || !(amount >= 0 && Math.floor(amount) === amount))
      this.refuse(account, amount);
    const outstanding = this.debits[account] - this.credits[account];
    this.checker.check(amount <= outstanding, this.names[account], 'credit', amount, outstanding);
    this.credits[account] += amount;
  }

  /** Debited and not yet credited. */
  outstanding(account: number): number {
    return this.debits[account] - this.credits[account];
  }

  /** Everything debited so far. */
  total(account: number): number {
    return this.debits[account];
  }

  /** Throws unless every account balances. */
  settle(): void {
    for (let account = 0; account < this.names.length; account++) {
      const outstanding = this.outstanding(account);
      this.checker.check(outstanding === 0, this.names[account], 'outstanding', outstanding, 0);
    }
  }

  private refuse(account: number, amount: number): never {
    if (this.names[account] === undefined) {
      const allowed = `0 to ${this.names.length - 1}`;
      throw new KelpieError('LEDGER_ACCOUNT', 'there is no such account', {
        field: 'account',
        given: account,
        allowed,
      });
    }
    throw new KelpieError('LEDGER_AMOUNT', 'this is no amount', {
      field: 'amount',
      given: amount,
      allowed: 'an integer, 0 or more',
    });
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}
