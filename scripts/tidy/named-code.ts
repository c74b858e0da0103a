import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PATH = /`((?:src|scripts|bench|examples)\/[\w./-]+)`/g;
/** A row of a table whose first cell is a module and whose second one lists functions of it. */
const WALK_ROW = /^\| `(src\/[\w./-]+\.ts)` *\| ((?:`\w+`(?:, )?)+) *\|/gm;
/** An item of a list that names a module and functions of it. */
const WALK_ITEM = /^- `(src\/[\w./-]+\.ts)`: ((?:`\w+`(?:, )?)+):/gm;
/** What stands for a name that the reader chooses. */
const PLACEHOLDER = /[A-Z]{3,}/;

/** Paths of this tree that a page names and that are not there, as `page: path`. */
export function missingPaths(page: string, text: string): string[] {
  return [...text.matchAll(PATH)]
    .map(([, path]) => path)
    .filter((path) => !PLACEHOLDER.test(path) && !existsSync(path))
    .map((path) => `${page}: ${path}`);
}

/** A row of a walk through the code: a module, and functions of it. */
interface WalkRow {
  path: string;
  names: string[];
}

/** The rows of the walks in a text. */
export function walkRows(text: string): WalkRow[] {
  return rowsOf(text, WALK_ROW);
}

function rowsOf(text: string, pattern: RegExp): WalkRow[] {
  return [...text.matchAll(pattern)].map(([, path, cell]) => ({
    path,
    names: [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }));
}

/** Functions that the tables and lists of a page name and that their modules do not have, as `page: path name`. */
export function missingFunctions(page: string, text: string): string[] {
  return [...walkRows(text), ...rowsOf(text, WALK_ITEM)].flatMap(({ path, names }) => {
    const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return names.filter((name) => !declares(source, name)).map((name) => `${page}: ${path} ${name}`);
  });
}

/** Whether a module has a function, a method or an accessor of that name; calls do not count. */
function declares(source: string, name: string): boolean {
  const before = '(?:export |private |protected |override |static |async |readonly |get |function )*';
  return new RegExp(`^\\s*${before}${name}(?:<[^>]*>)?(?:\\(| = \\()`, 'm').test(source);
}

const LINK = /\]\(([^()\s]+)\)/g;

/** Links of a page to files and headings of this tree that lead nowhere, as `page: link`. */
export function deadLinks(page: string, text: string): string[] {
  return [...text.matchAll(LINK)]
    .map(([, link]) => link)
    .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
    .map((link) => `${page}: ${link}`);
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file, heading] = link.split('#');
  const path = file === '' ? page : join(dirname(page), file);
  if (!existsSync(path)) return false;
  return heading === undefined || slugs(readFileSync(path, 'utf8')).includes(heading);
}

/** The names by which GitHub links to the headings of a page. */
function slugs(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
