/**
 * The one reader of what people write: YAML or JSON against a schema, with everything that is wrong named by file, line,
 * column, field, value and what is allowed. Profiles, workloads and the spaces of hunts are read with it.
 *
 * @module
 */
export { SourceDocument } from './document.js';
export { DescriptionError, type DocumentKind, type Fault, type FaultDetail } from './fault.js';
export { type JsonSchema, publishedSchema } from './json-schema.js';
export { namesNear, nearest, noSuch } from './nearest.js';
export { type Path, parsePath } from './path.js';
export { readRest, readSound, readWith, requireMapping } from './read.js';
export { list, name, number, object, pattern, rangeInWords, text, word } from './shapes.js';
export { withWords } from './words.js';
export { parseDocuments } from './yaml-source.js';
