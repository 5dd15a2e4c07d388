import { describe, expect, it } from 'vitest';
import { apiKeyDigest, apiKeyPrefix, isApiKey, isApiKeyDigest, newApiKey } from './api-key.js';

describe('API keys', () => {
  it('are random, known by their form, and kept as SHA-256', () => {
    const [a, b] = [newApiKey(), newApiKey()];
    expect(a).toMatch(/^sk_[A-Za-z0-9_-]{43}$/);
    expect(a).not.toBe(b);
    expect(isApiKey(a)).toBe(true);
    for (const text of ['', 'sk_', a.slice(1), `${a}x`, a.slice(0, -1), `${a.slice(0, -1)}!`, `${a}\n`]) {
      expect(isApiKey(text)).toBe(false);
    }
    expect(apiKeyDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect([apiKeyDigest(a), apiKeyDigest(a).toUpperCase(), 'é'.repeat(64)].map(isApiKeyDigest)).toEqual([
      true,
      false,
      false,
    ]);
    expect(a.startsWith(apiKeyPrefix(a))).toBe(true);
    expect(apiKeyPrefix(a)).toHaveLength(11);
  });
});
