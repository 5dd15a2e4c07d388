import { Injectable } from '@nestjs/common';
import { KeyedSemaphore } from '../../../platform/concurrency/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { audioErrors } from '../audio.errors.js';
import { voiceOf } from '../domain/spoken-language.js';
import { spokenText } from '../domain/spoken-text.js';
import { TELEPHONE_FORMAT, writeWav } from '../domain/wav.js';
import { type AudioDraft, AudioStore, contentKey } from '../persistence/audio-store.js';
import { LONGEST_MS } from '../stored-audio.js';
import { SpeechPool } from './speech-pool.js';

/** Part of the key of kept speech: another engine, or another way to make sound of it, speaks anew. */
const RECIPE = 'espeak-ng-emscripten 0.3.5, 8 kHz, 1';
const BUSY_SECONDS = 5;
/** Texts with the engine at once, in all and of one account. */
const SHARES = { permits: 64, each: 4, waiting: 16, patienceMs: 15_000 };
const SAMPLES_PER_MS = TELEPHONE_FORMAT.rate / 1_000;

/**
 * Texts as audio. The same text in the same language is kept once, and found again by every instance; requests that ask
 * for it at the same moment share one speaking. An account has few texts with the engine at once.
 */
@Injectable()
export class Speaker {
  private readonly underWay = new Map<string, Promise<AudioDraft | 'too_long' | 'silent'>>();
  private readonly semaphore = new KeyedSemaphore<number>(SHARES, () => tooMany(BUSY_SECONDS));

  constructor(
    private readonly pool: SpeechPool,
    private readonly store: AudioStore,
  ) {}

  /**
   * @param language of the request (reference/voice#speech); null = none given
   * @param accountId waits no longer than its own texts take
   * @throws AppError invalid: longer than 120 s, or nothing to say; too_many when too many texts of the account wait; and
   * those of `SpeechPool.speak`
   */
  async speak(text: string, language: string | null, accountId: number): Promise<AudioDraft> {
    const voice = voiceOf(language);
    const markup = spokenText(text);
    const key = contentKey(['speech', RECIPE, voice, markup]);
    const shared = this.underWay.get(key);
    const making = shared ?? this.make(key, voice, markup, accountId).finally(() => this.underWay.delete(key));
    if (!shared) this.underWay.set(key, making);
    const result = await making;
    if (result === 'too_long') throw audioErrors.tooLong('Audio');
    if (result === 'silent') throw audioErrors.nothingToSay();
    return result;
  }

  private async make(
    key: string,
    voice: string,
    markup: string,
    accountId: number,
  ): Promise<AudioDraft | 'too_long' | 'silent'> {
    const kept = await this.store.byKey(key);
    if (kept) return { key, file: kept, bytes: null };
    const answer = await this.semaphore.run(accountId, () => this.pool.speak(voice, markup, LONGEST_MS));
    if (answer.kind === 'failed') throw audioErrors.speechFailed();
    if (answer.kind !== 'spoken') return answer.kind;
    const { samples } = answer;
    return this.store.draft({
      key,
      bytes: writeWav(TELEPHONE_FORMAT, Buffer.from(samples.buffer)),
      milliseconds: samples.length / SAMPLES_PER_MS,
      mime: 'audio/wav',
      extension: 'wav',
    });
  }
}
