import { $api, LIVE, type Schema } from '../api/client.js';
import { type Column, DataTable, Filters, Link, listQuery, Page, StatusBadge, Time, useAddress } from '../ui/index.js';

import { CancelMessage } from './cancel-message.js';

type Row = Schema<'SessionMessageData'>;
const STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'CANCELLED'] as const;

/** Session messages of the account; those that have not left can be cancelled. */
export default function SessionMessagesPage() {
  const [address] = useAddress();
  const query = $api.useQuery(
    'get',
    '/v6/api/session-messages',
    { params: { query: listQuery(address, 'status', 'scheduled') } as never },
    LIVE,
  );
  const columns: readonly Column<Row>[] = [
    { name: 'to', title: 'To', cell: ({ to, recipient }) => to ?? recipient ?? '–' },
    { name: 'type', title: 'Kind', cell: ({ type }) => type },
    { name: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { name: 'error', title: 'Error', cell: ({ errorMessage }) => errorMessage ?? '–', wide: true },
    { name: 'scheduled', title: 'Scheduled for', cell: (row) => <Time value={row.scheduled_at} /> },
    { name: 'sent', title: 'Sent', cell: (row) => <Time value={row.sent_at} /> },
    { name: 'created', title: 'Created', cell: (row) => <Time value={row.created_at} /> },
    {
      name: 'cancel',
      title: 'Cancel',
      cell: (row) => (row.status === 'PENDING' && row.sent_at === null ? <CancelMessage message={row} /> : '–'),
    },
  ];
  return (
    <Page
      title="Session messages"
      about="Messages to single contacts, newest first."
      actions={
        <Link needs="send:chat" to="/send/session" className="button primary">
          New message
        </Link>
      }
    >
      <Filters
        filters={[
          {
            name: 'status',
            label: 'Status',
            kind: 'choice',
            options: STATUSES.map((status) => [status, status.toLowerCase()] as const),
          },
          { name: 'scheduled', label: 'Scheduled', kind: 'choice', options: [['true', 'Scheduled only']] },
        ]}
      />
      <DataTable
        label="Session messages"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/session-messages/${String(id)}`}
        empty={{ title: 'No session messages' }}
      />
    </Page>
  );
}
