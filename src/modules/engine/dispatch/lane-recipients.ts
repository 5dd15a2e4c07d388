import type { EntityManager } from 'typeorm';
import type { DueRecipient } from '../settle/attempts.js';
import { groupOf } from '../state/lanes.js';
import { variablesOf } from '../state/own-variables.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { TERMS_COLUMNS, termsOf, type TermsRow } from '../state/terms-rows.js';
import type { LaneTurn } from './lane-turn.js';

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

interface Terms {
  withoutRetries?: boolean;
  most?: number;
}

/** A part of a lane's recipients, `from` inclusive, `end` exclusive. */
export interface LanePart {
  turn: LaneTurn;
  from: number;
  end: number;
}

interface RecipientRow extends TermsRow {
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
  windows: readonly (readonly LanePart[])[],
  terms: Terms = {},
): Promise<DueRecipient[][]> {
  const parts = windows.flat();
  if (parts.length === 0) return windows.map(() => []);
  const rows = await rowsOf(source, parts, terms);
  const recipients = recipientsOf(windows, rows);
  await withVariables(source, recipients.flat());
  return recipients;
}

async function rowsOf(source: Source, parts: readonly LanePart[], terms: Terms): Promise<RecipientRow[]> {
  const grouped = parts.some(({ turn }) => turn.grouped);
  const isJoined = grouped || parts.some(({ turn }) => turn.ownSenders);
  const values: number[] = [];
  const ranges = parts.map(({ turn, from, end }) => {
    values.push(turn.campaignId, from, end);
    if (turn.grouped) values.push(groupOf(turn.lane));
    const group = turn.grouped ? ' AND COALESCE(o.lane_group, 0) = ?' : '';
    return `(r.campaign_id = ? AND r.seq >= ? AND r.seq < ?${group})`;
  });
  return source.query(
    `SELECT r.campaign_id, r.seq, r.receiver AS number${isJoined ? `, ${TERMS_COLUMNS}` : ''}${grouped ? ', COALESCE(o.lane_group, 0) AS lane_group' : ''}
     FROM campaign_recipients r
     ${isJoined ? 'LEFT JOIN recipient_terms o ON o.campaign_id = r.campaign_id AND o.seq = r.seq' : ''}
     ${terms.withoutRetries ? 'LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq' : ''}
     WHERE (${ranges.join(' OR ')}) AND r.status = ${RecipientStatus.Pending}
     ${terms.withoutRetries ? 'AND t.seq IS NULL' : ''}
     ORDER BY r.campaign_id, r.seq ${terms.most === undefined ? '' : 'LIMIT ?'}`,
    [...values, ...(terms.most === undefined ? [] : [terms.most])],
  );
}

function recipientsOf(windows: readonly (readonly LanePart[])[], rows: readonly RecipientRow[]): DueRecipient[][] {
  const byCampaign = new Map<number, { part: LanePart; window: number }[]>();
  for (const [window, parts] of windows.entries()) {
    for (const part of parts) {
      const { campaignId } = part.turn;
      const known = byCampaign.get(campaignId);
      if (known) known.push({ part, window });
      else byCampaign.set(campaignId, [{ part, window }]);
    }
  }
  const found = windows.map((): DueRecipient[] => []);
  for (const row of rows) {
    const owners = (byCampaign.get(row.campaign_id) ?? []).filter(({ part }) => isOf(part, row));
    // left out here, it would never be sent: its lane goes on behind it
    if (owners.length === 0)
      throw new Error(`recipient ${row.campaign_id}-${row.seq} is of no lane that was asked for`);
    for (const { part, window } of owners) {
      const { turn } = part;
      found[window]?.push({ turn, seq: row.seq, number: row.number, ...termsOf(row, turn.sender), attempt: 1 });
    }
  }
  return found;
}

/** Those whose campaigns have variables get theirs, in the objects that they are: a window has thousands. */
export async function withVariables(source: Source, recipients: DueRecipient[]): Promise<DueRecipient[]> {
  const own = recipients.filter(({ turn }) => turn.ownVariables);
  if (own.length === 0) return recipients;
  const placeOf = ({ turn, seq }: DueRecipient) => ({ campaignId: turn.campaignId, seq });
  const found = await variablesOf(source, own.map(placeOf));
  for (const recipient of own) {
    const variables = found(placeOf(recipient));
    if (variables) recipient.variables = variables;
  }
  return recipients;
}

const isOf = ({ turn, from, end }: LanePart, { seq, lane_group: group = 0 }: RecipientRow): boolean =>
  seq >= from && seq < end && (!turn.grouped || groupOf(turn.lane) === Number(group));
