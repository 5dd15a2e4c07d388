import { $api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  CopyText,
  Count,
  Facts,
  formatCount,
  formatSpan,
  Link,
  LoadState,
  Page,
  Progress,
  Section,
  StatusBadge,
  useAddress,
  useParam,
  MadeBy,
} from '../ui/index.js';
import { CampaignActions } from './campaign-actions.js';
import { Clip } from './clip.js';
import { KeyFigures } from './key-figures.js';
import { Recipients } from './recipients.js';
import { Failures, RouteChanges } from './failures.js';
import { CarriedBy, holdUpOf, useRouteStates } from './route-state.js';
import { VoiceReview } from './voice-review.js';
import { channelTitle, gone, isOver, LocalTime, RecipientStatus } from './words.js';
import './campaigns.css';

type Detail = Schema<'CampaignDetailData'>;

const EVERY_MS = 3_000;

/** One campaign, at its address: what it sends, how far it is, why some failed, and everybody that it goes to. */
export default function CampaignPage() {
  const requestId = useParam('id');
  const query = $api.useQuery(
    'get',
    '/v6/api/campaigns/{request_id}',
    { params: { path: { request_id: requestId } } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && isOver(data.data.state) ? 15_000 : EVERY_MS) },
  );
  const data = query.data?.data;
  return (
    <Page
      title={data?.broadcast_name ?? requestId}
      about={<CopyText text={requestId} label="the request id" />}
      actions={data === undefined ? undefined : <CampaignActions campaign={data} />}
    >
      <LoadState query={query}>
        {({ data: campaign }) => <Campaign campaign={campaign} asOf={query.dataUpdatedAt} />}
      </LoadState>
    </Page>
  );
}

/** @param asOf when the summary was read, ms */
function Campaign({ campaign, asOf }: { campaign: Detail; asOf: number }) {
  const { pages } = useMe();
  return (
    <>
      {campaign.reason !== null && (
        <p className="said-no" role="note">
          <strong>Rejected:</strong> {campaign.reason}
        </p>
      )}
      {campaign.test && (
        <p className="held-up" role="note">
          <strong>Test:</strong> sent with a test key. Nothing is sent to the carrier, and nothing is charged.
        </p>
      )}
      <Section title="Status">
        <HeldUp campaign={campaign} />
        <KeyFigures campaign={campaign} />
      </Section>
      <Section title="Details">
        <Details campaign={campaign} isStaff={pages === 'staff'} />
      </Section>
      {pages === 'staff' && campaign.channel === 'voice' ? (
        <Section title="Audio">
          <VoiceContent requestId={campaign.request_id} />
        </Section>
      ) : (
        <Section title="Message">
          <Content campaign={campaign} />
        </Section>
      )}
      {campaign.failure_reasons.length > 0 && (
        <Section title="Failure reasons">
          <Failures campaign={campaign} />
        </Section>
      )}
      {campaign.route_changes.length > 0 && (
        <Section title="Route changes">
          <RouteChanges campaign={campaign} />
        </Section>
      )}
      <Section title="Recipients">
        <Counts campaign={campaign} />
        <Recipients campaign={campaign} asOf={asOf} />
      </Section>
    </>
  );
}

/** What keeps it from being sent, or its end open. */
function HeldUp({ campaign }: { campaign: Detail }) {
  const states = useRouteStates();
  return (
    <>
      {holdUpOf(campaign, states).map(({ name, state, summary }) => (
        <p key={name} className="held-up" role="note">
          <strong>Nothing is sent over {name}:</strong> {summary ?? state}.{' '}
          <Link to={`/routes/${encodeURIComponent(name)}`}>Open the route</Link>
        </p>
      ))}
      {campaign.in_doubt > 0 && (
        <p className="held-up" role="note">
          <strong>{formatCount(campaign.in_doubt)} possibly sent:</strong> to be confirmed by receipt
          {campaign.in_doubt_until === null ? (
            ' or at the deadline.'
          ) : (
            <>
              , or at the deadline on <LocalTime value={campaign.in_doubt_until} />.
            </>
          )}
        </p>
      )}
    </>
  );
}

function Details({ campaign, isStaff }: { campaign: Detail; isStaff: boolean }) {
  const { messages_per_second: pace, routes } = campaign;
  const states = useRouteStates();
  const others = routes.filter((name) => name !== campaign.route && !campaign.carried_by.includes(name));
  return (
    <Facts
      facts={[
        ['State', <StatusBadge key="state" status={campaign.phase} />],
        ['Channel', channelTitle(campaign.channel)],
        [
          'Account',
          isStaff ? (
            <Link key="account" to={`/accounts/${encodeURIComponent(campaign.username)}`}>
              {campaign.username}
            </Link>
          ) : null,
        ],
        ['Route', <CarriedBy key="route" campaign={campaign} states={states} />],
        ['Fallback routes', others.length > 0 ? others.join(', ') : null],
        ['Sender', campaign.sender],
        ['Category', campaign.category],
        ['Sent so far', <Progress key="left" done={gone(campaign)} total={campaign.total_rows} label="Sent so far" />],
        ['Pace', pace === null ? 'no limit' : `${formatCount(pace)} per second at most`],
        ['Recipients', <Count key="rows" value={campaign.total_rows} />],
        ['Charged', `${formatCount(campaign.credits)} of ${campaign.balance.replaceAll('_', ' ')}`],
        ['Price', campaign.price_note],
        ['Created by', <MadeBy key="maker" maker={campaign.created_by} />],
        ['Accepted', <LocalTime key="created" value={campaign.created_at} />],
        ['Starts', campaign.scheduled_at === null ? null : <LocalTime key="scheduled" value={campaign.scheduled_at} />],
        ['If it starts late', lateText(campaign)],
        ['Started late by', campaign.started_late_s === null ? null : formatSpan(campaign.started_late_s)],
        [
          'Last one sent',
          campaign.sent_at === null || gone(campaign) === 0 ? null : <LocalTime key="sent" value={campaign.sent_at} />,
        ],
        [
          'Completed',
          campaign.completed_at === null ? null : <LocalTime key="completed" value={campaign.completed_at} />,
        ],
        [
          'Retry of',
          campaign.retry_of === null ? null : (
            <Link key="retry" to={`/campaigns/${encodeURIComponent(campaign.retry_of)}`}>
              {campaign.retry_of}
            </Link>
          ),
        ],
      ]}
    />
  );
}

/** The recipients by status; each shows those alone. */
function Counts({ campaign }: { campaign: Detail }) {
  const [{ status = '' }, change] = useAddress();
  return (
    <ul className="counts" aria-label="Recipients by status">
      {Object.entries(campaign.status_counts).map(([name, count]) => (
        <li key={name}>
          <button
            type="button"
            className="count-chip"
            aria-pressed={status === name}
            onClick={() => change({ status: status === name ? undefined : name, cursor: undefined })}
          >
            <RecipientStatus status={name} /> <Count value={count} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Content({ campaign }: { campaign: Detail }) {
  const { text, template, attachments, audio_url: audio, personalised } = campaign;
  return (
    <>
      {text !== null && <pre className="message">{text}</pre>}
      {personalised && <p className="muted">Placeholders are filled with each recipient’s own values.</p>}
      {template !== null && (
        <>
          <Facts
            facts={[
              ['Template', <code key="name">{template.name}</code>],
              ['Language', template.language],
            ]}
          />
          {template.components.length > 0 && (
            <pre className="message">{JSON.stringify(template.components, null, 2)}</pre>
          )}
        </>
      )}
      {attachments.length > 0 && (
        <ul className="attachments">
          {attachments.map((address) => (
            <li key={address}>
              <code>{address}</code>
            </li>
          ))}
        </ul>
      )}
      {audio !== null && <Clip address={audio} label="the recording" />}
    </>
  );
}

function VoiceContent({ requestId }: { requestId: string }) {
  const query = $api.useQuery('get', '/v6/api/admin/campaigns/{request_id}', {
    params: { path: { request_id: requestId } },
  });
  return <LoadState query={query}>{({ data }) => <VoiceReview campaign={data} />}</LoadState>;
}

const LATE_TEXTS = { send: null, expire: 'cancelled and refunded', hold: 'paused' } as const;

function lateText({ late, late_after_s: after }: Detail): string | null {
  const what = late && LATE_TEXTS[late];
  return what && `${what} after ${formatSpan(after ?? 0)}`;
}
