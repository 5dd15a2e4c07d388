import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, PageOf } from '../../platform/http/index.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { BALANCES } from '../credits/index.js';
import { CAMPAIGN_STATES } from '../engine/index.js';
import { SETTLED_STATUSES } from './encoding.js';
import type { RecipientProof } from './settlement-reader.js';
import type { SettlementDayEntity, SettlementEntity, SettlementKeyEntity } from './tables.js';

const DIGEST = { example: '5f8f3cbe0bd3a39d1a5fe6a23a1b0a0d8d0f2b9bca6df6f1c6f1f6f3c0a7a2b1' } as const;
const MOMENT = { format: 'date-time' } as const;
const COUNT = { type: 'integer' as const, example: 2 };

class SettlementTotals {
  @ApiProperty(COUNT)
  recipients!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { delivered: 1, failed: 1 },
    description: 'delivered (read too), failed, cancelled, answered, no_answer, busy',
  })
  statuses!: Record<string, number>;

  @ApiProperty(COUNT)
  parts!: number;

  @ApiProperty({ ...COUNT, description: 'Credits' })
  charged!: number;

  @ApiProperty({ ...COUNT, example: 1 })
  refunded!: number;

  @ApiProperty({ ...COUNT, example: 1 })
  net!: number;
}

class SettledEntries {
  @ApiProperty(COUNT)
  count!: number;

  @ApiProperty({ ...DIGEST, description: 'Merkle root of the ledger entries of the campaign' })
  root!: string;
}

/** What is signed, as canonical JSON (reference/settlements#statement). */
class SettlementStatement {
  @ApiProperty({ example: 'switchboard-settlement/1' })
  format!: string;

  @ApiProperty({ enum: ['settlement'] })
  type!: string;

  @ApiProperty({ example: 'acme' })
  account!: string;

  @ApiProperty({ type: 'integer', example: 12, description: 'From 1, without gaps, for each account' })
  number!: number;

  @ApiProperty({ type: String, nullable: true, ...DIGEST, description: 'Digest of the settlement before' })
  previous!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description: 'The first settlement after the house was restored from a copy: the chain may fork here',
  })
  restored_at!: string | null;

  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' })
  request_id!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  retry_of!: string | null;

  @ApiProperty({ enum: [...CHANNEL_NAMES] })
  channel!: string;

  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: string;

  @ApiProperty({ enum: [...CAMPAIGN_STATES], example: 'completed' })
  state!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:30:00.000Z' })
  created_at!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:31:12.500Z' })
  completed_at!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:31:14.020Z' })
  issued_at!: string;

  @ApiProperty({ ...DIGEST, description: 'Merkle root of the recipients' })
  root!: string;

  @ApiProperty({ type: SettlementTotals })
  totals!: SettlementTotals;

  @ApiProperty({ type: SettledEntries })
  entries!: SettledEntries;

  @ApiProperty({ example: '9d1c5f0a6b3e4c77', description: 'Id of the public key' })
  key!: string;
}

export class SettlementData {
  @ApiProperty({ type: SettlementStatement })
  statement!: SettlementStatement;

  @ApiProperty({ ...DIGEST, description: 'SHA-256 of the statement' })
  digest!: string;

  @ApiProperty({ example: 'MEUCIQ…', description: 'Ed25519 over the statement, base64' })
  signature!: string;

  @ApiProperty({ example: 'MCowBQYDK2VwAyEA…', description: 'Raw, base64: to be compared with the published keys' })
  public_key!: string;
}

export class SettlementAnswer extends AnswerOf(SettlementData) {}
export class SettlementPageAnswer extends PageOf(SettlementData) {}

class ProvedRecipient {
  @ApiProperty({ type: 'integer', example: 1 })
  seq!: number;

  @ApiProperty({ example: '919812345678' })
  receiver!: string;

  @ApiProperty({ enum: [...SETTLED_STATUSES] })
  status!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  code!: string | null;

  @ApiProperty({ ...COUNT, example: 1 })
  parts!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'Credits' })
  price!: number;

  @ApiProperty({ ...COUNT, example: 0 })
  refund!: number;

  @ApiProperty({ example: 'sms', description: 'Channel, and category if there is one' })
  route_class!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:30:00.000Z' })
  accepted_at!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:31:12.500Z' })
  final_at!: string;
}

export class ProofData extends SettlementData {
  @ApiProperty({ type: ProvedRecipient })
  recipient!: ProvedRecipient;

  @ApiProperty({
    description: 'Text whose digest is the leaf',
    example: '["kQ2…",1,"delivered",null,1,1,0,"sms",1795253400000,1795253472500]',
  })
  leaf!: string;

  @ApiProperty({
    example: 'q83vEjRWeJq83vEjRWeJqw',
    description: 'Key of the recipient: HMAC-SHA-256 of the number, base64url',
  })
  salt!: string;

  @ApiProperty({ type: 'integer', example: 0, description: 'From 0' })
  index!: number;

  @ApiProperty({ type: [String], example: [DIGEST.example], description: 'Siblings from the leaf to the root' })
  path!: string[];
}

export class ProofAnswer extends AnswerOf(ProofData) {}

class PublishedKey {
  @ApiProperty({ example: '9d1c5f0a6b3e4c77' })
  id!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  algorithm!: string;

  @ApiProperty({ example: 'MCowBQYDK2VwAyEA…' })
  public_key!: string;

  @ApiProperty({ ...MOMENT, example: '2026-11-21T09:30:00.000Z' })
  first_used_at!: string;
}

export class PublishedKeys {
  @ApiProperty({ type: [PublishedKey], description: 'Newest first; earlier ones stay' })
  keys!: PublishedKey[];
}

class DaySettlements {
  @ApiProperty(COUNT)
  count!: number;

  @ApiProperty({ ...DIGEST, description: 'Merkle root over the digests of the settlements of all accounts' })
  root!: string;
}

class DayAudit {
  @ApiProperty({ ...COUNT, description: 'Id of the last entry of the day before' })
  after!: number;

  @ApiProperty(COUNT)
  last!: number;

  @ApiProperty(COUNT)
  count!: number;

  @ApiProperty({ ...DIGEST, description: 'Merkle root over the entries of the audit log' })
  root!: string;
}

class SettlementDayStatement {
  @ApiProperty({ enum: ['switchboard-settlement/1'] })
  format!: string;

  @ApiProperty({ enum: ['day'] })
  type!: 'day';

  @ApiProperty({ format: 'date', example: '2026-11-21' })
  day!: string;

  @ApiProperty({ ...COUNT, example: 31, description: 'From 1, without gaps' })
  number!: number;

  @ApiProperty({ type: String, nullable: true, ...DIGEST, description: 'Digest of the day before' })
  previous!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  restored_at!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-22T00:10:04.120Z' })
  issued_at!: string;

  @ApiProperty({ type: DaySettlements })
  settlements!: DaySettlements;

  @ApiProperty({ type: DayAudit })
  audit!: DayAudit;

  @ApiProperty({ example: '9d1c5f0a6b3e4c77' })
  key!: string;
}

class SignedDay {
  @ApiProperty({ type: SettlementDayStatement })
  statement!: SettlementDayStatement;

  @ApiProperty(DIGEST)
  digest!: string;

  @ApiProperty({ example: 'MEUCIQ…' })
  signature!: string;

  @ApiProperty({ example: 'MCowBQYDK2VwAyEA…' })
  public_key!: string;
}

/** The place of a settlement in the signed day of the house. */
export class DayPlaceData extends SignedDay {
  @ApiProperty({ ...DIGEST, description: 'Digest of the settlement: the leaf' })
  leaf!: string;

  @ApiProperty({ ...COUNT, example: 0, description: 'From 0' })
  index!: number;

  @ApiProperty({ type: [String], example: [DIGEST.example] })
  path!: string[];
}

export class DayPlaceAnswer extends AnswerOf(DayPlaceData) {}

export class AuditDayData extends SignedDay {
  @ApiProperty({ description: 'Whether the audit log of the day is as it was signed' })
  unchanged!: boolean;
}

export class AuditDayAnswer extends AnswerOf(AuditDayData) {}

export const settlementData = (
  { statement, digest, signature }: SettlementEntity,
  publicKeys: ReadonlyMap<string, string>,
): SettlementData => {
  const read = JSON.parse(statement) as SettlementStatement;
  return {
    statement: read,
    digest: digest.toString('hex'),
    signature: signature.toString('base64'),
    public_key: publicKeys.get(read.key) ?? '',
  };
};

export const proofData = (
  { statement, digest, signature, public_key }: SettlementData,
  { recipient, leaf, salt, index, path }: RecipientProof,
): ProofData => ({
  ...{ statement, digest, signature, public_key },
  recipient: {
    seq: recipient.seq,
    receiver: recipient.number,
    status: recipient.status,
    code: recipient.code,
    parts: recipient.parts,
    price: recipient.price,
    refund: recipient.refund,
    route_class: recipient.routeClass,
    accepted_at: new Date(recipient.acceptedAt).toISOString(),
    final_at: new Date(recipient.finalAt).toISOString(),
  },
  leaf,
  salt: salt.toString('base64url'),
  index,
  path: path.map((hash) => hash.toString('hex')),
});

export const keysData = (keys: readonly SettlementKeyEntity[]): PublishedKeys => ({
  keys: keys.map(({ id, publicKey, firstUsedAt }) => ({
    ...{ id, algorithm: 'Ed25519', public_key: publicKey, first_used_at: firstUsedAt.toISOString() },
  })),
});

export const signedDay = (
  { statement, digest, signature }: SettlementDayEntity,
  keys: ReadonlyMap<string, string>,
): SignedDay => {
  const read = JSON.parse(statement) as SettlementDayStatement;
  return {
    statement: read,
    digest: digest.toString('hex'),
    signature: signature.toString('base64'),
    public_key: keys.get(read.key) ?? '',
  };
};
