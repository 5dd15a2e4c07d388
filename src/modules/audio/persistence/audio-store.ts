import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, LessThan } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { AudioChunkEntity, AudioFileEntity } from './audio.entities.js';

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

/** The same content was kept, or swept, since the draft was made: the request is to take it from there. */
export class AudioChanged extends AppError {
  constructor() {
    super('conflict', 'audio_changed', 'Audio was changed');
  }
}

const CHUNK_BYTES = 256 * 1024;
const TOKEN_BYTES = 24;
const SWEPT_AT_ONCE = 100;

/** Names content by what it was made from. The parts cannot run into one another. @returns SHA-256 in hex */
export function contentKey(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** The tables of audio. API instances share nothing else, so the bytes are in the database too, in rows of 256 KB. */
@Injectable()
export class AudioStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** A draft of new audio, or of the same content where it is kept already, whichever account it came from. */
  async draft(audio: NewAudio): Promise<AudioDraft> {
    const { key, bytes } = audio;
    return { key, bytes, file: (await this.byKey(key)) ?? fileOf(audio) };
  }

  /**
   * Keeps drafts for good, in the transaction of what plays them.
   * @throws AudioChanged when a draft is of another file than the one that is kept by now
   */
  async keep(tx: EntityManager, drafts: readonly AudioDraft[]): Promise<void> {
    const inOrder = drafts.toSorted((a, b) => (a.key < b.key ? -1 : 1)); // two transactions never wait for each other
    const seen = new Set<string>();
    for (const draft of inOrder) {
      if (seen.has(draft.key)) continue;
      seen.add(draft.key);
      const known = await tx.getRepository(AudioFileEntity).findOneBy({ contentKey: draft.key });
      if (known ? known.token !== draft.file.token : draft.bytes === null) throw new AudioChanged();
      if (!known && draft.bytes) await insert(tx, draft.key, draft.file, draft.bytes);
      if (known?.used === 0) {
        const { affected } = await tx.update(AudioFileEntity, { id: known.id, used: 0 }, { used: 1 });
        if (affected !== 1) throw new AudioChanged();
      }
    }
  }

  /**
   * Removes audio that nothing plays, some of it. Workers that sweep at the same moment each remove what the other left.
   * @returns whether there may be more
   */
  async sweep(before: Date): Promise<boolean> {
    const files = await this.dataSource.getRepository(AudioFileEntity).find({
      select: { id: true },
      where: { used: 0, createdAt: LessThan(before) },
      take: SWEPT_AT_ONCE,
    });
    for (const { id } of files) {
      await inTransaction(this.dataSource, async (tx) => {
        // A campaign that is being accepted marks this very row: one of the two comes first.
        const { affected } = await tx.delete(AudioFileEntity, { id, used: 0 });
        if (affected === 1) await tx.delete(AudioChunkEntity, { audioId: id });
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
  used: 1,
  createdAt: now(),
});

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
