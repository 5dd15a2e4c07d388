import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './house.js';

/**
 * Who writes, and how it is exact though the answer be lost (docs/decisions/0004). A transaction leaves a mark, names a row
 * of its own, or says beside itself why running again is exact. A single write is marked with `again`, or stands here with
 * the reason why failing is exact, or why its caller can live with a second run.
 */
const SINGLE_WRITES: Readonly<Record<string, string>> = {
  'apps/api/migrate.ts changed': 'a start that fails is started again; the lock of a dead holder is taken over',
  'apps/api/migrate.ts whileLocked':
    'before there is a schema; IF NOT EXISTS and IGNORE, and a start that fails comes again',
  'modules/accounts/access/api-keys.store.ts touch': 'the next use of the key writes it',
  'modules/accounts/logs/logs.store.ts write':
    'what could not be written goes with the next write: an entry may be counted twice, none is lost',
  'modules/engine/accept/large-drafts.ts begin':
    'the acceptance fails before anything is written; a sweeper takes the row',
  'modules/engine/dispatch/pacing.ts bookOne':
    'a second booking costs the route its slots, nothing else; the turn fails and comes again',
  'modules/accounts/factors/challenges.store.ts take': 'what was taken is good no more: the person is asked again',
  'modules/accounts/oidc/oidc.commands.ts take': 'as `take`: the person logs in again',
  'modules/accounts/factors/factors.store.ts takeStep': 'as `take`: the next code is good',
  'modules/accounts/factors/factors.store.ts takeCounter': 'as `take`: the next signature counts on',
  'modules/accounts/factors/factors.store.ts takeCode': 'as `take`: there are further codes',
  'modules/engine/dispatch/pacing.ts write': 'as `bookOne`: what may have been booked is booked anew',
  'modules/verifications/verifications.store.ts advance':
    'a step that no process knows of is passed over a minute later',
  'modules/verifications/verifications.store.ts countDay':
    'a message may be counted twice: the cap of the day holds all the same',
  'modules/providers/binds/route-binds.store.ts claim': 'a place that no worker knows of is free when its lease ends',
  'platform/database/day-partitions.ts addDays': 'a change of a table: the next look makes what is missing',
  'platform/database/leases.ts claim': 'a claim that nobody knows of ends with its lease',
};

const WRITE = /^[\s`'"]*(?:\/\*.*?\*\/\s*)?(INSERT|UPDATE|DELETE|REPLACE|ALTER|CREATE|DROP|TRUNCATE)\b/;
const MANAGER_WRITES = new Set(['insert', 'update', 'delete', 'save', 'upsert', 'increment', 'decrement', 'remove']);
/** What stands for the pool; `tx` never does. */
const POOL = /^(this\.)?(dataSource|source|db|database|pool)$/;
const POOL_MANAGER = /^(this\.)?dataSource\.(manager|getRepository\(\w+\)|createQueryBuilder\(.*\))$/s;

/** `readFirst` hands on what its callers say. */
const OPENERS = new Set(['inTransaction', 'readFirst']);
const HANDS_ON = 'modules/engine/settle/status-writer.ts readFirst';

type Named = ts.MethodDeclaration | ts.FunctionDeclaration | ts.VariableDeclaration;

function placeOf(node: ts.Node, file: SourceFile): string {
  let name = 'module';
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    const isNamed =
      ts.isMethodDeclaration(at) ||
      ts.isFunctionDeclaration(at) ||
      (ts.isVariableDeclaration(at) && ts.isSourceFile(at.parent.parent.parent));
    if (isNamed) name = (at as Named).name?.getText() ?? name;
  }
  return `${file.path.slice('src/'.length)} ${name}`;
}

interface Found {
  /** places of single writes without the mark */
  singles: string[];
  /** calls of `inTransaction`, each with how a lost COMMIT is known */
  transactions: { place: string; lost: 'mark' | 'committed' | 'again' | 'handed on'; reason: string }[];
}

function lookThrough(file: SourceFile): Found {
  const found: Found = { singles: [], transactions: [] };
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) look(node);
    ts.forEachChild(node, visit);
  };
  const look = (call: ts.CallExpression): void => {
    const { expression: called, arguments: given } = call;
    if (ts.isIdentifier(called) && OPENERS.has(called.text)) {
      found.transactions.push({ place: placeOf(call, file), ...known(given[2]) });
    }
    if (!ts.isPropertyAccessExpression(called)) return;
    const of = called.expression.getText();
    const isSql = called.name.text === 'query' && POOL.test(of) && WRITE.test(given[0]?.getText() ?? '');
    const isManager = POOL_MANAGER.test(of) && MANAGER_WRITES.has(called.name.text);
    if (isSql || isManager) found.singles.push(placeOf(call, file));
  };
  visit(source);
  return found;
}

function known(terms: ts.Expression | undefined): Pick<Found['transactions'][number], 'lost' | 'reason'> {
  if (!terms) return { lost: 'mark', reason: '' };
  // a mark in one case, a reason in the other
  if (ts.isConditionalExpression(terms) && terms.whenTrue.getText() === 'undefined') return known(terms.whenFalse);
  if (!ts.isObjectLiteralExpression(terms)) return { lost: 'handed on', reason: terms.getText() };
  const [property] = terms.properties;
  const name = property?.name?.getText();
  if (name === 'committed') return { lost: 'committed', reason: '' };
  const value = property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
  return { lost: 'again', reason: value && ts.isStringLiteralLike(value) ? value.text : '' };
}

const files = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts') && !path.includes('/migrations/'));
const all = files.map(lookThrough);
const singles = all.flatMap((found) => found.singles);
const transactions = all.flatMap((found) => found.transactions);

describe('a write whose answer is lost', () => {
  it('is found by this test', () => {
    const text = `class A { one() { return this.dataSource.query(\`UPDATE a SET n = 1\`); }
      two() { return this.dataSource.query(again('UPDATE a SET n = 1')); }
      three(tx) { return tx.query('UPDATE a SET n = 1'); }
      four() { return this.dataSource.manager.insert(A, {}); }
      five() { return inTransaction(this.dataSource, work, { again: 'because' }); } }`;
    expect(lookThrough({ path: 'src/x.ts', text })).toEqual({
      singles: ['x.ts one', 'x.ts four'],
      transactions: [{ place: 'x.ts five', lost: 'again', reason: 'because' }],
    });
    expect(transactions.length).toBeGreaterThan(80);
  });

  it('is marked as one that may run twice, or has a reason', () => {
    expect([...new Set(singles)].filter((place) => !SINGLE_WRITES[place])).toEqual([]);
  });

  it('has no reason where none is needed', () => {
    expect(Object.keys(SINGLE_WRITES).filter((place) => !singles.includes(place))).toEqual([]);
  });

  it('is looked up, transaction by transaction, or says why running again is exact', () => {
    const bare = transactions.filter(({ lost, reason }) => lost === 'again' && reason.length < 20);
    expect(bare.map(({ place }) => place)).toEqual([]);
    const handedOn = transactions.filter(({ lost }) => lost === 'handed on');
    expect(new Set(handedOn.map(({ place }) => place))).toEqual(new Set([HANDS_ON]));
    const others = transactions.filter(({ lost }) => lost !== 'handed on');
    expect(new Set(others.map(({ lost }) => lost))).toEqual(new Set(['mark', 'committed', 'again']));
  });
});
