import { $api } from '../api/client.js';
import { formatCount, Link } from '../ui/index.js';
import { SHOWN } from './active-alarms.js';

const SLOWLY = { refetchInterval: 15_000 } as const;

/** Accounts frozen by the guard; nothing where there are none. */
export function FrozenAccounts() {
  const { data } = $api.useQuery(
    'get',
    '/v6/api/admin/freezes',
    { params: { query: { status: 'active', limit: SHOWN } } },
    SLOWLY,
  );
  const names = [...new Set(data?.data.map(({ username }) => username))];
  if (names.length === 0) return null;
  return (
    <p className="card" role="status">
      The guard has frozen sending of {names.slice(0, 5).join(', ')}
      {names.length > 5 ? ` and ${formatCount(names.length - 5)} more` : ''}.{' '}
      <Link to="/freezes" search={{ status: 'active' }}>
        Freezes
      </Link>
    </p>
  );
}
