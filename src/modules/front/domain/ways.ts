/** How the cell of a request is found (reference/cells#how-a-request-finds-its-cell). */
export type Way =
  /** by whose token, key or cookie it carries */
  | { by: 'caller' }
  /** the same; staff whose name stands in every cell must name one */
  | { by: 'staff' }
  /** by a name in the body, else the caller; `login`: it may be an e-mail */
  | { by: 'body'; field: string; login: boolean }
  /** by a name in the query, else the caller */
  | { by: 'query'; field: string; login: boolean }
  /** by the id of a report */
  | { by: 'report' }
  /** any cell that takes new accounts */
  | { by: 'new' }
  /** the first cell: what concerns no account, and addresses from before the front */
  | { by: 'first' }
  /** the front answers itself */
  | { by: 'front' }
  /** no cell, not even one that is named: what the front alone asks of cells */
  | { by: 'none' };

/** Bodies of errors, as `platform/http` names them. */
export type Shape = 'standard' | 'v5' | 'public';

interface PathRule {
  /** in lower case, without a slash at its end; empty = the root */
  path: string;
  /** and everything below it */
  below?: true;
  way: Way;
  shape?: Shape;
}

export const CALLER: Way = { by: 'caller' };
const STAFF: Way = { by: 'staff' };
const FIRST: Way = { by: 'first' };
const FRONT: Way = { by: 'front' };
const LOGIN: Way = { by: 'body', field: 'email_or_username', login: true };
const SENDER: Way = { by: 'body', field: 'username', login: false };
const NEW: Way = { by: 'new' };

/** The first that fits. A test holds it against every route of the API. */
export const PATH_RULES: readonly PathRule[] = [
  { path: '/v6/api/v1/auth/login', way: LOGIN },
  { path: '/v1/auth/login', way: LOGIN },
  { path: '/v6/api/v1/auth/register', way: NEW },
  { path: '/v1/auth/register', way: NEW },
  { path: '/v1/auth/logout', way: CALLER },
  { path: '/webhook/api/addbroadcastgsm.php', way: SENDER },
  { path: '/webhook/api/addbroadcastunofficial.php', way: SENDER },
  { path: '/webhook/api/getgsmreport.php', way: { by: 'report' } },
  { path: '/webhook/api/templates.php', way: { by: 'query', field: 'username', login: false } },
  { path: '/webhook/api/createtemplates.php', way: CALLER },
  { path: '/v5/api/sms_get.php', way: { by: 'query', field: 'username', login: true }, shape: 'v5' },
  { path: '/v5', below: true, way: CALLER, shape: 'v5' },
  {
    path: '/v6/api/public/profile-request',
    way: { by: 'query', field: 'parent_username', login: false },
    shape: 'public',
  },
  { path: '/v6/api/admin', below: true, way: STAFF },
  { path: '/v6/api', below: true, way: CALLER },
  { path: '/provider', below: true, way: FIRST },
  { path: '/audio', below: true, way: FIRST },
  { path: '/admin', below: true, way: FIRST },
  { path: '/app', below: true, way: FIRST },
  { path: '/docs', below: true, way: FIRST },
  { path: '/docs-json', way: FIRST },
  { path: '/health', below: true, way: FRONT },
  { path: '/metrics', way: FRONT },
  { path: '/c', way: FRONT },
  { path: '', way: FRONT },
  { path: '/cell', below: true, way: { by: 'none' } },
];

/** @returns null for a path that no rule knows: the first cell says what it thinks of it */
export function ruleOf(path: string): PathRule | null {
  const wanted = path.toLowerCase().replace(/\/$/, '');
  const fits = (rule: PathRule): boolean =>
    wanted === rule.path || (rule.below === true && wanted.startsWith(`${rule.path}/`));
  return PATH_RULES.find(fits) ?? null;
}

/** Where a request goes, as its first line says. */
export interface Target {
  /** letter of the prefix; null = none */
  prefix: string | null;
  /** without the prefix and the query */
  path: string;
  /** with the question mark; empty = none */
  search: string;
}

const PREFIX = /^\/c\/([^/?]*)(?=[/?]|$)/i;

/** @returns null for what is no path, such as the address of another server */
export function readTarget(url: string): Target | null {
  if (!url.startsWith('/')) return null;
  const [whole = ''] = PREFIX.exec(url) ?? [];
  const rest = url.slice(whole.length);
  const at = rest.indexOf('?');
  const path = at < 0 ? rest : rest.slice(0, at);
  return {
    prefix: whole === '' ? null : whole.slice(3),
    path: path === '' ? '/' : path,
    search: at < 0 ? '' : rest.slice(at),
  };
}
