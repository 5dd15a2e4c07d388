import { createHash, randomBytes } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, LessThan, MoreThan, Not } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { now } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again, inTransaction, isDuplicateKey, type WriteResult } from '../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { addStored, freeStored } from '../quotas/index.js';
import { AudioChunkEntity, AudioFileEntity, CampaignAudioEntity } from './tables.js';

/** Audio whose bytes are at hand. */
export interface NewAudio {
  /** see `contentKey` */
  key: string;
  bytes: Buffer;
  milliseconds: number;
  mime: string;
  /** without the dot */
  extension: string;
}

/** Everything of an audio file but its bytes. */
export type AudioFile = Omit<AudioFileEntity, 'contentKey'>;

/** Audio of a request that may still be refused: it is kept with the campaign, or not at all. */
export interface AudioDraft {
  key: string;
  file: AudioFile;
  /** null when they are not at hand, because the same content is kept already */
  bytes: Buffer | null;
}

/** A campaign, and whose it is. */
export interface Player {
  id: number;
  accountId: number;
}

/** The same content was kept, or swept, since the draft was made: the request is to take it from there. */
export class AudioChanged extends AppError {
  constructor() {
    super('conflict', 'audio_changed', 'Audio was changed');
  }
}

const CHUNK_BYTES = 256 * 1024;
const TOKEN_BYTES = 24;
const SWEPT_AT_ONCE = 100;
const LOOKED_AT_ONCE = 1_000;
const IS_PLAYED = 'EXISTS (SELECT 1 FROM campaign_audio c WHERE c.audio_id = audio_files.id)';

/** Names content by what it was made from. The parts cannot run into one another. @returns SHA-256 in hex */
export function contentKey(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** The tables of audio. API instances share nothing else, so the bytes are in the database too, in rows of 256 KB. */
@Injectable()
export class AudioStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  /** A draft of new audio, or of the same content where it is kept already, whichever account it came from. */
  async draft(audio: NewAudio): Promise<AudioDraft> {
    const { key, bytes } = audio;
    return { key, bytes, file: (await this.byKey(key)) ?? fileOf(audio) };
  }

  /**
   * Keeps drafts as long as the campaign that plays them, in its transaction. The bytes of new audio count for the account whose
   * campaign brings it; what is kept already costs no account more.
   * @throws AudioChanged when a draft is of another file than the one that is kept by now
   * @throws AppError invalid `At most 1073741824 stored bytes are allowed`
   */
  async keep(tx: EntityManager, { id: campaignId, accountId }: Player, drafts: readonly AudioDraft[]): Promise<void> {
    const inOrder = drafts.toSorted((a, b) => (a.key < b.key ? -1 : 1)); // two transactions never wait for each other
    const seen = new Set<string>();
    let bytes = 0;
    for (const draft of inOrder) {
      if (seen.has(draft.key)) continue;
      seen.add(draft.key);
      const known = await tx.getRepository(AudioFileEntity).findOneBy({ contentKey: draft.key });
      if (known ? known.token !== draft.file.token : draft.bytes === null) throw new AudioChanged();
      if (!known && draft.bytes) {
        await insert(tx, draft.key, { ...draft.file, accountId }, draft.bytes);
        bytes += draft.bytes.length;
      }
      if (known?.unusedSince) {
        const marked = { id: known.id, unusedSince: Not(IsNull()) };
        const { affected } = await tx.update(AudioFileEntity, marked, { unusedSince: null });
        if (affected !== 1) throw new AudioChanged();
      }
      await tx.insert(CampaignAudioEntity, { campaignId, audioId: draft.file.id });
    }
    await addStored(tx, accountId, bytes, this.environment.STORAGE_PER_ACCOUNT);
  }

  /**
   * Marks audio that no campaign plays, some of it. A campaign that is being accepted at this moment may not be seen: the
   * mark alone removes nothing.
   * @param after the id of the last file that was looked at
   * @returns the id of the last one of these; null when there are no more
   */
  async markUnused(after: number): Promise<number | null> {
    const files = await this.dataSource.getRepository(AudioFileEntity).find({
      select: { id: true },
      where: { id: MoreThan(after) },
      order: { id: 'ASC' },
      take: LOOKED_AT_ONCE,
    });
    if (files.length === 0) return null;
    await this.dataSource.query(
      again(`UPDATE audio_files SET unused_since = UTC_TIMESTAMP(3)
       WHERE id IN (?) AND unused_since IS NULL AND NOT ${IS_PLAYED}`),
      [files.map(({ id }) => id)],
    );
    return files.length < LOOKED_AT_ONCE ? null : (files.at(-1)?.id ?? null);
  }

  /**
   * Removes audio that was marked before a moment, some of it; what a campaign plays after all loses its mark. Workers that
   * sweep at the same moment each remove what the other left.
   * @returns whether there may be more
   */
  async sweep(before: Date): Promise<boolean> {
    const files = await this.dataSource.getRepository(AudioFileEntity).find({
      select: { id: true, accountId: true, size: true },
      where: { unusedSince: LessThan(before) },
      take: SWEPT_AT_ONCE,
    });
    for (const { id, accountId, size } of files) {
      await inTransaction(this.dataSource, async (tx) => {
        // A campaign that is being accepted takes the mark off this very row: one of the two comes first.
        const { affectedRows }: WriteResult = await tx.query(
          `DELETE FROM audio_files WHERE id = ? AND unused_since IS NOT NULL AND NOT ${IS_PLAYED}`,
          [id],
        );
        if (affectedRows === 0) {
          await tx.update(AudioFileEntity, { id }, { unusedSince: null });
          return;
        }
        await tx.delete(AudioChunkEntity, { audioId: id });
        if (accountId !== null) await freeStored(tx, accountId, size);
      });
    }
    return files.length === SWEPT_AT_ONCE;
  }

  byKey(key: string): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ contentKey: key });
  }

  byId(id: number): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ id });
  }

  /** A draft of what is kept under this name; null when there is none. */
  async draftOf(token: string): Promise<AudioDraft | null> {
    const kept = await this.dataSource.getRepository(AudioFileEntity).findOneBy({ token });
    return kept && { key: kept.contentKey, file: kept, bytes: null };
  }

  byToken(token: string): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ token });
  }

  /** Bytes `from` to `to`, both inclusive, a chunk at a time; no connection is held between two of them. */
  async *bytes(file: AudioFile, from: number, to: number): AsyncGenerator<Buffer, void, undefined> {
    for (let seq = Math.floor(from / file.chunkSize); seq * file.chunkSize <= to; seq++) {
      const start = seq * file.chunkSize;
      const row = await this.dataSource.getRepository(AudioChunkEntity).findOneBy({ audioId: file.id, seq });
      if (!row) throw new Error(`Chunk ${seq} of audio ${file.id} is missing`);
      yield row.bytes.subarray(Math.max(0, from - start), to - start + 1);
    }
  }
}

const fileOf = ({ key: _key, bytes, ...facts }: NewAudio): AudioFile => ({
  ...facts,
  id: newId(),
  token: randomBytes(TOKEN_BYTES).toString('base64url'),
  size: bytes.length,
  chunkSize: CHUNK_BYTES,
  unusedSince: null,
  accountId: null,
  createdAt: now(),
});

/** What a campaign plays, its retry plays too. */
export async function keepForRetry(tx: EntityManager, parentId: number, childId: number): Promise<void> {
  await tx.query(
    'INSERT INTO campaign_audio (campaign_id, audio_id) SELECT ?, audio_id FROM campaign_audio WHERE campaign_id = ?',
    [childId, parentId],
  );
}

async function insert(tx: EntityManager, key: string, file: AudioFile, bytes: Buffer): Promise<void> {
  try {
    await tx.insert(AudioFileEntity, { ...file, contentKey: key });
  } catch (error) {
    if (isDuplicateKey(error)) throw new AudioChanged(); // another request was faster
    throw error;
  }
  for (let seq = 0; seq * CHUNK_BYTES < bytes.length; seq++) {
    const chunk = bytes.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
    await tx.insert(AudioChunkEntity, { audioId: file.id, seq, bytes: chunk });
  }
}

/** Audio that is kept: the bytes that are priced, reviewed by staff and played to the recipients. */
export interface StoredAudio {
  id: number;
  /** where carriers and browsers fetch it: stable, and not to be guessed */
  url: string;
  /** duration, to the millisecond */
  milliseconds: number;
  mime: string;
}

/** Audio of a request that may still be refused; `AudioLibrary.keep` makes it stay, at the same URL. */
export interface DraftedAudio extends StoredAudio {
  readonly draft: AudioDraft;
}

/** Longest audio of a campaign (reference/voice#duration), milliseconds. */
export const LONGEST_MS = 120_000;

const SWEEP_EVERY_MS = 10 * 60_000;
/** A request that found the audio before it was marked is long over by then. */
const SPARED_MS = 24 * 3_600_000;
const MARK_EVERY_MS = 12 * 3_600_000;

/**
 * Every ten minutes, one worker for all: removes audio that no campaign has played for a day; twice a day it looks for such audio, where
 * campaigns are not kept for ever.
 */
@Injectable()
export class AudioSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AudioSweeper.name);
  private readonly task: SharedTask;
  private markedAt = -Infinity;

  constructor(
    private readonly gate: LeaderGate,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RETENTION_DAYS'>,
  ) {
    this.task = new SharedTask(gate, {
      name: 'audio-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => this.sweep(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'audio could not be swept'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Removes all that is due; ends early when the process stops. */
  async sweep(): Promise<void> {
    const mayMark = this.environment.RETENTION_DAYS > 0 && performance.now() - this.markedAt > MARK_EVERY_MS;
    if (mayMark && (await this.gate.isMine('audio-mark', MARK_EVERY_MS))) await this.mark();
    const before = new Date(now().getTime() - SPARED_MS);
    while ((await this.store.sweep(before)) && !this.task.isStopped);
  }

  private async mark(): Promise<void> {
    for (let after: number | null = 0; after !== null && !this.task.isStopped;)
      after = await this.store.markUnused(after);
    this.markedAt = performance.now();
  }
}
