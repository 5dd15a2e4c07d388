import { startRegistration } from '@simplewebauthn/browser';
import { Fingerprint, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { encode } from 'uqr';
import { $api, api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  act,
  Button,
  type Column,
  confirm,
  CopyText,
  DataTable,
  Dialog,
  Form,
  LoadState,
  notify,
  TextField,
  Time,
  useServerForm,
} from '../ui/index.js';
import { queryClient } from '../app/query-client.js';
import './account.css';

type Factor = Schema<'FactorData'>;
type Shown = { step: 'none' } | { step: 'app'; secret: string; uri: string } | { step: 'codes'; codes: string[] };

const FACTOR = '/v6/api/account/second-factor' as const;

/** Apps, passkeys and recovery codes of the own login. */
export function SecondFactors() {
  const query = $api.useQuery('get', FACTOR, {});
  const [shown, setShown] = useState<Shown>({ step: 'none' });
  const close = () => {
    setShown({ step: 'none' });
    void queryClient.invalidateQueries();
  };
  const showCodes = (codes: string[]) => {
    if (codes.length === 0) close();
    else setShown({ step: 'codes', codes });
  };
  return (
    <LoadState query={query}>
      {({ data }) => (
        <>
          {data.is_missing && (
            <p role="status" className="notice">
              This login needs a second factor. Set one up to go on.
            </p>
          )}
          <DataTable
            label="Second factors"
            columns={COLUMNS}
            query={{ ...query, data: pageOf(data.factors) }}
            rowKey={({ id }) => id}
            empty={{ title: 'No second factor', text: 'The password alone opens this login.' }}
          />
          <Actions data={data} onApp={(app) => setShown({ step: 'app', ...app })} onCodes={showCodes} />
          {shown.step === 'app' && <NewApp {...shown} onClose={close} onDone={showCodes} />}
          {shown.step === 'codes' && <RecoveryCodes codes={shown.codes} onClose={close} />}
        </>
      )}
    </LoadState>
  );
}

const pageOf = (data: Factor[]) =>
  ({ success: true, data, page: 1, limit: 50, total: data.length, next_cursor: null }) as const;

const COLUMNS: readonly Column<Factor>[] = [
  {
    name: 'kind',
    title: 'What',
    cell: ({ kind, name }) => (kind === 'totp' ? 'Authenticator app' : `Passkey: ${name}`),
  },
  {
    name: 'used',
    title: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time value={at} />),
  },
  { name: 'created', title: 'Added', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    name: 'actions',
    title: 'Actions',
    cell: (factor) => (
      <Button kind="danger" aria-label={`Remove ${nameOf(factor)}`} onClick={() => void remove(factor)}>
        Remove
      </Button>
    ),
  },
];

const nameOf = ({ kind, name }: Factor): string => (kind === 'totp' ? 'the authenticator app' : `the passkey ${name}`);

const remove = (factor: Factor) =>
  act({
    ask: () =>
      confirm({
        title: `Remove ${nameOf(factor)}?`,
        text: 'It is asked for no longer. Without any second factor the password alone opens this login.',
        yes: 'Remove it',
      }),
    call: () => api.DELETE(`${FACTOR}/{id}`, { params: { path: { id: factor.id } } }),
    done: 'Second factor removed',
  });

interface ActionProperties {
  data: Schema<'SecondFactorsData'>;
  onApp: (app: { secret: string; uri: string }) => void;
  onCodes: (codes: string[]) => void;
}

function Actions({ data, onApp, onCodes }: ActionProperties) {
  const [isNaming, setNaming] = useState(false);
  const begin = async () => {
    const { data: answer } = await api.POST(`${FACTOR}/totp`, {});
    if (answer !== undefined) onApp(answer.data);
  };
  const renew = async () => {
    const { data: answer } = await api.POST(`${FACTOR}/recovery-codes`, {});
    if (answer !== undefined) onCodes(answer.data.recovery_codes);
  };
  const hasApp = data.factors.some(({ kind }) => kind === 'totp');
  return (
    <>
      <div className="buttons">
        {!hasApp && (
          <Button kind="primary" icon={Smartphone} onClick={() => void act({ call: begin, done: 'Scan the code' })}>
            Set up an app
          </Button>
        )}
        <Button icon={Fingerprint} onClick={() => setNaming(true)}>
          Add a passkey
        </Button>
        {data.factors.length > 0 && (
          <Button onClick={() => void act({ call: renew, done: 'The former codes ended' })}>New recovery codes</Button>
        )}
      </div>
      {data.factors.length > 0 && <p className="hint">{data.recovery_codes_left} of 10 recovery codes left</p>}
      {isNaming && (
        <NewPasskey
          onClose={() => setNaming(false)}
          onDone={(codes) => {
            setNaming(false);
            onCodes(codes);
          }}
        />
      )}
    </>
  );
}

function NewApp({
  secret,
  uri,
  onClose,
  onDone,
}: {
  secret: string;
  uri: string;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}) {
  const form = useServerForm({ otp: '' });
  const save = async ({ otp }: { otp: string }) => {
    const { data } = await api.POST(`${FACTOR}/totp/confirm`, { body: { otp } });
    notify('Authenticator app added');
    if (data !== undefined) onDone(data.data.recovery_codes);
  };
  return (
    <Dialog title="Set up an app" onClose={onClose}>
      <p>Scan this with an authenticator app, or type the secret into it. Then type the code that it shows.</p>
      <QrCode text={uri} />
      <CopyText text={secret} label="the secret" />
      <Form form={form} submitLabel="Confirm the app" actions={<Button onClick={onClose}>Back</Button>} onSubmit={save}>
        <TextField
          label="Code of the app"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-first
          {...form.register('otp')}
          error={form.errorOf('otp')}
        />
      </Form>
    </Dialog>
  );
}

/** Dark on light in both themes: scanners want it so. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${String(x)} ${String(y)}h1v1h-1z`] : [])));
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${String(size)} ${String(size)}`}
      role="img"
      aria-label="QR code of the secret"
    >
      <path d={path.join('')} />
    </svg>
  );
}

function NewPasskey({ onClose, onDone }: { onClose: () => void; onDone: (codes: string[]) => void }) {
  const form = useServerForm({ name: '' });
  const { username } = useMe();
  const save = async ({ name }: { name: string }) => {
    const { data: asked } = await api.POST(`${FACTOR}/passkeys/options`, {});
    const optionsJSON = asked?.data.options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'];
    const passkey = await startRegistration({ optionsJSON }).catch(() => null);
    if (passkey === null) throw new Error('The browser made no passkey.');
    const { data } = await api.POST(`${FACTOR}/passkeys`, {
      body: { name, passkey: passkey as unknown as Record<string, unknown> },
    });
    notify('Passkey added');
    if (data !== undefined) onDone(data.data.recovery_codes);
  };
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form form={form} submitLabel="Add the passkey" actions={<Button onClick={onClose}>Back</Button>} onSubmit={save}>
        <TextField
          label="Name"
          hint={`Where it is, such as Laptop. The browser shows it as ${username}.`}
          data-first
          {...form.register('name')}
          error={form.errorOf('name')}
        />
      </Form>
    </Dialog>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" onClose={onClose}>
      <div className="shown-once">
        <p>Each logs in once in place of the second factor. Keep them now: they are shown only this once.</p>
        <ul className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <CopyText text={codes.join('\n')} label="the codes" />
      </div>
      <div className="buttons end">
        <Button kind="primary" data-first onClick={onClose}>
          I have kept them
        </Button>
      </div>
    </Dialog>
  );
}
