import { describe, expect, it } from 'vitest';
import { FAILURE_CODES, type FailureSource, ownKinds } from './failure-kinds.js';
import { failureWords } from './failure-words.js';

const terms = (source: FailureSource, config: unknown = null) => [{ source, own: ownKinds(config) }];
const failure = (errorCode: number | null, message: string | null = null, isRefused = false) => ({
  ...{ errorCode, message, isRefused, carrierCode: null },
});
const GENERAL = failureWords([], failure(null));

describe('words of a failure', () => {
  const known = Object.entries(FAILURE_CODES).flatMap(([source, times]) =>
    Object.entries(times).flatMap(([time, kinds]) =>
      Object.entries(kinds).flatMap(([kind, codes]) =>
        codes.split(' ').map((code) => [source as FailureSource, time, kind, Number(code)] as const),
      ),
    ),
  );

  it.each(known)('%s %s %s %i: names a cause and a remedy of its own', (source, time, _kind, code) => {
    const said = failureWords(terms(source), failure(code, 'x', time === 'refused'));
    expect(said).not.toEqual(GENERAL);
    expect(said.cause).toMatch(/^[A-Z].{10,70}[^.]$/);
    expect(said.remedy).toMatch(/^[A-Z].{8,70}\.$/);
  });

  it.each([
    ['Suppressed', 'The number is on your stop list'],
    ['Not sent in time: connection refused', 'The carrier could not be reached in time'],
    ['No delivery receipt', 'The carrier took the message and never reported its delivery'],
    ['Absent subscriber', 'The phone is switched off or out of reach'],
  ])('%s', (message, cause) => {
    expect(failureWords(terms('smpp'), failure(27, message)).cause).toBe(cause);
  });

  it('follow what the route says of its carrier’s codes', () => {
    const own = terms('smpp', { failure_kinds: { 27: 'permanent' } });
    expect(failureWords(own, failure(27)).cause).toBe('No message reaches this number');
  });

  it('say that the carrier refused what it refused for an unknown cause', () => {
    expect(failureWords(terms('http'), failure(99, 'No', true)).cause).toBe('The carrier refused the message');
    expect(failureWords([], failure(null, 'anything')).remedy).toBe('Retry later.');
  });
});
