import { describe, expect, it } from 'vitest';
import { fieldsOf, readIdentifier, readSelection } from './report-request.js';

const REQUIRED = 'request_id is required';

describe('the identifier of a report (reference/delivery-reports#identifier)', () => {
  it('is the first that is not empty, each name in query or body', () => {
    const all = { request_id: 'a', requestid: 'b', provider_message_id: 'c', providermessageid: 'd' };
    expect(readIdentifier(all, {})).toBe('a');
    expect(readIdentifier({}, all)).toBe('a');
    expect(readIdentifier({ requestid: 'b' }, { request_id: 'a' })).toBe('a');
    expect(readIdentifier({ ...all, request_id: '' }, {})).toBe('b');
    expect(readIdentifier({ ...all, request_id: ' ', requestid: null }, {})).toBe('c');
    expect(readIdentifier({ providermessageid: 'd' }, { providerMessageId: 'e' })).toBe('d');
    expect(readIdentifier({ request_id: 'query' }, { request_id: 'body' })).toBe('query');
    expect(readIdentifier({}, { request_id: 4711 })).toBe('4711');
  });

  it('takes providerMessageId from the body alone', () => {
    expect(readIdentifier({}, { providerMessageId: 'e' })).toBe('e');
    expect(() => readIdentifier({ providerMessageId: 'e' }, {})).toThrow(REQUIRED);
  });

  it('is required, and neither list nor object nor truth value', () => {
    for (const value of [undefined, null, '', '  ', true, {}, [], ['a', 'b']]) {
      expect(() => readIdentifier({ request_id: value }, {})).toThrow(REQUIRED);
      expect(() => readIdentifier({}, { request_id: value })).toThrow(REQUIRED);
    }
  });
});

describe('the selection of records (reference/delivery-reports#selection)', () => {
  it('is everything by default', () => {
    expect(readSelection({}, {})).toEqual({});
    expect(readSelection({ status: '', page: ' ' }, {})).toEqual({});
  });

  it('reads status, page and limit from query or body, clamped', () => {
    expect(readSelection({ status: 'FAILED' }, { page: 2, limit: 10 })).toEqual({
      status: 'FAILED',
      page: { page: 2, limit: 10 },
    });
    expect(readSelection({ page: '3' }, {})).toEqual({ page: { page: 3, limit: 50 } });
    expect(readSelection({ limit: '5000' }, {})).toEqual({ page: { page: 1, limit: 1000 } });
    expect(readSelection({ page: '-1', limit: 'x' }, {})).toEqual({ page: { page: 1, limit: 50 } });
    expect(readSelection({ page: ['1', '2'], limit: {} }, {})).toEqual({ page: { page: 1, limit: 50 } });
  });
});

describe('fields', () => {
  it('come from objects alone', () => {
    for (const value of [null, undefined, 'text', 7, ['a'], true]) expect(fieldsOf(value)).toEqual({});
    expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  });
});
