import { useEffect } from 'react';
import { $api, api, type Schema } from '../api/client.js';
import { Form, TextField, useServerForm } from '../ui/index.js';
import { LoadState } from '../ui/load-state.js';
import { BASE } from './base.js';
import { Lonely } from './lonely.js';

/** Takes the token behind `#`, which no server sees, and sets the password of its login. */
export function LinkPage() {
  const token = location.hash.slice(1);
  const query = $api.useQuery(
    'post',
    '/v6/api/v1/auth/links/show',
    { body: { token } },
    { retry: false, gcTime: 0, staleTime: Infinity, refetchOnWindowFocus: false },
  );
  useEffect(() => {
    document.title = 'Set a password · Switchboard';
  }, []);
  return (
    <Lonely title={query.data?.data.purpose === 'invitation' ? 'Join' : 'Set a new password'}>
      <LoadState query={query}>{({ data }) => <PasswordForm token={token} link={data} />}</LoadState>
      <p>
        <a href={`${BASE}/app/login`}>Log in</a>
      </p>
    </Lonely>
  );
}

function PasswordForm({ token, link }: { token: string; link: Schema<'LinkView'> }) {
  const isInvitation = link.purpose === 'invitation';
  const form = useServerForm({ firstname: link.firstname, lastname: link.lastname, password: '', again: '' });
  return (
    <>
      <p>
        {isInvitation ? `You are invited to work for ${link.account_name}. ` : ''}Your username is{' '}
        <strong>{link.username}</strong>.
      </p>
      <Form
        form={form}
        submitLabel={isInvitation ? 'Join' : 'Set the password'}
        onSubmit={async ({ again, password, firstname, lastname }) => {
          if (again !== password) {
            form.setError('again', { message: 'The passwords differ' }, { shouldFocus: true });
            return;
          }
          const names = isInvitation ? { firstname, lastname } : {};
          await api.POST('/v6/api/v1/auth/links/use', { body: { token, password, ...names } });
          // without the token, also in the history of the tab
          location.replace(`${BASE}/app/login`);
        }}
      >
        {isInvitation && (
          <>
            <TextField
              label="First name"
              autoComplete="given-name"
              {...form.register('firstname')}
              error={form.errorOf('firstname')}
            />
            <TextField
              label="Last name"
              autoComplete="family-name"
              {...form.register('lastname')}
              error={form.errorOf('lastname')}
            />
          </>
        )}
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters, with an upper-case and a lower-case letter, a digit and another character"
          {...form.register('password')}
          error={form.errorOf('password')}
        />
        <TextField
          label="Password again"
          type="password"
          autoComplete="new-password"
          {...form.register('again')}
          error={form.errorOf('again')}
        />
      </Form>
    </>
  );
}
