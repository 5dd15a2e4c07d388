import { describe, expect, it } from 'vitest';
import { mayBeLarge } from './bodies.js';

describe('a body that is taken a few at a time', () => {
  it.each([
    [{ 'content-length': '101' }, true],
    [{ 'content-length': '100' }, false],
    [{ 'content-length': '0' }, false],
    [{ 'content-length': '100', 'content-encoding': ' Identity' }, false],
    [{ 'content-length': '100', 'content-encoding': 'gzip' }, true],
    [{ 'content-length': '100', 'content-encoding': 'br' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
    [{ 'content-length': 'x' }, true],
  ])('%j: %s', (headers, isLarge) => {
    expect(mayBeLarge(headers, 100)).toBe(isLarge);
  });
});
