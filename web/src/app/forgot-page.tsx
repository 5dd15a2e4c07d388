import { useEffect, useState } from 'react';
import { api } from '../api/client.js';
import { Form, TextField, useServerForm } from '../ui/index.js';
import { BASE } from './base.js';
import { Lonely } from './lonely.js';

/** Asks for a link to set a new password; it says the same whatever is typed. */
export function ForgotPage() {
  const [isSent, setSent] = useState(false);
  const form = useServerForm({ email_or_username: '' });
  useEffect(() => {
    document.title = 'Forgot your password? · Switchboard';
  }, []);
  return (
    <Lonely title="Forgot your password?">
      {isSent ? (
        <p role="status">
          If the login has an e-mail address, a link is on its way. It is good for 24 hours. If nothing comes, ask the
          owner of your account, or the operator, for a link.
        </p>
      ) : (
        <Form
          form={form}
          submitLabel="Send me a link"
          onSubmit={async (body) => {
            await api.POST('/v6/api/v1/auth/password-resets', { body });
            setSent(true);
          }}
        >
          <TextField
            label="Username or e-mail"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('email_or_username')}
            error={form.errorOf('email_or_username')}
          />
        </Form>
      )}
      <p>
        <a href={`${BASE}/app/login`}>Log in</a>
      </p>
    </Lonely>
  );
}
