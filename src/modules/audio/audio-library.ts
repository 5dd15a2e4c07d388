import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../platform/config/index.js';
import { type AudioFile, AudioStore } from './persistence/audio-store.js';
import { Speaker } from './speech/speaker.js';
import type { StoredAudio } from './stored-audio.js';
import { SuppliedAudio } from './supplied/supplied-audio.js';

/**
 * The audio of voice campaigns: spoken, or supplied by a URL. Everything that it gives is kept for good and served at its
 * URL. Call it outside transactions: speaking and fetching take their time.
 */
@Injectable()
export class AudioLibrary {
  constructor(
    private readonly speaker: Speaker,
    private readonly supplied: SuppliedAudio,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT'>,
  ) {}

  /**
   * A text, spoken. Equal texts of a language give the same audio.
   * @param language hindi, hi, english, en or any two-letter code; English when null or unrecognized (spec 4.7)
   * @throws AppError invalid `Audio duration cannot exceed 120 seconds`, `message contains nothing that can be spoken`;
   * too_many when too many texts wait; unavailable without the optional engine
   */
  async speech(text: string, language: string | null): Promise<StoredAudio> {
    return this.shown(await this.speaker.speak(text, language));
  }

  /**
   * The audio at a customer's URL, fetched now and kept as it will be played. Equal bytes give the same audio.
   * @param accountId whose URL it is
   * @throws AppError invalid `audio_url could not be fetched`, `audio_url is not a playable audio file`,
   * `Audio duration cannot exceed 120 seconds`; too_many when too many fetch at once
   */
  async fetch(url: string, accountId: number): Promise<StoredAudio> {
    return this.shown(await this.supplied.accept(url, accountId));
  }

  /** @returns null when there is none of this id */
  async byId(id: number): Promise<StoredAudio | null> {
    const file = await this.store.byId(id);
    return file && this.shown(file);
  }

  private shown({ id, token, extension, milliseconds, mime }: AudioFile): StoredAudio {
    return { id, url: `${publicOrigin(this.environment) ?? ''}/audio/${token}.${extension}`, milliseconds, mime };
  }
}
