import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  Button,
  CheckField,
  type Column,
  CopyText,
  DataTable,
  Dialog,
  Form,
  formatCount,
  listQuery,
  SelectField,
  StatusBadge,
  TextArea,
  TextField,
  Time,
  useAddress,
  useServerForm,
  MadeBy,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';
import { type Leaving, RemovalDialog } from './removal.js';
import { OwnPasswordField } from './staff-rights.js';
import { revokeKey, useKeys, type Whose } from './whose.js';

type Key = Schema<'ApiKeyAnswerData'>;

/** API keys of an account; only its owner makes new ones. */
export function ApiKeys({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const query = useKeys(whose, listQuery(address));
  const change = useChange();
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const columns: readonly Column<Key>[] = [
    { name: 'name', title: 'Name', cell: ({ name }) => name ?? '–', wide: true },
    { name: 'mode', title: 'Mode', cell: ({ mode }) => (mode === 'test' ? <StatusBadge status="test" /> : 'live') },
    { name: 'prefix', title: 'Prefix', cell: ({ prefix }) => <code>{prefix}…</code> },
    { name: 'scopes', title: 'Scopes', cell: ({ scopes }) => scopes?.join(', ') ?? 'everything', wide: true },
    {
      name: 'ips',
      title: 'Allowed addresses',
      cell: ({ allowed_ips: ips }) => (ips.length === 0 ? 'anywhere' : ips.join(', ')),
      wide: true,
    },
    {
      name: 'day',
      title: 'Requests per day',
      cell: ({ max_per_day: most, requests_today: today }) =>
        most === null ? 'no limit' : `${formatCount(today ?? 0)} of ${formatCount(most)}`,
      wide: true,
    },
    {
      name: 'ends',
      title: 'Expires',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time value={expires_at} />),
    },
    {
      name: 'used',
      title: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time value={last_used_at} />),
    },
    { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
    { name: 'created', title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      name: 'revoke',
      title: 'Actions',
      cell: (key) => (
        <Button
          kind="danger"
          onClick={() => setLeaving({ kind: 'key', id: key.id, name: key.name ?? key.prefix, whose })}
          aria-label={`Revoke ${key.name ?? key.prefix}`}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="API keys"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No API keys', text: 'Create one to let your programs use the API.' }}
      />
      {leaving !== null && (
        <RemovalDialog
          leaving={leaving}
          needsPassword={false}
          onAnswer={(removal) => {
            setLeaving(null);
            if (removal !== null) void change(() => revokeKey(whose, leaving.id, removal.revoke), 'API key revoked');
          }}
        />
      )}
    </>
  );
}

interface NewKey extends Record<
  'name' | 'mode' | 'allowed_ips' | 'expires_at' | 'max_per_day' | 'current_password',
  string
> {
  scopes: string[];
}

const SCOPES = {
  'send:sms': 'Send SMS',
  'send:chat': 'Send chat messages',
  'send:voice': 'Call',
  read: 'Read campaigns, reports and balances',
  manage: 'Change templates, lists, senders and the stop list',
  webhooks: 'Change webhooks',
} as const satisfies Record<NonNullable<Key['scopes']>[number], string>;

const MODES = [
  ['live', 'Live: messages are sent and charged'],
  ['test', 'Test: nothing is sent or charged'],
] as const;

const EMPTY: NewKey = {
  name: '',
  mode: 'live',
  scopes: [],
  allowed_ips: '',
  expires_at: '',
  max_per_day: '',
  current_password: '',
};

/** Makes a key, and shows it the only time that it can be seen. */
export function NewApiKey() {
  const [step, setStep] = useState<'closed' | 'form' | Schema<'CreatedApiKeyAnswerData'>>('closed');
  const form = useServerForm(EMPTY);
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  const create = async ({ name, mode, scopes, allowed_ips, expires_at, max_per_day, current_password }: NewKey) => {
    const { data } = await api.POST('/v6/api/account/api-keys', {
      body: {
        ...{ name, mode, expires_at, current_password },
        allowed_ips: allowed_ips.split(/[\s,]+/).filter((range) => range !== ''),
        ...(scopes.length > 0 && { scopes }),
        ...(max_per_day !== '' && { max_per_day: Number(max_per_day) }),
      },
    });
    form.reset();
    setStep((data as Schema<'CreatedApiKeyAnswer'>).data);
    await refresh();
  };
  return (
    <>
      <Button kind="primary" icon={KeyRound} onClick={() => setStep('form')}>
        New API key
      </Button>
      {step === 'form' && (
        <Dialog title="New API key" onClose={() => setStep('closed')}>
          <Form
            form={form}
            onSubmit={create}
            submitLabel="Create the key"
            actions={<Button onClick={() => setStep('closed')}>Back</Button>}
          >
            <TextField
              label="Name"
              hint="What uses it, such as Shop backend"
              data-first
              {...form.register('name')}
              error={form.errorOf('name')}
            />
            <SelectField label="Mode" options={MODES} {...form.register('mode')} error={form.errorOf('mode')} />
            <fieldset className="field">
              <legend>Scopes</legend>
              <p className="hint">Choose none to allow everything a key can do</p>
              {Object.entries(SCOPES).map(([scope, text]) => (
                <CheckField key={scope} label={`${text} (${scope})`} value={scope} {...form.register('scopes')} />
              ))}
              {form.errorOf('scopes') !== undefined && <div className="fault">{form.errorOf('scopes')}</div>}
            </fieldset>
            <TextField
              label="Expires"
              type="date"
              hint="Valid through this day. Leave empty for no end."
              {...form.register('expires_at')}
              error={form.errorOf('expires_at')}
            />
            <TextField
              label="Requests per day"
              type="number"
              min={1}
              hint="Leave empty for no limit. A request with many numbers counts once."
              {...form.register('max_per_day')}
              error={form.errorOf('max_per_day')}
            />
            <TextArea
              label="Allowed addresses"
              hint="Addresses and ranges, one per line. Leave empty to allow any address."
              rows={3}
              {...form.register('allowed_ips')}
              error={form.errorOf('allowed_ips')}
            />
            {isStaff && (
              <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
            )}
          </Form>
        </Dialog>
      )}
      {typeof step === 'object' && (
        <ShownOnce title="Your new API key" secret={step.key} what="key" onClose={() => setStep('closed')} />
      )}
    </>
  );
}

/** What is shown once, to be copied. */
export function ShownOnce({
  title,
  secret,
  what,
  onClose,
}: {
  title: string;
  secret: string;
  what: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="shown-once">
        <p>Copy it now. This {what} is not shown again.</p>
        <CopyText text={secret} label={`the ${what}`} />
      </div>
      <div className="buttons end">
        <Button kind="primary" data-first onClick={onClose}>
          I have saved it
        </Button>
      </div>
    </Dialog>
  );
}
