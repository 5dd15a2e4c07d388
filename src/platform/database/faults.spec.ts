import { describe, expect, it } from 'vitest';
import { mayBeOwn } from './faults.js';

const fault = (fields: { errno?: number; code?: string }): Error =>
  Object.assign(new Error('Query failed'), { driverError: fields });

describe('a fault of what several asked together', () => {
  it.each([
    ['a statement that the server refuses', { errno: 1064 }],
    ['a value that does not fit', { errno: 1441 }],
    ['a deadlock', { errno: 1213 }],
    ['a lock that was waited for in vain', { errno: 1205 }],
    ['a lost certification', { errno: 3101 }],
  ])('may lie in one request: %s', (_, fields) => {
    expect(mayBeOwn(fault(fields))).toBe(true);
  });

  it.each([
    ['a statement that took too long for MariaDB', { errno: 1969 }],
    ['a statement that took too long for MySQL', { errno: 3024 }],
    ['a statement that was killed', { errno: 1317 }],
    ['a connection that has ended', { errno: 2013 }],
    ['no connection', { code: 'ECONNREFUSED' }],
    ['none of the pool', { code: 'POOL_WAIT_TIMEOUT' }],
    ['a node that does not write', { errno: 1290 }],
  ])('is that of all: %s', (_, fields) => {
    expect(mayBeOwn(fault(fields))).toBe(false);
  });
});
