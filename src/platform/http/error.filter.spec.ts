import { BadRequestException, ServiceUnavailableException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorKind } from '../../kernel/errors.js';
import { trustedProxies } from './configure-http.js';
import { answerOf, STATUS_OF } from './error.filter.js';
import { errorBody, type ErrorShapeName } from './route-table.js';

const coded = (code: string): Error => Object.assign(new Error('host 10.0.0.1 user root'), { code });

describe('answerOf', () => {
  it('maps every kind to its status and keeps the text', () => {
    for (const [kind, status] of Object.entries(STATUS_OF)) {
      expect(answerOf(new AppError(kind as ErrorKind, 'code', 'Text'))).toMatchObject({ status, message: 'Text' });
    }
  });

  it('hands on how long to wait', () => {
    expect(answerOf(new AppError('too_many', 'code', 'Text', 7)).retryAfterSeconds).toBe(7);
  });

  it('takes the first text of a list, and hides what a 5xx says', () => {
    expect(answerOf(new BadRequestException(['first', 'second'])).message).toBe('first');
    expect(answerOf(new ServiceUnavailableException('host db1')).message).toBe('Service Unavailable');
  });

  it.each(['ECONNREFUSED', 'PROTOCOL_CONNECTION_LOST', 'ER_CON_COUNT_ERROR', 'ER_ACCESS_DENIED_ERROR', 'ETIMEDOUT'])(
    'says that the database is away for %s, wrapped or not',
    (code) => {
      const wrapped = new QueryFailedError('SELECT secret', [], coded(code));
      for (const error of [coded(code), wrapped, new Error('outer', { cause: coded(code) })]) {
        expect(answerOf(error)).toMatchObject({ status: 500, message: 'Database connection failed' });
      }
    },
  );

  it('says nothing of any other fault', () => {
    const refused = new QueryFailedError('SELECT secret', [], coded('ER_PARSE_ERROR'));
    for (const error of [refused, new TypeError('x is undefined'), 'text', null, undefined, 7]) {
      expect(answerOf(error)).toMatchObject({ status: 500, message: 'Internal server error', fault: true });
    }
    expect(answerOf(new Error('Pool is closed.')).message).toBe('Database connection failed');
  });
});

describe('errorBody', () => {
  const content = { message: 'm', code: 'c', help: { field: 'contacts', index: 0, hint: 'h' } };
  const said = { code: 'c', field: 'contacts', index: 0, hint: 'h', doc_url: 'https://x/docs/guide/errors#c' };

  it('has three shapes', () => {
    const of = (shape: ErrorShapeName, status = 400) => errorBody(shape, status, content, 'https://x');
    const standard = { success: false, statusCode: 400, message: 'm', error: 'Bad Request' };
    expect(of('standard')).toEqual({ ...standard, ...said });
    expect(of('v5')).toEqual({ status: 'error', textsent: 'error', message: 'm', ...said });
    expect(of('public')).toEqual({ message: 'm' });
    expect(of('public', 429)).toEqual({ message: 'm' });
    expect(of('public', 500)).toEqual({ error: 'Internal Server Error', message: 'Database query failed' });
  });

  it('leads nowhere when no pages are served', () => {
    expect(errorBody('v5', 400, { message: 'm', code: 'c' })).toEqual({
      status: 'error',
      textsent: 'error',
      message: 'm',
      code: 'c',
    });
  });
});

describe('trustedProxies', () => {
  it('reads hops, lists and nothing', () => {
    expect(trustedProxies('')).toBe(false);
    expect(trustedProxies('2')).toBe(2);
    expect(trustedProxies('true')).toBe(true);
    expect(trustedProxies('10.0.0.0/8, loopback')).toEqual(['10.0.0.0/8', 'loopback']);
  });
});
