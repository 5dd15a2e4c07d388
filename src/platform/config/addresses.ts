import { z } from 'zod';

export interface CellAddress {
  /** one lower-case letter */
  cell: string;
  /** origin, such as `http://10.0.1.10:3000` */
  url: string;
}

const pairs = (text: string): [cell: string, value: string][] =>
  text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => [pair.slice(0, 1), pair.slice(2)]);

const isOnce = (text: string): boolean => new Set(pairs(text).map(([cell]) => cell)).size === pairs(text).length;

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).href === `${new URL(text).origin}/`;

/** Variables of cells and of the front (reference/cells#what-a-cell-is-given). */
export const cellVariables = {
  CELL: z
    .string()
    .regex(/^[a-z]$/, 'one letter a to z')
    .optional(),
  CELL_TOKEN: z.string().min(16).optional(),
  DIRECTORY_URL: z.url({ protocol: /^(mysql|mariadb)$/ }).optional(),
  CELLS: z
    .string()
    .default('')
    .refine(
      (text) => isOnce(text) && text.split(',').every((pair) => pair.trim() === '' || /^[a-z]=/.test(pair.trim())),
      'letters and addresses such as a=http://10.0.1.10:3000,b=http://10.0.2.10:3000, each letter once',
    )
    .refine((text) => pairs(text).every(([, url]) => isOrigin(url)), 'addresses without a path, http or https')
    .transform((text): CellAddress[] => pairs(text).map(([cell, url]) => ({ cell, url: new URL(url).origin }))),
  NEW_ACCOUNTS: z
    .string()
    .regex(/^([a-z]=\d{1,4}(,|$))*$/, 'letters and weights such as a=1,b=3')
    .default('')
    .refine(isOnce, 'each letter once')
    .transform((text) => new Map(pairs(text).map(([cell, weight]) => [cell, Number(weight)] as const))),
};

export interface RedisAddress {
  host: string;
  port: number;
}

export interface RedisTarget {
  kind: 'single' | 'cluster' | 'sentinel';
  /** the server, some cluster nodes, or the sentinels */
  addresses: RedisAddress[];
  username: string | undefined;
  password: string | undefined;
  /** always 0 in a cluster */
  db: number;
  isTls: boolean;
  /** name in certificates, where servers are addressed otherwise */
  servername: string | undefined;
  master: string | undefined;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

const SCHEMES: Record<string, RedisTarget['kind']> = {
  redis: 'single',
  rediss: 'single',
  'redis+cluster': 'cluster',
  'redis+sentinel': 'sentinel',
};
const PARAMETERS: Record<RedisTarget['kind'], readonly string[]> = {
  single: ['tls', 'servername', 'db'],
  cluster: ['tls', 'servername'],
  sentinel: ['tls', 'servername', 'db', 'sentinel_username', 'sentinel_password'],
};
/** Not `URL`, which allows one host only. */
const URL_PARTS = /^([a-z+]+):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/;

function readAddress(text: string, port: number): RedisAddress {
  const [, host, named] = ADDRESS.exec(text.trim()) ?? [];
  const chosen = named === undefined ? port : Number(named);
  if (host === undefined || chosen < 1 || chosen > 65_535) throw new Error(`not a host and port: ${text}`);
  return { host: host.replace(/^\[|\]$/g, ''), port: chosen };
}

function readDb(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('the database must be a number');
  return Number(text);
}

const isOn = (parameter: string | null): boolean => parameter !== null && !['false', '0'].includes(parameter);
const given = (text: string | null | undefined): string | undefined => (text ? decodeURIComponent(text) : undefined);

/** Reads `REDIS_URL` (docs/reference/running.md). @throws Error with the fault, without the password */
export function readRedisUrl(url: string): RedisTarget {
  const [, scheme = '', username, password, hosts = '', path = '', query] = URL_PARTS.exec(url) ?? [];
  const kind = SCHEMES[scheme];
  if (!kind) throw new Error('must begin with redis://, rediss://, redis+cluster:// or redis+sentinel:// and a host');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS[kind].includes(name)) throw new Error(`does not know the parameter ${name}`);
  }
  const addresses = hosts.split(',').map((host) => readAddress(host, kind === 'sentinel' ? 26_379 : 6_379));
  if (kind === 'single' && addresses.length > 1) throw new Error('names several hosts, but is of one server');
  if (kind === 'cluster' && path !== '') throw new Error('names a database, and a cluster has one only');
  if (kind === 'sentinel' && path === '') throw new Error('must name the master: redis+sentinel://host:26379/mymaster');
  const db = parameters.get('db') ?? (kind === 'single' ? path : '');
  return {
    kind,
    addresses,
    username: given(username),
    password: given(password),
    db: db === '' ? 0 : readDb(db),
    isTls: scheme === 'rediss' || isOn(parameters.get('tls')),
    servername: parameters.get('servername') ?? undefined,
    master: kind === 'sentinel' ? given(path) : undefined,
    sentinelUsername: parameters.get('sentinel_username') ?? undefined,
    sentinelPassword: parameters.get('sentinel_password') ?? undefined,
  };
}
