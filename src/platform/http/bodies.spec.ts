import { describe, expect, it } from 'vitest';
import { mayBeLarge } from './bodies.js';
import { BodyBudget } from './body-bytes.js';

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

describe('the budget of bodies', () => {
  it('counts nothing for a reader that goes on after the answer', () => {
    const budget = new BodyBudget(1_000_000, 600_000);
    const answered = budget.open(() => ['account:a']);
    answered.take(500_000);
    answered.release();
    for (let count = 0; count < 5; count++) expect(() => answered.take(500_000)).toThrow('Too many');
    const next = budget.open(() => ['account:a']);
    next.take(600_000);
    expect(() => budget.open(() => ['account:a']).take(100_000)).toThrow('Too many');
  });
});
