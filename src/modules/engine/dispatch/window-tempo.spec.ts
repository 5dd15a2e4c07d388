import { describe, expect, it } from 'vitest';
import type { Route } from '../../providers/index.js';
import { WindowTempo, WINDOW_RECIPIENTS } from './window-tempo.js';

const route = (id: number, messagesPerSecond: number | null = null): Route => ({
  id,
  name: 'r',
  channel: 'sms',
  driver: 'smpp',
  config: {},
  messagesPerSecond,
  callbackSecret: '',
});

describe('WindowTempo', () => {
  it('leaves a fast route at the full window and a paced one at its second', () => {
    const tempo = new WindowTempo();
    tempo.took(1, 500, 40);
    expect(tempo.size(route(1))).toBe(WINDOW_RECIPIENTS);
    expect(tempo.size(route(2, 25))).toBe(25);
  });

  it('leaves room by no less than a full window of recipients, and by nothing that a slow carrier needs', () => {
    const aside = (recipients: number, milliseconds: number): number => {
      const tempo = new WindowTempo();
      for (let window = 0; window < 4; window++) tempo.took(1, recipients, milliseconds);
      return tempo.atOnce(1, true);
    };
    expect(aside(500, 12)).toBe(1);
    expect(aside(500, 100)).toBe(1);
    expect(aside(500, 150)).toBe(2);
    expect(aside(80, 5)).toBe(7);
    expect(aside(500, 900)).toBe(4);
    expect(new WindowTempo().atOnce(1, true)).toBe(2);
  });

  it('leaves a carrier that has become slower what it needs at once', () => {
    const tempo = new WindowTempo();
    for (let window = 0; window < 4; window++) tempo.took(1, 500, 50);
    expect(tempo.atOnce(1, true)).toBe(1);
    tempo.took(1, 500, 1_500);
    expect([tempo.atOnce(1, true), tempo.atOnce(1)]).toEqual([4, 4]);
  });

  it('makes the windows of a slow carrier last about a second, and never tiny', () => {
    const tempo = new WindowTempo();
    tempo.took(1, 500, 5_000);
    expect(tempo.size(route(1))).toBe(100);
    tempo.took(1, 100, 28_000);
    expect(tempo.size(route(1))).toBe(20);
    expect(tempo.size(route(2))).toBe(WINDOW_RECIPIENTS);
  });

  it('grows again by doubling once the carrier is quick', () => {
    const tempo = new WindowTempo();
    tempo.took(1, 500, 5_000);
    tempo.took(1, 100, 1_500);
    expect(tempo.size(route(1))).toBe(100);
    for (const size of [200, 400, WINDOW_RECIPIENTS]) {
      tempo.took(1, 100, 100);
      expect(tempo.size(route(1))).toBe(size);
    }
  });
});
