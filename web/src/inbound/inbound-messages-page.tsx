import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  DataTable,
  Dialog,
  Filters,
  Form,
  Link,
  listQuery,
  notify,
  Page,
  TextArea,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';

type Row = Schema<'InboundMessageData'>;

const AUTO_REPLIES: Readonly<Record<string, string>> = {
  due: 'on its way',
  sent: 'sent',
  silent: 'none, already replied in the last 24 hours',
  automatic: 'none, three such texts in ten minutes',
  failed: 'failed',
};
/** Names and short codes receive nothing. */
const ANSWERABLE = /^[0-9]{8,20}$/;

/** Texts that people sent to the account, each with its answer. */
export default function InboundMessagesPage() {
  const [address] = useAddress();
  const [answered, setAnswered] = useState<Row | null>(null);
  const query = $api.useQuery(
    'get',
    '/v6/api/inbound-messages',
    { params: { query: listQuery(address, 'from', 'to', 'keyword') } as never },
    LIVE,
  );
  const columns: readonly Column<Row>[] = [
    { name: 'from', title: 'From', cell: ({ from }) => from },
    { name: 'text', title: 'Text', cell: (row) => <MessageText message={row} />, wide: true },
    { name: 'to', title: 'To', cell: ({ to }) => to || '–' },
    { name: 'keyword', title: 'Keyword', cell: ({ keyword }) => keyword ?? '–' },
    {
      name: 'answers',
      title: 'In reply to',
      cell: ({ in_reply_to: answers }) =>
        answers ? <Link to={`/campaigns/${encodeURIComponent(answers.request_id)}`}>{answers.request_id}</Link> : '–',
    },
    {
      name: 'auto',
      title: 'Automatic reply',
      cell: ({ auto_reply: state }) => AUTO_REPLIES[state ?? ''] ?? state ?? '–',
    },
    { name: 'received', title: 'Received', cell: (row) => <Time value={row.received_at} /> },
    {
      name: 'reply',
      title: 'Reply',
      cell: (row) =>
        ANSWERABLE.test(row.from) ? (
          <Button needs="send:sms" aria-label={`Reply to ${row.from}`} onClick={() => setAnswered(row)}>
            Reply
          </Button>
        ) : (
          '–'
        ),
    },
  ];
  return (
    <Page
      title="Inbound messages"
      about="SMS that people sent to you, newest first. Replies are charged as SMS."
      actions={<Link to="/keywords">Keywords</Link>}
    >
      <Filters
        filters={[
          { name: 'from', label: 'From', kind: 'search' },
          { name: 'to', label: 'To', kind: 'search' },
          { name: 'keyword', label: 'Keyword', kind: 'search' },
        ]}
      />
      <DataTable
        label="Inbound messages"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No inbound messages' }}
      />
      {answered && <Reply message={answered} onClose={() => setAnswered(null)} />}
    </Page>
  );
}

/** The text, and whether parts of it are missing. */
export function MessageText({ message }: { message: Pick<Row, 'text' | 'incomplete' | 'encoding'> }) {
  return (
    <>
      {message.text}
      {message.encoding === 'binary' && <span className="muted"> (8-bit data)</span>}
      {message.incomplete && <span className="muted"> (parts are missing)</span>}
    </>
  );
}

function Reply({ message, onClose }: { message: Row; onClose: () => void }) {
  const client = useQueryClient();
  const form = useServerForm<{ message: string }>({ message: '' });
  const send = async (values: { message: string }) => {
    const { data } = await api.POST('/v6/api/inbound-messages/{id}/reply', {
      params: { path: { id: message.id } },
      body: values,
    });
    await client.invalidateQueries();
    const { credits = 0 } = data?.data ?? {};
    notify(`Reply queued for ${String(credits)} ${credits === 1 ? 'credit' : 'credits'}`);
    onClose();
  };
  return (
    <Dialog title={`Reply to ${message.from}`} onClose={onClose}>
      <p className="muted">{message.text}</p>
      <Form form={form} onSubmit={send} submitLabel="Send reply">
        <TextArea
          label="Message"
          rows={4}
          error={form.errorOf('message')}
          {...form.register('message', { required: true })}
        />
      </Form>
    </Dialog>
  );
}
