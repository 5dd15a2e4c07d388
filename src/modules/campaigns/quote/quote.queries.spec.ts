import fc from 'fast-check';
import { describe, it } from 'vitest';
import { readQuote } from './quote.queries.js';

describe('reading a quote', () => {
  it('answers to anything without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (channel, message, contacts) => {
        const read = readQuote({ channel, message, contacts }, ['sms']);
        return 'quote' in read || 'fault' in read;
      }),
    );
  });
});
