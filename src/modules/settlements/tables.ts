import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idBound } from '../../platform/database/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const DIGEST = { type: 'binary', length: 32 } as const;

/** The signed settlement of a campaign; never changed. */
@Entity('settlements')
@Index('uq_settlements_campaign', ['campaignId'], { unique: true })
@Index('ix_settlements_account', ['accountId', 'id'])
export class SettlementEntity {
  /** `kernel/ids.ts`: a time of issue is a range of ids */
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** canonical JSON, as signed */
  @Column({ type: 'text' })
  statement!: string;

  /** SHA-256 of the statement */
  @Column({ ...DIGEST })
  digest!: Buffer;

  @Column({ type: 'binary', length: 64 })
  signature!: Buffer;
}

/** 1,024 recipients of a settlement. Days follow those of the recipients. */
@Entity('settlement_pages')
export class SettlementPageEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ type: 'int', unsigned: true })
  page!: number;

  @Column({ ...DIGEST, nullable: true })
  root!: Buffer | null;

  /** a page key, or the salts that remain (`saltsOf`) */
  @Column({ type: 'blob' })
  salts!: Buffer;
}

/** What is left of an erased person in a settlement: the leaf's text, whose key is gone. */
@Entity('settlement_erased')
export class ErasedLeafEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ type: 'int', unsigned: true })
  seq!: number;

  @Column({ type: 'text' })
  leaf!: string;
}

/** The newest settlement of an account: the next one names it. */
@Entity('settlement_chains')
export class SettlementChainEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'int', unsigned: true })
  number!: number;

  @Column({ ...DIGEST, nullable: true })
  digest!: Buffer | null;

  /** the newest restore of the database that the chain has named */
  @Column({ name: 'restore_id', type: 'bigint', nullable: true })
  restoreId!: number | null;
}

/** Public keys, those of earlier settlements too. */
@Entity('settlement_keys')
export class SettlementKeyEntity {
  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  id!: string;

  @Column({ name: 'public_key', type: 'varchar', length: 64, ...ASCII })
  publicKey!: string;

  @Column({ name: 'first_used_at', type: 'datetime', precision: 3 })
  firstUsedAt!: Date;
}

/** A signed day (UTC) of the house, with the last rows that it has. */
@Entity('settlement_days')
export class SettlementDayEntity {
  @PrimaryColumn({ type: 'date' })
  day!: string;

  @Column({ type: 'int', unsigned: true })
  number!: number;

  @Column({ name: 'last_id', type: 'bigint' })
  lastId!: number;

  @Column({ name: 'audit_last', type: 'bigint' })
  auditLast!: number;

  @Column({ name: 'restore_id', type: 'bigint', nullable: true })
  restoreId!: number | null;

  @Column({ type: 'text' })
  statement!: string;

  @Column({ ...DIGEST })
  digest!: Buffer;

  @Column({ type: 'binary', length: 64 })
  signature!: Buffer;
}

/** 1,024 settlements of a day: those behind an id. */
@Entity('settlement_day_pages')
export class SettlementDayPageEntity {
  @PrimaryColumn({ type: 'date' })
  day!: string;

  @PrimaryColumn({ type: 'int', unsigned: true })
  page!: number;

  @Column({ name: 'after_id', type: 'bigint' })
  afterId!: number;

  @Column({ ...DIGEST })
  root!: Buffer;
}

export const settlementEntities = [
  SettlementDayEntity,
  SettlementDayPageEntity,
  SettlementEntity,
  SettlementPageEntity,
  ErasedLeafEntity,
  SettlementChainEntity,
  SettlementKeyEntity,
];

const OF_CAMPAIGNS = { root: 'campaigns', column: 'campaign_id' } as const;

export const settlementTables: readonly TableRule[] = [
  { table: 'settlements', rule: 'follows', ...OF_CAMPAIGNS },
  { table: 'settlement_pages', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'settlement_erased', rule: 'follows', ...OF_CAMPAIGNS },
  { table: 'settlement_chains', rule: 'kept', why: 'one row an account' },
  { table: 'settlement_days', rule: 'kept', why: 'one row a day' },
  { table: 'settlement_day_pages', rule: 'kept', why: 'one row for 1,024 settlements' },
  { table: 'settlement_keys', rule: 'kept', why: 'one row a key' },
];
