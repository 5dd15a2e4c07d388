import { $api } from '../api/client.js';
import { CopyText, Count, Facts, Link, LoadState, Page, Section, StatusBadge, Time, useParam } from '../ui/index.js';
import './messages.css';
import { channelOf, DIRECTIONS, type Message, numberOf, placeOf } from './words.js';

/** One message, sent or received, with the way to its campaign, session message or inbound messages. */
export default function MessagePage() {
  const id = useParam('id');
  const query = $api.useQuery('get', '/v6/api/messages/{id}', { params: { path: { id } } }, { refetchInterval: 5_000 });
  const message = query.data?.data;
  const place = message === undefined ? null : placeOf(message);
  return (
    <Page
      title={message === undefined ? 'Message' : titleOf(message)}
      about={<Link to="/messages">Messages</Link>}
      actions={
        place && (
          <Link to={place.to} search={place.search} className="button">
            {place.text}
          </Link>
        )
      }
    >
      <LoadState query={query}>{({ data }) => <Whole message={data} />}</LoadState>
    </Page>
  );
}

function titleOf(message: Message): string {
  const number = numberOf(message) ?? '';
  return message.direction === 'outbound' ? `Message to ${number}` : `Message from ${number}`;
}

function Whole({ message }: { message: Message }) {
  const { direction, error_code: code, error_message: error, credits, refunded_credits: refunded } = message;
  const isSent = direction === 'outbound';
  return (
    <>
      <Section title="Text">
        {message.text === null ? (
          <p className="muted">This message has no text.</p>
        ) : (
          <pre className="message-text">{message.text}</pre>
        )}
      </Section>
      <Section title="Details">
        <Facts
          facts={[
            ['Status', <StatusBadge key="status" status={message.status} />],
            ['Sent with', message.test ? <StatusBadge key="test" status="test" text="test key" /> : null],
            ['Error', error],
            ['Error code', code],
            ['Direction', DIRECTIONS[direction]],
            ['Channel', channelOf(message)],
            ['Kind', message.type],
            ['From', message.from ?? 'the sender of the route'],
            ['To', message.to ?? 'your chat account'],
            ['Credits', isSent ? <Count key="credits" value={credits} /> : null],
            ['Refunded credits', isSent ? <Count key="refunded" value={refunded} /> : null],
            ['Parts', message.segments ?? 'differ between recipients'],
            ['Scheduled for', message.scheduled_at && <Time key="scheduled" value={message.scheduled_at} seconds />],
            [isSent ? 'Accepted' : 'Received', <Time key="created" value={message.created_at} seconds />],
            ['Last change', isSent ? <Time key="updated" value={message.updated_at} seconds /> : null],
            ['Your reference', message.client_ref],
            ['Campaign', message.request_id],
            ['Id', <CopyText key="id" text={message.id} label="the id" />],
          ]}
        />
      </Section>
      {message.metadata !== null && (
        <Section title="Metadata">
          <pre className="message-text">{JSON.stringify(message.metadata, null, 2)}</pre>
        </Section>
      )}
    </>
  );
}
