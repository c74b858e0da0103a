import { Document, isMap, visit } from 'yaml';

/** Maps this deep, such as a constant with its evidence and source, take one line each. */
const LINE_DEPTH = 2;

/** The fields of a profile as a file that a person would write: one line per constant, node and link. */
export function profileYaml(fields: object): string {
  const document = new Document(fields);
  visit(document, {
    Map(_, map, path) {
      const depth = path.filter(isMap).length;
      if (depth >= LINE_DEPTH) map.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}
