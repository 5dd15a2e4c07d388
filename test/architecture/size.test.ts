import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT, type SourceFile, sourceFiles } from './house.js';

/**
 * How large the service may become. Each bound is what was measured when it was last lowered: lower it when the figure falls,
 * and raise it only with a reason in the commit. "Files" are those of src without tests.
 */
const BOUNDS = {
  files: 912,
  lines: 118_000,
  commentLines: 7_250,
  filesUnder40Lines: 8,
  mostFilesInAFolder: 20,
  constructorsOver8Dependencies: 0,
  engineFiles: 75,
  engineExports: 45,
  readmeBytes: 8_192,
};

const files = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts'));
const engine = files.filter(({ path }) => path.startsWith('src/modules/engine/'));

const linesOf = ({ text }: SourceFile): number => text.trimEnd().split('\n').length;

/** Lines that hold a comment and nothing else. */
const commentLinesOf = ({ text }: SourceFile): number => text.match(/^\s*(\/\/|\/?\*)/gm)?.length ?? 0;

/** Small by nature: doors, modules, migrations and lists of errors. */
const isSmallByNature = (path: string): boolean =>
  /(^|\/)(index|main|tables)\.ts$|\.(module|errors|d)\.ts$|\/migrations\//.test(path);

/** Constructors with injected dependencies that have more than eight parameters. */
function constructorsOver8({ path, text }: SourceFile): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node) && /@Inject|private readonly/.test(node.getText()))
      count += node.parameters.length > 8 ? 1 : 0;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return count;
}

/** Names that a file exports by `export { … } from`. */
function exportedNames(file: SourceFile | undefined): number {
  if (file === undefined) return 0;
  const { path, text } = file;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return source.statements.reduce(
    (sum, node) =>
      ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)
        ? sum + node.exportClause.elements.length
        : sum,
    0,
  );
}

function measure(): typeof BOUNDS {
  const inFolder = new Map<string, number>();
  // migrations come one a change
  const sought = files.filter(({ path }) => !path.includes('/migrations/'));
  for (const { path } of sought) inFolder.set(dirname(path), (inFolder.get(dirname(path)) ?? 0) + 1);
  const sum = (count: (file: SourceFile) => number): number => files.reduce((total, file) => total + count(file), 0);
  return {
    files: files.length,
    lines: sum(linesOf),
    commentLines: sum(commentLinesOf),
    filesUnder40Lines: files.filter((file) => !isSmallByNature(file.path) && linesOf(file) < 40).length,
    mostFilesInAFolder: Math.max(...inFolder.values()),
    constructorsOver8Dependencies: sum(constructorsOver8),
    engineFiles: engine.length,
    engineExports: exportedNames(engine.find(({ path }) => path.endsWith('engine/index.ts'))),
    readmeBytes: statSync(`${ROOT}README.md`).size,
  };
}

describe('the size of the service', () => {
  it('stays within its bounds', () => {
    const measured = measure();
    const rows = Object.entries(measured).map(([name, value]) => {
      const bound = BOUNDS[name as keyof typeof BOUNDS];
      return { name, value, bound, exceeds: value > bound };
    });
    process.stdout.write(
      `${rows.map(({ name, value, bound }) => `${name}: ${value} (at most ${bound})`).join('\n')}\n`,
    );
    expect(rows.filter(({ exceeds }) => exceeds)).toEqual([]);
  });
});
