import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSessionMessage } from './session-message.js';
import { MESSAGE_TYPES, SESSION_ROWS } from './session-rows.js';

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
