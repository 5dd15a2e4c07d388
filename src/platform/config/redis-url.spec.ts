import { describe, expect, it } from 'vitest';
import { readRedisUrl } from './redis-url.js';

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
