import { $api } from '../api/client.js';
import { useMe } from '../app/session.js';
import { LocalTime } from '../campaigns/words.js';
import { CopyText, Facts, Link, LoadState, Page, Section, StatusBadge, useParam } from '../ui/index.js';
import { CancelMessage } from './cancel-message.js';

/** One session message: where a search leads to. */
export default function SessionMessagePage() {
  const id = Number(useParam('id'));
  const isStaff = useMe().pages === 'staff';
  const { username: own } = useMe();
  const query = $api.useQuery(
    'get',
    '/v6/api/session-messages/{id}',
    { params: { path: { id } } },
    { refetchInterval: 5_000 },
  );
  const data = query.data?.data;
  return (
    <Page
      title={data === undefined ? 'Session message' : `Session message to ${data.to ?? data.recipient ?? ''}`}
      about={<Link to="/session-messages">Own session messages</Link>}
      actions={data !== undefined && data.username === own && <CancelMessage message={data} />}
    >
      <LoadState query={query}>
        {({ data: message }) => (
          <Section title="Status">
            <Facts
              facts={[
                ['Status', <StatusBadge key="status" status={message.status} />],
                ['Sent with', message.test ? <StatusBadge key="test" status="test" text="test key" /> : null],
                [
                  'Account',
                  isStaff ? (
                    <Link key="account" to={`/accounts/${encodeURIComponent(message.username)}`}>
                      {message.username}
                    </Link>
                  ) : null,
                ],
                ['Kind', message.type],
                ['Campaign name', message.broadcast_name],
                ['Error', message.errorMessage],
                [
                  'Price at the provider',
                  message.pricing === null
                    ? null
                    : `${message.pricing.category}, ${message.pricing.billable === false ? 'free' : 'billed'}`,
                ],
                ['Provider error code', message.error_code],
                [
                  'Provider message id',
                  message.provider_message_id === null ? null : (
                    <CopyText key="id" text={message.provider_message_id} label="the provider message id" />
                  ),
                ],
                ['Created', <LocalTime key="created" value={message.created_at} />],
                ['Scheduled for', message.scheduled_at && <LocalTime key="scheduled" value={message.scheduled_at} />],
                ['Sent', <LocalTime key="sent" value={message.sent_at} />],
                ['Last change', <LocalTime key="updated" value={message.updated_at} />],
              ]}
            />
            {message.status === 'PENDING' && message.sent_at !== null && (
              <p className="muted">It may have been sent. Its receipt or the deadline decides.</p>
            )}
          </Section>
        )}
      </LoadState>
    </Page>
  );
}
