import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './house.js';

/**
 * A lock holds on one node of a cluster; what the other nodes learn of is the row that is written. So whoever decides
 * under a locking read writes that table in the same function, or says here which write of the same transaction makes a
 * rival on another node give way.
 */
const WRITTEN_ELSEWHERE: Readonly<Record<string, string>> = {
  'modules/accounts/managed-accounts.commands.ts execute':
    '`update` of the same class writes the row; a change that changes nothing decides nothing',
  'modules/accounts/own-account.commands.ts bearer': '`execute` writes the new password to the row, or refuses',
  'modules/accounts/access/users.store.ts lock': 'its callers hand the row to `change` or to `remove`',
  'modules/engine/state/campaign-states.ts pauseAll': '`move` writes every one of them',
  'modules/engine/state/campaign-states.ts locked':
    'read before and after `change`, which writes the row by a condition of its own',
  'modules/engine/receipts/receipt-writer.ts lockItems':
    '`writeItems` writes every item of a recipient of whom one has moved',
  'modules/engine/receipts/unmatched-store.ts page': '`remove` removes what was matched; what was not stays as it is',
  'modules/engine/settle/settlement.ts lock': '`writeStatuses` writes what moves; what does not stays as it is',
  'modules/engine/receipts/unknown-outcomes.ts longestWaiting':
    '`adopt` writes the item under a key that a rival would write too, or `take` removes the mark',
  'modules/profile-requests/profile-requests.store.ts locked': 'its callers change, process or remove the request',
  'modules/providers/chat-accounts.store.ts locked': 'its callers put or remove the connection',
  'modules/providers/routes.store.ts locked': 'its callers put, touch or remove the route',
  'modules/sender-ids/sender-ids.store.ts locked': 'its callers renew, move or remove the sender id',
  'modules/session-messages/session-receipts.store.ts lookUp':
    '`write` writes whatever moves; what does not stays as it is',
  'modules/templates/templates.store.ts locked': 'its callers change, move or remove the template',
  'modules/templates/templates.store.ts lockedByProviderId': 'its callers move the template',
  'modules/channels/voice/voice-calls.store.ts find': '`save` writes the row with every answer that is new',
  'modules/webhooks/delivery/delivery-queue.store.ts waiting':
    '`putOff` moves those that it does not return, and `take` claims those that it does',
  'modules/webhooks/endpoints.store.ts locked': 'its callers change or remove the endpoint',
  'platform/database/rows.ts lockOnly': 'only the clause; the functions that use it are listed by their own names',
  'platform/database/transaction.ts hasCommitted':
    'decides nothing by the row: it waits for the end of the transaction that has written it',
  'platform/periodic/retention.ts removeRoots':
    'its next statement removes the rows of the first, whatever their table',
  'platform/database/leases.ts takeDue': 'its second statement writes the rows of the first, whatever their table',
};

interface LockingRead {
  /** path and function */
  place: string;
  /** tables or entities that are locked and not written there */
  unwritten: string[];
}

const LOCK = /\bFOR (UPDATE|SHARE)\b|\bLOCK IN SHARE MODE\b|\$\{lockOnly\(/;
const ENTITY_LOCK = /['"]pessimistic_\w+['"]/;

type Function = ts.MethodDeclaration | ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** The named function around a place: callbacks belong to the one that they stand in. */
function functionAround(node: ts.Node): Function | null {
  const around: ts.Node[] = [];
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) around.push(at);
  const named = around.find((at) => ts.isMethodDeclaration(at) || ts.isFunctionDeclaration(at));
  return named ?? around.findLast((at) => ts.isArrowFunction(at) || ts.isFunctionExpression(at)) ?? null;
}

const nameOf = (node: Function): string => {
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : 'anonymous';
};

/** The text of an SQL literal, with the constants of its file put in. */
function sqlOf(node: ts.Node, file: SourceFile): string {
  return node.getText().replace(/\$\{(\w+)\}/g, (whole, name: string) => {
    const constant = new RegExp(`const ${name}[^=]*= ([\`'"])([^]*?)\\1`).exec(file.text);
    return constant?.[2] ?? whole;
  });
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap((match) => (match[1] === undefined ? [] : [match[1]]));

/** Tables of a locking SQL statement. */
const tablesOf = (sql: string): string[] =>
  matches(sql, /\b(?:FROM|JOIN)\s+(\w+)/g).filter((table) => table !== 'JSON_TABLE');

/** Entities that a function reads under a lock. */
const entitiesOf = (text: string): string[] => matches(text, /\b(?:find\w*|createQueryBuilder)(?:<[^>]*>)?\(\s*(\w+)/g);

function writes(text: string, table: string): boolean {
  if (table === '?') return false; // named by a parameter: the reason says who writes it
  const sql = new RegExp(`\\b(UPDATE|INSERT( IGNORE)? INTO|DELETE( \\w+)? FROM)\\s+${table}\\b`);
  const entity = new RegExp(`\\.(update|delete|insert|save|increment|remove)(<[^>]*>)?\\(\\s*${table}\\b`);
  return sql.test(text) || entity.test(text);
}

function lockingReads(file: SourceFile): LockingRead[] {
  if (!LOCK.test(file.text) && !ENTITY_LOCK.test(file.text)) return [];
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const found = new Map<Function, Set<string>>();
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    const within = isText ? functionAround(node) : null;
    if (within && (LOCK.test(node.getText()) || ENTITY_LOCK.test(node.getText()))) {
      const sql = LOCK.test(node.getText());
      const tables = sql ? tablesOf(sqlOf(node, file)) : entitiesOf(within.getText());
      found.set(within, new Set([...(found.get(within) ?? []), ...(tables.length > 0 ? tables : ['?'])]));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(([within, tables]) => ({
    place: `${file.path.slice('src/'.length)} ${nameOf(within)}`,
    unwritten: [...tables].filter((table) => !writes(within.getText(), table)),
  }));
}

describe('whoever locks a row', () => {
  const reads = sourceFiles('src')
    .filter((file) => !file.path.endsWith('.spec.ts'))
    .flatMap(lockingReads);

  it('is found by this test', () => {
    const file = {
      path: 'src/x.ts',
      text: `const FROM = 'FROM b WHERE id = ?';
class X { async one(tx) { await tx.query(\`SELECT 1 FROM a FOR UPDATE\`); await tx.query('UPDATE a SET n = 1'); }
  async two(tx) { await tx.query(\`SELECT 1 \${FROM} LOCK IN SHARE MODE\`); }
  async four(tx) { await tx.query(\`SELECT 1 FROM d \${lockOnly('d')}\`); }
  async three(tx) { await tx.findOne(CEntity, { lock: { mode: 'pessimistic_write' } }); } }`,
    };
    expect(lockingReads(file)).toEqual([
      { place: 'x.ts one', unwritten: [] },
      { place: 'x.ts two', unwritten: ['b'] },
      { place: 'x.ts four', unwritten: ['d'] },
      { place: 'x.ts three', unwritten: ['CEntity'] },
    ]);
    expect(reads.length).toBeGreaterThan(10);
  });

  it('writes it', () => {
    const bare = reads.filter(({ place, unwritten }) => unwritten.length > 0 && !WRITTEN_ELSEWHERE[place]);
    expect(bare.map(({ place, unwritten }) => `${place}: ${unwritten.join(', ')}`)).toEqual([]);
  });

  it('has no reason where none is needed', () => {
    const needed = new Set(reads.filter(({ unwritten }) => unwritten.length > 0).map(({ place }) => place));
    expect(Object.keys(WRITTEN_ELSEWHERE).filter((place) => !needed.has(place))).toEqual([]);
  });
});
