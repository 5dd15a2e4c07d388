import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Environment } from '../../../platform/config/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import type { RedisLink } from '../../../platform/redis/index.js';
import type { Route } from '../../providers/index.js';
import { type ChannelRoute, Governor, BATCH_RECIPIENTS, BatchTempo } from './capacity.js';
import type { SlotOwners } from './job-routing.js';
import type { RoutePace } from './pacing.js';
import { UrgentBound } from './urgent-bound.js';

const AWAY = { answer: () => Promise.resolve(null) } as unknown as RedisLink;

const routeOf = (routeId: number, single = false, channel = 'sms'): ChannelRoute => ({ channel, routeId, single });

describe('the permits of a worker', () => {
  let governor: Governor;
  beforeEach(() => {
    governor = new Governor(
      { WORKER_CONCURRENCY: 8 } as Environment,
      {} as RoutePace,
      {} as SlotOwners,
      new UrgentBound({ URGENT_COMMIT_TARGET: 10 }, AWAY, new Metrics()),
    );
  });

  /** Batches of the route that began. */
  const begin = (route: ChannelRoute, wanted: number, perSecond: number | null = null): number =>
    Array.from({ length: wanted }, () => governor.enter(route, perSecond)).filter(Boolean).length;
  const known = (routeId: number, recipients: number, milliseconds: number, classes = [false, true]): void => {
    for (const single of classes) {
      for (let batch = 0; batch < 4; batch++) governor.tempoOf({ single }).took(routeId, recipients, milliseconds);
    }
  };

  it('are few for a route that is not known, four for full batches of a quick one, all for small ones', () => {
    expect(begin(routeOf(1), 20)).toBe(2);
    known(2, 500, 40);
    expect(begin(routeOf(2), 20)).toBe(4);
    for (let batch = 0; batch < 4; batch++) governor.leave(routeOf(2));
    known(2, 20, 40);
    expect(begin(routeOf(2), 20)).toBe(6);
  });

  it('that a route job found taken are remembered for whichever batch ends first', () => {
    expect(begin(routeOf(1), 2)).toBe(2);
    expect(governor.wasRefused(routeOf(1))).toBe(false);
    governor.enter(routeOf(1), null);
    expect(governor.wasRefused(routeOf(1, true))).toBe(false);
    expect(governor.wasRefused(routeOf(1))).toBe(true);
    expect(governor.wasRefused(routeOf(1))).toBe(false);
  });

  it('that other routes have taken are remembered for a route with a batch too', () => {
    known(1, 20, 40);
    begin(routeOf(2), 1);
    expect(begin(routeOf(1), 20)).toBe(7);
    expect(governor.enter(routeOf(2), null)).toBe(false);
    expect(governor.wasRefused(routeOf(2))).toBe(true);
  });

  it('are half at the most for all slow routes together, so a quick one always finds some', () => {
    for (const route of [1, 2, 3]) known(route, 500, 20_000);
    expect([1, 2, 3].map((route) => begin(routeOf(route), 20))).toEqual([2, 2, 0]);
    known(4, 20, 40);
    expect(begin(routeOf(4), 20)).toBe(4);
  });

  it('are one batch at once on a paced route, for each class', () => {
    expect(begin(routeOf(1), 5, 100)).toBe(1);
    expect(begin(routeOf(1, true), 5, 100)).toBe(1);
  });

  it('are none for a route that is paced to little, which has one batch at once too', () => {
    const slow = Array.from({ length: 1_000 }, (_, index) => routeOf(100 + index));
    expect(slow.map((route) => begin(route, 2, 2)).every((batches) => batches === 1)).toBe(true);
    expect(governor.wasRefused(routeOf(100))).toBe(true);
    known(1, 20, 40);
    expect(begin(routeOf(1), 20)).toBe(8);
    expect(governor.leave(routeOf(100))).toBeNull();
    expect(begin(routeOf(100), 2, 2)).toBe(1);
  });

  it('are kept from job to job by no route but those that take none, and not by too many of them', () => {
    expect([2, 50, 51, null].map((perSecond) => governor.keeps(routeOf(1), perSecond))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (let route = 0; route < 1_999; route++) governor.enter(routeOf(100 + route), 2);
    expect(governor.keeps(routeOf(1), 2)).toBe(true);
    governor.enter(routeOf(1), 2);
    expect(governor.keeps(routeOf(2), 2)).toBe(false);
    expect(governor.keeps(routeOf(2, true), 2)).toBe(true);
  });

  it('of messages of one recipient are never those of campaigns', () => {
    known(1, 20, 40);
    expect(begin(routeOf(1), 20)).toBe(8);
    expect(begin(routeOf(1, true), 20)).toBe(8);
    expect(begin(routeOf(1, false, 'voice'), 20)).toBe(8);
  });

  it('that are given back go to a route job that found none', () => {
    known(1, 20, 40);
    begin(routeOf(1), 8);
    expect(governor.enter(routeOf(2), null)).toBe(false);
    expect(governor.leave(routeOf(1))).toEqual(routeOf(2));
    expect(governor.leave(routeOf(1))).toBeNull();
    expect(governor.enter(routeOf(2), null)).toBe(true);
  });

  describe('while messages of one recipient come', () => {
    const came = (agoMs: number, perSecond: number | null = 100): void =>
      governor.recordSingles([{ waitingSince: performance.now() - agoMs }], 9, perSecond);
    beforeEach(() => known(1, 500, 12));
    afterEach(() => vi.restoreAllMocks());

    it('are one for campaigns of a quick route, and not fewer for single messages', () => {
      came(0);
      expect(begin(routeOf(1), 20)).toBe(1);
      expect(begin(routeOf(1, true), 20)).toBe(4);
    });

    it('are those that keep a slow carrier busy', () => {
      came(0);
      known(2, 500, 150);
      known(3, 500, 400);
      expect([2, 3].map((route) => begin(routeOf(route), 20))).toEqual([2, 4]);
    });

    it('are all again once none has come for a while', () => {
      came(0);
      expect(begin(routeOf(1), 20)).toBe(1);
      const now = performance.now();
      vi.spyOn(performance, 'now').mockReturnValue(now + 2_000);
      expect(begin(routeOf(1), 20)).toBe(3);
    });

    it('are no fewer for messages that have waited for a slow route, or a paced one, or when none was held', () => {
      came(5_000);
      known(9, 500, 20_000);
      came(5_000, null);
      governor.recordSingles([], 1, null);
      expect(begin(routeOf(1), 20)).toBe(4);
    });

    it('are fewer for messages that have waited for a quick route, where only others can have held them up', () => {
      came(5_000, null);
      expect(begin(routeOf(1), 20)).toBe(1);
    });

    it('are not more for the small batches of such messages over the same route', () => {
      came(0);
      known(1, 1, 3, [true]);
      expect(begin(routeOf(1), 20)).toBe(1);
      expect(begin(routeOf(1, true), 20)).toBe(8);
    });

    it('are not fewer because another message has waited for longer', () => {
      came(0);
      came(5_000);
      expect(begin(routeOf(1), 20)).toBe(1);
    });
  });

  it('are few for campaigns of a slow carrier, however quickly it takes single messages', () => {
    known(1, 500, 20_000);
    known(1, 1, 60, [true]);
    expect(begin(routeOf(1), 20)).toBe(2);
  });

  it('grow again by the batches of single messages where the route is paced: those of campaigns wait for slots of others', () => {
    governor.tempoOf(routeOf(1), 200).took(1, 200, 2_500);
    expect(governor.tempoOf(routeOf(1), 200).isSlow(1)).toBe(true);
    for (let batch = 0; batch < 3; batch++) governor.tempoOf(routeOf(1, true), 200).took(1, 1, 3);
    expect(governor.tempoOf(routeOf(1), 200).isSlow(1)).toBe(false);
  });

  it('stay empty during the backoff of the route', () => {
    governor.backOff(routeOf(1), 60_000);
    expect(governor.backoffOf(routeOf(1))).toBeGreaterThan(59_000);
    expect(governor.backoffOf(routeOf(1, true))).toBe(0);
  });
});

const route = (id: number, messagesPerSecond: number | null = null): Route => ({
  id,
  name: 'r',
  channel: 'sms',
  driver: 'smpp',
  config: {},
  messagesPerSecond,
  callbackSecret: '',
});

describe('BatchTempo', () => {
  it('leaves a fast route at the full batch and a paced one at its second', () => {
    const tempo = new BatchTempo();
    tempo.took(1, 500, 40);
    expect(tempo.size(route(1))).toBe(BATCH_RECIPIENTS);
    expect(tempo.size(route(2, 25))).toBe(25);
  });

  it('leaves room by no less than a full batch of recipients, and by nothing that a slow carrier needs', () => {
    const least = (recipients: number, milliseconds: number): number => {
      const tempo = new BatchTempo();
      for (let batch = 0; batch < 4; batch++) tempo.took(1, recipients, milliseconds);
      return tempo.atOnce(1, 1);
    };
    expect(least(500, 12)).toBe(1);
    expect(least(500, 100)).toBe(1);
    expect(least(500, 150)).toBe(2);
    expect(least(80, 5)).toBe(7);
    expect(least(500, 900)).toBe(4);
    expect(new BatchTempo().atOnce(1, 1)).toBe(2);
  });

  it('leaves a carrier that has become slower what it needs at once', () => {
    const tempo = new BatchTempo();
    for (let batch = 0; batch < 4; batch++) tempo.took(1, 500, 50);
    expect(tempo.atOnce(1, 1)).toBe(1);
    tempo.took(1, 500, 1_500);
    expect([tempo.atOnce(1, 1), tempo.atOnce(1)]).toEqual([4, 4]);
  });

  it('makes the batches of a slow carrier last about a second, and never tiny', () => {
    const tempo = new BatchTempo();
    tempo.took(1, 500, 5_000);
    expect(tempo.size(route(1))).toBe(100);
    tempo.took(1, 100, 28_000);
    expect(tempo.size(route(1))).toBe(20);
    expect(tempo.size(route(2))).toBe(BATCH_RECIPIENTS);
  });

  it('grows again by doubling once the carrier is quick', () => {
    const tempo = new BatchTempo();
    tempo.took(1, 500, 5_000);
    tempo.took(1, 100, 1_500);
    expect(tempo.size(route(1))).toBe(100);
    for (const size of [200, 400, BATCH_RECIPIENTS]) {
      tempo.took(1, 100, 100);
      expect(tempo.size(route(1))).toBe(size);
    }
  });
});
