import { randomBytes } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import {
  inTransaction,
  type WrittenRow,
  type ClaimedAlongside,
  LeasedTable,
} from '../../../platform/database/index.js';
import type { DueRecipient } from '../attempts.js';
import { groupOf, heldFence, type LaneKey, type LaneSnapshot } from '../lanes.js';
import { RecipientStatus, SENDER_COLUMN, type SenderRow, termsOf } from '../recipient.js';
import { variablesOf } from './own-variables.js';
import { beginRetries, begunRetries, dropRetries } from './retries.js';

type Source = Pick<EntityManager, 'query'>;

interface Terms {
  withoutRetries?: boolean;
  most?: number;
}

export interface LanePart {
  lane: LaneSnapshot;
  from: number;
  end: number;
}

interface RecipientRow extends SenderRow {
  campaign_id: number;
  seq: number;
  number: string;
  /** MariaDB returns a DECIMAL, which drivers read as text */
  lane_group?: number | string;
}

/** Unsent recipients by key; a grouped lane returns only its own group. @param terms `withoutRetries`: none with a retry */
export async function pendingOf(
  source: Source,
  parts: readonly LanePart[],
  terms: Terms = {},
): Promise<DueRecipient[]> {
  const [recipients = []] = await pendingOfEach(source, [parts], terms);
  return recipients;
}

/** As `pendingOf` for several batches in one query; a recipient in several batches is returned for each. */
export async function pendingOfEach(
  source: Source,
  batches: readonly (readonly LanePart[])[],
  terms: Terms = {},
): Promise<DueRecipient[][]> {
  const parts = batches.flat();
  if (parts.length === 0) return batches.map(() => []);
  const rows = await rowsOf(source, parts, terms);
  const recipients = recipientsOf(batches, rows);
  await withVariables(source, recipients.flat());
  return recipients;
}

async function rowsOf(source: Source, parts: readonly LanePart[], terms: Terms): Promise<RecipientRow[]> {
  const grouped = parts.some(({ lane }) => lane.grouped);
  const isJoined = grouped || parts.some(({ lane }) => lane.ownSenders);
  const values: number[] = [];
  const ranges = parts.map(({ lane, from, end }) => {
    values.push(lane.campaignId, from, end);
    if (lane.grouped) values.push(groupOf(lane.lane));
    const group = lane.grouped ? ' AND COALESCE(o.lane_group, 0) = ?' : '';
    return `(r.campaign_id = ? AND r.seq >= ? AND r.seq < ?${group})`;
  });
  return source.query(
    `SELECT r.campaign_id, r.seq, r.receiver AS number${isJoined ? `, ${SENDER_COLUMN}` : ''}${grouped ? ', COALESCE(o.lane_group, 0) AS lane_group' : ''}
     FROM campaign_recipients r
     ${isJoined ? 'LEFT JOIN recipient_terms o ON o.campaign_id = r.campaign_id AND o.seq = r.seq' : ''}
     ${terms.withoutRetries ? 'LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq' : ''}
     WHERE (${ranges.join(' OR ')}) AND r.status = ${RecipientStatus.Pending}
     ${terms.withoutRetries ? 'AND t.seq IS NULL' : ''}
     ORDER BY r.campaign_id, r.seq ${terms.most === undefined ? '' : 'LIMIT ?'}`,
    [...values, ...(terms.most === undefined ? [] : [terms.most])],
  );
}

function recipientsOf(batches: readonly (readonly LanePart[])[], rows: readonly RecipientRow[]): DueRecipient[][] {
  const byCampaign = new Map<number, { part: LanePart; batchIndex: number }[]>();
  for (const [batchIndex, parts] of batches.entries()) {
    for (const part of parts) {
      const { campaignId } = part.lane;
      const known = byCampaign.get(campaignId);
      if (known) known.push({ part, batchIndex });
      else byCampaign.set(campaignId, [{ part, batchIndex }]);
    }
  }
  const found = batches.map((): DueRecipient[] => []);
  for (const row of rows) {
    const owners = (byCampaign.get(row.campaign_id) ?? []).filter(({ part }) => isOf(part, row));
    // the lane would skip the recipient, and never send to it
    if (owners.length === 0)
      throw new Error(`recipient ${row.campaign_id}-${row.seq} is of no lane that was asked for`);
    for (const { part, batchIndex } of owners) {
      const { lane } = part;
      found[batchIndex]?.push({ lane, seq: row.seq, number: row.number, ...termsOf(row, lane.sender), attempt: 1 });
    }
  }
  return found;
}

/** Adds variables in place, since a batch has thousands of recipients. */
export async function withVariables(source: Source, recipients: DueRecipient[]): Promise<DueRecipient[]> {
  const own = recipients.filter(({ lane }) => lane.ownVariables);
  if (own.length === 0) return recipients;
  const recipientKeyOf = ({ lane, seq }: DueRecipient) => ({ campaignId: lane.campaignId, seq });
  const found = await variablesOf(source, own.map(recipientKeyOf));
  for (const recipient of own) {
    const variables = found(recipientKeyOf(recipient));
    if (variables) recipient.variables = variables;
  }
  return recipients;
}

const isOf = ({ lane, from, end }: LanePart, { seq, lane_group: group = 0 }: RecipientRow): boolean =>
  seq >= from && seq < end && (!lane.grouped || groupOf(lane.lane) === Number(group));

export interface LaneClaim {
  lane: LaneSnapshot;
  intentSeq: number;
  recipients: readonly DueRecipient[];
}

export interface ClaimTerms {
  /** identifies the claim, so that it can be given back if its answer is lost */
  id?: number;
  mostRetries?: number;
  /** begin retries that are not due, since nothing of the lanes will be sent */
  beforeDue?: boolean;
  /** retries of unknown outcome are repeated, else dropped */
  deduplicated?: boolean;
}

export interface BatchClaim extends ClaimTerms {
  id: number;
  claims: readonly LaneClaim[];
}

/** 48 random bits, unique across processes. */
export const newClaimId = (): number => randomBytes(6).readUIntBE(0, 6);

/** A lane wakes when its lease ends: its worker is gone then. */
export const LEASED_LANES = new LeasedTable({
  table: 'campaign_lanes',
  key: ['campaign_id', 'lane'],
  moved: ['wake_at'],
});
const keyOf = ({ campaignId, lane }: LaneKey) => ({ campaign_id: campaignId, lane });

export async function claimLanes(
  dataSource: DataSource,
  batches: readonly BatchClaim[],
  leaseMs: number,
  begin?: ClaimedAlongside,
): Promise<LaneClaim[][]> {
  const retrying = batches.some(({ claims }) => claims.some(({ lane }) => lane.retriesDue));
  if (!retrying) return takeLanes(dataSource, batches, leaseMs, begin);
  const work = async (tx: EntityManager): Promise<LaneClaim[][]> => {
    const held = await takeLanes(tx, batches, leaseMs, begin);
    for (const [index, batch] of batches.entries()) held[index] = await withRetries(tx, held[index] ?? [], batch);
    return held;
  };
  // Null if other workers took all lanes: nothing was written.
  const committed = (held: LaneClaim[][]): WrittenRow | null => {
    const index = held.findIndex(({ length }) => length > 0);
    const first = held[index]?.[0];
    const id = batches[index]?.id;
    return first && id !== undefined
      ? { table: 'campaign_lanes', where: { ...keyOf(first.lane), fence: heldFence(first.lane), claim_id: id } }
      : null;
  };
  return inTransaction(dataSource, work, { committed });
}

/** Claims free lanes. @returns those claimed, by batch */
export async function takeLanes(
  source: DataSource | EntityManager,
  batches: readonly BatchClaim[],
  leaseMs: number,
  begin?: ClaimedAlongside,
): Promise<LaneClaim[][]> {
  const rows = batches.flatMap(({ id, claims }) =>
    claims.map(({ lane, intentSeq }) => ({
      key: [lane.campaignId, lane.lane],
      fence: lane.fence,
      set: { claim_id: id, intent_seq: intentSeq },
    })),
  );
  const taken = await LEASED_LANES.claimAll(source, rows, leaseMs, 'claim_id', begin);
  let index = 0;
  return batches.map(({ claims }) => claims.filter(() => taken.has(index++)));
}

/** Begins due retries of the claimed lanes and reads their recipients. */
async function withRetries(
  tx: EntityManager,
  held: LaneClaim[],
  { claims, deduplicated = false, mostRetries = claims.length, beforeDue = false }: BatchClaim,
): Promise<LaneClaim[]> {
  const lanes = held.flatMap(({ lane }) => (lane.retriesDue ? [lane] : []));
  if (lanes.length === 0) return held;
  await beginRetries(tx, lanes, { most: mostRetries, beforeDue });
  const begun = await begunRetries(tx, lanes, { deduplicated });
  await dropRetries(tx, begun.leftOver);
  const recipients = await withVariables(tx, begun.recipients);
  return held.map((claim) =>
    claim.lane.retriesDue ? { ...claim, recipients: recipients.filter(({ lane }) => lane === claim.lane) } : claim,
  );
}
