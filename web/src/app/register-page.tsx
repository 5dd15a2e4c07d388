import { useEffect, useState } from 'react';
import { $api, api, type Schema } from '../api/client.js';
import { browserZone, Button, Form, LoadState, TextField, useServerForm } from '../ui/index.js';
import { BASE } from './base.js';
import { Lonely } from './lonely.js';
import { queryClient } from './query-client.js';
import { beginSession, logOut, type Me, tokenOfSession } from './session.js';

const EMPTY = { firstname: '', lastname: '', email: '', mobile_no: '', country: '', username: '', password: '' };

/** A new account, if the operator lets people register. */
export function RegisterPage() {
  const [isMade, setMade] = useState(false);
  const form = useServerForm({ ...EMPTY, password_confirmation: '' });
  const field = (name: keyof typeof EMPTY | 'password_confirmation', label: string, autoComplete: string) => (
    <TextField
      label={label}
      type={name.startsWith('password') ? 'password' : name === 'mobile_no' ? 'tel' : 'text'}
      autoComplete={autoComplete}
      autoCapitalize={name === 'username' || name === 'email' ? 'none' : undefined}
      error={form.errorOf(name)}
      {...form.register(name)}
    />
  );
  useEffect(() => {
    document.title = 'Create an account · Switchboard';
  }, []);
  return (
    <Lonely title="Create an account">
      {isMade ? (
        <p role="status">Your account is there. Log in to go on.</p>
      ) : (
        <Form
          form={form}
          submitLabel="Create the account"
          onSubmit={async ({ mobile_no, country, ...body }) => {
            const more = { ...(mobile_no !== '' && { mobile_no }), ...(country !== '' && { country }) };
            const time_zone = browserZone();
            await api.POST('/v6/api/v1/auth/register', { body: { ...body, ...more, time_zone } });
            setMade(true);
          }}
        >
          {field('firstname', 'First name', 'given-name')}
          {field('lastname', 'Last name', 'family-name')}
          {field('email', 'E-mail', 'email')}
          {field('mobile_no', 'Mobile number, with the country code', 'tel')}
          {field('country', 'Country', 'country-name')}
          {field('username', 'Username', 'username')}
          {field('password', 'Password', 'new-password')}
          {field('password_confirmation', 'Password again', 'new-password')}
        </Form>
      )}
      <p>
        <a href={`${BASE}/app/login`}>Log in</a>
      </p>
    </Lonely>
  );
}

/** Only an account that has to prove its registration lacks this right at its own login. */
export const hasToProve = ({ person, rights }: Me): boolean => person === null && !rights.includes('account');

type Proof = Schema<'RegistrationProofData'>;

/** The proof of a registration by a code, before which the account may only read. */
export function ProofPage() {
  const query = $api.useQuery('get', '/v6/api/account/proof');
  useEffect(() => {
    document.title = 'Confirm your registration · Switchboard';
  }, []);
  return (
    <Lonely title="Confirm your registration">
      <LoadState query={query}>{({ data }) => <ProofForm proof={data} />}</LoadState>
      <Button onClick={() => void logOut()}>Log out</Button>
    </Lonely>
  );
}

function ProofForm({ proof }: { proof: Proof }) {
  const [sent, setSent] = useState<Schema<'StartedRegistrationProofData'> | null>(null);
  const [by, setBy] = useState(proof.ways[0]?.by ?? 'email');
  const start = useServerForm({});
  const check = useServerForm({ code: '' });
  const send = async () => {
    const { data } = await api.POST('/v6/api/account/proof', { body: { by } });
    setSent(data?.data ?? null);
  };
  const enter = async ({ code }: { code: string }) => {
    if (sent === null) return;
    const { data } = await api.POST('/v6/api/account/proof/check', { body: { id: sent.id, code } });
    const checked = data?.data;
    if (checked?.status === 'approved') {
      queryClient.clear();
      beginSession(tokenOfSession() ?? '');
      return;
    }
    const left = checked?.attempts_left ?? 0;
    const message = left > 0 ? `Wrong code, ${left} attempts left` : 'This code counts no more';
    check.setError('code', { message }, { shouldFocus: true });
  };
  if (proof.ways.length === 0) return <p>No code can be sent to you now. Ask the operator.</p>;
  return (
    <>
      <p>Before you send anything, show that you can be reached.</p>
      <Form form={start} onSubmit={send} submitLabel={sent === null ? 'Send me a code' : 'Send it again'}>
        <fieldset>
          <legend>Where to</legend>
          {proof.ways.map((way) => (
            <label key={way.by}>
              <input type="radio" name="by" checked={by === way.by} onChange={() => setBy(way.by)} /> {way.to}
            </label>
          ))}
        </fieldset>
      </Form>
      {sent !== null && (
        <Form form={check} onSubmit={enter} submitLabel="Confirm">
          <TextField
            label={`Code sent to ${sent.to}`}
            inputMode="numeric"
            autoComplete="one-time-code"
            error={check.errorOf('code')}
            {...check.register('code', { required: true })}
          />
        </Form>
      )}
    </>
  );
}
