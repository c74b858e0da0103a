// The compiler as scripts/build.js calls it: `tsc -p tsconfig.build.json`, with numeric constants written into the code
// that uses them.
import ts from 'typescript';
import { inlineConstants } from './inline-constants.js';

/** Compiles the project of a configuration file; says what is wrong with it, and returns whether anything was. */
export function compile(configPath) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
  const config = ts.getParsedCommandLineOfConfigFile(configPath, {}, host);
  if (config === undefined) return false;
  const program = ts.createProgram(config.fileNames, config.options);
  const wrong = [...config.errors, ...ts.getPreEmitDiagnostics(program)];
  if (report(wrong)) return false;
  const before = [inlineConstants(program.getTypeChecker())];
  return !report(program.emit(undefined, undefined, undefined, false, { before }).diagnostics);
}

function report(diagnostics) {
  const format = { getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => '\n' };
  const text = ts.formatDiagnostics(diagnostics, { ...format, getCanonicalFileName: (name) => name });
  if (text !== '') console.error(text);
  return text !== '';
}
