import { describe, expect, it } from 'vitest';
import { readRedisUrl } from './addresses.js';
import { environmentSchema, InvalidEnvironment, publicPath, readEnvironment } from './environment.js';
import { readFrontEnvironment } from './front-environment.js';

const NEEDED = {
  DATABASE_URL: 'mysql://user:password@localhost/name',
  REDIS_URL: 'redis://localhost',
  JWT_SECRET: 'x'.repeat(32),
  ENCRYPTION_KEY: '0'.repeat(64),
};
const DIRECTORY = { CELL_TOKEN: 'a-token-of-16-or-more', DIRECTORY_URL: 'mysql://user:password@localhost/directory' };
const CELLS = 'a=http://10.0.1.10:3000, b=https://b.internal';

describe('a cell', () => {
  it('has one letter, the directory and the token', () => {
    expect(readEnvironment(NEEDED).CELL).toBeUndefined();
    expect(readEnvironment({ ...NEEDED, ...DIRECTORY, CELL: 'b' }).CELL).toBe('b');
    for (const CELL of ['B', 'ab', '1']) {
      expect(() => readEnvironment({ ...NEEDED, ...DIRECTORY, CELL })).toThrow(/CELL: one letter/);
    }
    expect(() => readEnvironment({ ...NEEDED, CELL: 'b' })).toThrow(/DIRECTORY_URL: needed, because CELL is set/);
    const { CELL_TOKEN: _, ...tokenless } = DIRECTORY;
    expect(() => readEnvironment({ ...NEEDED, ...tokenless, CELL: 'b' })).toThrow(/CELL_TOKEN: needed/);
  });

  it('stands below the path of PUBLIC_URL', () => {
    expect(publicPath({ PUBLIC_URL: 'https://send.example.com/c/b/' })).toBe('/c/b');
    expect(publicPath({ PUBLIC_URL: 'https://send.example.com' })).toBe('');
    expect(publicPath({ PUBLIC_URL: undefined })).toBe('');
  });
});

describe('the front', () => {
  it('reads addresses and weights', () => {
    const read = readFrontEnvironment({ ...DIRECTORY, CELLS, NEW_ACCOUNTS: 'a=0,b=3' });
    expect(read.CELLS).toEqual([
      { cell: 'a', url: 'http://10.0.1.10:3000' },
      { cell: 'b', url: 'https://b.internal' },
    ]);
    expect(read.NEW_ACCOUNTS).toEqual(
      new Map([
        ['a', 0],
        ['b', 3],
      ]),
    );
    expect(read.HOST).toBe('127.0.0.1');
  });

  it('needs its cells, and no secret of theirs', () => {
    expect(() => readFrontEnvironment({})).toThrow(/CELLS: needed.*\n.*CELL_TOKEN: needed.*\n.*DIRECTORY_URL: needed/);
    expect(() => readFrontEnvironment({ ...DIRECTORY, CELLS, NEW_ACCOUNTS: 'c=1' })).toThrow(/NEW_ACCOUNTS: names no/);
  });

  it.each(['a', 'A=http://x', 'a=http://x,a=http://y', 'a=ftp://x', 'a=http://x/path', 'a=', 'aa=http://x'])(
    'refuses the cells %s',
    (cells) => {
      expect(environmentSchema.shape.CELLS.safeParse(cells).success).toBe(false);
      expect(() => readFrontEnvironment({ ...DIRECTORY, CELLS: cells })).toThrow(InvalidEnvironment);
    },
  );

  it.each(['a', 'a=x', 'a=1,a=2', 'A=1', 'a=1;b=2'])('refuses the weights %s', (weights) => {
    expect(environmentSchema.shape.NEW_ACCOUNTS.safeParse(weights).success).toBe(false);
  });
});

const one = (host: string, port: number) => ({ host, port });

describe('the URL of Redis', () => {
  it('names one server', () => {
    expect(readRedisUrl('redis://localhost')).toMatchObject({
      kind: 'single',
      addresses: [one('localhost', 6379)],
      db: 0,
      isTls: false,
      username: undefined,
      password: undefined,
    });
    expect(readRedisUrl('rediss://user:p%40ss@[::1]:6380/3')).toMatchObject({
      addresses: [one('::1', 6380)],
      db: 3,
      isTls: true,
      username: 'user',
      password: 'p@ss',
    });
    expect(readRedisUrl('redis://:only@10.0.0.1/?db=2')).toMatchObject({
      username: undefined,
      password: 'only',
      db: 2,
    });
  });

  it('names nodes of a cluster', () => {
    expect(readRedisUrl('redis+cluster://:secret@a:7001,b:7002,c?tls&servername=redis.internal')).toMatchObject({
      kind: 'cluster',
      addresses: [one('a', 7001), one('b', 7002), one('c', 6379)],
      password: 'secret',
      isTls: true,
      servername: 'redis.internal',
    });
  });

  it('names sentinels and their master', () => {
    expect(
      readRedisUrl('redis+sentinel://u:p@a,b:26380/main?db=1&sentinel_username=s&sentinel_password=q%26&tls=false'),
    ).toMatchObject({
      kind: 'sentinel',
      addresses: [one('a', 26_379), one('b', 26_380)],
      master: 'main',
      username: 'u',
      password: 'p',
      db: 1,
      isTls: false,
      sentinelUsername: 's',
      sentinelPassword: 'q&',
    });
  });

  it.each([
    ['http://localhost', /must begin with/],
    ['redis://', /must begin with/],
    ['redis+cluster://a:0', /not a host and port: a:0/],
    ['redis+cluster://a:70000', /not a host and port/],
    ['redis://a,b', /several hosts/],
    ['redis+cluster://a/1', /a cluster has one only/],
    ['redis+sentinel://a', /must name the master/],
    ['redis://a/x', /must be a number/],
    ['redis+cluster://a?db=1', /does not know the parameter db/],
    ['redis://a?retry=1', /does not know the parameter retry/],
  ])('%s is refused', (url, message) => {
    expect(() => readRedisUrl(url)).toThrow(message);
  });

  it('never tells the password', () => {
    for (const url of ['redis+cluster://:hidden@a:0', 'other://:hidden@a', 'redis://:hidden@a/x']) {
      expect(() => readRedisUrl(url)).toThrow(/^(?!.*hidden)/s);
    }
  });
});
