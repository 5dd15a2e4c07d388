import { useQueryClient } from '@tanstack/react-query';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  DataTable,
  Form,
  notify,
  notifyFault,
  Page,
  Section,
  SelectField,
  TextArea,
  TextField,
  Time,
  useServerForm,
} from '../ui/index.js';

type Row = Schema<'KeywordData'>;
type Action = Row['action'];
interface Values {
  word: string;
  action: Action;
  reply: string;
}

const ACTIONS: readonly [Action, string][] = [
  ['suppress', 'Stop all messages to the person'],
  ['reply', 'Reply'],
  ['event', 'Only report it in the event sms.message.received'],
];

/** Words to which the account reacts. */
export default function KeywordsPage() {
  const client = useQueryClient();
  const query = $api.useQuery('get', '/v6/api/account/keywords', {}, LIVE);
  const form = useServerForm<Values>({ word: '', action: 'reply', reply: '' });
  const put = async ({ reply, ...values }: Values) => {
    await api.PUT('/v6/api/account/keywords', { body: { ...values, reply: reply === '' ? null : reply } });
    await client.invalidateQueries();
    notify('Keyword saved');
    form.reset();
  };
  const remove = async ({ word }: Row) => {
    if (!(await confirm({ title: 'Remove this keyword?', text: word, yes: 'Remove' }))) return;
    try {
      await api.DELETE('/v6/api/account/keywords/{word}', { params: { path: { word } } });
      await client.invalidateQueries();
      notify('Keyword removed');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Row>[] = [
    { name: 'word', title: 'Word', cell: ({ word }) => word },
    { name: 'action', title: 'Action', cell: ({ action }) => ACTIONS.find(([name]) => name === action)?.[1] },
    { name: 'reply', title: 'Reply', cell: ({ reply }) => reply ?? '–', wide: true },
    { name: 'updated', title: 'Last change', cell: (row) => <Time value={row.updated_at} /> },
    {
      name: 'remove',
      title: 'Remove',
      cell: (row) => (
        <Button needs="manage" aria-label={`Remove ${row.word}`} onClick={() => void remove(row)}>
          Remove
        </Button>
      ),
    },
  ];
  const rows = { ...query, data: query.data?.data };
  return (
    <Page
      title="Keywords"
      about="Words that trigger an action when a person texts them. STOP and other stop words always opt out; START and UNSTOP always opt in again."
    >
      <Section title="Add or replace one">
        <Form needs="manage" form={form} onSubmit={put} submitLabel="Save">
          <TextField
            label="Word"
            hint="Must match the whole text, ignoring punctuation, quotes and emoji. A reply for STOP, START or HELP is sent as the confirmation."
            error={form.errorOf('word')}
            {...form.register('word', { required: true })}
          />
          <SelectField label="Action" options={ACTIONS} error={form.errorOf('action')} {...form.register('action')} />
          <TextArea
            label="Reply"
            hint="Charged as an SMS. At most one reply per person in 24 hours."
            error={form.errorOf('reply')}
            {...form.register('reply')}
          />
        </Form>
      </Section>
      <DataTable
        label="Keywords"
        columns={columns}
        query={rows}
        rowKey={({ word }) => word}
        empty={{ title: 'No keywords of your own' }}
      />
    </Page>
  );
}
