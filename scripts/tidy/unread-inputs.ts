import ts from 'typescript';

/** Something that a user may give: a constant of a profile, a field of a workload, an option of a call. */
export interface Input {
  /** `device.portGbps`, `tenant.threadSocket`, `ThreadOptions.socket`. */
  name: string;
  /** Whether the product reads it. */
  isRead: boolean;
}

/** Code that only checks, resolves or documents a value does not use it. */
const CHECKERS =
  /^src\/(profiles\/(check|consistency|json-schema|library|load|profile|profile-yaml|shape)|workload\/description\/(legality|load)|jobs\/(fabric|campaign)\/description)\.ts$/;
const TEST_KIT = /\.test\.ts$|\/testing\/|\/mutants\/|\.test\.data\.ts$/;
/** Interfaces that callers fill in. */
const OPTIONS = /(Options|Description|Init)$|^TestbedRequest$/;

/** Descriptions that the product makes for others. */
const OUTPUTS = /^src\/host-import\//;

/** Files and names of the tables of constants, and what their constants belong to. */
const CONSTANTS = [
  ['architecture/device', 'device', 'device'],
  ['architecture/state', 'cachedContext', 'contexts'],
  ['architecture/state', 'cachedTranslation', 'translations'],
  ['architecture/state', 'residentContext', 'contexts'],
  ['architecture/send', 'unitSend', 'sends'],
  ['architecture/send', 'cacheFreeSend', 'sends'],
  ['architecture/bus', 'engineBus', 'bus'],
  ['architecture/recovery', 'onloaded', 'recovery'],
  ['architecture/receive', 'cachedReceive', 'receives'],
  ['architecture/dcqcn', 'dcqcn', 'congestion'],
  ['architecture/dctcp', 'dctcp', 'congestion'],
  ['host', 'host', 'host'],
  ['fabric', 'fabric', 'fabric'],
] as const;

/** Descriptions with fields inside fields, and what their fields belong to. */
const DESCRIPTIONS = [
  ['jobs/fabric/description', 'FabricDescription', 'fabric'],
  ['jobs/campaign/description', 'CampaignDescription', 'campaign'],
] as const;
/** Where these fields are read, by whatever type has them there: parts are handed on whole. */
const READERS = /^src\/(jobs\/(fabric|campaign)|models\/fabric|node)\//;

/** The names that a table or a type in a file has as its properties. */
interface Table {
  prefix: string;
  /** By the path of each, its name. */
  names: ReadonlyMap<string, string>;
}

/**
 * Finds what users may give and nothing reads, with the compiler's own knowledge of which property an access means.
 *
 * @example
 * const unread = findInputs('.').filter(({ isRead }) => !isRead);
 */
export function findInputs(root: string): Input[] {
  const { program, checker, relative } = load(root);
  const tables = [
    ...CONSTANTS.map(([file, name, prefix]) =>
      tableOf(program, checker, `${root}/src/profiles/${file}-constants.ts`, `${name}Constants`, prefix),
    ),
    tableOf(program, checker, `${root}/src/profiles/settings.ts`, 'settings', 'settings'),
    tableOf(program, checker, `${root}/src/workload/description/description.ts`, 'Tenant', 'tenant'),
    tableOf(program, checker, `${root}/src/workload/description/description.ts`, 'MeasureOptions', 'measure'),
  ];
  const nested = DESCRIPTIONS.map(([file, name, prefix]) =>
    tableOf(program, checker, `${root}/src/${file}.ts`, name, `${prefix}Description`, true),
  );
  const mapped = byName(tables);
  const handedOn = byName(nested);
  const declared = new Map<ts.Node, string>();
  const sources = program
    .getSourceFiles()
    .filter((file) => /^src\//.test(relative(file)) && !TEST_KIT.test(relative(file)));
  for (const file of sources) if (!OUTPUTS.test(relative(file))) collectOptions(file, declared);
  const read = new Set<string>();
  for (const file of sources) {
    const counts = !CHECKERS.test(relative(file));
    const isReader = counts && READERS.test(relative(file));
    visitReads(file, checker, (symbol, name) => {
      for (const declaration of symbol.declarations ?? []) {
        const option = declared.get(declaration);
        if (option !== undefined) read.add(option);
      }
      // Properties of mapped types have no declaration of their own: the name tells which one it is.
      const isMapped = (symbol.declarations ?? []).every((each) =>
        /src\/(profiles|workload\/description)\//.test(each.getSourceFile().fileName),
      );
      if (counts && isMapped) for (const each of mapped.get(name) ?? []) read.add(each);
      if (isReader) for (const each of handedOn.get(name) ?? []) read.add(each);
    });
  }
  const all = [...tables, ...nested].flatMap(({ prefix, names }) =>
    [...names.keys()].map((path) => `${prefix}.${path}`),
  );
  return [...all, ...new Set(declared.values())].map((name) => ({ name, isRead: read.has(name) }));
}

/** The inputs of tables by the name that an access has. */
function byName(tables: readonly Table[]): Map<string, Set<string>> {
  const inputs = new Map<string, Set<string>>();
  for (const { prefix, names } of tables)
    for (const [path, name] of names)
      inputs.set(name, (inputs.get(name) ?? new Set()).add(`${prefix}.${path}`));
  return inputs;
}

function load(root: string) {
  const config = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = ts.sys.readDirectory(`${root}/src`, ['.ts']).filter((file) => !TEST_KIT.test(file));
  const program = ts.createProgram(files, { ...options, incremental: false, tsBuildInfoFile: undefined });
  const prefix = `${ts.sys.resolvePath(root)}/`;
  return {
    program,
    checker: program.getTypeChecker(),
    relative: (file: ts.SourceFile) => file.fileName.replace(prefix, ''),
  };
}

/** The properties of an exported value or type; `deep`: and theirs. */
function tableOf(
  program: ts.Program,
  checker: ts.TypeChecker,
  path: string,
  name: string,
  prefix: string,
  deep = false,
): Table {
  const file = program.getSourceFile(ts.sys.resolvePath(path));
  const module = file && checker.getSymbolAtLocation(file);
  const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
  if (symbol === undefined) throw new Error(`${path} has no ${name}`);
  const type =
    symbol.valueDeclaration === undefined
      ? checker.getDeclaredTypeOfSymbol(symbol)
      : checker.getTypeOfSymbol(symbol);
  const names = new Map<string, string>();
  const collect = (of: ts.Type, above: string): void => {
    for (const part of partsOf(of, checker))
      for (const each of checker.getPropertiesOfType(part)) {
        const below = `${above}${each.name}`;
        if (names.has(below) || !isOurs(each)) continue;
        names.set(below, each.name);
        if (deep) collect(checker.getTypeOfSymbol(each), `${below}.`);
      }
  };
  collect(type, '');
  return { prefix, names };
}

/** The objects among what a value of a type can be, or can be a list of. */
function partsOf(type: ts.Type, checker: ts.TypeChecker): ts.Type[] {
  if (type.isUnion()) return type.types.flatMap((each) => partsOf(each, checker));
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker.getTypeArguments(type as ts.TypeReference).flatMap((each) => partsOf(each, checker));
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  return isObject ? [type] : [];
}

/** Whether a property is one of this tree, and not of a library's type. */
function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.every((each) => !/node_modules/.test(each.getSourceFile().fileName));
}

/** Every field of the interfaces that callers fill in. */
function collectOptions(file: ts.SourceFile, declared: Map<ts.Node, string>): void {
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement) || !OPTIONS.test(statement.name.text)) continue;
    for (const member of statement.members)
      if (ts.isPropertySignature(member) && ts.isIdentifier(member.name))
        declared.set(member, `${statement.name.text}.${member.name.text}`);
  }
}

/** Calls back for every property that is read: by a dot, by a literal in brackets, by destructuring. */
function visitReads(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  onRead: (symbol: ts.Symbol, name: string) => void,
): void {
  const property = (object: ts.Node, name: string): void => {
    const type = checker.getApparentType(checker.getTypeAtLocation(object));
    for (const part of type.isUnion() ? type.types : [type]) {
      const symbol = checker.getPropertyOfType(part, name);
      if (symbol !== undefined) onRead(symbol, name);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && !isWritten(node)) property(node.expression, node.name.text);
    else if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression))
      property(node.expression, node.argumentExpression.text);
    else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = node.propertyName ?? node.name;
      if (node.dotDotDotToken !== undefined) {
        const others = checker.getPropertiesOfType(checker.getTypeAtLocation(node.name));
        for (const each of others) property(node.parent, each.name);
      } else if (ts.isIdentifier(name)) property(node.parent, name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function isWritten(node: ts.PropertyAccessExpression): boolean {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}
