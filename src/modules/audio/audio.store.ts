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

/** New audio with its bytes. */
export interface NewAudio {
  key: string;
  bytes: Buffer;
  milliseconds: number;
  mime: string;
  extension: string;
}

export type AudioFile = Omit<AudioFileEntity, 'contentKey'>;

/** Audio of a request that may still be refused; it is stored with the campaign. */
export interface AudioDraft {
  key: string;
  file: AudioFile;
  /** null when the same content is stored already */
  bytes: Buffer | null;
}

export interface Player {
  id: number;
  accountId: number;
}

/** The content was stored, or swept, after the draft was made: draft it again. */
export class AudioChanged extends AppError {
  constructor() {
    super('conflict', 'audio_changed', 'Audio was changed');
  }
}

const CHUNK_BYTES = 256 * 1024;
const TOKEN_BYTES = 24;
const SWEPT_AT_ONCE = 100;
const FILES_A_READ = 1_000;
const IS_PLAYED = 'EXISTS (SELECT 1 FROM campaign_audio c WHERE c.audio_id = audio_files.id)';

/** Key of content by its source; length prefixes keep parts apart. @returns SHA-256 in hex */
export function contentKey(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** Tables of audio. The database stores the bytes too, in rows of 256 KB: API instances share nothing else. */
@Injectable()
export class AudioStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  /** Drafts new audio, or refers to the same content if any account has stored it. */
  async draft(audio: NewAudio): Promise<AudioDraft> {
    const { key, bytes } = audio;
    return { key, bytes, file: (await this.byKey(key)) ?? fileOf(audio) };
  }

  /** Stores drafts with their campaign; only new bytes count. @throws AudioChanged; AppError invalid over the storage quota */
  async keep(tx: EntityManager, { id: campaignId, accountId }: Player, drafts: readonly AudioDraft[]): Promise<void> {
    const inOrder = drafts.toSorted((a, b) => (a.key < b.key ? -1 : 1)); // one lock order: no deadlocks
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
   * Marks unused audio, a part per call. The mark alone removes nothing: a campaign being accepted may be invisible yet.
   * @param after id of the last file checked @returns the last id of this part; null at the end
   */
  async markUnused(after: number): Promise<number | null> {
    const files = await this.dataSource.getRepository(AudioFileEntity).find({
      select: { id: true },
      where: { id: MoreThan(after) },
      order: { id: 'ASC' },
      take: FILES_A_READ,
    });
    if (files.length === 0) return null;
    await this.dataSource.query(
      again(`UPDATE audio_files SET unused_since = UTC_TIMESTAMP(3)
       WHERE id IN (?) AND unused_since IS NULL AND NOT ${IS_PLAYED}`),
      [files.map(({ id }) => id)],
    );
    return files.length < FILES_A_READ ? null : (files.at(-1)?.id ?? null);
  }

  /** Removes some audio marked before a time, unless a campaign plays it after all. @returns whether there may be more */
  async sweep(before: Date): Promise<boolean> {
    const files = await this.dataSource.getRepository(AudioFileEntity).find({
      select: { id: true, accountId: true, size: true },
      where: { unusedSince: LessThan(before) },
      take: SWEPT_AT_ONCE,
    });
    for (const { id, accountId, size } of files) {
      await inTransaction(this.dataSource, async (tx) => {
        // A campaign being accepted removes the mark of this row: the row lock orders the two.
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

  /** A draft of the file with this token; null for none. */
  async draftOf(token: string): Promise<AudioDraft | null> {
    const kept = await this.dataSource.getRepository(AudioFileEntity).findOneBy({ token });
    return kept && { key: kept.contentKey, file: kept, bytes: null };
  }

  byToken(token: string): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ token });
  }

  /** Bytes `from` to `to`, inclusive, a chunk at a time; holds no connection between chunks. */
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

/** A retry plays the audio of its parent campaign. */
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
    if (isDuplicateKey(error)) throw new AudioChanged(); // another request stored it first
    throw error;
  }
  for (let seq = 0; seq * CHUNK_BYTES < bytes.length; seq++) {
    const chunk = bytes.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
    await tx.insert(AudioChunkEntity, { audioId: file.id, seq, bytes: chunk });
  }
}

/** Stored audio: the bytes that are priced, reviewed by staff and played. */
export interface StoredAudio {
  id: number;
  /** URL for carriers and browsers: stable and unguessable */
  url: string;
  milliseconds: number;
  mime: string;
}

/** Audio of a request that may still be refused; `AudioLibrary.keep` stores it under the same URL. */
export interface DraftedAudio extends StoredAudio {
  readonly draft: AudioDraft;
}

/** Longest audio of a campaign (reference/voice#duration), milliseconds. */
export const LONGEST_MS = 120_000;

const SWEEP_EVERY_MS = 10 * 60_000;
/** Longer than any request that found the audio before it was marked. */
const SPARED_MS = 24 * 3_600_000;
const MARK_EVERY_MS = 12 * 3_600_000;

/** One worker for all removes audio unused for a day, and marks unused audio twice a day unless campaigns are kept forever. */
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

  /** Removes all that is due; stops early at shutdown. */
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
