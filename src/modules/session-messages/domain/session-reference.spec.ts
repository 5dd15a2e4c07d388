import { describe, expect, it } from 'vitest';
import { readSessionReference, sessionReference } from './session-reference.js';

describe('the reference of a session message', () => {
  it('is read back, up to the largest id', () => {
    for (const id of [1, 373586853377785, 2 ** 53 - 1]) expect(readSessionReference(sessionReference(id))).toBe(id);
  });

  it.each([
    undefined,
    '',
    'session-',
    'session-0',
    'session--1',
    'session-01',
    'session-1 ',
    '12-1',
    'session-12345678901234567',
  ])('%j is none', (text) => {
    expect(readSessionReference(text)).toBeNull();
  });
});
