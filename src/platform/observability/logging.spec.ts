import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { createLogger, safeError } from './logging.js';

const lines = (): { text: () => string; stream: { write(line: string): void } } => {
  const written: string[] = [];
  return { text: () => written.join(''), stream: { write: (line) => void written.push(line) } };
};

describe('the log', () => {
  it('holds no secret of an object that is logged', () => {
    const { text, stream } = lines();
    const logger = createLogger({ LOG_LEVEL: 'info' }, stream);
    logger.info({ password: 'hunter2', body: { token: 'hunter2', password_confirmation: 'hunter2' } }, 'x');
    logger.info({ headers: { authorization: 'hunter2', cookie: 'hunter2' } }, 'x');
    expect(text()).not.toContain('hunter2');
    expect(text()).toContain('***');
  });

  it('holds neither statement nor parameters nor row values of a database error', () => {
    const { text, stream } = lines();
    const driver = Object.assign(new Error("Duplicate entry 'bob@example.com' for key 'uq'"), {
      code: 'ER_DUP_ENTRY',
      errno: 1062,
    });
    const error = new QueryFailedError('INSERT INTO accounts VALUES (?)', ['hunter2'], driver);
    createLogger({ LOG_LEVEL: 'info' }, stream).error({ err: error }, 'failed');
    expect(text()).toContain('1062');
    for (const secret of ['hunter2', 'INSERT', 'bob@example.com']) expect(text()).not.toContain(secret);
  });

  it('tells what failed, also when the caller has made the error safe, and what it came from', () => {
    const { text, stream } = lines();
    const refused = new QueryFailedError('SELECT secret', ['hunter2'], Object.assign(new Error('no such table'), {}));
    const error = new Error('report failed', { cause: refused });
    createLogger({ LOG_LEVEL: 'info' }, stream).error({ err: safeError(error) }, 'failed');
    const { err } = JSON.parse(text()) as { err: { message: string; stack: string; cause: { message: string } } };
    expect(err.message).toBe('report failed');
    expect(err.stack).toContain('at ');
    expect(err.cause.message).toBe('no such table');
    expect(text()).not.toContain('SELECT');
  });

  it('survives errors that are none', () => {
    expect(safeError('text')).toEqual({ type: 'string' });
    expect(safeError(undefined)).toEqual({ type: 'undefined' });
  });
});
