import { $api, api, type Schema } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import {
  Button,
  confirm,
  CopyText,
  Facts,
  Failed,
  Form,
  notify,
  Section,
  SelectField,
  TextField,
  Time,
  useServerForm,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';

type ChatAccount = Schema<'ChatAccountAnswerData'>;
type Channel = ChatAccount['channel'];

const CHANNELS: readonly (readonly [Channel, string])[] = [
  ['official', 'Official'],
  ['branded', 'Branded'],
];

/** The connections of an account to the chat provider, one for each channel. */
export function ChatAccounts({ username }: { username: string }) {
  return CHANNELS.map(([channel, label]) => (
    <Section key={channel} title={`${label} chat account`}>
      <Connection username={username} channel={channel} />
    </Section>
  ));
}

function Connection({ username, channel }: { username: string; channel: Channel }) {
  const params = { path: { username }, query: { channel } };
  const query = $api.useQuery('get', '/v6/api/admin/chat-accounts/{username}', { params }, { retry: false });
  const change = useChange();
  const isMissing = query.error !== null && problemOf(query.error).status === 404;
  if (query.error !== null && !isMissing)
    return <Failed error={query.error} isBusy={query.isFetching} onRetry={query.refetch} />;
  if (query.data === undefined && !isMissing) {
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    );
  }
  const account = isMissing ? null : (query.data?.data ?? null);
  const remove = async () => {
    const isSure = await confirm({
      title: `Remove the ${channel} chat account of ${username}?`,
      text: 'Its token and secrets are deleted, and messages through it are refused.',
      yes: 'Remove it',
    });
    if (isSure)
      await change(() => api.DELETE('/v6/api/admin/chat-accounts/{username}', { params }), 'Chat account removed');
  };
  return (
    <>
      {account === null ? (
        <p className="muted">Not connected yet.</p>
      ) : (
        <Facts
          facts={[
            ['Callback address', <CopyText key="callback" text={account.callback_url} label="the callback address" />],
            ['Phone number id', account.phone_number_id],
            ['Token', account.token_set ? 'set' : 'missing'],
            ['App secret', account.app_secret_set ? 'set' : 'missing'],
            ['Verify token', account.verify_token_set ? 'set' : 'missing'],
            ['Changed', <Time key="changed" value={account.updated_at} />],
          ]}
        />
      )}
      <ConnectionForm
        key={account?.updated_at ?? 'new'}
        username={username}
        channel={channel}
        account={account}
        onRemove={account === null ? null : () => void remove()}
      />
    </>
  );
}

const TEXTS = [
  ['number', 'Number', undefined],
  ['url', 'Address', 'With the phone number id: https://host/v21.0/<phone_number_id>'],
  ['app_id', 'App id', undefined],
  ['bmid', 'Business manager id', undefined],
  ['waba_id', 'Business account id', 'Needed for template reviews'],
] as const;
const SECRETS = [
  ['token', 'Token'],
  ['app_secret', 'App secret'],
  ['verify_token', 'Verify token'],
] as const;

type Name = (typeof TEXTS)[number][0] | (typeof SECRETS)[number][0] | 'provider' | 'messages_per_second';
type Values = Record<Name, string>;

const PROVIDERS = [
  ['meta_cloud', 'Meta Cloud API'],
  ['crm', 'CRM'],
  ['reseller', 'Reseller'],
  ['other', 'Other'],
] as const;

function ConnectionForm({
  username,
  channel,
  account,
  onRemove,
}: {
  username: string;
  channel: Channel;
  account: ChatAccount | null;
  onRemove: (() => void) | null;
}) {
  const refresh = useRefresh();
  const form = useServerForm<Values>({
    provider: account?.provider ?? 'meta_cloud',
    number: account?.number ?? '',
    url: account?.url ?? '',
    app_id: account?.app_id ?? '',
    bmid: account?.bmid ?? '',
    waba_id: account?.waba_id ?? '',
    messages_per_second: String(account?.messages_per_second ?? ''),
    token: '',
    app_secret: '',
    verify_token: '',
  });
  const save = async (values: Values) => {
    const texts = TEXTS.map(([name]) => [name, values[name] === '' ? null : values[name]]);
    // an empty secret keeps the one that is set
    const secrets = SECRETS.flatMap(([name]) => (values[name] === '' ? [] : [[name, values[name]]]));
    const rate = values.messages_per_second;
    await api.PUT('/v6/api/admin/chat-accounts/{username}', {
      params: { path: { username }, query: {} },
      body: {
        channel,
        provider: values.provider,
        messages_per_second: rate === '' ? null : Number(rate),
        ...Object.fromEntries([...texts, ...secrets]),
      } as Schema<'PutChatAccountRequest'>,
    });
    notify('Chat account saved');
    await refresh();
  };
  const field = (name: Name) => ({ ...form.register(name), error: form.errorOf(name) });
  return (
    <Form
      needs="manage"
      form={form}
      submitLabel={account === null ? 'Connect' : 'Save'}
      onSubmit={save}
      actions={
        onRemove !== null && (
          <Button needs="manage" kind="danger" onClick={onRemove}>
            Remove
          </Button>
        )
      }
    >
      <SelectField label="Provider" options={PROVIDERS} {...field('provider')} />
      {TEXTS.map(([name, label, hint]) => (
        <TextField key={name} label={label} hint={hint} {...field(name)} />
      ))}
      {SECRETS.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          type="password"
          autoComplete="off"
          hint={account === null ? undefined : 'Leave empty to keep the current one'}
          {...field(name)}
        />
      ))}
      <TextField
        label="Messages per second"
        type="number"
        min={1}
        hint="Leave empty for no limit"
        {...field('messages_per_second')}
      />
    </Form>
  );
}
