import { describe, expect, it } from 'vitest';
import { type Failure, failureKind, failureKinds, type FailureTerms, optOutOf, ownKinds } from './failure-kinds.js';

const failure = (errorCode: number | null, more: Partial<Failure> = {}): Failure => ({
  ...{ errorCode, carrierCode: null, message: null, isRefused: false },
  ...more,
});
const route = (kinds: unknown, source: FailureTerms['source'] = 'smpp'): FailureTerms => ({
  source,
  own: ownKinds({ failure_kinds: kinds }),
});

describe('failure_kinds of a route', () => {
  it.each<[Failure, string]>([
    [failure(34), 'permanent'],
    [failure(69), 'not_today'],
    [failure(null, { carrierCode: 'dnd' }), 'opt_out'],
    [failure(34, { carrierCode: 'DND' }), 'opt_out'],
    // of the built-in table
    [failure(1), 'temporary'],
    [failure(5), 'permanent'],
    [failure(35), 'temporary'],
    [failure(34, { message: 'Suppressed' }), 'opt_out'],
  ])('%j is %s', (given, kind) => {
    const routes = [route({}), route({ '34': 'permanent', '0x45': 'not_today', DND: 'opt_out', '1': 'temporary' })];
    expect(failureKind(routes, given)).toBe(kind);
  });

  it('decide who has left', () => {
    const own = ownKinds({ failure_kinds: { '34': 'opt_out', '21610': 'temporary' } });
    expect(optOutOf('sms', failure(34), own)).toEqual({ category: null });
    expect(optOutOf('sms', failure(21_610), own)).toBeNull();
    expect(optOutOf('sms', failure(21_610))).toEqual({ category: null });
    expect(optOutOf('chat', failure(131_050))).toEqual({ category: 'marketing' });
  });

  it.each([
    [{ 34: 'permanent', EC001: 'opt_out', '0x45': 'temporary', b: 'not_today' }, true],
    [undefined, true],
    [{ 34: 'forever' }, false],
    [{ 34: null }, false],
    [{ '': 'permanent' }, false],
    [{ ' ': 'permanent' }, false],
    [{ '0x22': 'permanent', 34: 'permanent' }, false],
    [{ dnd: 'permanent', DND: 'opt_out' }, false],
    [{ ['x'.repeat(33)]: 'permanent' }, false],
    [Object.fromEntries(Array.from({ length: 201 }, (_, code) => [code, 'permanent'])), false],
    [[['34', 'permanent']], false],
    ['permanent', false],
    [null, false],
  ])('%j: %s', (given, isValid) => expect(failureKinds.safeParse(given).success).toBe(isValid));

  it('of a stored config of another version count where they can be read', () => {
    for (const config of [null, {}, 'x', { failure_kinds: [] }, { failure_kinds: { 34: 7, 35: 'x', 36: 'permanent' } }])
      expect(failureKind([{ source: 'smpp', own: ownKinds(config) }], failure(34))).toBe('temporary');
    expect(failureKind([route({ 34: 7, 36: 'permanent' })], failure(36))).toBe('permanent');
  });
});
