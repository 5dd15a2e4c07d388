import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './house.js';

/**
 * Reserved words of MySQL 9.7 or MariaDB 10.11 that the other server takes as a name, and those that tempt as the name of a
 * column: no alias and no column is called so.
 */
const RESERVED =
  `STORED VIRTUAL GENERATED SYSTEM RANK GROUPS GROUPING LATERAL EMPTY EXCEPT INTERSECT RECURSIVE WINDOW OVER ROW ROWS
  FUNCTION LEAD LAG NTILE CUME_DIST DENSE_RANK PERCENT_RANK ROW_NUMBER FIRST_VALUE LAST_VALUE NTH_VALUE CUBE OF MANUAL PARALLEL
  QUALIFY TABLESAMPLE LIBRARY MEMBER ARRAY RETURNING OFFSET SIGNAL RESIGNAL GET OPTIMIZER_COSTS IO_AFTER_GTIDS JSON_TABLE
  DELETE_DOMAIN_ID DO_DOMAIN_IDS IGNORE_DOMAIN_IDS PAGE_CHECKSUM PARSE_VCOL_EXPR REF_SYSTEM_ID SLOW STATS_AUTO_RECALC STATS_PERSISTENT
  STATS_SAMPLE_PAGES CURRENT_ROLE VECTOR ROWNUM`
    .split(/\s+/)
    .join('|');

/** What only one of the servers takes, or what the two do not do alike. */
const ONE_SERVER_ONLY: readonly [RegExp, string][] = [
  [new RegExp(`\\bAS (${RESERVED})\\b(?!\\s*\\()`, 'i'), 'a reserved word as an alias'],
  [new RegExp(`\\b[a-z]\\w*\\.(${RESERVED})\\b`, 'i'), 'a reserved word as a column'],
  [/\bRETURNING\b/, 'RETURNING: MariaDB only'],
  [
    /\bJSON_TABLE\b[^]*\bFOR (UPDATE|SHARE)\b|\bJSON_TABLE\b[^]*\bLOCK IN SHARE MODE\b/,
    'a lock over JSON_TABLE: lockOnly()',
  ],
  [/\bFOR (UPDATE|SHARE) OF\b/, 'FOR UPDATE OF: MySQL only, lockOnly()'],
  [/\bFOR SHARE\b/, 'FOR SHARE: MySQL only'],
  [/\bSET STATEMENT\b/, 'SET STATEMENT: MariaDB only'],
  [/\bseq_\d+_to_/i, 'tables of the sequence engine: MariaDB only'],
  [/\bLATERAL\b/, 'LATERAL: MySQL only'],
  [/\bVALUES\s+ROW\s*\(/i, 'VALUES ROW(): MySQL only'],
  [/\bVALUES\s*\([^]*\)\s+AS\s+\w+\s+ON DUPLICATE KEY/i, 'a row alias: MySQL only, VALUES(column)'],
  [/\bANY_VALUE\s*\(/i, 'ANY_VALUE: MySQL only'],
  [/\bMEMBER OF\s*\(/i, 'MEMBER OF: MySQL only'],
  [/\b(CREATE|DROP) (INDEX|TABLE|SEQUENCE)\b.*\bSEQUENCE\b|\bNEXTVAL\s*\(/i, 'sequences: MariaDB only'],
  [/\b(ADD|DROP|MODIFY|CHANGE) (COLUMN|KEY|INDEX) IF (NOT )?EXISTS\b/i, 'IF EXISTS of a column: MariaDB only'],
  [/\bCREATE OR REPLACE TABLE\b/i, 'CREATE OR REPLACE TABLE: MariaDB only'],
  [/\bDELETE\b[^]*\bRETURNING\b/, 'RETURNING: MariaDB only'],
  [/\bSYSTEM VERSIONING\b|\bINVISIBLE\b/i, 'versioned tables, invisible columns: the servers differ'],
  [/@@(SESSION\.|GLOBAL\.)?(tx_isolation|transaction_isolation)\b/i, 'the name of this variable differs'],
  [/\bEXPLAIN (ANALYZE|FORMAT\s*=\s*TREE)\b|\bANALYZE (SELECT|UPDATE|DELETE)\b/, 'plans: the servers differ'],
  [/->>?\s*'\$/, '-> of JSON: MySQL only, JSON_EXTRACT'],
  [/\bIS (NOT )?DISTINCT FROM\b/i, 'IS DISTINCT FROM: neither, <=>'],
  [/\bFULL (OUTER )?JOIN\b/i, 'FULL JOIN: neither'],
  [/\bLIMIT ROWS EXAMINED\b/i, 'LIMIT ROWS EXAMINED: MariaDB only'],
];

/** Read on purpose by one server only. @see the docstrings there */
const ON_PURPOSE: Readonly<Record<string, string>> = {
  'src/platform/database/rows.ts': 'the helper that writes the clause of each server',
};

const SQL = /^\s*(\/\*[^]*?\*\/\s*)?(SELECT|INSERT|UPDATE|DELETE|REPLACE|ALTER|CREATE|DROP|SET|EXPLAIN|WITH)\s/;
const PART = /\b(FROM|JOIN|WHERE|ORDER BY|GROUP BY|EXISTS|SELECT|FOR UPDATE|FOR SHARE|ON DUPLICATE KEY)\b/;

/** What both servers take as a comment, or one of them on purpose, is no fault. */
const withoutVersions = (sql: string): string => sql.replace(/\/\*(M?!)?\d*[^]*?\*\//g, ' ');

/** Texts of a file that are SQL, or a part of it; a constant of the file stands where it is put in. */
function statementsOf(file: SourceFile): string[] {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = node.getText().slice(1, -1);
      const whole = text.replace(/\$\{(\w+)\}/g, (put, name: string) => {
        const constant = new RegExp(`const ${name}(?::[^=]*)? = ([\`'"])([^]*?)\\1`).exec(file.text);
        return constant?.[2] ?? put;
      });
      if (SQL.test(whole) || PART.test(whole)) found.push(withoutVersions(whole).replace(/\$\{[^}]*\}/g, '?'));
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const faultsOf = (file: SourceFile): string[] =>
  statementsOf(file).flatMap((sql) =>
    ONE_SERVER_ONLY.filter(([pattern]) => pattern.test(sql)).map(
      ([, fault]) => `${file.path}: ${fault}: ${sql.replace(/\s+/g, ' ').trim().slice(0, 90)}`,
    ),
  );

describe('SQL', () => {
  const files = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts'));

  it.each([
    ['SELECT available AS stored FROM a', 'alias'],
    ['SELECT b.rank FROM b', 'column'],
    ['DELETE FROM a WHERE id = ? RETURNING id', 'RETURNING'],
    ["SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (id INT PATH '$')) j JOIN a ON a.id = j.id FOR UPDATE", 'lockOnly'],
    [
      "SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (id INT PATH '$')) j JOIN a ON a.id = j.id LOCK IN SHARE MODE",
      'lockOnly',
    ],
    ['SELECT 1 FROM a JOIN b ON b.id = a.id FOR UPDATE OF a', 'lockOnly'],
    ['SELECT 1 FROM a FOR SHARE', 'FOR SHARE'],
    ['SET STATEMENT max_statement_time = 1 FOR SELECT 1', 'SET STATEMENT'],
    ['SELECT seq FROM seq_1_to_10', 'sequence engine'],
    ['SELECT 1 FROM a, LATERAL (SELECT 1) b', 'LATERAL'],
    ['SELECT 1 FROM (VALUES ROW(1), ROW(2)) t', 'VALUES ROW'],
    ['INSERT INTO a (n) VALUES (?) AS fresh ON DUPLICATE KEY UPDATE n = fresh.n', 'row alias'],
    ['SELECT ANY_VALUE(n) FROM a GROUP BY b', 'ANY_VALUE'],
    ["SELECT 1 FROM a WHERE 1 MEMBER OF ('[1]')", 'MEMBER OF'],
    ['ALTER TABLE a ADD COLUMN IF NOT EXISTS b INT', 'IF EXISTS'],
    ['CREATE OR REPLACE TABLE a (id INT)', 'OR REPLACE'],
    ['SELECT @@SESSION.tx_isolation AS level', 'variable'],
    ['EXPLAIN ANALYZE SELECT 1 FROM a', 'plans'],
    ["SELECT a.config->>'$.url' FROM a", 'JSON_EXTRACT'],
    ['SELECT 1 FROM a LIMIT ROWS EXAMINED 5', 'ROWS EXAMINED'],
  ])('is found where one server refuses it: %s', (sql, fault) => {
    const text = `const x = ${JSON.stringify(sql)};`;
    expect(faultsOf({ path: 'src/x.ts', text }).join()).toContain(fault);
  });

  it('is found through a constant of its file', () => {
    const text = "const FROM = 'FROM JSON_TABLE(?) j JOIN a'; const x = `SELECT 1 ${FROM} FOR UPDATE`;";
    expect(faultsOf({ path: 'src/x.ts', text }).join()).toContain('lockOnly');
  });

  it('may be for one server within a comment of its version', () => {
    const text = 'const x = `SELECT 1 FROM a /*M! SET STATEMENT x = 1 FOR */ /*!80000 FOR UPDATE OF a */`;';
    expect(faultsOf({ path: 'src/x.ts', text })).toEqual([]);
  });

  it('is taken by MySQL and MariaDB alike', () => {
    expect(files.flatMap(statementsOf).length).toBeGreaterThan(500);
    const faults = files.filter(({ path }) => !ON_PURPOSE[path]).flatMap(faultsOf);
    expect(faults).toEqual([]);
  });

  it('in tests is taken by both as well', () => {
    const own = 'test/architecture/portable-sql.test.ts';
    const tests = sourceFiles('test').filter(({ path }) => !path.startsWith('test/architecture/'));
    expect(tests.filter(({ path }) => path !== own).flatMap(faultsOf)).toEqual([]);
  });
});
