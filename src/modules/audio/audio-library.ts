import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { KeyedSemaphore } from '../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../platform/config/index.js';
import { tooMany } from '../../platform/security/index.js';
import { audioErrors } from './audio.errors.js';
import { type AudioDraft, AudioStore, type Player, type DraftedAudio, type StoredAudio } from './audio.store.js';
import { Speaker } from './speech/speech.js';
import { SuppliedAudio } from './supplied-audio.js';

/** A clip of a menu. */
export interface ClipRequest {
  url: string;
  /** path to it in the request: `dtmf_flow.rows[1].audio` */
  at: string;
}

const MOST_CLIPS = 50;
const MOST_CLIP_BYTES = 20 * 1024 * 1024;
/** The clips of a menu together may take as long as so many files. */
const CLIP_PATIENCE = 2;
const PATIENCE_SECONDS = 15;
/** Requests that fetch audio and hold it in memory; a customer whose server is slow leaves places for the others. */
const SHARES = { permits: 32, each: 4, waiting: 64, patienceMs: PATIENCE_SECONDS * 1_000 };

/**
 * The audio of voice campaigns: spoken, or supplied by a URL. It is drafted outside any transaction, since speaking and
 * fetching take their time, and kept in the transaction of the campaign that plays it: a refused request leaves nothing.
 */
@Injectable()
export class AudioLibrary {
  private readonly semaphore = new KeyedSemaphore<number>(SHARES, () => tooMany(PATIENCE_SECONDS));

  constructor(
    private readonly speaker: Speaker,
    private readonly supplied: SuppliedAudio,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT' | 'AUDIO_FETCH_TIMEOUT'>,
  ) {}

  /** Work that holds fetched audio, from its begin to its end. @throws AppError too_many when too many others do so */
  holding<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    return this.semaphore.run(accountId, work);
  }

  /**
   * A text, spoken. Equal texts of a language give the same audio.
   * @param language hindi, hi, english, en or any two-letter code; English when null or unrecognized
   * (reference/voice#speech)
   * @throws AppError invalid `Audio duration cannot exceed 120 seconds`, `message contains nothing that can be spoken`;
   * too_many when too many texts wait; unavailable without the optional engine
   */
  async speech(text: string, language: string | null, accountId: number): Promise<DraftedAudio> {
    return this.drafted(await this.speaker.speak(text, language, accountId));
  }

  /**
   * The same as sound, to be heard before it is sent; nothing of it is kept.
   * @throws AppError as `speech`
   */
  heard(text: string, language: string | null, accountId: number): Promise<{ mime: string; bytes: Buffer }> {
    return this.holding(accountId, async () => {
      const { file, bytes } = await this.speaker.speak(text, language, accountId);
      if (bytes) return { mime: file.mime, bytes };
      const kept: Buffer[] = [];
      for await (const part of this.store.bytes(file, 0, file.size - 1)) kept.push(part);
      return { mime: file.mime, bytes: Buffer.concat(kept) };
    });
  }

  /**
   * The audio at a customer's URL, fetched now, as it will be played. Equal bytes give the same audio.
   * @param accountId whose URL it is
   * @throws AppError invalid `audio_url could not be fetched`, `audio_url is not a playable audio file`,
   * `Audio duration cannot exceed 120 seconds`
   */
  async fetch(url: string, accountId: number): Promise<DraftedAudio> {
    return this.drafted((await this.ours(url)) ?? (await this.supplied.accept({ url, at: 'audio_url', accountId })));
  }

  /**
   * The clips of a menu, each URL once, like `fetch`; bounded in number, bytes and time.
   * @returns by URL
   * @throws AppError invalid, with the path of the clip
   */
  async clips(wanted: readonly ClipRequest[], accountId: number): Promise<Map<string, DraftedAudio>> {
    const clips = new Map<string, DraftedAudio>();
    const deadline = performance.now() + CLIP_PATIENCE * this.environment.AUDIO_FETCH_TIMEOUT;
    let bytesLeft = MOST_CLIP_BYTES;
    for (const { url, at } of wanted) {
      if (clips.has(url)) continue;
      const timeoutMs = Math.floor(deadline - performance.now());
      if (timeoutMs <= 0) throw audioErrors.notFetched(at);
      const supply = { url, at, accountId, timeoutMs, maxBytes: Math.max(1, bytesLeft) };
      const draft = (await this.ours(url)) ?? (await this.supplied.accept(supply));
      bytesLeft -= draft.bytes?.length ?? 0;
      clips.set(url, this.drafted(draft));
      if (bytesLeft < 0 || clips.size > MOST_CLIPS) throw audioErrors.tooMuch();
    }
    return clips;
  }

  /**
   * Keeps drafts as long as their campaign.
   * @throws AudioChanged when they are to be drafted again
   * @throws AppError invalid `At most 1073741824 stored bytes are allowed`
   */
  keep(tx: EntityManager, campaign: Player, audio: readonly DraftedAudio[]): Promise<void> {
    return this.store.keep(
      tx,
      campaign,
      audio.map(({ draft }) => draft),
    );
  }

  /** A draft after `AudioChanged`, of what is kept by now. Without bytes at hand it cannot be made again: null. */
  async renewed({ draft }: DraftedAudio): Promise<DraftedAudio | null> {
    const { key, bytes, file } = draft;
    const kept = await this.store.byKey(key);
    if (!kept && bytes === null) return null;
    return this.drafted({ key, bytes, file: kept ?? file });
  }

  /** @returns null when there is none of this id */
  async byId(id: number): Promise<StoredAudio | null> {
    const file = await this.store.byId(id);
    return file && { id, url: this.urlOf(file), milliseconds: file.milliseconds, mime: file.mime };
  }

  /** Audio that we serve ourselves is not fetched: our own addresses are closed to customers' URLs. */
  private async ours(url: string): Promise<AudioDraft | null> {
    const origin = publicOrigin(this.environment);
    const token = origin !== null && url.startsWith(`${origin}/audio/`) ? url.slice(origin.length + 7, -4) : null;
    return token === null ? null : this.store.draftOf(token);
  }

  private drafted(draft: AudioDraft): DraftedAudio {
    const { id, milliseconds, mime } = draft.file;
    return { id, url: this.urlOf(draft.file), milliseconds, mime, draft };
  }

  private urlOf({ token, extension }: AudioDraft['file']): string {
    return `${publicOrigin(this.environment) ?? ''}/audio/${token}.${extension}`;
  }
}
