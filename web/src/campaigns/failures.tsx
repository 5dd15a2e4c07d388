import type { Schema } from '../api/client.js';
import { type Column, Count, DataTable } from '../ui/index.js';
import { LocalTime, REASON_WORDS } from './words.js';

type Detail = Schema<'CampaignDetailData'>;

/** Rows that are there already, as a table takes them. */
const there = <Row,>(data: readonly Row[]) => ({ data, error: null, isFetching: false, refetch: () => undefined });

const REASONS: readonly Column<Detail['failure_reasons'][number]>[] = [
  {
    name: 'message',
    title: 'Reason',
    cell: (row) => `${row.message ?? 'none given'}${row.refused ? ' (refused at once)' : ''}`,
    wide: true,
  },
  { name: 'code', title: 'Carrier’s code', align: 'end', cell: (row) => row.carrier_code ?? row.error_code ?? '–' },
  { name: 'reason', title: 'Meaning', cell: (row) => REASON_WORDS[row.reason] },
  { name: 'count', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.count} /> },
];

/** Why recipients of a campaign failed, and what that says about another send. */
export function Failures({ campaign }: { campaign: Detail }) {
  return (
    <>
      {campaign.failure_reasons_approximate && (
        <p className="muted">Reckoned from a part of this campaign while it is under way.</p>
      )}
      <DataTable
        label="Reasons"
        columns={REASONS}
        query={there(campaign.failure_reasons)}
        rowKey={(row) =>
          `${String(row.error_code)} ${String(row.carrier_code)} ${String(row.refused)} ${String(row.message)}`
        }
        empty={{ title: 'None failed' }}
      />
    </>
  );
}

const CHANGES: readonly Column<Detail['route_changes'][number]>[] = [
  { name: 'at', title: 'At', cell: (row) => <LocalTime value={row.at} /> },
  { name: 'from', title: 'From', cell: (row) => row.from },
  { name: 'to', title: 'To', cell: (row) => row.to },
  {
    name: 'recipients',
    title: 'Recipients',
    align: 'end',
    cell: (row) => (row.recipients === null ? 'all that had not left' : <Count value={row.recipients} />),
  },
  { name: 'reason', title: 'Why', cell: (row) => row.reason, wide: true },
];

/** The routes that its recipients went over to. */
export function RouteChanges({ campaign }: { campaign: Detail }) {
  return (
    <DataTable
      label="Changes of routes"
      columns={CHANGES}
      query={there(campaign.route_changes)}
      rowKey={({ at, from, to, reason }) => `${at} ${from} ${to} ${reason}`}
      empty={{ title: 'None' }}
    />
  );
}
