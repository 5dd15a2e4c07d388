import { useState } from 'react';
import { api } from '../api/client.js';
import { endSession, useMe } from '../app/session.js';
import { Form, notify, Page, Section, TextField, useServerForm } from '../ui/index.js';
import { NOBODY, type ShutOut, ShutOutFields } from './shut-out.js';

interface Values extends ShutOut {
  current: string;
  new: string;
  again: string;
}

/** The own password; a person changes that of the person. */
export default function PasswordPage() {
  const isPerson = useMe().person !== null;
  const [isOver, setOver] = useState(false);
  const form = useServerForm<Values>({ current: '', new: '', again: '', ...NOBODY });
  const save = async ({ again, current, new: password, ...shutOut }: Values) => {
    if (again !== password) {
      form.setError('again', { message: 'The passwords differ' }, { shouldFocus: true });
      return;
    }
    const revocations = isPerson ? {} : shutOut;
    await api.PUT('/v6/api/account/password', { body: { current, new: password, ...revocations } });
    setOver(true);
    notify('Password changed. Log in with the new one.');
    // every token of before is refused from now on, this one too
    endSession('left');
  };
  return (
    <Page title="Password" about="Changing the password ends every login, including this one.">
      <Section title="Change the password">
        {!isOver && (
          <Form form={form} submitLabel="Change the password" onSubmit={save}>
            <TextField
              label="Current password"
              type="password"
              autoComplete="current-password"
              {...form.register('current')}
              error={form.errorOf('current')}
            />
            <TextField
              label="New password"
              type="password"
              autoComplete="new-password"
              hint="At least 8 characters, with an upper-case and a lower-case letter, a digit and another character"
              {...form.register('new')}
              error={form.errorOf('new')}
            />
            <TextField
              label="New password again"
              type="password"
              autoComplete="new-password"
              {...form.register('again')}
              error={form.errorOf('again')}
            />
            {!isPerson && <ShutOutFields whose={null} form={form} />}
          </Form>
        )}
      </Section>
    </Page>
  );
}
