import { $api } from '../api/client.js';
import { BASE } from '../app/base.js';
import {
  type Column,
  DataTable,
  Empty,
  listQuery,
  LoadState,
  Page,
  StatusBadge,
  Tabs,
  Time,
  useAddress,
} from '../ui/index.js';
import { urgentFirst, useActiveAlarms } from './active-alarms.js';
import { type Alarm, AlarmCard } from './alarm-card.js';
import { wordsOf } from './words.js';

/** What is wrong now, and what was. */
export default function AlarmsPage() {
  return (
    <Page title="Alarms" about="Raised when a problem lasts, cleared when it ends. Each says what to do.">
      <Tabs
        label="Alarms"
        tabs={[
          { name: 'active', label: 'Active', content: () => <Active /> },
          { name: 'past', label: 'History', content: () => <Past /> },
        ]}
      />
    </Page>
  );
}

function Active() {
  const query = useActiveAlarms();
  return (
    <LoadState query={query}>
      {({ data, total }) =>
        data.length === 0 ? (
          <Empty title="No active alarms">Alarms appear here, in the top bar and at staff webhooks.</Empty>
        ) : (
          <>
            <h2 className="unseen">Active alarms</h2>
            <div className="alarms">
              {urgentFirst(data).map((alarm) => (
                <AlarmCard key={alarm.id} alarm={alarm} />
              ))}
            </div>
            {total > data.length && (
              <p className="muted">
                The newest {data.length} of {total}
              </p>
            )}
          </>
        )
      }
    </LoadState>
  );
}

const COLUMNS: readonly Column<Alarm>[] = [
  { name: 'kind', title: 'Alarm', cell: ({ kind }) => wordsOf(kind) },
  { name: 'severity', title: 'Severity', cell: ({ severity }) => <StatusBadge status={severity} /> },
  { name: 'message', title: 'Problem', cell: ({ message }) => message, wide: true },
  { name: 'raised', title: 'Raised', cell: (row) => <Time value={row.raised_at} /> },
  { name: 'cleared', title: 'Cleared', cell: (row) => <Time value={row.cleared_at} /> },
  { name: 'by', title: 'Acknowledged by', cell: (row) => row.acknowledged_by ?? '–' },
  {
    name: 'guide',
    title: 'Runbook',
    cell: (row) => (
      <a href={`${BASE}${row.doc_url}`} target="_blank" rel="noreferrer">
        What to do
      </a>
    ),
  },
];

function Past() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/admin/alarms', {
    params: { query: { ...listQuery(address), state: 'past' } },
  });
  return (
    <DataTable
      label="Past alarms"
      columns={COLUMNS}
      query={query}
      rowKey={({ id }) => id}
      empty={{ title: 'No past alarms' }}
    />
  );
}
