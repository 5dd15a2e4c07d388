import { describe, expect, it } from 'vitest';
import { AppError, conflict, defineError, invalid } from './errors.js';

const insufficient = invalid(
  'insufficient_credits',
  (available: number, required: number) => `Insufficient credits. Available: ${available}, Required: ${required}`,
  'balance lower than the total',
);

describe('a defined error', () => {
  it('makes the error to throw', () => {
    const error = insufficient(3, 5);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      kind: 'invalid',
      code: 'insufficient_credits',
      message: 'Insufficient credits. Available: 3, Required: 5',
    });
  });

  it('says how long to wait', () => {
    const tooMany = defineError<[number]>('too_many', 'too_many', 'Too many', '', (seconds) => Math.ceil(seconds));
    expect(tooMany.because('over the limit')(6.5)).toMatchObject({ message: 'Too many', retryAfterSeconds: 7 });
  });

  it('is the row that documents it', () => {
    expect({ ...conflict('taken', 'Username already taken', 'by another account') }).toMatchObject({
      kind: 'conflict',
      code: 'taken',
      text: 'Username already taken',
      reason: 'by another account',
    });
    expect({ ...defineError('failed', 'broken', 'Broken') }).toMatchObject({ text: 'Broken', reason: '' });
  });

  it('shows words in the place of figures, and goes on making errors', () => {
    const row = insufficient.shown('X', 'Y');
    expect(row.text).toBe('Insufficient credits. Available: X, Required: Y');
    expect(row(1, 2).message).toBe('Insufficient credits. Available: 1, Required: 2');
    expect(insufficient.text).toBe('');
  });

  it('takes another reason at one endpoint', () => {
    const row = insufficient.shown(3, 5).because('more than the reseller has');
    expect({ ...row }).toMatchObject({
      text: 'Insufficient credits. Available: 3, Required: 5',
      reason: 'more than the reseller has',
    });
    expect(insufficient.reason).toBe('balance lower than the total');
  });
});
