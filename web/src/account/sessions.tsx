import { $api, api, type Schema } from '../api/client.js';
import {
  act,
  Button,
  type Column,
  confirm,
  DataTable,
  type Loaded,
  listQuery,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';

/** `username` only where staff look at an account. */
type Session = Schema<'SessionData'> & Partial<Pick<Schema<'AccountSessionData'>, 'username'>>;

const COLUMNS: readonly Column<Session>[] = [
  {
    name: 'device',
    title: 'Device',
    cell: ({ device, is_current }) => (
      <>
        {device} {is_current && <StatusBadge status="active" text="this one" />}
      </>
    ),
  },
  { name: 'address', title: 'From', cell: ({ address }) => address },
  { name: 'used', title: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} /> },
  { name: 'created', title: 'Logged in', cell: ({ created_at }) => <Time value={created_at} />, wide: true },
  { name: 'expires', title: 'Ends', cell: ({ expires_at }) => <Time value={expires_at} />, wide: true },
];

const actionsOf = (end: (session: Session) => Promise<unknown>): Column<Session> => ({
  name: 'actions',
  title: 'Actions',
  cell: (session) =>
    session.is_current ? (
      '–'
    ) : (
      <Button
        kind="danger"
        onClick={() => void act({ call: () => end(session), done: 'Session ended' })}
        aria-label={`End the session of ${session.device} from ${session.address}`}
      >
        End
      </Button>
    ),
});

const EMPTY = { title: 'No sessions', text: 'Each login is a session, until it is logged out or 7 days old.' };

function Table({
  query,
  columns,
}: {
  query: Loaded<Schema<'SessionPageAnswer'>>;
  columns: readonly Column<Session>[];
}) {
  return <DataTable label="Sessions" columns={columns} query={query} rowKey={({ id }) => id} empty={EMPTY} />;
}

/** The sessions of the own login. */
export function OwnSessions() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/account/sessions', {
    params: { query: { ...listQuery(address), state: 'active' } },
  });
  const endOthers = async () => {
    const isSure = await confirm({
      title: 'Log out everywhere else?',
      text: 'Every other session of this login ends within 3 seconds. API keys stay.',
      yes: 'Log out everywhere else',
    });
    if (isSure) await act({ call: () => api.DELETE('/v6/api/account/sessions', {}), done: 'Other sessions ended' });
  };
  const end = ({ id }: Session) => api.DELETE('/v6/api/account/sessions/{id}', { params: { path: { id } } });
  return (
    <>
      <div className="buttons">
        <Button kind="danger" onClick={() => void endOthers()}>
          Log out everywhere else
        </Button>
      </div>
      <Table query={query} columns={[...COLUMNS, actionsOf(end)]} />
    </>
  );
}

/** The sessions of an account and its people, for those who manage it. */
export function AccountSessions({ username }: { username: string }) {
  const [address] = useAddress();
  const path = '/v6/api/admin/accounts/{username}/sessions' as const;
  const query = $api.useQuery('get', path, {
    params: { path: { username }, query: { ...listQuery(address), state: 'active' } },
  });
  const endAll = async () => {
    const isSure = await confirm({
      title: `Log ${username} out everywhere?`,
      text: 'Every session of its own login ends within 3 seconds. API keys, and the sessions of its people, stay.',
      yes: 'Log it out',
    });
    if (isSure) await act({ call: () => api.DELETE(path, { params: { path: { username } } }), done: 'Sessions ended' });
  };
  const end = ({ id }: Session) =>
    api.DELETE('/v6/api/admin/accounts/{username}/sessions/{id}', { params: { path: { username, id } } });
  const login: Column<Session> = { name: 'login', title: 'Login', cell: (row) => row.username ?? '–' };
  return (
    <>
      <div className="buttons">
        <Button kind="danger" onClick={() => void endAll()}>
          Log it out everywhere
        </Button>
      </div>
      <Table query={query} columns={[login, ...COLUMNS, actionsOf(end)]} />
    </>
  );
}
