import { $api, api, LIVE, type Schema } from '../api/client.js';
import { ZoneNotice } from '../account/time-zone.js';
import { countryName } from '../app/countries.js';
import { useHasPage } from '../app/has-page.js';
import { useMay, useMe } from '../app/session.js';
import { SENDS } from '../app/page-definition.js';
import {
  act,
  Button,
  type Column,
  Count,
  DataTable,
  Empty,
  Link,
  LoadState,
  Page,
  Section,
  StatusBadge,
  Time,
} from '../ui/index.js';
import './home.css';

type Campaign = Schema<'CampaignData'>;

const COLUMNS: readonly Column<Campaign>[] = [
  { name: 'name', title: 'Campaign', cell: (row) => row.broadcast_name, wide: true },
  { name: 'channel', title: 'Channel', cell: ({ channel }) => channel },
  { name: 'state', title: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  { name: 'rows', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.total_rows} /> },
  {
    name: 'failed',
    title: 'Failed',
    align: 'end',
    cell: ({ status_counts: counts }) => <Count value={(counts as Record<string, number>)['FAILED'] ?? 0} />,
  },
  { name: 'at', title: 'Accepted', cell: (row) => <Time value={row.created_at} /> },
];

const NAMES: Readonly<Record<string, string>> = {
  gsm_credits: 'SMS',
  bulk_chat_credits: 'Unofficial chat',
  voice_credits: 'Voice',
  chat_marketing_credits: 'Templates: marketing',
  chat_utility_credits: 'Templates: utility',
  chat_auth_credits: 'Templates: authentication',
};

/** How the account stands: balances, what runs, what is to come, what failed lately. */
export default function HomePage() {
  const { name, username } = useMe();
  const credits = $api.useQuery('get', '/v6/api/account/credits', {}, LIVE);
  const latest = $api.useQuery('get', '/v6/api/campaigns', { params: { query: { limit: 50 } } as never }, LIVE);
  const rows = latest.data?.data ?? [];
  const part = (wanted: (campaign: Campaign) => boolean) => ({
    ...latest,
    data: latest.data === undefined ? undefined : rows.filter(wanted).slice(0, 10),
  });
  const isOver = ({ state }: Campaign) => ['completed', 'cancelled', 'failed', 'rejected'].includes(state);
  const isToCome = ({ state, scheduled_at: at, sent_at: left }: Campaign) =>
    state === 'pending_approval' || (state === 'accepted' && at !== null && left === null);
  const table = (label: string, wanted: (campaign: Campaign) => boolean, title: string) => (
    <Section title={label}>
      <DataTable
        label={label}
        columns={COLUMNS}
        query={part(wanted)}
        rowKey={(row) => row.request_id}
        rowTo={(row) => `/campaigns/${encodeURIComponent(row.request_id)}`}
        empty={{ title }}
      />
    </Section>
  );
  return (
    <Page
      title="Home"
      about={name === '' ? username : name}
      actions={
        <Link needs={SENDS} to="/send" className="button primary">
          New campaign
        </Link>
      }
    >
      <SecurityNotice />
      <ZoneNotice />
      <CountryNotice />
      <LoadState query={credits}>
        {({ data }) => (
          <ul className="balances" aria-label="Balances">
            {data.map(({ balance, available }) => (
              <li key={balance} className="card">
                <span className="muted">{NAMES[balance] ?? balance}</span>
                <strong>
                  <Count value={available} />
                </strong>
              </li>
            ))}
          </ul>
        )}
      </LoadState>
      {latest.data !== undefined && rows.length === 0 ? (
        <FirstSteps />
      ) : (
        <>
          {table('Running', (row) => !isOver(row) && !isToCome(row), 'No campaigns running')}
          {table('Upcoming', isToCome, 'No campaigns scheduled or waiting for approval')}
          {table(
            'Recent failures',
            (row) => ((row.status_counts as Record<string, number>)['FAILED'] ?? 0) > 0,
            'No failures in the last fifty campaigns',
          )}
        </>
      )}
    </Page>
  );
}

/** Until the owner has chosen, either way. */
function SecurityNotice() {
  const may = useMay('account');
  const { data } = $api.useQuery('get', '/v6/api/account/security', {}, { enabled: may });
  if (!may || data === undefined || data.data.chosen_at !== null) return null;
  const { sends_without_token: sends, shows_without_token: shows } = data.data;
  if (!sends && !shows) return null;
  return (
    <p className="card notice" role="status">
      {sends
        ? 'Anyone who knows your username can send at your expense'
        : 'Anyone who knows a request id can read its report'}
      . <Link to="/account/security">Choose who can</Link>. This notice disappears once you have chosen.
    </p>
  );
}

/** Until the owner has said in which country the numbers are. */
function CountryNotice() {
  const may = useMay('account');
  const { data } = $api.useQuery('get', '/v6/api/account', {}, { enabled: may });
  if (!may || data === undefined || data.data.country_chosen) return null;
  const { country } = data.data;
  const choose = (chosen: string | null) =>
    act({
      call: () => api.PATCH('/v6/api/account/numbers', { body: { country: chosen } }),
      done: 'Country saved',
    });
  return (
    <div className="card notice" role="status">
      <p>
        {country === null
          ? 'Which country are numbers without a country code from?'
          : `Are numbers without a country code from ${countryName(country)}?`}
      </p>
      <div className="actions">
        {country !== null && <Button onClick={() => void choose(country)}>Yes, {countryName(country)}</Button>}
        <Link to="/account" className="button">
          {country === null ? 'Choose the country' : 'Another country'}
        </Link>
        <Button onClick={() => void choose(null)}>I always write the country code</Button>
      </div>
    </div>
  );
}

/** What an account that has not sent anything does first. */
function FirstSteps() {
  const has = useHasPage();
  const may = useMay('manage');
  if (!has('/send')) return <Empty title="Nothing has been sent yet" />;
  return (
    <Section title="First steps">
      <ol className="steps">
        <li>
          <Link to="/send">Send a test</Link> to your own number: write, look at the price, press “Send a test”.
        </li>
        {may && (
          <>
            <li>
              <Link to="/sender-ids">Register a sender id</Link>, so that messages come from your name.
            </li>
            <li>
              <Link to="/templates/new">Write a template</Link>, to reach people in chat.
            </li>
          </>
        )}
        <li>
          {may && (
            <>
              <Link to="/lists">Make a list</Link>, or{' '}
            </>
          )}
          <Link to="/uploads">{may ? 'upload' : 'Upload'} a file</Link> of recipients.
        </li>
        {has('/account/webhooks') && (
          <li>
            <Link to="/account/webhooks">Register a webhook</Link>, so that your programs receive the status of each
            message.
          </li>
        )}
      </ol>
    </Section>
  );
}
