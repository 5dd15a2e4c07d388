import { parseBuffer } from 'music-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioLibrary, type StoredAudio } from '../../src/modules/audio/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { hasFfmpeg, kept, probe } from '../support/audio-files.js';

let api: RunningApi;
let audio: AudioLibrary;

beforeAll(async () => {
  api = await startApi({ SPEECH_THREADS: 2 });
  audio = api.app.get(AudioLibrary, { strict: false });
});
afterAll(() => api.stop());

/** A text as the audio of a campaign of account 1. */
const spoken = (text: string, language: string | null, library = audio): Promise<StoredAudio> =>
  kept(api, library, library.speech(text, language, 1));

const heard = async ({ url }: StoredAudio, base = api.url): Promise<Buffer> => {
  const answer = await fetch(base + url);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  return Buffer.from(await answer.arrayBuffer());
};
const rows = async (): Promise<number> => {
  const [row] = await api.database.dataSource.query<{ n: number }[]>('SELECT COUNT(*) AS n FROM audio_files');
  return Number(row!.n);
};

/** Loudness (root of the mean square) of windows of 20 ms. */
function loudness(wav: Buffer): number[] {
  const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, index) => wav.readInt16LE(44 + 2 * index));
  return Array.from({ length: Math.floor(samples.length / 160) }, (_, index) => {
    const window = samples.slice(index * 160, (index + 1) * 160);
    return Math.sqrt(window.reduce((sum, sample) => sum + sample * sample, 0) / window.length);
  });
}

/** Share of the power below 4 kHz that lies where speech does, 200 to 3,400 Hz, by a plain Fourier transform of windows. */
function speechBand(wav: Buffer): number {
  let inside = 0;
  let all = 0;
  for (let begin = 44; begin + 512 <= wav.length; begin += 8_192) {
    for (let bin = 1; bin < 128; bin++) {
      let re = 0;
      let im = 0;
      for (let index = 0; index < 256; index++) {
        const sample = wav.readInt16LE(begin + 2 * index) * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / 255));
        re += sample * Math.cos((2 * Math.PI * bin * index) / 256);
        im += sample * Math.sin((2 * Math.PI * bin * index) / 256);
      }
      const power = re * re + im * im;
      all += power;
      if (bin * 31.25 >= 100 && bin * 31.25 <= 3_400) inside += power;
    }
  }
  return inside / all;
}

describe('text becomes speech', () => {
  const TEXTS: [string, string, string | null, number][] = [
    ['English', 'Good morning. This is a reminder of your appointment tomorrow at ten.', 'english', 3_000],
    ['English by default', 'Good morning. This is a reminder of your appointment tomorrow at nine.', null, 3_000],
    ['Hindi', 'नमस्ते। आपका ऑर्डर भेज दिया गया है और कल तक पहुँच जाएगा।', 'hindi', 2_500],
    ['Tamil', 'வணக்கம். உங்கள் ஆர்டர் அனுப்பப்பட்டது, நாளை வந்து சேரும்.', 'ta', 2_500],
    ['Urdu, in Arabic script', 'السلام علیکم۔ آپ کا آرڈر بھیج دیا گیا ہے اور کل پہنچ جائے گا۔', 'ur', 2_500],
    ['Arabic', 'صباح الخير. هذا تذكير بموعدك غدا في الساعة العاشرة.', 'ar', 2_500],
  ];

  it.each(TEXTS)('%s', async (_name, text, language, atLeastMs) => {
    const stored = await spoken(text, language);
    expect(stored.milliseconds).toBeGreaterThan(atLeastMs);
    expect(stored.milliseconds).toBeLessThan(15_000);
    const wav = await heard(stored);

    const windows = loudness(wav);
    const loud = windows.filter((value) => value > 500);
    expect(loud.length / windows.length, 'much of it sounds').toBeGreaterThan(0.4);
    expect(windows.filter((value) => value < 100).length, 'with pauses').toBeGreaterThan(3);
    expect(Math.max(...windows) / (loud.reduce((sum, value) => sum + value, 0) / loud.length)).toBeGreaterThan(1.3);
    expect(speechBand(wav), 'where speech lies').toBeGreaterThan(0.8);

    const { format } = await parseBuffer(wav, { mimeType: 'audio/wav' });
    expect(format).toMatchObject({ container: 'WAVE', codec: 'PCM', sampleRate: 8_000, numberOfChannels: 1 });
    expect(Math.round((format.duration ?? 0) * 1_000)).toBe(stored.milliseconds);
    if (hasFfmpeg) {
      const read = probe(wav);
      expect(read).toMatchObject({ codec_name: 'pcm_s16le', sample_rate: '8000', channels: 1 });
      expect(Math.round(read.duration * 1_000)).toBe(stored.milliseconds);
    }
  });

  it('differs by language and by text', async () => {
    const english = await spoken('radio', 'en');
    expect((await spoken('radio', 'hi')).id).not.toBe(english.id);
    expect((await spoken('radios', 'en')).id).not.toBe(english.id);
    expect((await spoken('radio', 'nonsense')).id).toBe(english.id);
  });

  it('says long digit runs digit by digit', async () => {
    const digits = await spoken('482913', 'en');
    const number = await spoken('four hundred eighty two thousand nine hundred thirteen', 'en');
    const oneByOne = await spoken('4, 8, 2, 9, 1, 3', 'en');
    expect(Math.abs(digits.milliseconds - oneByOne.milliseconds)).toBeLessThan(100);
    expect(digits.milliseconds).not.toBe(number.milliseconds);
  });

  it('does not obey mark-up', async () => {
    expect((await spoken('<break time="60s"/> hello', 'en')).milliseconds).toBeLessThan(8_000);
  });
});

describe('limits', () => {
  const words = (count: number): string => 'hello '.repeat(count);

  it('more than 120 s of speech is refused, less is spoken whole', async () => {
    await expect(spoken(words(450), 'en')).rejects.toMatchObject({
      kind: 'invalid',
      message: 'Audio duration cannot exceed 120 seconds',
    });
    const stored = await spoken(words(380), 'en');
    expect(stored.milliseconds).toBeGreaterThan(100_000);
    expect(stored.milliseconds).toBeLessThanOrEqual(120_000);
    expect(await heard(stored)).toHaveLength(44 + stored.milliseconds * 16);
  });

  it('5,000 characters of anything do not hang or break', async () => {
    for (const text of ['9', '!', 'क', '𝒳', '(', '\u0301', 'a\u0000', '日'].map((unit) => unit.repeat(2_500)))
      await spoken(text, 'en').catch((error: unknown) => expect(error).toMatchObject({ kind: 'invalid' }));
  });

  it('a text with nothing to say is refused', async () => {
    for (const text of ['...', ' ', '\u0000', '-'])
      await expect(spoken(text, 'en')).rejects.toMatchObject({
        message: 'message contains nothing that can be spoken',
      });
  });
});

describe('equal texts', () => {
  it('are spoken once and kept once, at the same moment and on two instances', async () => {
    const second = await startApi(api.environment, api.database);
    try {
      const other = second.app.get(AudioLibrary, { strict: false });
      const before = await rows();
      const text = 'Twenty requests at the same moment';
      const all = await Promise.all(Array.from({ length: 20 }, (_, i) => spoken(text, 'en', i % 2 ? audio : other)));
      expect(new Set(all.map(({ url }) => url)).size).toBe(1);
      expect(await rows()).toBe(before + 1);
      expect(await heard(all[0]!, second.url)).toEqual(await heard(all[0]!));
      expect(await other.byId(all[0]!.id)).toEqual(all[0]);
    } finally {
      await second.stop();
    }
  });

  it('are answered at once, while another text is spoken', async () => {
    const kept = await spoken('This one is known', 'en');
    const longText = (first: string): string => first + ' quick brown fox jumps over the lazy dog.'.repeat(40);
    // A second thread loads its engine for as long as that takes on a busy machine: by then it has.
    await Promise.all(['One', 'Another'].map((first) => spoken(longText(first), 'en')));
    const order: string[] = [];
    const long = spoken(longText('The'), 'en');
    const done = long.then(() => order.push('long'));
    expect(await spoken('This one is known', 'en')).toEqual(kept);
    order.push('known');
    await spoken('A short one besides', 'en');
    order.push('short');
    const alive = await fetch(`${api.url}/health/live`);
    order.push(`health ${alive.status}`);
    await done;
    expect(order).toEqual(['known', 'short', 'health 200', 'long']);
  });
});
