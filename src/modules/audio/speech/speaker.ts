import { Injectable } from '@nestjs/common';
import { ShortMemory } from '../../../kernel/short-memory.js';
import { audioErrors } from '../audio.errors.js';
import { voiceOf } from '../domain/spoken-language.js';
import { spokenText } from '../domain/spoken-text.js';
import { TELEPHONE_FORMAT, writeWav } from '../domain/wav.js';
import { type AudioFile, AudioStore, contentKey } from '../persistence/audio-store.js';
import { LONGEST_MS } from '../stored-audio.js';
import { SpeechPool } from './speech-pool.js';

/** Part of the key of kept speech: another engine, or another way to make sound of it, speaks anew. */
const RECIPE = 'espeak-ng-emscripten 0.3.5, 8 kHz, 1';
const KEPT_MS = 10 * 60_000;
const SAMPLES_PER_MS = TELEPHONE_FORMAT.rate / 1_000;

/**
 * Texts as audio. The same text in the same language is spoken once, kept, and found again by every instance; requests
 * that ask for it at the same moment share one speaking.
 */
@Injectable()
export class Speaker {
  private readonly known = new ShortMemory<string, AudioFile | 'too_long' | 'silent'>(KEPT_MS);

  constructor(
    private readonly pool: SpeechPool,
    private readonly store: AudioStore,
  ) {}

  /**
   * @param language of the request (spec 4.7); null = none given
   * @throws AppError invalid: longer than 120 s, or nothing to say; and those of `SpeechPool.speak`
   */
  async speak(text: string, language: string | null): Promise<AudioFile> {
    const voice = voiceOf(language);
    const markup = spokenText(text);
    const key = contentKey(['speech', RECIPE, voice, markup]);
    const result = await this.known.get(key, () => this.make(key, voice, markup));
    if (result === 'too_long') throw audioErrors.tooLong();
    if (result === 'silent') throw audioErrors.nothingToSay();
    return result;
  }

  private async make(key: string, voice: string, markup: string): Promise<AudioFile | 'too_long' | 'silent'> {
    const kept = await this.store.byKey(key);
    if (kept) return kept;
    const answer = await this.pool.speak(voice, markup, LONGEST_MS);
    if (answer.kind === 'failed') throw audioErrors.speechFailed();
    if (answer.kind !== 'spoken') return answer.kind;
    const { samples } = answer;
    return this.store.add({
      key,
      bytes: writeWav(TELEPHONE_FORMAT, Buffer.from(samples.buffer)),
      milliseconds: samples.length / SAMPLES_PER_MS,
      mime: 'audio/wav',
      extension: 'wav',
    });
  }
}
