import { startAuthentication } from '@simplewebauthn/browser';
import { useEffect, useState } from 'react';
import { api, onConfirmation } from '../api/client.js';
import { Button } from '../ui/button.js';
import { ask, Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/fields.js';
import { Form, useServerForm } from '../ui/form.js';
import { BASE } from './base.js';
import { logOut, roleOf, useSession } from './session.js';

const CONFIRM = '/v6/api/account/confirmation' as const;

type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** Asks who is there, where the API asks for it; then the request is sent again. */
onConfirmation(() => ask<boolean>((answer) => <ConfirmationDialog onAnswer={answer} />));

function ConfirmationDialog({ onAnswer }: { onAnswer: (isDone: boolean) => void }) {
  const form = useServerForm({ secret: '' });
  const { me } = useSession();
  const [hasProvider, setProvider] = useState(false);
  useEffect(() => {
    // by no query: dialogs stand outside of its provider
    api.GET('/v6/api/auth/oidc', {}).then(
      ({ data }) => setProvider(data?.data.is_available === true),
      () => undefined,
    );
  }, []);
  const send = async (body: object) => {
    await api.POST(CONFIRM, { body });
    onAnswer(true);
  };
  const byPasskey = async () => {
    const { data } = await api.POST(`${CONFIRM}/options`, {});
    if (!data?.data.options) throw new Error('There is no passkey for this site.');
    const optionsJSON = data.data.options as unknown as Options;
    const passkey = await startAuthentication({ optionsJSON }).catch(() => null);
    if (passkey === null) throw new Error('The browser showed no passkey.');
    await send({ passkey });
  };
  return (
    <Dialog title="Confirm that it is you" onClose={() => onAnswer(false)}>
      <Form
        form={form}
        submitLabel="Confirm"
        actions={
          <>
            <Button onClick={form.submit(byPasskey)}>Use a passkey</Button>
            {hasProvider && me && roleOf(me) === 'staff' && (
              <Button onClick={() => void logInAgain()}>Log in again as staff</Button>
            )}
            <Button onClick={() => onAnswer(false)}>Back</Button>
          </>
        }
        onSubmit={({ secret }) => send(/^\d[\d ]{5,}$/.test(secret) ? { otp: secret } : { password: secret })}
      >
        <TextField
          label="Your password, or a code of your app"
          type="password"
          autoComplete="current-password"
          data-first
          {...form.register('secret')}
          error={form.errorOf('secret')}
        />
      </Form>
    </Dialog>
  );
}

/** Leaves this page: the provider asks for password or factor, and a new session begins. */
async function logInAgain(): Promise<void> {
  await logOut();
  location.assign(`${BASE}/v6/api/auth/oidc/start?confirm=true`);
}
