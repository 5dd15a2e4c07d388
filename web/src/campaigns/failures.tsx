import type { Schema } from '../api/client.js';
import { type Column, Count, DataTable } from '../ui/index.js';
import { LocalTime, REASON_WORDS } from './words.js';

type Detail = Schema<'CampaignDetailData'>;

/** Rows that are there already, as a table takes them. */
const there = <Row,>(data: readonly Row[]) => ({ data, error: null, isFetching: false, refetch: () => undefined });

const REASONS: readonly Column<Detail['failure_reasons'][number]>[] = [
  {
    name: 'words',
    title: 'Reason',
    cell: (row) => (
      <>
        {row.reason_text}
        <span className="under">{row.remedy}</span>
      </>
    ),
    wide: true,
  },
  { name: 'code', title: 'Carrier code', align: 'end', cell: (row) => row.carrier_code ?? row.error_code ?? '–' },
  {
    name: 'message',
    title: 'Carrier’s text',
    cell: (row) => `${row.message ?? '–'}${row.refused ? ' (refused at once)' : ''}`,
  },
  { name: 'reason', title: 'Retry', cell: (row) => REASON_WORDS[row.reason] },
  { name: 'count', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.count} /> },
];

/** Why recipients of a campaign failed, and what that says about another send. */
export function Failures({ campaign }: { campaign: Detail }) {
  return (
    <>
      {campaign.failure_reasons_approximate && (
        <p className="muted">Estimated from a part of the campaign while it runs.</p>
      )}
      <DataTable
        label="Reasons"
        columns={REASONS}
        query={there(campaign.failure_reasons)}
        rowKey={(row) =>
          `${String(row.error_code)} ${String(row.carrier_code)} ${String(row.refused)} ${String(row.message)}`
        }
        empty={{ title: 'No failures' }}
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
    cell: (row) => (row.recipients === null ? 'all unsent' : <Count value={row.recipients} />),
  },
  { name: 'reason', title: 'Reason', cell: (row) => row.reason, wide: true },
];

/** The routes that its recipients went over to. */
export function RouteChanges({ campaign }: { campaign: Detail }) {
  return (
    <DataTable
      label="Route changes"
      columns={CHANGES}
      query={there(campaign.route_changes)}
      rowKey={({ at, from, to, reason }) => `${at} ${from} ${to} ${reason}`}
      empty={{ title: 'None' }}
    />
  );
}
