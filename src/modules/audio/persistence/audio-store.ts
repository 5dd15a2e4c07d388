import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
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

const CHUNK_BYTES = 256 * 1024;
const TOKEN_BYTES = 24;
const ADD_ATTEMPTS = 5;

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

  /** Keeps audio; where the same content is there already, by whomever and whenever it came, that is the answer. */
  async add(audio: NewAudio): Promise<AudioFile> {
    for (let attempt = 1; ; attempt++) {
      const known = await this.byKey(audio.key);
      if (known) return known;
      try {
        return await inTransaction(this.dataSource, (tx) => insert(tx, audio));
      } catch (error) {
        // another request was faster, or the id is taken
        if (!isDuplicateKey(error) || attempt >= ADD_ATTEMPTS) throw error;
      }
    }
  }

  byKey(key: string): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ contentKey: key });
  }

  byId(id: number): Promise<AudioFile | null> {
    return this.dataSource.getRepository(AudioFileEntity).findOneBy({ id });
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

async function insert(tx: EntityManager, { key, bytes, ...facts }: NewAudio): Promise<AudioFile> {
  const file: AudioFile = {
    ...facts,
    id: newId(),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    size: bytes.length,
    chunkSize: CHUNK_BYTES,
    createdAt: now(),
  };
  await tx.insert(AudioFileEntity, { ...file, contentKey: key });
  for (let seq = 0; seq * CHUNK_BYTES < bytes.length; seq++) {
    const chunk = bytes.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
    await tx.insert(AudioChunkEntity, { audioId: file.id, seq, bytes: chunk });
  }
  return file;
}
