import type { Schema } from '../api/client.js';
import {
  type Column,
  Count,
  DataTable,
  Filters,
  Link,
  listQuery,
  StatusBadge,
  Time,
  useAddress,
  MadeBy,
} from '../ui/index.js';
import { balanceLabel, BALANCES, campaignPath } from './names.js';
import { useLedger, type Whose } from './whose.js';

type Entry = Schema<'LedgerEntryAnswer'>;

const KINDS: Readonly<Record<Entry['kind'], readonly [string, 'good' | 'off' | 'live' | 'warn']>> = {
  grant: ['granted', 'good'],
  debit: ['debit', 'off'],
  refund: ['refund', 'live'],
  take_back: ['taken back', 'warn'],
};

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'created', title: 'Time', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    name: 'kind',
    title: 'Movement',
    cell: ({ kind }) => <StatusBadge status={kind} text={KINDS[kind][0]} tone={KINDS[kind][1]} />,
  },
  { name: 'balance', title: 'Balance', cell: ({ balance }) => balanceLabel(balance) },
  {
    name: 'amount',
    title: 'Credits',
    align: 'end',
    cell: ({ amount }) => (
      <span className="count">
        {amount > 0 && '+'}
        <Count value={amount} />
      </span>
    ),
  },
  { name: 'available', title: 'Balance after', align: 'end', cell: ({ available }) => <Count value={available} /> },
  {
    name: 'campaign',
    title: 'Campaign',
    cell: ({ request_id }) => (request_id === null ? '–' : <Link to={campaignPath(request_id)}>{request_id}</Link>),
  },
  { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
  { name: 'note', title: 'Note', cell: ({ note }) => note ?? '–', wide: true },
];

/** Every movement of credits, newest first. */
export function Ledger({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const query = useLedger(whose, listQuery(address, 'balance'));
  return (
    <>
      <Filters filters={[{ name: 'balance', label: 'Balance', kind: 'choice', options: BALANCES }]} />
      <DataTable
        label="Credit movements"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No credit movements yet' }}
      />
      {query.data?.opening.map(({ balance, available, until }) => (
        <p key={balance} className="muted">
          {balanceLabel(balance)} began with <Count value={available} /> after {until}; entries before are not kept.
        </p>
      ))}
    </>
  );
}
