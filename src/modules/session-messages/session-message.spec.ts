import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MESSAGE_TYPES,
  readSessionMessage,
  readSessionReference,
  SESSION_ROWS,
  sessionReference,
} from './session-message.js';

describe('a v6 session message', () => {
  it('has a code of its own for every row', () => {
    expect(new Set(SESSION_ROWS.map(({ error }) => error.code)).size).toBe(SESSION_ROWS.length);
  });

  it('of any shape is read or refused by a row, and never both ids and links leave', () => {
    const type = fc.constantFrom(...MESSAGE_TYPES);
    const part = fc.oneof(
      fc.anything(),
      fc.record({ id: fc.anything(), link: fc.anything(), body: fc.anything() }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(type, part, fc.anything(), (kind, value, context) => {
        const body = { messaging_product: 'chat', to: '919812345678', type: kind, [kind]: value, context };
        const read = readSessionMessage(body);
        if ('fault' in read) return SESSION_ROWS.includes(read.fault);
        const sent = read.message.content[kind] as Record<string, unknown>;
        return !(['image', 'video'].includes(kind) && sent['id'] !== undefined && sent['link'] !== undefined);
      }),
    );
  });
});

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
