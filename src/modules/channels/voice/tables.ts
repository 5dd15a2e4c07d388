import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idBound } from '../../../platform/database/index.js';
import type { TableRule } from '../../../platform/periodic/index.js';

/** One attempt to call one recipient of a voice campaign. */
@Entity('voice_calls')
export class VoiceCallEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  /** the carrier's id */
  @PrimaryColumn({ name: 'call_id', type: 'varchar', length: 128 })
  callId!: string;

  @Column({ name: 'attempt', type: 'smallint', unsigned: true })
  attempt!: number;

  /** `RecipientStatus`; Submitted until the call ends */
  @Column({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ name: 'error_code', type: 'int', nullable: true })
  errorCode!: number | null;

  @Column({ name: 'error_message', type: 'varchar', length: 255, nullable: true })
  errorMessage!: string | null;

  @Column({ name: 'seconds', type: 'int', unsigned: true })
  seconds!: number;

  /** JSON of the menu machine's position; null before the first step */
  @Column({ name: 'position', type: 'longtext', nullable: true })
  position!: string | null;

  /** JSON list of the answered steps, so that a repeated question gets the same answer */
  @Column({ name: 'answers', type: 'longtext', nullable: true })
  answers!: string | null;

  @Column({ name: 'digits', type: 'varchar', length: 255 })
  digits!: string;

  @Column({ name: 'recording_urls', type: 'longtext', nullable: true })
  recordingUrls!: string | null;

  @Column({ name: 'started_at', type: 'datetime', precision: 3 })
  startedAt!: Date;

  @Column({ name: 'answered_at', type: 'datetime', precision: 3, nullable: true })
  answeredAt!: Date | null;

  @Column({ name: 'ended_at', type: 'datetime', precision: 3, nullable: true })
  endedAt!: Date | null;
}

export const voiceTables: readonly TableRule[] = [
  { table: 'voice_calls', rule: 'days', bound: idBound, of: { root: 'campaigns', column: 'campaign_id' } },
];
