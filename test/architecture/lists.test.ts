import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './house.js';

/** What reads the database in the service itself: the sandbox keeps nothing there, and a migration runs alone. */
const service = sourceFiles('src').filter(
  ({ path }) => !path.endsWith('.spec.ts') && !/^src\/(apps\/sandbox|platform\/database\/migrations)\//.test(path),
);

/** Statements that may answer many rows and name no bound themselves; each with what bounds it all the same. */
const BOUNDED_ELSEWHERE: Readonly<Record<string, string>> = {
  'src/modules/engine/state/lane-claims.ts':
    'the parts of a window’s lanes, at most 500 recipients or 10,000 of a lane',
  'src/modules/engine/state/lane-store.ts': 'the lanes of one turn, by key',
  'src/modules/engine/state/retries.ts': 'retries that one window has begun',
  'src/platform/database/leases.ts': 'the rows of one claim, by key',
  'src/apps/cli/backup/load-copy.ts': 'the tables of one database',
  'src/apps/cli/backup/take-copy.ts': 'settings of the server, and one row a migration',
  'src/apps/api/migrate.ts': 'a table of one row',
  'src/modules/accounts/access/granted-access.ts': 'API_KEYS_PER_ACCOUNT and USERS_PER_ACCOUNT',
  'src/modules/accounts/access/made-things.ts':
    'API_KEYS_PER_ACCOUNT and USERS_PER_ACCOUNT; 1,000 accounts, and USERS_PER_ACCOUNT of each',
  'src/modules/accounts/accounts.store.ts': 'by the few names of one person',
  'src/modules/campaigns/campaign-reader.ts': 'one counter for each status',
  'src/modules/campaigns/retry/failed-recipients.store.ts': 'ids alone, one for each failed recipient at the most',
  'src/modules/credits/reseller-credits.store.ts': 'by the key of one grant',
  'src/modules/credits/credits.queries.ts': 'one row for each kind of credit',
  'src/modules/idempotency/idempotency.store.ts': 'by the key',
  'src/modules/messages/sent-recipients.store.ts': 'by the keys of one page',
  'src/modules/providers/binds/route-binds.store.ts':
    'at most 1,000 places of each route that the operator has made so',
  'src/modules/providers/routes.store.ts': 'routes are made by the operator and all kept in memory',
  'src/modules/quotas/quotas.store.ts': 'one row, by the key of the account',
  'src/modules/webhooks/endpoints.store.ts': 'WEBHOOKS_PER_ACCOUNT',
  'src/modules/webhooks/events.store.ts': 'WEBHOOKS_PER_ACCOUNT',
  'src/platform/periodic/due-watch.ts': 'conditions without a table: one row',
  'src/platform/security/secrets.ts': 'its LIMIT stands behind escaped quotes',
};

interface Read {
  /** path:line */
  place: string;
  path: string;
  text: string;
}

/** Every SELECT that stands as a text of its own; those inside an INSERT or UPDATE bring nothing here. */
function statements(files: SourceFile[]): Read[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/`\s*SELECT\b[^`]*`|'\s*SELECT\b[^'\n]*'|"\s*SELECT\b[^"\n]*"/g)].map((match) => ({
      place: `${path}:${text.slice(0, match.index).split('\n').length}`,
      path,
      text: match[0],
    })),
  );
}

/** Every call of the ORM that answers an array. */
function finds(files: SourceFile[]): Read[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/\.(find|findBy|findAndCount|getMany|getRawMany|getRawAndEntities)(<[^(]*>)?\(/g)].flatMap(
      (match) => {
        const call = match[0] + argumentsFrom(text, match.index + match[0].length);
        // an array's own find takes a function; a store's takes plain values
        const isOrm = /^\.find(AndCount)?(<[^(]*>)?\(\s*(\{|\w+Entity\b)|^\.findBy|^\.get/.test(call);
        // a query builder's bound stands in the chain before the last call
        const chain = /^\.get/.test(call)
          ? text.slice(text.lastIndexOf('createQueryBuilder', match.index), match.index)
          : '';
        const place = `${path}:${text.slice(0, match.index).split('\n').length}`;
        return isOrm ? [{ place, path, text: chain + call }] : [];
      },
    ),
  );
}

function argumentsFrom(text: string, from: number): string {
  let depth = 1;
  let to = from;
  for (; depth > 0 && to < text.length; to++) depth += text[to] === '(' ? 1 : text[to] === ')' ? -1 : 0;
  return text.slice(from, to);
}

/**
 * A page or a batch, the rows of given keys, one row by a unique key, or one row of sums.
 * `IN (?)` and JSON_TABLE(?) bring as many keys as the caller holds already.
 */
const SQL_BOUND = [
  /\bLIMIT\b/,
  /\bIN \(\?\)/,
  /\bJSON_TABLE\(\?|\$\{NUMBERS\}/,
  /\bseq >=? \? AND (\w\.)?seq <=? \?/,
  /\bcampaign_id = \? AND seq = \?/,
  /\baccount_id = \? AND (balance|kind) = \?/,
  /\bWHERE (\w\.)?(id|request_id|campaign_id|`\$\{id\}`) = \?(?! AND (seq|status))[^<>]*$/,
];
const SUMS = /^.\s*SELECT (COUNT|SUM|MIN|MAX|COALESCE|GREATEST|EXISTS|1|GET_LOCK|RELEASE_LOCK|CONCAT)\b/;
const ORM_BOUND = /\btake\b|\.limit\(|\bIn\(/;

const isBounded = ({ text }: Read): boolean => SQL_BOUND.some((bound) => bound.test(text)) || isSum(text);
const isSum = (text: string): boolean => SUMS.test(text) && !/\bGROUP BY\b/.test(text);

describe('a list', () => {
  const unbounded = [
    ...statements(service).filter((read) => !isBounded(read)),
    ...finds(service).filter(({ text }) => !ORM_BOUND.test(text)),
  ];

  it('is found by this test', () => {
    const text = `query('SELECT id FROM a'); query(\`SELECT id FROM a LIMIT 5\`); query('SELECT COUNT(*) FROM a');
      things.find({ where: { accountId } }); things.find({ take: 5 }); words.find((word) => word === 'a');
      things.findBy({ accountId }); things.findBy({ id: In(ids) });`;
    const files = [{ path: 'x.ts', text }];
    expect(statements(files).map(isBounded)).toEqual([false, true, true]);
    expect(finds(files).map((read) => ORM_BOUND.test(read.text))).toEqual([false, true, false, true]);
  });

  it('is read with a limit, or by keys that are known', () => {
    const bare = unbounded.filter(({ path }) => !Object.hasOwn(BOUNDED_ELSEWHERE, path));
    expect(bare.map(({ place, text }) => `${place}: ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`)).toEqual([]);
  });

  it('has no reason where none is needed', () => {
    const needed = new Set(unbounded.map(({ path }) => path));
    expect(Object.keys(BOUNDED_ELSEWHERE).filter((path) => !needed.has(path))).toEqual([]);
  });
});
