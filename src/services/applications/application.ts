import type { Context, SendOpcode } from '../../verbs/index.js';

/** Where an application runs: the context of each of its hosts, and the class of service of its packets. */
export interface ApplicationSite {
  contextOf(host: string): Context;
  serviceLevel: number;
}

/** An application that runs until it is stopped. */
export interface RunningApplication {
  /** Operations that have ended so far. */
  readonly operations: number;
  /** Operations by client where the application has several, by host. */
  readonly byHost: Readonly<Record<string, number>>;
  stop(): void;
}

/** A program on the verbs that can be a victim. */
export interface Application {
  name: string;
  /** What an operation is, in words. */
  operation: string;
  /** Hosts by their letters; attackers sit on the first two. */
  hosts: readonly string[];
  /** The transport that it uses, and its operations: what a scheme must support. */
  uses: { transport: 'RC' | 'UD'; opcodes: readonly SendOpcode[] };
  start(site: ApplicationSite): RunningApplication;
}
