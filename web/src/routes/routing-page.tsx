import { $api, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  Count,
  DataTable,
  Facts,
  listQuery,
  Link,
  LoadState,
  Page,
  Section,
  SelectField,
  StatusBadge,
  TextField,
  Time,
  useAddress,
} from '../ui/index.js';
import { useState } from 'react';
import './routes.css';

const TABLES: readonly Column<Schema<'RoutingTableSummaryData'>>[] = [
  { name: 'name', title: 'Table', cell: ({ name }) => name, wide: true },
  { name: 'channel', title: 'Channel', cell: ({ channel }) => channel },
  { name: 'rules', title: 'Rules', align: 'end', cell: ({ rules }) => <Count value={rules} /> },
  { name: 'prefixes', title: 'Prefixes', align: 'end', cell: ({ prefixes }) => <Count value={prefixes} /> },
  { name: 'updated', title: 'Changed', cell: ({ updated_at }) => <Time value={updated_at} /> },
];

/** Which numbers leave over which routes. */
export default function RoutingPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/admin/routing', { params: { query: listQuery(address) } });
  return (
    <Page
      title="Routing"
      about="Which route each number takes. The longest prefix wins; the first route of a rule sends, the others are fallbacks."
      actions={
        <Link needs="manage" to="/new-routing-table">
          New routing table
        </Link>
      }
    >
      <Explain />
      <Section title="Routing tables">
        <DataTable
          label="All routing tables"
          columns={TABLES}
          query={query}
          rowKey={({ name }) => name}
          rowTo={({ name }) => `/routing/${encodeURIComponent(name)}`}
          empty={{ title: 'No routing tables', text: 'The default route of each channel sends everything.' }}
        />
      </Section>
    </Page>
  );
}

type Channel = 'sms' | 'unofficial' | 'voice';
const CHANNELS = ['sms', 'unofficial', 'voice'] as const;

/** Why a number leaves over a route; what is asked stands in the address. */
function Explain() {
  const [address, change] = useAddress();
  const { account = '', number = '', channel = 'sms' } = address;
  const [asked, setAsked] = useState({ account, number, channel });
  return (
    <Section title="Which route does a number take?">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          change(asked);
        }}
      >
        <TextField
          label="Account"
          value={asked.account}
          onChange={(event) => setAsked({ ...asked, account: event.currentTarget.value })}
        />
        <TextField
          label="Number"
          inputMode="tel"
          value={asked.number}
          onChange={(event) => setAsked({ ...asked, number: event.currentTarget.value })}
        />
        <SelectField
          label="Channel"
          value={asked.channel}
          onChange={(event) => setAsked({ ...asked, channel: event.currentTarget.value })}
          options={CHANNELS.map((word) => [word, word] as const)}
        />
        <Button type="submit">Explain</Button>
      </form>
      {account !== '' && number !== '' && (
        <Explanation account={account} number={number} channel={CHANNELS.find((word) => word === channel) ?? 'sms'} />
      )}
    </Section>
  );
}

const DECIDED = {
  service: 'the route in the request',
  rule: 'a rule of a routing table',
  default: 'the default route',
  none: 'nothing: the send is refused',
} as const;

const CANDIDATES: readonly Column<Schema<'CandidateData'>>[] = [
  {
    name: 'table',
    title: 'Table',
    cell: ({ table }) => (
      <span className="route-name">
        <Link to={`/routing/${encodeURIComponent(table)}`}>{table}</Link>
      </span>
    ),
  },
  { name: 'rule', title: 'Rule', align: 'end', cell: ({ rule }) => <Count value={rule} /> },
  { name: 'prefix', title: 'Prefix', cell: ({ prefix }) => (prefix === '' ? 'every number' : prefix) },
  {
    name: 'routes',
    title: 'Routes',
    cell: ({ usable_routes, routes }) => (
      <span className="route-name">{(usable_routes.length > 0 ? usable_routes : routes).join(', ')}</span>
    ),
  },
  {
    name: 'outcome',
    title: 'Outcome',
    cell: ({ outcome }) => <StatusBadge status={outcome} tone={outcome === 'won' ? 'good' : 'off'} />,
  },
  { name: 'reason', title: 'Reason', cell: ({ reason }) => reason, wide: true },
];

function Explanation({ account, number, channel }: { account: string; number: string; channel: Channel }) {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/routing/explain',
    { params: { query: { account, number, channel } } },
    { retry: false },
  );
  return (
    <LoadState query={query}>
      {({ data }) => (
        <div role="status" className="page">
          <Facts
            facts={[
              [
                'Route taken',
                data.routes.length === 0
                  ? 'no route'
                  : data.routes.map(({ name, health }, at) => (
                      <span key={name}>
                        {at > 0 && ', then '}
                        <Link to={`/routes/${encodeURIComponent(name)}`}>{name}</Link> <StatusBadge status={health} />
                      </span>
                    )),
              ],
              ['Decided by', DECIDED[data.decided_by]],
              ['Calling code', data.calling_code],
              ['Default route', data.default_route ?? 'none'],
              ['Allowed routes', data.allowed_routes?.join(', ') ?? 'all'],
            ]}
          />
          <DataTable
            label="Rules checked"
            columns={CANDIDATES}
            query={{ ...query, data: data.candidates }}
            rowKey={({ table, rule, prefix }) => `${table} ${String(rule)} ${prefix}`}
            empty={{ title: 'No rule has a prefix of this number' }}
          />
        </div>
      )}
    </LoadState>
  );
}
