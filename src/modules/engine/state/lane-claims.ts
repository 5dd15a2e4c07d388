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

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

interface Terms {
  withoutRetries?: boolean;
  most?: number;
}

/** A part of a lane's recipients, `from` inclusive, `end` exclusive. */
export interface LanePart {
  lane: LaneSnapshot;
  from: number;
  end: number;
}

interface RecipientRow extends SenderRow {
  campaign_id: number;
  seq: number;
  number: string;
  /** a DECIMAL to MariaDB, which drivers read as a text */
  lane_group?: number | string;
}

/**
 * Recipients that nothing has left to yet, by key. A lane of a campaign whose recipients leave over several routes has those
 * of its group alone.
 * @param terms `withoutRetries`: none that waits for another try; `most`: so many at the most
 */
export async function pendingOf(
  source: Source,
  parts: readonly LanePart[],
  terms: Terms = {},
): Promise<DueRecipient[]> {
  const [recipients = []] = await pendingOfEach(source, [parts], terms);
  return recipients;
}

/** As `pendingOf`, of several windows in one look: where two of them ask for the same recipients, both have them. */
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
  const byCampaign = new Map<number, { part: LanePart; window: number }[]>();
  for (const [window, parts] of batches.entries()) {
    for (const part of parts) {
      const { campaignId } = part.lane;
      const known = byCampaign.get(campaignId);
      if (known) known.push({ part, window });
      else byCampaign.set(campaignId, [{ part, window }]);
    }
  }
  const found = batches.map((): DueRecipient[] => []);
  for (const row of rows) {
    const owners = (byCampaign.get(row.campaign_id) ?? []).filter(({ part }) => isOf(part, row));
    // left out here, it would never be sent: its lane goes on behind it
    if (owners.length === 0)
      throw new Error(`recipient ${row.campaign_id}-${row.seq} is of no lane that was asked for`);
    for (const { part, window } of owners) {
      const { lane } = part;
      found[window]?.push({ lane, seq: row.seq, number: row.number, ...termsOf(row, lane.sender), attempt: 1 });
    }
  }
  return found;
}

/** Those whose campaigns have variables get theirs, in the objects that they are: a window has thousands. */
export async function withVariables(source: Source, recipients: DueRecipient[]): Promise<DueRecipient[]> {
  const own = recipients.filter(({ lane }) => lane.ownVariables);
  if (own.length === 0) return recipients;
  const placeOf = ({ lane, seq }: DueRecipient) => ({ campaignId: lane.campaignId, seq });
  const found = await variablesOf(source, own.map(placeOf));
  for (const recipient of own) {
    const variables = found(placeOf(recipient));
    if (variables) recipient.variables = variables;
  }
  return recipients;
}

const isOf = ({ lane, from, end }: LanePart, { seq, lane_group: group = 0 }: RecipientRow): boolean =>
  seq >= from && seq < end && (!lane.grouped || groupOf(lane.lane) === Number(group));

/** A lane that is to be claimed. */
export interface LaneClaim {
  lane: LaneSnapshot;
  /** the end of the part that may leave from now on */
  intentSeq: number;
  /** who that is; retries that are due are read with the claim */
  recipients: readonly DueRecipient[];
}

/** What a claim brings besides the lease. */
export interface ClaimTerms {
  /** names this claim, so that its maker can give it back when its answer was lost; see `newClaimId` */
  id?: number;
  /** most retries of a lane that are begun */
  mostRetries?: number;
  /** retries are begun whether or not they are due: nothing of the lanes leaves any more */
  beforeDue?: boolean;
  /** retries of unknown outcome may be made again; else they go */
  deduplicated?: boolean;
}

/** The lanes of a window, which are to be claimed under one id. */
export interface BatchClaim extends ClaimTerms {
  id: number;
  claims: readonly LaneClaim[];
}

/** 48 random bits: no two processes take the same. */
export const newClaimId = (): number => randomBytes(6).readUIntBE(0, 6);

/** A lane wakes when its lease is over: the worker that held it is gone by then. */
export const LEASED_LANES = new LeasedTable({
  table: 'campaign_lanes',
  key: ['campaign_id', 'lane'],
  moved: ['wake_at'],
});
const keyOf = ({ campaignId, lane }: LaneKey) => ({ campaign_id: campaignId, lane });

/** See `LaneStore.claimEach`. */
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
    for (const [place, batch] of batches.entries()) held[place] = await withRetries(tx, held[place] ?? [], batch);
    return held;
  };
  // Where others were faster with all of them, nothing was written.
  const committed = (held: LaneClaim[][]): WrittenRow | null => {
    const place = held.findIndex(({ length }) => length > 0);
    const first = held[place]?.[0];
    const id = batches[place]?.id;
    return first && id !== undefined
      ? { table: 'campaign_lanes', where: { ...keyOf(first.lane), fence: heldFence(first.lane), claim_id: id } }
      : null;
  };
  return inTransaction(dataSource, work, { committed });
}

/** Takes the leases of those lanes that are free. @returns by window, those that no other worker was faster with */
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
  let place = 0;
  return batches.map(({ claims }) => claims.filter(() => taken.has(place++)));
}

/** Begins the retries of a window's lanes that are due, and reads who that is. */
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
