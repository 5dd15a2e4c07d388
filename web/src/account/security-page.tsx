import { $api, api, type Schema } from '../api/client.js';
import { useMay } from '../app/session.js';
import { act, CheckField, Facts, Form, LoadState, Page, Section, TextArea, Time, useServerForm } from '../ui/index.js';

type Security = Schema<'SecurityData'>;

/** What those may do who know the account's username, or the id of a campaign, and have no token. */
export default function SecurityPage() {
  const query = $api.useQuery('get', '/v6/api/account/security', {});
  const may = useMay('account');
  return (
    <Page
      title="Access without a login"
      about="What is allowed with a username or a request id alone, without a token."
    >
      <LoadState query={query}>
        {({ data }) => (
          <>
            <Section title="Now">
              <Facts
                facts={[
                  ['Sending by username alone', sending(data)],
                  [
                    'Reports and templates',
                    data.shows_without_token ? 'shown without a token' : 'shown with a token only',
                  ],
                  ['Closed by staff', data.required_by_staff ? 'yes, only staff can reopen it' : 'no'],
                  ['Decided', data.chosen_at === null ? 'not yet' : <Time key="at" value={data.chosen_at} />],
                ]}
              />
            </Section>
            {may ? <Choice key={data.chosen_at} security={data} /> : <p>Only the owner can change this.</p>}
          </>
        )}
      </LoadState>
    </Page>
  );
}

function sending({ sends_without_token, body_username_addresses: from }: Security): string {
  if (!sends_without_token) return 'no';
  return from.length === 0 ? 'yes, from anywhere' : `from ${from.join(', ')}`;
}

interface Values {
  require_token: boolean;
  protect_reports: boolean;
  body_username_addresses: string;
}

function Choice({ security }: { security: Security }) {
  const form = useServerForm<Values>({
    require_token: security.require_token,
    protect_reports: security.protect_reports,
    body_username_addresses: security.body_username_addresses.join('\n'),
  });
  const save = async ({ body_username_addresses: addresses, ...flags }: Values) => {
    const list = addresses.split(/[\s,]+/).filter((address) => address !== '');
    const body = { ...flags, body_username_addresses: list };
    await api.PATCH('/v6/api/account/security', { body });
    await act({ call: () => Promise.resolve(), done: 'Settings saved' });
  };
  return (
    <Section title="Access settings">
      <Form form={form} onSubmit={save} submitLabel="Save">
        <CheckField
          label="Sending needs a token or an API key"
          hint="Anyone who knows your username can otherwise send at your expense."
          error={form.errorOf('require_token')}
          {...form.register('require_token')}
        />
        <TextArea
          label="Addresses that may send by username alone"
          hint="One address or range per line, such as 203.0.113.7 or 2001:db8::/32. Leave empty to allow any address."
          error={form.errorOf('body_username_addresses')}
          {...form.register('body_username_addresses')}
        />
        <CheckField
          label="Reports and templates need the account’s token"
          hint="Anyone who knows a request id can otherwise read the numbers and statuses of a campaign."
          error={form.errorOf('protect_reports')}
          {...form.register('protect_reports')}
        />
      </Form>
    </Section>
  );
}
