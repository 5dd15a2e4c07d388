import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  DataTable,
  FileField,
  Filters,
  Form,
  formatCount,
  listQuery,
  notify,
  Section,
  StatusBadge,
  TextArea,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';
import { freeNumber, stopNumbers, useStopList, type Whose } from './whose.js';

type Entry = Schema<'SuppressionData'>;

const SOURCES: Readonly<Record<Entry['source'], readonly [string, 'warn' | 'off']>> = {
  stop: ['wrote STOP', 'warn'],
  api: ['added', 'off'],
  import: ['imported', 'off'],
  carrier: ['opted out, reported by the carrier', 'warn'],
};

/** An account's stop list: looked through, added to, and taken from. */
export function StopList({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const query = useStopList(whose, listQuery(address, 'number'));
  const change = useChange();
  const free = async ({ number, source }: Entry) => {
    const isSure = await confirm({
      title: `Remove ${number} from the stop list?`,
      text:
        source === 'stop'
          ? 'This number replied STOP. Campaigns will send to it again.'
          : 'Campaigns will send to it again.',
      yes: 'Remove it',
    });
    if (isSure) await change(() => freeNumber(whose, number), `${number} removed from the stop list`);
  };
  const columns: readonly Column<Entry>[] = [
    { name: 'number', title: 'Number', cell: ({ number }) => number, wide: true },
    {
      name: 'source',
      title: 'Reason',
      cell: ({ source }) => <StatusBadge status={source} text={SOURCES[source][0]} tone={SOURCES[source][1]} />,
    },
    { name: 'category', title: 'Blocks', cell: ({ category }) => category ?? 'everything' },
    { name: 'created', title: 'Since', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      name: 'free',
      title: 'Actions',
      cell: (entry) => (
        <Button needs="manage" kind="danger" onClick={() => void free(entry)} aria-label={`Remove ${entry.number}`}>
          Remove
        </Button>
      ),
    },
  ];
  return (
    <>
      <Filters filters={[{ name: 'number', label: 'Number', kind: 'search', placeholder: 'The full number' }]} />
      <DataTable
        label="Stop list"
        columns={columns}
        query={query}
        rowKey={({ number }) => number}
        empty={{ title: address['number'] ? 'This number is not on the list' : 'The stop list is empty' }}
      />
      <Section title="Add numbers">
        <AddNumbers whose={whose} />
      </Section>
      {whose === null && (
        <Section title="Import a file">
          <ImportNumbers />
        </Section>
      )}
    </>
  );
}

function AddNumbers({ whose }: { whose: Whose }) {
  const form = useServerForm({ numbers: '' });
  const refresh = useRefresh();
  return (
    <Form
      needs="manage"
      form={form}
      submitLabel="Add to the stop list"
      onSubmit={async ({ numbers }) => {
        const { added, already } = await stopNumbers(
          whose,
          numbers.split(/[\n,;]+/).filter((number) => number.trim() !== ''),
        );
        notify(`${formatCount(added)} added, ${formatCount(already)} were on the list`);
        form.reset();
        await refresh();
      }}
    >
      <TextArea
        label="Numbers"
        hint="One per line, with + and country code or in national format. Running campaigns also stop sending to them."
        rows={3}
        {...form.register('numbers')}
        error={form.errorOf('numbers')}
      />
    </Form>
  );
}

function ImportNumbers() {
  const [file, setFile] = useState<File | null>(null);
  const [result, setResult] = useState<Schema<'ImportData'> | null>(null);
  const form = useServerForm({ file: '' });
  const refresh = useRefresh();
  const send = async () => {
    setResult(null);
    if (file === null) {
      form.setError('file', { message: 'Choose a file' });
      return;
    }
    const body = new FormData();
    body.append('file', file);
    const { data } = await api.POST('/v6/api/suppressions/import', { body: body as never, bodySerializer: () => body });
    setResult((data as Schema<'ImportAnswer'>).data);
    await refresh();
  };
  return (
    <Form needs="manage" form={form} submitLabel="Import" onSubmit={send}>
      <FileField
        label="Spreadsheet (.xlsx) or CSV file"
        hint="One number per row, in the column “number” or “phone”, otherwise in the first one. At most 32 MB."
        accept=".csv,.txt,.xlsx,text/csv"
        onFile={setFile}
        error={form.errorOf('file')}
      />
      <div role="status">
        {result !== null && (
          <>
            {formatCount(result.lines)} lines: {formatCount(result.added)} added, {formatCount(result.already)} were on
            the list, {formatCount(result.invalid_count)} without a number
            {result.invalid.length > 0 &&
              ` (${result.invalid
                .slice(0, 5)
                .map(({ row, value = '' }) => `line ${String(row)}: “${value}”`)
                .join(', ')}${result.invalid.length > 5 ? ' …' : ''})`}
            .
          </>
        )}
      </div>
    </Form>
  );
}
