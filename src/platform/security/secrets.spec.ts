import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { clientIp, constantTimeEqual, PasswordHasher, sealedIn, Sealer, tokenKey, tokenKeys } from './index.js';
import { hashesAtOnce } from './secrets.js';

const KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

const HERE = sealedIn('routes', 'config', 'one');

describe('Sealer', () => {
  it('opens what it sealed, and seals one text differently each time', () => {
    const sealer = new Sealer({ ENCRYPTION_KEY: KEY });
    for (const text of ['', 'secret', 'ünï©ödé 🔑', 'x'.repeat(100_000)]) {
      expect(sealer.open(sealer.seal(text, HERE), HERE)).toBe(text);
    }
    expect(sealer.seal('a', HERE)).not.toBe(sealer.seal('a', HERE));
    expect(sealer.seal('visible', HERE)).not.toContain('visible');
  });

  it('refuses changed texts and other keys', () => {
    const sealer = new Sealer({ ENCRYPTION_KEY: KEY });
    const sealed = sealer.seal('secret', HERE);
    const [id, version, payload] = sealed.split('.') as [string, string, string];
    const flipped = `${payload.startsWith('A') ? 'B' : 'A'}${payload.slice(1)}`;
    expect(() => sealer.open(`${id}.${version}.${flipped}`, HERE)).toThrow();
    expect(() => sealer.open(`${id}.${version}.`, HERE)).toThrow('damaged');
    expect(() => sealer.open('nonsense', HERE)).toThrow('ENCRYPTION_KEY');
    expect(() => new Sealer({ ENCRYPTION_KEY: KEY.replace('00', '01') }).open(sealed, HERE)).toThrow('ENCRYPTION_KEY');
  });
});

describe('the place of a sealed text', () => {
  const sealer = new Sealer({ ENCRYPTION_KEY: KEY });

  it('is the only one where it opens: no other row, column or table', () => {
    const sealed = sealer.seal('secret', HERE);
    for (const there of [
      sealedIn('routes', 'config', 'two'),
      sealedIn('routes', 'secret', 'one'),
      sealedIn('webhook_endpoints', 'config', 'one'),
      '',
    ]) {
      expect(() => sealer.open(sealed, there)).toThrow();
    }
    const [id, , payload] = sealed.split('.');
    expect(() => sealer.open(`${id}.${payload}`, HERE)).toThrow();
    expect(() => sealer.open(`${id}.3.${payload}`, HERE)).toThrow();
  });

  it('is not asked of texts that were sealed before there were places', () => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(KEY, 'hex'), nonce);
    const bytes = Buffer.concat([nonce, cipher.update('former'), cipher.final(), cipher.getAuthTag()]);
    expect(sealer.open(`${sealer.prefix}${bytes.toString('base64url')}`, HERE)).toBe('former');
    expect(() => sealer.open(`${sealer.boundPrefix}${bytes.toString('base64url')}`, HERE)).toThrow();
  });
});

describe('the key of a token', () => {
  const [OWN, FORMER, OTHER] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const;
  const signed = (secret: string): string =>
    `e30.e30.${createHmac('sha256', secret).update('e30.e30').digest('base64url')}`;
  const secretOf = (token: string, accepted: string[]): string =>
    tokenKeys({ JWT_SECRET: OWN, JWT_SECRETS_ACCEPTED: accepted })(token).export().toString();

  it('is that which signed it, among those that are accepted', () => {
    expect(secretOf(signed(FORMER), [FORMER])).toBe(FORMER);
    expect(secretOf(signed(FORMER), [OTHER, FORMER])).toBe(FORMER);
    expect(secretOf(signed(OWN), [FORMER])).toBe(OWN);
    expect(secretOf(signed(FORMER), [])).toBe(OWN);
    for (const odd of ['', '.', 'x', signed(OTHER), `${signed(FORMER)}x`]) expect(secretOf(odd, [FORMER])).toBe(OWN);
  });
});

describe('keys of the Sealer', () => {
  const OTHER = KEY.replace('00', '01');
  const before = new Sealer({ ENCRYPTION_KEY: KEY });
  const during = new Sealer({ ENCRYPTION_KEY: OTHER, ENCRYPTION_KEYS_ACCEPTED: [KEY] });
  const after = new Sealer({ ENCRYPTION_KEY: OTHER });

  it('open what any of them sealed, and seal under the present one', () => {
    const old = before.seal('secret', HERE);
    expect(during.open(old, HERE)).toBe('secret');
    expect(old.startsWith(during.prefix)).toBe(false);
    const renewed = during.seal(during.open(old, HERE), HERE);
    expect(renewed.startsWith(during.prefix)).toBe(true);
    expect(after.open(renewed, HERE)).toBe('secret');
    expect(() => before.open(renewed, HERE)).toThrow('ENCRYPTION_KEY');
    expect(() => after.open(old, HERE)).toThrow('ENCRYPTION_KEY');
  });

  it('count once, however often they are named', () => {
    expect(during.hasAccepted).toBe(true);
    expect(after.hasAccepted).toBe(false);
    expect(new Sealer({ ENCRYPTION_KEY: KEY, ENCRYPTION_KEYS_ACCEPTED: [KEY.toUpperCase()] }).hasAccepted).toBe(false);
  });

  it('do not lend each other their name', () => {
    const [, version, payload] = before.seal('secret', HERE).split('.') as [string, string, string];
    expect(() => during.open(`${during.prefix}${version}.${payload}`, HERE)).toThrow();
  });
});

describe('PasswordHasher', () => {
  const hasher = new PasswordHasher({ UV_THREADPOOL_SIZE: 1_024 });

  it('verifies its own hashes and PHP’s $2y$', async () => {
    const hash = await hasher.hash('Secret-123');
    expect(hash).toMatch(/^\$2b\$10\$/);
    expect(await hasher.verify('Secret-123', hash)).toBe(true);
    expect(await hasher.verify('secret-123', hash)).toBe(false);
    expect(await hasher.verify('Secret-123', hash.replace('$2b$', '$2y$'))).toBe(true);
  });

  it('leaves two threads of the pool to everything else, however many cores there are', () => {
    const figures = [
      [1, 4],
      [2, 4],
      [8, 4],
      [64, 16],
      [8, 12],
      [4, 2],
    ].map(([cores, pool]) => hashesAtOnce(cores!, pool!));
    expect(figures).toEqual([1, 2, 2, 14, 8, 1]);
  });

  it('answers false for what is no hash', async () => {
    expect(await hasher.verify('x', '')).toBe(false);
    expect(await hasher.verify('x', 'plain')).toBe(false);
  });

  it('serves many waiting callers, each once', async () => {
    const hash = await hasher.hash('a');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => hasher.verify(i % 2 === 0 ? 'a' : 'b', hash)),
    );
    expect(answers).toEqual(Array.from({ length: 12 }, (_, i) => i % 2 === 0));
  });

  it('refuses what waits longer than 10 s with the 429 of every limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const running = Array.from({ length: availableParallelism() }, () => hasher.hash('a'));
      const late = expect(hasher.hash('b')).rejects.toMatchObject({ kind: 'too_many', retryAfterSeconds: 10 });
      vi.advanceTimersByTime(10_000);
      await late;
      await Promise.all(running);
      expect(await hasher.verify('a', await hasher.hash('a'))).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('keys and addresses', () => {
  it('compares in constant time, whatever the lengths', () => {
    expect(constantTimeEqual('abc', 'abc')).toBe(true);
    expect(constantTimeEqual('abc', 'abd')).toBe(false);
    expect(constantTimeEqual('abc', 'abcd')).toBe(false);
    expect(constantTimeEqual('', '')).toBe(true);
  });

  it('makes a KeyObject of the token secret', () => {
    expect(tokenKey({ JWT_SECRET: 'x'.repeat(32) }).type).toBe('secret');
  });

  it('writes IPv4 in IPv6 clothes as IPv4', () => {
    expect(clientIp({ ip: '::ffff:10.1.2.3' })).toBe('10.1.2.3');
    expect(clientIp({ ip: '2001:db8::1' })).toBe('2001:db8::1');
    expect(clientIp({ socket: { remoteAddress: '10.0.0.1' } })).toBe('10.0.0.1');
  });

  it('knows the address of a request also when its socket has gone', () => {
    const request: Parameters<typeof clientIp>[0] = { socket: { remoteAddress: '::ffff:10.0.0.1' } };
    expect(clientIp(request)).toBe('10.0.0.1');
    delete request.socket;
    expect(clientIp(request)).toBe('10.0.0.1');
  });
});
