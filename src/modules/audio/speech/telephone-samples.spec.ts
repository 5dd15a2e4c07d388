import { describe, expect, it } from 'vitest';
import { ENGINE_RATE, TELEPHONE_RATE, telephoneSamples } from './telephone-samples.mjs';

const AMPLITUDE = 10_000;
const tone = (hertz: number, seconds: number): Int16Array =>
  Int16Array.from({ length: Math.round(ENGINE_RATE * seconds) }, (_, index) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hertz * index) / ENGINE_RATE)),
  );
/** Loudness against the tone that went in, in decibels, without the edges. */
const gain = (samples: Int16Array): number => {
  const middle = samples.subarray(800, samples.length - 800);
  const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length;
  return 10 * Math.log10(Math.max(power, 1e-9) / (AMPLITUDE ** 2 / 2));
};

describe('from the engine to the telephone', () => {
  it.each([300, 1_000, 2_000, 3_000, 3_400])('%i Hz passes', (hertz) =>
    expect(Math.abs(gain(telephoneSamples([tone(hertz, 1)])))).toBeLessThan(0.5),
  );

  it.each([4_500, 4_700, 6_000, 8_000, 10_000])('%i Hz is taken out, so that it does not come back as noise', (hertz) =>
    expect(gain(telephoneSamples([tone(hertz, 1)]))).toBeLessThan(-60),
  );

  it('keeps the pitch', () => {
    const samples = telephoneSamples([tone(1_000, 1)]);
    const turns = samples.filter((sample, index) => index > 0 && sample >= 0 && (samples[index - 1] ?? 0) < 0).length;
    expect(turns).toBeGreaterThanOrEqual(999);
    expect(turns).toBeLessThanOrEqual(1_001);
  });

  it('keeps the duration, in whole milliseconds', () => {
    expect(telephoneSamples([tone(500, 1)])).toHaveLength(TELEPHONE_RATE);
    expect(telephoneSamples([new Int16Array(120 * ENGINE_RATE)])).toHaveLength(120 * TELEPHONE_RATE);
    for (const length of [1, 3, 1_000, 12_345, 99_999]) {
      const { length: result } = telephoneSamples([new Int16Array(length)]);
      expect(result % 8).toBe(0);
      expect(Math.abs(result / TELEPHONE_RATE - length / ENGINE_RATE)).toBeLessThan(0.0012);
    }
    expect(telephoneSamples([])).toHaveLength(0);
  });

  it('is the same in whatever pieces it comes', () => {
    const whole = tone(700, 0.5);
    const pieces = [whole.subarray(0, 1), whole.subarray(1, 5_000), new Int16Array(0), whole.subarray(5_000)];
    expect(telephoneSamples(pieces)).toEqual(telephoneSamples([whole]));
  });

  it('does not wrap around where the filter overshoots', () => {
    const square = Int16Array.from({ length: 22_050 }, (_, index) => (index % 40 < 20 ? 32_767 : -32_768));
    const samples = telephoneSamples([square]);
    const jump = samples.reduce(
      (most, sample, index) => Math.max(most, Math.abs(sample - (samples[index - 1] ?? 0))),
      0,
    );
    expect(jump).toBeLessThan(60_000);
    expect(Math.max(...samples.subarray(100, 4_000))).toBe(32_767);
  });
});
