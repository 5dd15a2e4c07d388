import { $api, LIVE, type Schema } from '../api/client.js';
import { channelTitle } from '../campaigns/words.js';
import { type Column, Count, DataTable, Link, StatusBadge, Time } from '../ui/index.js';

const COLUMNS: readonly Column<Schema<'WaitingCampaignData'>>[] = [
  {
    name: 'name',
    title: 'Campaign',
    wide: true,
    cell: (row) => (
      <>
        {row.broadcast_name}
        <code className="under">{row.request_id}</code>
      </>
    ),
  },
  {
    name: 'account',
    title: 'Account',
    cell: ({ username }) => <Link to={`/accounts/${encodeURIComponent(username)}`}>{username}</Link>,
  },
  { name: 'channel', title: 'Channel', cell: ({ channel }) => channelTitle(channel) },
  { name: 'state', title: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  { name: 'scheduled', title: 'Starts', cell: (row) => <Time value={row.scheduled_at} /> },
  { name: 'waiting', title: 'Waiting', align: 'end', cell: ({ waiting }) => <Count value={waiting} /> },
];

/** The campaigns that wait on a route, those with the most first. */
export function Waiting({ name }: { name: string }) {
  const query = $api.useQuery('get', '/v6/api/admin/routes/{name}/waiting', { params: { path: { name } } }, LIVE);
  return (
    <>
      <DataTable
        label="Waiting campaigns"
        columns={COLUMNS}
        query={{ ...query, data: query.data?.data }}
        rowKey={({ request_id }) => request_id}
        rowTo={({ request_id }) => `/campaigns/${encodeURIComponent(request_id)}`}
        empty={{ title: 'No waiting campaigns' }}
      />
      {query.data?.has_more === true && <p className="muted">There are more: these have the most recipients.</p>}
    </>
  );
}
