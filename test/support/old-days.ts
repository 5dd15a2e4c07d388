import type { DataSource } from 'typeorm';
import { firstIdAt } from '../../src/kernel/ids.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { daysAfter, partitionsOf, startOfDay } from '../../src/platform/database/index.js';

/** A day of the past, 00:00 UTC. */
export const daysAgo = (days: number): Date => daysAfter(startOfDay(new Date()), -days);

const nameOf = (day: Date): string => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Gives every table that is cut into days a partition for each of these days, ascending, as a year of service would have. */
export async function cutDays(dataSource: DataSource, days: readonly Date[]): Promise<void> {
  for (const entry of ALL_TABLES) {
    if (entry.rule !== 'days') continue;
    const upToToday = (await partitionsOf(dataSource, entry.table)).at(-2);
    const made = [...days, daysAgo(0)].map(
      (day) => `PARTITION ${nameOf(day)} VALUES LESS THAN (${entry.bound(daysAfter(day, 1))})`,
    );
    await dataSource.query(
      `ALTER TABLE ${entry.table} REORGANIZE PARTITION ${upToToday?.name} INTO (${made.join(', ')})`,
    );
  }
}

/** A campaign as a test wants it to have been. */
export interface OldCampaign {
  acceptedOn: Date;
  /** null = it is not over */
  overOn: Date | null;
  /** when its messages were submitted; absent: when it was accepted */
  sentOn?: Date;
  requestId?: string;
  /** request id of the campaign whose failed recipients it has */
  retryOf?: string;
  state?: string;
}

let count = 0;

/** Writes a campaign of two recipients with a row in every table of campaigns. @returns its id */
export async function storeOldCampaign(dataSource: DataSource, old: OldCampaign): Promise<number> {
  const { acceptedOn, overOn, sentOn = acceptedOn, state = overOn ? 'completed' : 'paused' } = old;
  const id = firstIdAt(acceptedOn) + ++count;
  const insert = (table: string, row: Record<string, unknown>): Promise<unknown> =>
    dataSource.query(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);
  await insert('campaigns', {
    id,
    account_id: 1,
    request_id: old.requestId ?? `old-${count}`,
    channel: 'sms',
    state,
    broadcast_name: 'Old',
    service: 'main',
    route_id: 1,
    content: '{"message":"Hello"}',
    balance: 'gsm_credits',
    unit_credits: 1,
    charged_credits: 2,
    total_rows: 2,
    open_lanes: overOn ? 0 : 1,
    refunded_credits: 0,
    created_at: acceptedOn,
    completed_at: overOn,
    retry_of: old.retryOf ?? null,
  });
  for (const seq of [1, 2]) {
    const key = { campaign_id: id, seq };
    await insert('campaign_recipients', {
      ...key,
      receiver: '919999999999',
      status: 2,
      attempts: 1,
      updated_at: sentOn,
    });
    await insert('recipient_terms', { ...key, credits: 3 });
    if (seq === 1) await insert('recipient_variables', { campaign_id: id, block: 0, variables: 'name;3;Ann' });
    await insert('provider_messages', {
      ...key,
      item: 0,
      sent_on: sentOn.toISOString().slice(0, 10),
      route_id: 1,
      provider_message_id: `message-${id}-${seq}`,
      items: 1,
      status: 2,
    });
    await insert('voice_calls', {
      ...key,
      call_id: `call-${seq}`,
      attempt: 1,
      status: 6,
      seconds: 5,
      digits: '',
      started_at: sentOn,
    });
  }
  await insert('campaign_counters', { campaign_id: id, lane: 0, status: 2, recipients: 2, unsettled: 0 });
  await insert('unknown_outcomes', {
    campaign_id: id,
    seq: 1,
    route_id: 1,
    receiver: '919999999999',
    created_at: sentOn,
  });
  return id;
}
