import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVariables as readOfSends } from '../../../kernel/message-template.js';
import { readVariables } from './recipient.js';

const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
const variables = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b-c', '__proto__'), fc.string()), value);

describe('variables of a member of a list', () => {
  it('are texts, numbers, true and false', () => {
    expect(readVariables({ a: 'x', b: 7.5, c: true, d: false, e: ' ', f: null })).toEqual({
      variables: '{"a":"x","b":"7.5","c":"true","d":"false"}',
    });
    expect(readVariables(null)).toEqual({ variables: null });
    expect(readVariables({ a: '' })).toEqual({ variables: '{}' });
  });

  it('are those that a send takes, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(variables, fc.anything()), (given) => {
        const [kept, sent] = [readVariables(given), readOfSends(given)];
        if ('reason' in sent) expect(kept).toEqual(sent);
        else if ('variables' in kept && kept.variables !== null)
          expect(kept.variables).toBe(JSON.stringify(sent.variables ?? {}));
        else expect(given ?? null).toBeNull();
      }),
    );
  });

  it('have 8 KB as JSON at most', () => {
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`v${at}`, 'x'.repeat(1_000)]));
    expect(readVariables(large)).toEqual({ reason: 'variables are larger than 8 KB' });
  });
});
