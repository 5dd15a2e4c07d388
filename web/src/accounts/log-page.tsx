import { $api, type Schema } from '../api/client.js';
import {
  type Column,
  DataTable,
  Filters,
  listQuery,
  MadeBy,
  Page,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';
import { actionLabel, detailsText } from './names.js';

type Entry = Schema<'LogEntryData'>;

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'time', title: 'Time', cell: ({ created_at }) => <Time value={created_at} seconds /> },
  {
    name: 'action',
    title: 'Action',
    cell: ({ kind, action }) =>
      kind === 'login' ? (
        <StatusBadge
          status={action}
          text={action === 'login' ? 'logged in' : 'failed login'}
          tone={action === 'login' ? 'good' : 'bad'}
        />
      ) : (
        actionLabel(action)
      ),
  },
  { name: 'who', title: 'By', cell: ({ username }) => username },
  {
    name: 'by',
    title: 'From',
    cell: ({ ip, api_key: key, created_by: maker }) => {
      if (key !== null) return <code>{key}…</code>;
      return maker?.kind === 'key' ? <MadeBy maker={maker} /> : (ip ?? '–');
    },
  },
  { name: 'subject', title: 'Object', cell: ({ subject }) => subject ?? '–' },
  {
    name: 'details',
    title: 'Details',
    cell: ({ details, times }) => (times > 1 ? `${String(times)} times` : detailsText(details) || '–'),
    wide: true,
  },
];

/** What the own account, its people and keys did, and who logged in. */
export default function LogPage() {
  return (
    <Page
      title="Activity log"
      about="Changes, sends and logins of this account, its people and its keys, and changes by staff."
    >
      <Log />
    </Page>
  );
}

function Log() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/account/log', {
    params: { query: listQuery(address, 'kind') },
  });
  return (
    <>
      <Filters
        filters={[
          {
            name: 'kind',
            label: 'Show',
            kind: 'choice',
            options: [
              ['change', 'Changes'],
              ['login', 'Logins'],
              ['send', 'Sends'],
            ],
          },
        ]}
      />
      <DataTable
        label="Activity log"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No activity yet' }}
      />
    </>
  );
}
