/** A place in the sources and what it becomes. */
export interface Edit {
  /** The source, from `src/` on. */
  file: string;
  /** Text that occurs there exactly once; white space stands for any white space. */
  search: string;
  replace: string;
}

/** One deliberate fault, and the cases that must then fail. */
export interface Mutant extends Edit {
  /** What is broken, in words. */
  what: string;
  /** Further edits, where one alone cannot be noticed. */
  also?: readonly Edit[];
  /** The cases that must notice, as patterns over their names; every case that one of them matches must fail. */
  breaks: readonly RegExp[];
}
