import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { KeyedSemaphore } from '../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../platform/config/index.js';
import { tooMany } from '../../platform/security/index.js';
import { audioErrors } from './audio.errors.js';
import { type AudioDraft, AudioStore, type Player, type DraftedAudio, type StoredAudio } from './audio.store.js';
import { Speaker } from './speech/speech.js';
import { SuppliedAudio } from './supplied-audio.js';

export interface ClipRequest {
  url: string;
  at: string;
}

const MOST_CLIPS = 50;
const MOST_CLIP_BYTES = 20 * 1024 * 1024;
/** All clips of a menu together may take as long as this many files. */
const CLIP_PATIENCE = 2;
const PATIENCE_SECONDS = 15;
/** Limits requests that hold fetched audio in memory; `each` keeps capacity for others when one customer's server is slow. */
const SHARES = { permits: 32, each: 4, waiting: 64, patienceMs: PATIENCE_SECONDS * 1_000 };

/** Audio of voice campaigns. Drafts are slow, so they are made before the transaction and stored in the campaign's own. */
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

  /** Runs work that holds fetched audio, within the limits. @throws AppError too_many */
  holding<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    return this.semaphore.run(accountId, work);
  }

  /** Drafts a spoken text. @param language reference/voice#speech @throws AppError invalid, too_many, unavailable */
  async speech(text: string, language: string | null, accountId: number): Promise<DraftedAudio> {
    return this.drafted(await this.speaker.speak(text, language, accountId));
  }

  /** The spoken bytes, for a preview; nothing is stored. @throws AppError as `speech` */
  spoken(text: string, language: string | null, accountId: number): Promise<{ mime: string; bytes: Buffer }> {
    return this.holding(accountId, async () => {
      const { file, bytes } = await this.speaker.speak(text, language, accountId);
      if (bytes) return { mime: file.mime, bytes };
      const kept: Buffer[] = [];
      for await (const part of this.store.bytes(file, 0, file.size - 1)) kept.push(part);
      return { mime: file.mime, bytes: Buffer.concat(kept) };
    });
  }

  /** Drafts the audio at a customer's URL. @throws AppError invalid: not fetchable, not playable, over 120 s */
  async fetch(url: string, accountId: number): Promise<DraftedAudio> {
    return this.drafted((await this.ours(url)) ?? (await this.supplied.accept({ url, at: 'audio_url', accountId })));
  }

  /** Drafts a menu's clips by URL, each once, within common limits. @throws AppError invalid with the clip's path */
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

  /** Stores drafts of a campaign. @throws AudioChanged = draft them again; AppError invalid over the storage quota */
  keep(tx: EntityManager, campaign: Player, audio: readonly DraftedAudio[]): Promise<void> {
    return this.store.keep(
      tx,
      campaign,
      audio.map(({ draft }) => draft),
    );
  }

  /** Drafts again after `AudioChanged`, from what is stored now; null when it would need the bytes. */
  async renewed({ draft }: DraftedAudio): Promise<DraftedAudio | null> {
    const { key, bytes, file } = draft;
    const kept = await this.store.byKey(key);
    if (!kept && bytes === null) return null;
    return this.drafted({ key, bytes, file: kept ?? file });
  }

  async byId(id: number): Promise<StoredAudio | null> {
    const file = await this.store.byId(id);
    return file && { id, url: this.urlOf(file), milliseconds: file.milliseconds, mime: file.mime };
  }

  /** Reads our own audio from the store: the outbound guard closes our own addresses to customers' URLs. */
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
