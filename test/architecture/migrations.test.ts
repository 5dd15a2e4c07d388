import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { type SourceFile, sourceFiles } from './house.js';

/** A reason of its own, in the statement: why it copies a table, blocks it, or touches rows without a bound. */
const REASON = /\/\*\s*(copies|blocks|unbounded): .{20,}?\*\//s;
/** An INSTANT change needs no word on its lock, and MySQL takes none. */
const ONLINE = /ALGORITHM\s*=\s*(INSTANT|(NOCOPY|INPLACE)\s*,\s*LOCK\s*=\s*NONE)/i;
/** What the version before would stumble over while both run. */
const CONTRACTS: readonly [RegExp, string][] = [
  [/\bDROP\s+(COLUMN|TABLE)\b/i, 'takes away what the version before reads'],
  [/\bRENAME\b|\bCHANGE\s+(COLUMN\s+)?`?\w+`?\s+`?\w+/i, 'renames what the version before reads'],
  [/\b(MODIFY)\b/i, 'changes a column under the version before'],
];
const BY_DAY = new Set(ALL_TABLES.flatMap(({ rule, table }) => (rule === 'days' ? [table] : [])));
const INSTANT_COLUMN = /^\s*ALTER\s+TABLE\s+(\w+)\s+ADD\s+COLUMN\b.*ALGORITHM\s*=\s*INSTANT/is;
const HELPERS =
  /^(add|drop|change|rename|create)(Columns?|Table|Ind(ex|ices)|UniqueConstraint|PrimaryKey|ForeignKeys?)$/;

interface Step {
  sql: string;
  isUp: boolean;
}

/** SQL texts of a migration, and calls of helpers whose SQL nobody has read. */
function stepsOf(file: SourceFile): { steps: Step[]; helpers: string[] } {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const steps: Step[] = [];
  const helpers: string[] = [];
  const visit = (node: ts.Node, isUp: boolean): void => {
    let isInUp = isUp;
    if (ts.isMethodDeclaration(node)) isInUp = node.name.getText() !== 'down';
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      steps.push({ sql: node.getText().slice(1, -1), isUp: isInUp });
      return;
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const name = node.expression.name.text;
      if (HELPERS.test(name)) helpers.push(name);
    }
    ts.forEachChild(node, (child) => visit(child, isInUp));
  };
  visit(source, true);
  return { steps, helpers };
}

/** What is wrong with a migration that runs beside the service. */
function faults(file: SourceFile): string[] {
  const { steps, helpers } = stepsOf(file);
  const found = helpers.map((name) => `${name}(): SQL that is not written down`);
  for (const { sql, isUp } of steps) {
    if (REASON.test(sql)) continue;
    const of = (fault: string): void => void found.push(`${fault}: ${sql.replace(/\s+/g, ' ').trim().slice(0, 80)}`);
    if (isUp && /^\s*ALTER\s+TABLE\b/i.test(sql) && !ONLINE.test(sql))
      of('neither ALGORITHM=INSTANT nor INPLACE, LOCK=NONE');
    if (/^\s*(CREATE\s+(UNIQUE\s+)?INDEX|DROP\s+INDEX)\b/i.test(sql)) of('an index is made by ALTER TABLE');
    if (/^\s*(UPDATE|DELETE)\b/i.test(sql) && !/\bLIMIT\b/i.test(sql)) of('rows without a bound');
    if (/^\s*(INSERT|REPLACE)\b.*\bSELECT\b/is.test(sql) && !/\bLIMIT\b/i.test(sql)) of('rows without a bound');
    if (!isUp) continue;
    if (BY_DAY.has(INSTANT_COLUMN.exec(sql)?.[1] ?? '')) of('an INSTANT column, after which MySQL exchanges no day');
    for (const [pattern, fault] of CONTRACTS) if (/^\s*(ALTER|DROP)\b/i.test(sql) && pattern.test(sql)) of(fault);
    for (const [column] of sql.matchAll(
      /\bADD\s+(COLUMN\s+)?`?(?!KEY|INDEX|UNIQUE|PRIMARY|CONSTRAINT|PARTITION)\w+`?[^,]*/gi,
    )) {
      if (/\bNOT NULL\b/i.test(column) && !/\bDEFAULT\b/i.test(column)) of('a new column without a default');
    }
  }
  if (!/async down\(/.test(file.text)) found.push('no way back');
  return found;
}

const numberOf = (path: string): number => Number(/\/(\d{13})-/.exec(path)?.[1] ?? 0);

describe('a migration', () => {
  const all = sourceFiles('src/platform/database/migrations').filter(({ path }) => numberOf(path) > 0);

  it('is checked by this test', () => {
    const checked = (sql: string): string[] =>
      faults({ path: 'x', text: `class A { async up(q) { await q.query(\`${sql}\`); } async down(q) {} }` });
    const online = 'ALGORITHM=INPLACE, LOCK=NONE';
    expect(checked(`ALTER TABLE a ADD COLUMN b INT NULL, ${online}`)).toEqual([]);
    expect(checked(`ALTER TABLE a ADD COLUMN b INT NOT NULL DEFAULT 0, ${online}`)).toEqual([]);
    expect(checked('CREATE TABLE IF NOT EXISTS a (id INT NOT NULL)')).toEqual([]);
    expect(checked('ALTER TABLE a ENGINE=InnoDB /* copies: a table of some hundred rows */')).toEqual([]);
    for (const [sql, fault] of [
      ['ALTER TABLE a ADD COLUMN b INT NULL', 'neither ALGORITHM'],
      [`ALTER TABLE a ADD COLUMN b INT NOT NULL, ${online}`, 'without a default'],
      [`ALTER TABLE a DROP COLUMN b, ${online}`, 'takes away'],
      [`ALTER TABLE a RENAME COLUMN b TO c, ${online}`, 'renames'],
      [`ALTER TABLE a MODIFY b BIGINT, ${online}`, 'changes a column'],
      ['DROP TABLE a', 'takes away'],
      ['ALTER TABLE campaign_recipients ADD COLUMN b INT NULL, ALGORITHM=INSTANT', 'exchanges no day'],
      ['CREATE INDEX ix ON a (b)', 'ALTER TABLE'],
      ['UPDATE a SET b = 1', 'without a bound'],
    ] as const) {
      expect(checked(sql).join()).toContain(fault);
    }
  });

  it('runs beside the service, and beside the version before', () => {
    expect(all.length).toBeGreaterThan(0);
    expect(all.flatMap((file) => faults(file).map((fault) => `${file.path.split('/').at(-1)}: ${fault}`))).toEqual([]);
  });

  it('is listed under a number of its own, in order', () => {
    const numbers = all.map(({ path }) => numberOf(path));
    expect(new Set(numbers).size).toBe(numbers.length);
    const index = sourceFiles('src/platform/database/migrations').find(({ path }) => path.endsWith('/index.ts'));
    const listed = [...(index?.text.split('migrations = [')[1] ?? '').matchAll(/\w+?(\d{13})/g)].map(([, number]) =>
      Number(number),
    );
    expect(listed).toEqual([...numbers].sort((a, b) => a - b));
  });
});
