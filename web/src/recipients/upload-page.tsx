import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  Count,
  DataTable,
  Facts,
  Link,
  LoadState,
  notify,
  notifyFault,
  Page,
  Section,
  Time,
  useParam,
  MadeBy,
} from '../ui/index.js';

const valuesOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

const SAMPLE: readonly Column<Schema<'UploadSampleData'>>[] = [
  { name: 'row', title: 'Row', cell: ({ row }) => row },
  { name: 'to', title: 'Number', cell: ({ to }) => to },
  { name: 'values', title: 'Values', cell: ({ variables }) => valuesOf(variables), wide: true },
];
const LEFT_OUT: readonly Column<Schema<'RowFaultData'>>[] = [
  { name: 'row', title: 'Row', cell: ({ row }) => row },
  { name: 'value', title: 'Value', cell: ({ value }) => value },
  { name: 'reason', title: 'Why', cell: ({ message }) => message, wide: true },
];

const complete = <Row,>(data: readonly Row[]) => ({
  data,
  error: null,
  isFetching: false,
  refetch: () => undefined,
});

/** What a file holds: how it was read, and what was left out. */
export default function UploadPage() {
  const id = Number(useParam('id'));
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = $api.useQuery('get', '/v6/api/uploads/{id}', { params: { path: { id } } });
  const remove = async () => {
    if (!(await confirm({ title: 'Delete this file?', text: 'What was sent to it stays.', yes: 'Delete it' }))) return;
    try {
      await api.DELETE('/v6/api/uploads/{id}', { params: { path: { id } } });
      await navigate({ to: '/uploads' });
      void client.invalidateQueries();
      notify('Deleted');
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <Page
      title={`File no. ${String(id)}`}
      actions={
        <>
          <Link to="/send" search={{ channel: 'sms', upload_id: String(id) }} className="button primary">
            Send to it
          </Link>
          <Button kind="danger" onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <LoadState query={query}>
        {({ data }) => (
          <>
            <Section title="How it was read">
              <Facts
                facts={[
                  ['Rows', <Count key="rows" value={data.rows} />],
                  ['Number in', data.number_column],
                  ['Columns', data.columns.join(', ')],
                  ['Left out', <Count key="invalid" value={data.invalid_count} />],
                  ['Come more than once', <Count key="again" value={data.duplicates_count} />],
                  ['Made by', <MadeBy key="maker" maker={data.created_by} />],
                  ['Uploaded', <Time key="at" value={data.created_at} />],
                  ['Kept until', <Time key="until" value={data.expires_at} />],
                ]}
              />
            </Section>
            <Section title="The first rows">
              <DataTable
                label="The first rows"
                columns={SAMPLE}
                query={complete(data.sample)}
                rowKey={({ row }) => row}
                empty={{ title: 'No rows' }}
              />
            </Section>
            {data.invalid.length > 0 && (
              <Section title="Left out">
                <DataTable
                  label="Left out"
                  columns={LEFT_OUT}
                  query={complete(data.invalid)}
                  rowKey={({ row }) => row}
                  empty={{ title: 'Nothing was left out' }}
                />
              </Section>
            )}
          </>
        )}
      </LoadState>
    </Page>
  );
}
