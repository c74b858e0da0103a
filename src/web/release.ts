/** Filled in by the build: changes with every file of the page, so that files of two releases never meet. */
declare const RELEASE: string;

/** The address of a file of this release. */
export function fileOf(name: string): string {
  return `${name}?v=${RELEASE}`;
}
