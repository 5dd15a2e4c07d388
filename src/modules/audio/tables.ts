import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('audio_files')
@Index('uq_audio_files_token', ['token'], { unique: true })
@Index('uq_audio_files_content', ['contentKey'], { unique: true })
@Index('ix_audio_files_unused', ['unusedSince'])
export class AudioFileEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  /** name in the URL; random, because it is enough to hear the audio */
  @Column({ type: 'varchar', length: 32, ...ASCII })
  token!: string;

  /** SHA-256 of its source in hex: equal content is stored once */
  @Column({ name: 'content_key', type: 'varchar', length: 64, ...ASCII })
  contentKey!: string;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  extension!: string;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  mime!: string;

  @Column({ type: 'int', unsigned: true })
  milliseconds!: number;

  @Column({ type: 'int', unsigned: true })
  size!: number;

  @Column({ name: 'chunk_size', type: 'int', unsigned: true })
  chunkSize!: number;

  /** since when no campaign plays it; null = in use */
  @Column({ name: 'unused_since', type: 'datetime', precision: 3, nullable: true })
  unusedSince!: Date | null;

  /** account whose quota it uses; null = not known any more */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

@Entity('audio_chunks')
export class AudioChunkEntity {
  @PrimaryColumn({ name: 'audio_id', type: 'bigint' })
  audioId!: number;

  @PrimaryColumn({ type: 'smallint', unsigned: true })
  seq!: number;

  @Column({ type: 'mediumblob' })
  bytes!: Buffer;
}

@Entity('campaign_audio')
@Index('ix_campaign_audio_audio', ['audioId'])
export class CampaignAudioEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'audio_id', type: 'bigint' })
  audioId!: number;
}

export const audioEntities = [AudioFileEntity, AudioChunkEntity, CampaignAudioEntity];

export const audioTables: readonly TableRule[] = [
  { table: 'audio_files', rule: 'work', why: 'the audio sweeper removes what nothing has played for a day' },
  { table: 'campaign_audio', rule: 'follows', root: 'campaigns', column: 'campaign_id' },
  { table: 'audio_chunks', rule: 'work', why: 'removed with its audio file' },
];
