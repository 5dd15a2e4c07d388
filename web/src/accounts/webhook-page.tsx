import { $api } from '../api/client.js';
import { Count, Facts, formatCount, Link, LoadState, Page, Section, Share, Time, useParam } from '../ui/index.js';
import { Attempts } from './attempts.js';
import { accountPath } from './names.js';
import { webhookState } from './webhook-columns.js';

/** A webhook of any account, for staff. */
export default function WebhookPage() {
  const id = Number(useParam('id'));
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/webhooks/{id}',
    { params: { path: { id } } },
    { refetchInterval: 10_000 },
  );
  return (
    <LoadState query={query}>
      {({ data }) => (
        <Page
          title="Webhook"
          about={
            <>
              {data.url} of <Link to={accountPath(data.username)}>{data.username}</Link>
            </>
          }
        >
          <Section title="Health">
            <Facts
              facts={[
                ['State', webhookState(data)],
                ['Last success', <Time key="success" value={data.last_success_at} />],
                ['Failing since', data.failing_since && <Time value={data.failing_since} />],
                ['Failed, last hour', <Tries key="hour" {...data.last_hour} />],
                ['Failed, last 24 h', <Tries key="day" {...data.last_day} />],
                [
                  'Waiting',
                  <span key="waiting">
                    <Count value={data.backlog} />
                    {data.backlog >= 1_000 && ' or more'}
                  </span>,
                ],
                ['Oldest waiting', data.oldest_waiting_at && <Time value={data.oldest_waiting_at} />],
                ['Events', data.events.join(', ')],
                ['Created', <Time key="created" value={data.created_at} />],
              ]}
            />
          </Section>
          <Section title="Delivery attempts">
            <Attempts side="staff" id={id} />
          </Section>
        </Page>
      )}
    </LoadState>
  );
}

function Tries({ tries, failed, failure_rate: rate }: { tries: number; failed: number; failure_rate: number | null }) {
  if (rate === null) return <>no attempt</>;
  return (
    <>
      <Share value={rate} /> ({formatCount(failed)} of {formatCount(tries)})
    </>
  );
}
