import { $api } from '../api/client.js';
import { formatCount } from '../ui/index.js';
import './reviews.css';

/** What waits is looked at this often. */
const SELDOM = { refetchInterval: 30_000 } as const;
const PENDING = { params: { query: { status: 'pending', limit: 1 } } as never };

/** How many wait, behind a label of the navigation; nothing while nothing does. */
function Waiting({ total, isCapped = false }: { total: number | undefined; isCapped?: boolean | undefined }) {
  if (total === undefined || total === 0) return null;
  return (
    <span className="waiting-count">
      {formatCount(total)}
      {isCapped && '+'} <span className="unseen">waiting</span>
    </span>
  );
}

export function WaitingTemplates() {
  const { data } = $api.useQuery('get', '/v6/api/admin/templates', PENDING, SELDOM);
  return <Waiting total={data?.total} isCapped={data?.total_is_capped} />;
}

export function WaitingProfileRequests() {
  const { data } = $api.useQuery('get', '/v6/api/admin/profile-requests', PENDING, SELDOM);
  return <Waiting total={data?.total} isCapped={data?.total_is_capped} />;
}

export function WaitingSenderIds() {
  const { data } = $api.useQuery('get', '/v6/api/admin/sender-ids', PENDING, SELDOM);
  return <Waiting total={data?.total} isCapped={data?.total_is_capped} />;
}
