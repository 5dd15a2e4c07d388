import { describe, expect, it } from 'vitest';
import { faultOutcome, isWrongNode, mayBeOwn } from './faults.js';

const fault = (fields: { errno?: number; code?: string }): Error =>
  Object.assign(new Error('Query failed'), { driverError: fields });

describe('a fault of what several asked together', () => {
  it.each([
    ['a statement that the server refuses', { errno: 1064 }],
    ['a value that does not fit', { errno: 1441 }],
    ['a deadlock', { errno: 1213 }],
    ['a lock wait that timed out', { errno: 1205 }],
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
    ['a node that leaves its group', { errno: 3101 }],
  ])('is that of all: %s', (_, fields) => {
    expect(mayBeOwn(fault(fields))).toBe(false);
  });
});

describe('a node of a group', () => {
  it.each([3100, 3101, 3169])('that leaves it has an outcome only the others know: %i', (errno) => {
    expect(faultOutcome(fault({ errno }))).toBe('unknown');
  });

  it.each([1290, 1792, 1836, 3032, 3796, 3797, 3798, 3799])(
    'that is no member, or no writer, did nothing: %i',
    (errno) => {
      expect(faultOutcome(fault({ errno }))).toBe('elsewhere');
      expect(isWrongNode(fault({ errno }))).toBe(true);
    },
  );

  it('refuses a table that the group cannot have for good', () => {
    expect(faultOutcome(fault({ errno: 3098 }))).toBe('refused');
  });
});
